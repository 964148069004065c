from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

class OptimizeResult:
    x: NDArray[np.float64] | None

def linprog(
    c: NDArray[np.float64],
    A_ub: NDArray[np.float64],
    b_ub: NDArray[np.float64],
    *,
    bounds: Sequence[tuple[float | None, float | None]],
    method: Literal["highs"],
) -> OptimizeResult: ...
def differential_evolution(
    func: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    bounds: Sequence[tuple[float, float]],
    *,
    init: NDArray[np.float64],
    maxiter: int,
    rng: np.random.Generator,
    polish: bool,
    vectorized: bool,
    updating: Literal["deferred"],
) -> OptimizeResult: ...

# What parakin uses of scipy.linalg.
from typing import Literal

import numpy as np
from numpy.typing import NDArray

def qr(
    a: NDArray[np.float64], *, mode: Literal["r"], pivoting: Literal[True]
) -> tuple[NDArray[np.float64], NDArray[np.intp]]: ...
def solve_triangular(a: NDArray[np.float64], b: NDArray[np.float64], trans: int = ...) -> NDArray[np.float64]: ...
def expm(A: NDArray[np.float64]) -> NDArray[np.float64]: ...

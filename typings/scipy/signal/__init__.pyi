# What parakin uses of scipy.signal.
from typing import Literal

import numpy as np
from numpy.typing import NDArray

def oaconvolve(
    in1: NDArray[np.float64], in2: NDArray[np.float64], mode: Literal["valid"], axes: int
) -> NDArray[np.float64]: ...
def periodogram(
    x: NDArray[np.float64], fs: float, window: str, *, detrend: Literal["linear"], axis: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def welch(
    x: NDArray[np.float64], fs: float, nperseg: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def lfilter(b: list[float], a: list[float], x: NDArray[np.float64], axis: int) -> NDArray[np.float64]: ...

# What parakin uses of scipy.signal.
from typing import Literal

import numpy as np
from numpy.typing import NDArray

def butter(N: int, Wn: float, *, fs: float, output: Literal["sos"]) -> NDArray[np.float64]: ...
def sosfreqz(
    sos: NDArray[np.float64], worN: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.complex128]]: ...
def sosfiltfilt(sos: NDArray[np.float64], x: NDArray[np.float64], axis: int = ...) -> NDArray[np.float64]: ...
def oaconvolve(
    in1: NDArray[np.float64], in2: NDArray[np.float64], mode: Literal["valid"], axes: int
) -> NDArray[np.float64]: ...
def periodogram(
    x: NDArray[np.float64], fs: float, window: str, *, detrend: Literal["linear"], axis: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...

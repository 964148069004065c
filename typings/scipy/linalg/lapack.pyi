import numpy as np
from numpy.typing import NDArray

def dtpqrt(
    l: int,
    nb: int,
    a: NDArray[np.float64],
    b: NDArray[np.float64],
    overwrite_a: bool = ...,
    overwrite_b: bool = ...,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], int]: ...
def dgesv(
    a: NDArray[np.float64], b: NDArray[np.float64], overwrite_a: bool = ..., overwrite_b: bool = ...
) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.float64], int]: ...
def dgetrs(
    lu: NDArray[np.float64], piv: NDArray[np.int32], b: NDArray[np.float64], trans: int = ..., overwrite_b: bool = ...
) -> tuple[NDArray[np.float64], int]: ...

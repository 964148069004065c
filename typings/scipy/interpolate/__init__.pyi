# What parakin uses of scipy.interpolate.
import numpy as np
from numpy.typing import ArrayLike, NDArray

class CubicSpline:
    def __init__(self, x: ArrayLike, y: ArrayLike, axis: int = ..., bc_type: str = ...) -> None: ...
    def __call__(self, x: ArrayLike, nu: int = ...) -> NDArray[np.float64]: ...

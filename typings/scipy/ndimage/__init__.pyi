import numpy as np
from numpy.typing import NDArray

def gaussian_filter(input: NDArray[np.float64], sigma: float, *, truncate: float = 4.0) -> NDArray[np.float64]: ...  # noqa: A002

"""The one array type of parakin's numbers, and how arrays are handed out so that nobody can spoil them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
"""Numbers as parakin computes them: float64, in SI units."""


def read_only(values: ArrayLike) -> Array:
    """Copy numbers into an array that refuses to be written to: what frozen objects hand out."""
    array = np.array(values, np.float64)
    array.flags.writeable = False
    return array

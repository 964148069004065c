"""The one array type of parakin's numbers, and how arrays are handed out so that nobody can spoil them."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
"""Numbers as parakin computes them: float64, in SI units."""


def read_only(values: ArrayLike) -> Array:
    """Copy numbers into an array that refuses to be written to: what frozen objects hand out."""
    array = np.array(values, np.float64)
    array.flags.writeable = False
    return array


def lock_arrays(result: object) -> None:
    """Make the arrays of a frozen result read-only, called from its `__post_init__`; nothing is copied.

    Whoever handed the array in can still write to it; whoever is handed the result cannot.
    """
    for name, value in vars(result).items():
        if isinstance(value, np.ndarray):
            view = cast("Array", value).view()
            view.flags.writeable = False
            object.__setattr__(result, name, view)

"""Shapes on lattices, by scipy: connected parts, distances to what is outside, least values in windows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array

Flags = NDArray[np.bool_]
"""Which vertices are inside."""


def connected_parts(inside: Flags) -> NDArray[np.int32]:
    """Return a number for each vertex: 0 outside, the same for vertices inside that are connected by shared cells."""
    labels, _ = _ndimage().label(inside, np.ones((3,) * inside.ndim))
    return np.asarray(labels, np.int32)


def distances(inside: Flags, step: Array) -> Array:
    """Return the distance of each vertex to the nearest one outside [m]; step is the size of a cell."""
    return np.asarray(_ndimage().distance_transform_edt(inside, sampling=step.tolist()), float)


def all_in_window(inside: Flags, reach: Sequence[int]) -> Flags:
    """Return the vertices around which all are inside that are up to `reach` vertices away along each axis."""
    window = tuple(2 * count + 1 for count in reach)
    return np.asarray(_ndimage().minimum_filter(inside, size=window, mode="constant", cval=0), bool)


def least_along(values: Array, reach: int, axis: int) -> Array:
    """Return the least of the values up to `reach` vertices away along an axis, 0 beyond the lattice."""
    options: dict[str, object] = {"axis": axis, "mode": "constant", "cval": 0.0}
    return np.asarray(_ndimage().minimum_filter1d(values, 2 * reach + 1, **options), float)


def _ndimage() -> Any:
    """scipy has no types that a checker could use."""
    from scipy import ndimage  # pyright: ignore[reportMissingTypeStubs]

    return ndimage

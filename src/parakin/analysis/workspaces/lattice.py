"""Points of a box as a lattice that is refined where its cells' corners differ.

Codes of all vertices are kept as one dense array, which is small; what costs time is judging poses, and that is done
only near boundaries. A step halves every cell. A new vertex is judged if it touches a cell whose corners are partly
inside, or a neighbour of such a cell, or a cell whose corners have different codes; others are inside cells whose
corners have one code, and inherit it. `judged` tells them apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parakin.analysis.workspaces.causes import Codes
from parakin.analysis.workspaces.surveying import Spacing, Survey
from parakin.arrays import Array, frozen_arrays


@frozen_arrays
class Lattice:
    """Vertices of a box with their codes; vertex (i, j, ...) is at lower + step (i, j, ...)."""

    lower: Array
    """The lower corner (d,) [m or rad]."""
    upper: Array
    """The upper corner (d,) [m or rad]."""
    codes: Codes
    """The code of each vertex (n_1 + 1, ..., n_d + 1); 0 inside."""
    judged: NDArray[np.bool_]
    """Which vertices were judged themselves; the others inherit the code that all corners around them have."""
    evaluations: int
    """How many points were judged so far."""

    @property
    def spacing(self) -> Spacing:
        """Where the vertices are."""
        return Spacing(self.lower, self.upper, self.codes.shape)

    @property
    def step(self) -> Array:
        """The size of a cell (d,) [m or rad]."""
        return self.spacing.step

    @property
    def inside(self) -> NDArray[np.bool_]:
        """Which vertices are inside."""
        return self.codes == 0

    def at(self, vertices: NDArray[np.floating] | NDArray[np.integer]) -> Array:
        """Return the points (N, d) of vertices (N, d), which may be between whole numbers."""
        return self.spacing.at(vertices)

    def axis(self, k: int) -> Array:
        """Return the values of one coordinate at the vertices along it."""
        return np.linspace(float(self.lower[k]), float(self.upper[k]), self.codes.shape[k])


def coarse(survey: Survey, step: str, lower: Array, upper: Array, cells: tuple[int, ...]) -> Lattice:
    """Return a lattice all of whose vertices are judged; step: what this is called."""
    spacing = Spacing(lower, upper, tuple(count + 1 for count in cells))
    codes = survey.codes(step, spacing).reshape(spacing.shape)
    return Lattice(lower, upper, codes, np.ones(spacing.shape, bool), codes.size)


def refined(survey: Survey, step: str, lattice: Lattice) -> Lattice:
    """Return the lattice with cells of half the size, judged where that may matter; step: what this is called."""
    codes, d = lattice.codes, lattice.codes.ndim
    active = _active(codes)
    fine, known = codes.copy(), lattice.judged.copy()
    for axis, count in enumerate(codes.shape):
        places = np.array([k // 2 for k in range(2 * count - 1)], np.intp)
        fine, known = np.take(fine, places, axis), np.take(known, places, axis)
    old = np.zeros(fine.shape, bool)
    old[(slice(None, None, 2),) * d] = True
    known &= old
    touched = np.zeros(fine.shape, bool)
    cells = active
    for axis in range(d):
        cells = np.repeat(cells, 2, axis=axis)
    for corner in product((slice(None, -1), slice(1, None)), repeat=d):
        touched[corner] |= cells
    wanted = touched & ~old
    chosen = np.flatnonzero(wanted)
    fine[wanted] = survey.codes(step, Spacing(lattice.lower, lattice.upper, fine.shape), chosen)
    return Lattice(lattice.lower, lattice.upper, fine, known | wanted, lattice.evaluations + len(chosen))


def corners_of(values: NDArray[np.generic]) -> list[NDArray[np.generic]]:
    """Return the value at each of the 2^d corners of every cell, each an array of cells."""
    return [values[corner] for corner in product((slice(None, -1), slice(1, None)), repeat=values.ndim)]


def mixed_cells(inside: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which cells have corners inside and outside."""
    corners = corners_of(inside)
    return np.logical_or.reduce(corners) & ~np.logical_and.reduce(corners)


def _active(codes: Codes) -> NDArray[np.bool_]:
    """Return the cells in which new vertices are judged."""
    mixed = mixed_cells(codes == 0)
    near = np.pad(mixed, 1)
    for axis in range(codes.ndim):
        before, after = np.roll(near, 1, axis), np.roll(near, -1, axis)
        near = near | before | after
    first, *others = corners_of(codes)
    differ = np.logical_or.reduce([first != other for other in others])
    return near[(slice(1, -1),) * codes.ndim] | differ


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

"""What is inside a lattice as faces and lines, whose corners are one point for each cell: in cells that the boundary
cuts, the mean of its points there.

The cells around a vertex of the lattice, or around an edge whose ends differ, make a face of the dual lattice: around
edges in space they are the boundary's surface, around vertices of a plane what is inside it, and between the two cells
beside an edge in a plane is a piece of its outline. A mean is off a smooth boundary by its curvature within a cell, and
rounds its edges within one.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from parakin.analysis.workspaces.lattice import Lattice, mixed_cells
from parakin.arrays import Array

CELLS = {1: 128, 2: 128, 3: 64}
"""Cells along each axis at most, by the number of axes: finer lattices are thinned."""
Flags = NDArray[np.bool_]
"""Which vertices of a lattice are inside."""
Numbers = NDArray[np.int32]
"""Numbers of points, codes of causes, or faces and lines as rows of numbers of points."""
ON_VERTEX = 1e-4
"""A coordinate that is nearer to a vertex of the lattice, in cells, is that vertex's: bisection stops at 1/2048."""


class Ends(NamedTuple):
    """The vertices between which points of the boundary lie."""

    inside: NDArray[np.intp]
    """The vertex of each that is inside (N, d)."""
    codes: Numbers
    """The code of the other, which says what ends the workspace there (N,)."""


class DualMesh(NamedTuple):
    """Faces and lines over points of a lattice."""

    points: Array
    """Points (N, d) [m or rad]."""
    codes: Numbers
    """What ends the workspace at each (N,): 0 inside, -1 where the lattice ends."""
    faces: Numbers
    """Corners of faces (M, 4), anticlockwise as seen from outside."""
    lines: Numbers
    """Ends of lines (L, 2)."""


def ends_of(lattice: Lattice, boundary: Array) -> Ends:
    """Return the vertices between which points (N, d) of the boundary lie; an edge leads to both at once."""
    at = (boundary - lattice.lower) / lattice.step
    first, last = np.floor(at + ON_VERTEX).astype(np.intp), np.ceil(at - ON_VERTEX).astype(np.intp)
    codes = [lattice.codes[tuple(ends.T)] for ends in (first, last)]
    return Ends(np.where((codes[0] == 0)[:, None], first, last), np.maximum(*codes).astype(np.int32))


def dual_mesh(lattice: Lattice, inside: Flags, boundary: Array) -> DualMesh:
    """Return the surface, area or line of the vertices that are inside; boundary: points (N, d) that end it."""
    d = inside.ndim
    every = max(1, (max(inside.shape) - 1) // CELLS[d])
    some = np.pad(inside[(slice(None, None, every),) * d], 1)
    ends = ends_of(lattice, boundary)
    of_part = inside[tuple(ends.inside.T)]
    points, codes = _cell_points(lattice, some, every, boundary[of_part], ends.codes[of_part])
    numbers = np.arange(codes.size, dtype=np.int32).reshape(codes.shape)
    faces = _around_edges(numbers, some) if d == 3 else _around_vertices(numbers, some)
    lines = _beside_edges(numbers, some) if d == 2 else np.zeros((0, 2), np.int32)
    if d == 1:
        faces, lines = np.zeros((0, 4), np.int32), faces[:, :2]
    used, joined = np.unique(np.concatenate([faces.ravel(), lines.ravel()]), return_inverse=True)
    split = faces.size
    return DualMesh(
        points[used],
        codes.ravel()[used],
        joined[:split].reshape(-1, 4).astype(np.int32),
        joined[split:].reshape(-1, 2).astype(np.int32),
    )


def _cell_points(lattice: Lattice, some: Flags, every: int, boundary: Array, codes: Numbers) -> tuple[Array, Numbers]:
    """Return a point for each cell of the thinned lattice with a margin around it (N, d), and the code of each cell."""
    shape = tuple(n - 1 for n in some.shape)
    size = every * lattice.step
    middles = np.indices(shape).reshape(len(shape), -1).T - 0.5
    points = np.clip(lattice.lower + size * middles, lattice.lower, lattice.upper)
    mixed = np.ravel(mixed_cells(some))
    means, most = _gathered((boundary - lattice.lower) / size + 1, codes, shape)
    cut = mixed & (most > 0)
    points[cut] = lattice.lower + size * (means[cut] - 1)
    return points, np.where(cut, most, np.where(mixed, -1, 0)).astype(np.int32).reshape(shape)


def _gathered(at: Array, codes: Numbers, shape: tuple[int, ...]) -> tuple[Array, Numbers]:
    """Return the mean (N, d) of the points in each cell and the code that most of them have, 0 where there is no point.

    Points (P, d) and means are in cells from the first one's lower corner. A point on a face or an edge is in all cells
    there.
    """
    total, d = int(np.prod(shape)), len(shape)
    sums, counts, keys = np.zeros((total, d)), np.zeros(total), list[NDArray[np.int64]]()
    kinds = int(codes.max(initial=0)) + 1
    for side in product((-ON_VERTEX, ON_VERTEX), repeat=d):
        cells = np.clip(np.floor(at + np.array(side)).astype(np.intp), 0, np.array(shape) - 1)
        numbers = np.ravel_multi_index(tuple(cells.T), shape)
        counts += np.bincount(numbers, minlength=total)
        sums += np.stack([np.bincount(numbers, at[:, k], total) for k in range(d)], axis=1)
        keys.append(numbers.astype(np.int64) * kinds + codes)
    pairs, often = np.unique(np.concatenate(keys), return_counts=True)
    ordered = pairs[np.argsort(often, kind="stable")]
    most = np.zeros(total, np.int32)
    most[ordered // kinds] = ordered % kinds
    return sums / np.maximum(counts, 1)[:, None], most


def _around_edges(numbers: Numbers, some: Flags) -> Numbers:
    """Return the four cells around each edge whose ends differ, anticlockwise as seen from the end outside."""
    faces: list[Numbers] = []
    for axis in range(3):
        across, up = (axis + 1) % 3, (axis + 2) % 3
        low, high = np.moveaxis(some, axis, 0)[:-1], np.moveaxis(some, axis, 0)[1:]
        for first, last in ((low, high), (high, low)):
            edges = np.moveaxis(first & ~last, 0, axis)
            at = np.argwhere(edges)
            corners: list[Numbers] = []
            for right, above in ((-1, -1), (0, -1), (0, 0), (-1, 0)):
                cell = at.copy()
                cell[:, across] += right
                cell[:, up] += above
                corners.append(numbers[tuple(cell.T)])
            found = np.stack(corners, axis=1)
            faces.append(found if first is low else found[:, ::-1])
    return np.concatenate(faces)


def _around_vertices(numbers: Numbers, some: Flags) -> Numbers:
    """Return the cells around each vertex of a line or plane that is inside, the first twice where they are two."""
    at = np.argwhere(some)
    if some.ndim == 1:
        pair = np.stack([numbers[at[:, 0] - 1], numbers[at[:, 0]]], axis=1)
        return np.concatenate([pair, pair], axis=1)
    offsets = ((-1, -1), (0, -1), (0, 0), (-1, 0))
    return np.stack([numbers[at[:, 0] + a, at[:, 1] + b] for a, b in offsets], axis=1)


def _beside_edges(numbers: Numbers, some: Flags) -> Numbers:
    """Return the two cells beside each edge of a plane whose ends differ."""
    along_x, along_y = np.argwhere(some[:-1] != some[1:]), np.argwhere(some[:, :-1] != some[:, 1:])
    pairs = [
        np.stack([numbers[along_x[:, 0], along_x[:, 1] + step] for step in (-1, 0)], axis=1),
        np.stack([numbers[along_y[:, 0] + step, along_y[:, 1]] for step in (-1, 0)], axis=1),
    ]
    return np.concatenate(pairs)

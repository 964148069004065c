"""How much of a lattice is inside: its boundary found on edges by bisection, and the cells it cuts measured.

A cell that the boundary cuts is divided into simplices (Kuhn's: one for each order of the axes). On every edge of a
simplex with one end inside, the place of the boundary is found by bisection; the part inside is what the plane through
these places cuts off. Its volume is off by the curvature within a cell alone: the sum over all cells converges with
the square of their size where the boundary is smooth.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations, product
from math import factorial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from parakin.analysis.workspaces.lattice import Lattice, corners_of, mixed_cells
from parakin.analysis.workspaces.surveying import BISECTIONS, Survey
from parakin.arrays import Array, frozen_arrays

MOST_SIMPLICES = 3
"""Dimensions up to which cells are cut; above, a cell counts by the share of its corners that are inside."""
Flags = NDArray[np.bool_]
"""Which vertices are inside."""


@frozen_arrays
class Boundary:
    """Where the boundary crosses edges of a lattice's simplices."""

    shares: dict[tuple[int, ...], NDArray[np.float32]]
    """For each direction of edges, how far along each edge the boundary is, 0 at its first vertex and 1 at its last."""
    points: Array
    """All crossings (N, d) [m or rad]."""
    evaluations: int
    """How many points were judged to find them."""


def boundary_of(survey: Survey, step: str, lattice: Lattice) -> Boundary:
    """Return where the boundary of what is inside crosses the edges of a lattice; step: what this is called."""
    inside, d = lattice.inside, lattice.codes.ndim
    starts: list[NDArray[np.intp]] = []
    ends: list[NDArray[np.intp]] = []
    directions = [edge for edge in product((0, 1), repeat=d) if any(edge)]
    crossed = {edge: np.argwhere(_at(inside, edge, 0) != _at(inside, edge, 1)) for edge in directions}
    for edge, first in crossed.items():
        within = inside[tuple(first.T)]
        last = first + np.array(edge)
        starts.append(np.where(within[:, None], first, last))
        ends.append(np.where(within[:, None], last, first))
    good, bad = (np.concatenate(vertices).astype(np.int32) for vertices in (starts, ends))
    places = survey.crossings(step, lattice.spacing, good, bad)
    shares: dict[tuple[int, ...], NDArray[np.float32]] = {}
    begin = 0
    for edge, first in crossed.items():
        share = np.ones(tuple(n - step for n, step in zip(inside.shape, edge, strict=True)), np.float32)
        axis = edge.index(1)
        share[tuple(first.T)] = places[begin : begin + len(first), axis] - first[:, axis]
        shares[edge] = share
        begin += len(first)
    return Boundary(shares, lattice.at(places), BISECTIONS * len(places))


def _at(values: Flags, edge: tuple[int, ...], end: int) -> Flags:
    """Return the values at one end of all edges of a direction."""
    return values[tuple(slice(end * step, n - (1 - end) * step) for n, step in zip(values.shape, edge, strict=True))]


def fractions(inside: Flags, boundary: Boundary) -> tuple[NDArray[np.intp], Array]:
    """Return the cells that the boundary cuts (N, d), and which part of each is inside (N,)."""
    cells = np.argwhere(mixed_cells(inside))
    d = inside.ndim
    if d > MOST_SIMPLICES:
        corners = np.mean([corner.astype(float) for corner in corners_of(inside)], axis=0)
        return cells, corners[tuple(cells.T)]
    total = np.zeros(len(cells))
    for vertices in simplices(d):
        within = np.stack([inside[tuple((cells + vertex).T)] for vertex in vertices], axis=1)
        shares = {pair: _share(boundary, cells, vertices, pair) for pair in combinations(range(d + 1), 2)}
        total += _cut(within, shares)
    return cells, total / factorial(d)


def simplices(d: int) -> Iterator[NDArray[np.intp]]:
    """Yield the vertices (d + 1, d) of the simplices that make up a cell of unit size."""
    for order in permutations(range(d)):
        vertices = np.zeros((d + 1, d), np.intp)
        for k, axis in enumerate(order):
            vertices[k + 1] = vertices[k]
            vertices[k + 1, axis] = 1
        yield vertices


def _share(boundary: Boundary, cells: NDArray[np.intp], vertices: NDArray[np.intp], pair: tuple[int, int]) -> Array:
    """Return how far from the first to the second vertex of a pair the boundary is, in every cell."""
    first, last = vertices[pair[0]], vertices[pair[1]]
    return boundary.shares[tuple((last - first).tolist())][tuple((cells + first).T)].astype(float)


def _cut(within: Flags, shares: dict[tuple[int, int], Array]) -> Array:
    """Return which part of each simplex is inside, from the places of the boundary on its edges.

    With one vertex inside it is the product of the parts of its edges; with one outside, what that product leaves; with
    two of four inside (a, b), the prism between them, u, w on the edges of a and r, s on those of b:

        r s + u w (1 - s) + u s (1 - r)
    """
    count, size = within.sum(axis=1), within.shape[1]
    result = np.where(count == size, 1.0, 0.0)

    def part(start: int, end: int) -> Array:
        """How far the boundary is from one vertex towards another."""
        return shares[start, end] if start < end else 1.0 - shares[end, start]

    for k in range(size):
        product_of_parts = np.prod([part(k, other) for other in range(size) if other != k], axis=0)
        alone = (count == 1) & within[:, k]
        result = np.where(alone, product_of_parts, result)
        if size > 2:
            left = (count == size - 1) & ~within[:, k]
            result = np.where(left, 1.0 - product_of_parts, result)
    if size == 4:
        for a, b in combinations(range(4), 2):
            c, e = (k for k in range(4) if k not in (a, b))
            u, w, r, s = part(a, c), part(a, e), part(b, c), part(b, e)
            prism = r * s + u * w * (1 - s) + u * s * (1 - r)
            result = np.where((count == 2) & within[:, a] & within[:, b], prism, result)
    return result


class Measure(NamedTuple):
    """How much of a lattice is inside."""

    volume: float
    """The volume inside."""
    least: float
    """The volume of cells all of whose corners are inside."""
    most: float
    """The volume of these and of those that the boundary cuts."""


def measured(lattice: Lattice, inside: Flags, boundary: Boundary) -> Measure:
    """Return the volume inside, with its bracket."""
    cell = float(np.prod(lattice.step))
    whole = float(np.logical_and.reduce(corners_of(inside)).sum()) * cell
    cells, parts = fractions(inside, boundary)
    return Measure(whole + float(parts.sum()) * cell, whole, whole + len(cells) * cell)


def segments(lattice: Lattice, inside: Flags, boundary: Boundary, among: Flags | None = None) -> Array:
    """Return the boundary in a plane as segments (N, 2, 2) [m or rad]: one for each triangle that it cuts.

    among: the cells that are looked at, all by default.
    """
    mixed = mixed_cells(inside)
    cells = np.argwhere(mixed if among is None else mixed & among)
    found: list[Array] = []
    for vertices in simplices(2):
        within = np.stack([inside[tuple((cells + vertex).T)] for vertex in vertices], axis=1)
        crossings = np.full((len(cells), 3, 2), np.nan)
        for k, (i, j) in enumerate(combinations(range(3), 2)):
            share = _share(boundary, cells, vertices, (i, j))[:, None]
            place = cells + vertices[i] + share * (vertices[j] - vertices[i])
            crossings[:, k] = np.where((within[:, i] != within[:, j])[:, None], place, np.nan)
        cut = ~np.isnan(crossings[:, :, 0])
        pairs = crossings[cut.sum(axis=1) == 2]
        chosen = cut[cut.sum(axis=1) == 2]
        found.append(lattice.at(pairs[chosen].reshape(-1, 2, 2)))
    return np.concatenate(found)

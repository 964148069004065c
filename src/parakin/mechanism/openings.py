"""How far rows that a plan leaves out open over the workspace, and what that workspace is.

Rows that others repeat close with them. Where a file rounds its dimensions they contradict each other a little, and
those that were left out open as the mechanism moves: it has that much play, or strains its parts by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from parakin.arrays import Array
from parakin.linalg.pivots import Pivots
from parakin.mechanism import numeric
from parakin.mechanism.assembling import closing_rows, scaled_rows, scales
from parakin.mechanism.model import MechanismDescription
from parakin.mechanism.skeleton import Skeleton

DEFAULT_TURN = 0.2
"""How far independent angles go from home where a file has no workspace [rad]."""
DEFAULT_WAY = 0.1
"""How far independent lengths go from home where a file has no workspace, in sizes of the mechanism."""
CORNERS = 6
"""A box of so many coordinates or fewer is looked at in all of its corners; of a larger one only some are drawn."""
INSIDE = 16
"""Poses inside the box that are looked at besides its corners."""
WAYPOINTS = 8
"""Steps in which the mechanism is taken from home to such a pose."""
CORRECTIONS = 2
"""Steps of Newton for each of these; what they leave the next ones correct."""
LAST_CORRECTIONS = 4
"""Steps of Newton for the last of them."""
CLOSED = 1e-9
"""Largest row that is imposed, in sizes or radians, with which a pose counts as reached."""
ROUNDING = 1e-12
"""Rows that open by less, in sizes of the mechanism, are closed but for the computer's rounding."""


def box_of(
    description: MechanismDescription, units: Sequence[str], size: float, *, chosen: bool
) -> tuple[Array, Array]:
    """Return how far the independent coordinates go down and up from home.

    units: of the coordinates of a pose. chosen: whether these are others than the file's, whose box is then not theirs.
    """
    if description.workspace is not None and not chosen:
        return np.array(description.workspace.lower), np.array(description.workspace.upper)
    reach = np.array([DEFAULT_WAY * size if unit == "m" else DEFAULT_TURN for unit in units])
    return -reach, reach


def opened_rows(
    tree: Skeleton, samples: Sequence[Array], pivots: Pivots, independent: Sequence[int], box: tuple[Array, Array]
) -> dict[int, float]:
    """Return how far each row that was left out opens [m], by its number; empty where none does.

    samples: configurations around home, home first. Where rows open there, the box is looked at too: its corners, and
    poses inside it.
    """
    opened = _largest(tree, samples, pivots)
    if not opened:
        return {}
    reached = [_taken(tree, samples[0], pivots, independent, offset) for offset in _offsets(box)]
    return _largest(tree, [*samples, *(one for one in reached if one is not None)], pivots)


def _largest(tree: Skeleton, configurations: Sequence[Array], pivots: Pivots) -> dict[int, float]:
    """Return how far rows that were left out open at most, those that do."""
    joints = sum(cut.joint.row_count for cut in tree.cuts)
    spare = [row for row in pivots.spare if row < joints]
    values = np.array([np.abs(scaled_rows(tree, configuration)[0][spare]) for configuration in configurations])
    largest = values.max(axis=0, initial=0.0) if spare else np.zeros(0)
    return {row: float(size) * tree.size for row, size in zip(spare, largest, strict=True) if size > ROUNDING}


def _offsets(box: tuple[Array, Array]) -> Array:
    """Return offsets from home: the corners of the box, or some of them, and poses inside it."""
    lower, upper = box
    rng, n = np.random.default_rng(0), len(lower)
    inside = rng.uniform(lower, upper, (INSIDE, n))
    corners = np.array([*product((0, 1), repeat=n)]) if n <= CORNERS else rng.integers(0, 2, (2**CORNERS, n))
    return np.vstack([np.where(corners, upper, lower), inside])


def _taken(tree: Skeleton, home: Array, pivots: Pivots, independent: Sequence[int], offset: Array) -> Array | None:
    """Return the configuration in which the rows that are imposed lead there from home; None if they do not."""
    _, of_columns = scales(tree)
    rows, columns, configuration = list(pivots.rows), list(pivots.columns), home
    step = np.zeros(tree.velocities)
    for waypoint in range(1, WAYPOINTS + 1):
        step[list(independent)] = offset / WAYPOINTS / of_columns[list(independent)]
        for _ in range(CORRECTIONS if waypoint < WAYPOINTS else LAST_CORRECTIONS):
            values, J = scaled_rows(tree, configuration)
            off = values[rows] + J[rows][:, list(independent)] @ step[list(independent)]
            step[columns] = -np.linalg.lstsq(J[rows][:, columns], off, rcond=None)[0]
            configuration = numeric.stepped(tree, configuration, step * of_columns)
            step[list(independent)] = 0.0
    left = np.abs(closing_rows(tree, configuration)[0][rows])
    return configuration if np.max(left, initial=0.0) <= CLOSED else None

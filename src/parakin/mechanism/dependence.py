"""Which rows depend on which coordinates, loops open or closed, and which of them must be solved for together.

The Jacobian at a closed configuration does not tell: a row may depend on a coordinate that it has no derivative by once
the loop is closed, as the distance along a rod on the rod's turns. So rows are looked at where all loops are open.

Rows and unknown coordinates are matched in pairs. A pair depends on those whose coordinates its row contains; pairs
that depend on each other, in however many steps, are a block (the strongly connected components of Dulmage and
Mendelsohn's decomposition), and blocks can be solved for one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array
from parakin.mechanism import numeric
from parakin.mechanism.assembling import scales
from parakin.mechanism.sampling import RANK_TOLERANCE
from parakin.mechanism.skeleton import Skeleton

PROBES = 3
"""Open configurations that are looked at: a dependence that is zero at one by chance is not so at all."""
PROBE_STEP = 0.7
"""Largest step of a coordinate from home to such a configuration [rad, and lengths in sizes of the mechanism]."""

Pattern = NDArray[np.bool_]
"""What depends on what: (rows, velocities of the tree)."""


def dependence(tree: Skeleton, home: Array) -> Pattern:
    """Return which rows of the loops depend on which coordinates of the tree, also where the loops are open."""
    of_rows, of_columns = scales(tree)
    rng = np.random.default_rng(0)
    found = np.zeros((len(of_rows), tree.velocities), dtype=np.bool_)
    for _ in range(PROBES):
        step = rng.uniform(-PROBE_STEP, PROBE_STEP, tree.velocities)
        J = _derivatives(tree, numeric.stepped(tree, home, step * of_columns))
        found |= np.abs(of_rows[:, None] * J * of_columns) > RANK_TOLERANCE
    return found


def _derivatives(tree: Skeleton, configuration: Array) -> Array:
    """Return the derivatives of all rows by the velocities, exact where loops are open too.

    A position row e·r along axes of a link A also changes as these turn beside the joint's parent P, which counts
    where r is not zero: (w_A - w_P)·(e x r).
    """
    _, J = numeric.loop_rows(tree, configuration)
    at, row = numeric.posture(tree, configuration), 0
    for cut in tree.cuts:
        if cut.axes is not None:
            r = at.frame(cut.child)[0] - at.frame(cut.parent)[0]
            axes, turning = at.frame(cut.axes)[1], (at.twist(cut.axes) - at.twist(cut.parent))[3:]
            for n, i in enumerate(cut.joint.position_rows):
                J[row + n] += numeric.cross(axes[:, i], r) @ turning
        row += cut.joint.row_count
    return J


def first_blocks(pattern: Pattern, rows: Sequence[int], columns: Sequence[int]) -> tuple[set[int], set[int]]:
    """Return the rows and columns of all blocks that depend on no other one; rows and columns are as many.

    All of them where no pairs can be formed.
    """
    pairs = _pairs(pattern, rows, columns)
    if len(pairs) < len(columns):
        return set(rows), set(columns)
    reach = np.array([[pattern[pairs[m], k] or m == k for k in columns] for m in columns])
    for _ in columns:
        reach = reach @ reach
    first = [n for n in range(len(columns)) if np.all(reach[:, n][reach[n]])]
    return {pairs[columns[n]] for n in first}, {columns[n] for n in first}


def _pairs(pattern: Pattern, rows: Sequence[int], columns: Sequence[int]) -> dict[int, int]:
    """Return a row for each column that it depends on, each row once: by augmenting paths."""
    found: dict[int, int] = {}

    def placed(row: int, tried: set[int]) -> bool:
        for column in columns:
            if pattern[row, column] and column not in tried:
                tried.add(column)
                if column not in found or placed(found[column], tried):
                    found[column] = row
                    return True
        return False

    for row in rows:
        placed(row, set())
    return found

"""Which velocities follow from which: one order of elimination that is good for all samples of a Jacobian."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array

GOOD_SHARE = 0.1
"""A pivot may be this much smaller than the best one if it makes less work."""


@dataclass(frozen=True)
class Pivots:
    """An order of elimination for the rows of loops."""

    rows: tuple[int, ...]
    """The row of each pivot, the first pivot first."""
    columns: tuple[int, ...]
    """The column of each pivot: the velocities that follow from the others."""
    sizes: tuple[float, ...]
    """The size of each pivot beside the largest entry of its row as it was, the least over all samples."""
    remaining: tuple[int, ...]
    """The columns without a pivot: independent velocities."""
    spare: tuple[int, ...]
    """The rows without a pivot: they say nothing new."""
    blocked: tuple[int, ...]
    """Rows that could be satisfied only by velocities that were asked to be independent."""


def common_pivots(samples: Array, classes: Sequence[int], tolerance: float) -> Pivots:
    """Return an order of elimination for matrices like these samples (count, rows, columns), free of units.

    classes: of each column, 0 for pivots to be taken first, 1 for those to be taken if need be, 2 for those that may
    not be taken. Of the entries of the lowest class, that one is the pivot which is large in all samples and leaves few
    other entries to be changed (Markowitz). Rows that are within the tolerance of zero in all samples are spare.
    """
    work = np.array(samples, float)
    count, height, width = work.shape
    sizes0 = np.max(np.abs(work), axis=2, initial=0.0) if width else np.zeros((count, height))
    rows, columns = list(range(height)), list(range(width))
    order: list[tuple[int, int, float]] = []
    for level in (0, 1):
        while rows:
            allowed = [c for c in columns if classes[c] <= level]
            if not allowed:
                break
            sizes = np.abs(work[:, rows][:, :, allowed])
            sizes[sizes <= tolerance] = 0.0
            beside = np.maximum(sizes0[:, rows], tolerance)[:, :, None]
            worst = np.min(sizes / beside, axis=0)
            best = float(worst.max(initial=0.0))
            if best <= tolerance:
                break
            filled = np.abs(work[:, rows][:, :, columns]).max(axis=0) > tolerance
            row, column = _cheapest(filled, worst, rows, columns, allowed)
            order.append((row, column, float(worst[rows.index(row), allowed.index(column)])))
            factors = work[:, :, column] / work[:, row, column][:, None]
            factors[:, row] = 0.0
            factors[:, [r for r in range(height) if r not in rows]] = 0.0
            work = work - factors[:, :, None] * work[:, row, None]
            work[:, [r for r in rows if r != row], column] = 0.0
            rows.remove(row)
            columns.remove(column)
    left = (
        np.abs(work[:, rows][:, :, columns]).max(axis=(0, 2), initial=0.0) if rows and columns else np.zeros(len(rows))
    )
    blocked = tuple(row for row, size in zip(rows, left, strict=True) if size > tolerance)
    return Pivots(
        tuple(row for row, _, _ in order),
        tuple(column for _, column, _ in order),
        tuple(size for _, _, size in order),
        tuple(columns),
        tuple(row for row in rows if row not in blocked),
        blocked,
    )


def pivot_sizes(jacobians: Array, pivots: Pivots) -> Array:
    """Return the median size of each pivot over the samples, free of units."""
    if not pivots.rows:
        return np.zeros(0)
    work = jacobians[:, list(pivots.rows)][:, :, list(pivots.columns)].copy()
    count = len(pivots.rows)
    for k in range(count):
        factors = work[:, k + 1 :, k] / work[:, k, k][:, None]
        work[:, k + 1 :] -= factors[:, :, None] * work[:, k][:, None]
    return np.median(np.abs(work[:, range(count), range(count)]), axis=0)


def _cheapest(
    filled: NDArray[np.bool_], worst: Array, rows: list[int], columns: list[int], allowed: list[int]
) -> tuple[int, int]:
    """Return the entry (row, column), among those that are large enough, that leaves the least work."""
    of_rows, of_columns = filled.sum(axis=1) - 1, dict(zip(columns, filled.sum(axis=0) - 1, strict=True))
    least = GOOD_SHARE * float(worst.max())
    choices = [
        (int(of_rows[i]) * int(of_columns[column]), -float(worst[i, j]), rows[i], column)
        for i in range(len(rows))
        for j, column in enumerate(allowed)
        if worst[i, j] >= least
    ]
    _, _, row, column = min(choices)
    return row, column

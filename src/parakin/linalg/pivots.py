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
    other entries to be changed (Markowitz). Singular values within the tolerance of zero are none: how many pivots
    there are is the least rank of a class's columns over the samples. What elimination leaves of the other rows does
    not tell, as it magnifies the rounding of a file, and more at one sample than at another.
    """
    work = np.array(samples, float)
    _, height, width = work.shape
    rank, least = _least_rank(work, tolerance)
    beside = np.maximum(np.max(np.abs(work), axis=2, initial=0.0), np.sqrt(tolerance * least))
    weakest = tolerance / np.sqrt(max(height * width, 1))  # as much as every entry of a matrix of that norm can be
    rows, columns = list(range(height)), list(range(width))
    order: list[tuple[int, int, float]] = []
    for level in (0, 1):
        of_level = [c for c in columns if classes[c] <= level]
        count, _ = _least_rank(samples[:, :, [c for c in range(width) if classes[c] <= level]], tolerance)
        while len(order) < count:
            allowed = [c for c in of_level if c in columns]
            sizes = np.abs(work[:, rows][:, :, allowed])
            worst = np.where(sizes.min(axis=0) > weakest, np.min(sizes / beside[:, rows, None], axis=0), 0.0)
            if not worst.any():
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
    left = {row: float(np.abs(work[:, row][:, columns]).max(initial=0.0)) for row in rows}
    blocked = sorted(sorted(rows, key=lambda row: -left[row])[: rank - len(order)])
    return Pivots(
        tuple(row for row, _, _ in order),
        tuple(column for _, column, _ in order),
        tuple(size for _, _, size in order),
        tuple(columns),
        tuple(row for row in rows if row not in blocked),
        tuple(blocked),
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


def _least_rank(samples: Array, tolerance: float) -> tuple[int, float]:
    """Return the least rank of some matrices, and the least of their singular values that count; 1 if none does."""
    if 0 in samples.shape:
        return 0, 1.0
    sizes = np.linalg.svd(samples, compute_uv=False)
    counted = sizes > tolerance
    return int(counted.sum(axis=1).min()), float(np.min(sizes, where=counted, initial=1.0))


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

"""Regressors of many states, a block at a time: what is kept of [Psi tau] is its triangular factor."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.blas import one_blas_thread

PANEL = 32
"""Columns that LAPACK reduces together; for matrices of 30 to 250 columns 8 to 32 are alike, 64 is slower."""


@frozen_arrays(eq=True)
class Triangle:
    """R upper triangular with R^T R = A^T A and a diagonal that is not negative, A being all rows one above the other.

    Whatever least squares asks of A it can ask of R: solutions, residuals, singular values.
    """

    R: Array
    """The triangle (columns, columns)."""
    rows: int
    """How many rows A has."""
    skipped: int
    """How many states were no good and are not in it."""


def triangle_of(blocks: Iterable[Array], columns: int, progress: Callable[[int], None] | None = None) -> Triangle:
    """Return the triangle of blocks (states, rows of a state, columns), without states whose numbers are not finite.

    progress: called after each block with the number of states so far.
    """
    triangle: Array = np.zeros((columns, columns), order="F")
    states = good = rows = 0
    for block in blocks:
        usable = finite_rows(block)
        with one_blas_thread():
            triangle = _with_rows(triangle, usable)
        states += len(block)
        rows += len(usable)
        good += len(usable) // block.shape[1]
        if progress is not None:
            progress(states)
    signs = np.where(np.diagonal(triangle) < 0, -1.0, 1.0)
    return Triangle(np.ascontiguousarray(signs[:, None] * triangle), rows, states - good)


def finite_rows(block: Array) -> Array:
    """Return the rows of all states of a block whose numbers are finite."""
    good = np.isfinite(block).all(axis=(1, 2))
    return (block if good.all() else block[good]).reshape(-1, block.shape[-1])


def _with_rows(R: Array, rows: Array) -> Array:
    """The triangle of [R; rows], by reflections that leave R's zeros alone."""
    if not len(rows):
        return R
    from scipy.linalg import lapack

    return lapack.dtpqrt(0, min(PANEL, len(R)), R, np.array(rows, order="F"), overwrite_a=True, overwrite_b=True)[0]

"""Triangular factors of matrices, with types that numpy leaves open."""

from __future__ import annotations

import numpy as np

from parakin.arrays import Array


def triangle(rows: Array) -> Array:
    """Return R of rows = Q R, by Householder reflections."""
    return np.asarray(np.linalg.qr(rows, mode="r"), float)


def root(A: Array) -> Array:
    """Return T, upper triangular with T^T T = A, also where A is singular."""
    try:
        return np.asarray(np.linalg.cholesky(A), float).T
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(A)
        return triangle(np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T)

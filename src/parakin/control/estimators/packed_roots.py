"""Roots of covariances as estimators carry them, P = S S^T with S by columns from their diagonals, as numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array


def root_of_deviations(deviations: ArrayLike) -> Array:
    """Return the root of a covariance with these standard deviations (size,) and no correlation (entries,)."""
    given = np.asarray(deviations, float)
    return np.diag(given)[np.triu_indices(len(given))]


def covariance_of_root(root: ArrayLike, size: int) -> Array:
    """Return the covariance (..., size, size) of a root (..., size (size + 1)/2)."""
    values = np.asarray(root, float)
    S = np.zeros((*values.shape[:-1], size, size))
    columns, rows = np.triu_indices(size)
    S[..., rows, columns] = values
    return S @ np.swapaxes(S, -1, -2)

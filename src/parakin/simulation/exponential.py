"""The exponential of a small matrix, with numpy alone: importing scipy for it takes longer than a loop's margins."""

from __future__ import annotations

import numpy as np

from parakin.arrays import Array

SMALL = 0.5
"""Norm to which a matrix is halved before its series is summed."""
TERMS = 14
"""Terms of the series: the next is below SMALL^15/15! = 2.4e-17, less than a rounding of the identity."""


def exponential(matrix: Array) -> Array:
    """Return e^X of a square matrix, by its series and by squaring: e^X = (e^(X/2^s))^(2^s)."""
    norm = float(np.abs(matrix).sum(axis=0).max())
    halvings = max(0, int(np.ceil(np.log2(norm / SMALL)))) if norm > 0 else 0
    small = matrix / 2.0**halvings
    total = term = np.eye(len(matrix))
    for k in range(1, TERMS + 1):
        term = term @ small / k
        total = total + term
    for _ in range(halvings):
        total = total @ total
    return total

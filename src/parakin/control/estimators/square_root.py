"""Covariances as P = S S^T with S lower triangular: what a Kalman filter does to them keeps P positive.

S is a list of columns, each from its diagonal down; packed, these stand one after the other. Symbolic rows are turned
into a triangle by Givens rotations: nothing is subtracted, and rounding stays that of a QR.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array


def turn_in(R: list[list[ca.SX]], row: list[ca.SX]) -> None:
    """Turn a new row into [R z] by Givens rotations with each of its rows.

    Nothing is left of the new row but its last column. Both lists are changed in place.
    """
    for i, row_of_R in enumerate(R):
        a, b = row_of_R[0], row[i]
        length = ca.sqrt(a * a + b * b)
        nothing = ca.eq(length, 0)
        safe = ca.if_else(nothing, 1, length)
        c, s = ca.if_else(nothing, 1, a / safe), b / safe
        for j in range(len(row_of_R)):
            old, new = row_of_R[j], row[i + j]
            row_of_R[j], row[i + j] = c * old + s * new, c * new - s * old


def solved(R: list[list[ca.SX]]) -> ca.SX:
    """Return p with R p = z, from below; a parameter of which nothing is known is zero."""
    k = len(R)
    p: list[ca.SX] = [ca.SX(0)] * k
    for i in range(k - 1, -1, -1):
        rest = R[i][-1] - sum((R[i][j - i] * p[j] for j in range(i + 1, k)), ca.SX(0))
        known = ca.ne(R[i][0], 0)
        p[i] = ca.if_else(known, rest / ca.if_else(known, R[i][0], 1), 0)
    return ca.vertcat(*p)


Columns = list[list[ca.SX]]
"""S as a list of its columns, each from its diagonal down."""


def unpacked(packed: ca.SX, size: int) -> Columns:
    """Return the columns of S from a vector in which they stand one after the other."""
    columns, first = Columns(), 0
    for j in range(size):
        columns.append([packed[first + i] for i in range(size - j)])
        first += size - j
    return columns


def packed(S: Columns) -> ca.SX:
    """Return the columns of S as one vector, one after the other."""
    return ca.vertcat(*(entry for column in S for entry in column))


def drifted(S: Columns, deviations: Sequence[ca.SX]) -> None:
    """Change S so that P becomes P + diag(deviations^2)."""
    for i, deviation in enumerate(deviations):
        turn_in(S[i:], [deviation, *([ca.SX(0)] * (len(S) - i - 1))])


def measured(S: Columns, h: Sequence[ca.SX], deviation: ca.SX) -> ca.SX:
    """Change S to what it is after h^T x was measured with noise of this deviation, and return the gain.

    The gain is what x moves by for each unit that the measurement differs from what was expected. Columns are turned
    with [deviation; 0] until h^T S is gone from all of them, last column first [Carlson1973].
    """
    size = len(S)
    lead, gain = deviation, [ca.SX(0)] * size
    for j in range(size - 1, -1, -1):
        f = sum((h[i] * S[j][i - j] for i in range(j, size)), ca.SX(0))
        if f.is_zero():
            continue
        length = ca.sqrt(lead * lead + f * f)
        c, s = lead / length, f / length
        for i in range(j, size):
            old = S[j][i - j]
            S[j][i - j], gain[i] = c * old - s * gain[i], c * gain[i] + s * old
        lead = length
    return ca.vertcat(*gain) / lead


def diagonal(deviations: Sequence[ca.SX]) -> Columns:
    """Return the root of a covariance with these standard deviations and no correlation."""
    return [[entry, *([ca.SX(0)] * (len(deviations) - j - 1))] for j, entry in enumerate(deviations)]


def moved(S: Columns, A: ca.SX, B: ca.SX, noise: Columns, factors: Sequence[ca.SX | float] | None = None) -> Columns:
    """Return S after x_next = [F 0; A B] x + noise: the first part of x stays, the second follows from both.

    noise: the root of its covariance; factors: the diagonal of F, by which each of the first part fades, 1 by default.
    """
    kept, size = A.shape[1], len(S)
    left = [1.0] * kept if factors is None else factors
    next_S = Columns()
    for j in range(kept):
        top, below = S[j][: kept - j], S[j][kept - j :]
        moves = A[:, j:] @ ca.vertcat(*top) + B @ ca.vertcat(*below)
        faded = (factor * entry for factor, entry in zip(left[j:], top, strict=True))
        next_S.append([*faded, *ca.vertsplit(moves)])
    rest: Columns = [list(column) for column in noise[kept:]]
    for j in range(kept, size):
        turn_in(rest, ca.vertsplit(B[:, j - kept :] @ ca.vertcat(*S[j])))
    next_S += rest
    for i in range(kept):
        turn_in(next_S[i:], list(noise[i]))
    return next_S


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

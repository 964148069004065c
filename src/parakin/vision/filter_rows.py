"""Rows of a filter's measurements, and how one kernel chooses among rods and cameras: by selects, the same work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca

from parakin.arrays import Array
from parakin.control.estimators.square_root import Columns
from parakin.vision.contours import Tangency, tangency


@dataclass(frozen=True)
class Measured:
    """One scalar measurement of a filter: missing = h e + noise, where e is the error of the belief."""

    h: list[ca.SX]
    """Its row."""
    missing: ca.SX
    """What was measured less what the belief expects."""
    deviation: ca.SX
    """Standard deviation of the noise."""
    offered: ca.SX
    """Whether there is such a measurement at all."""


def foot(A: ca.SX, x: ca.SX, n: ca.SX, m: ca.SX) -> tuple[ca.SX, Tangency]:
    """Return how far a point is inside a contour, and the tangency of the contour's point that is nearest to it.

    Only there the row of a tangency is the derivative of the distance.
    """
    slope = ca.norm_2(n[:2])
    distance = ca.dot(n, ca.vertcat(m, 1)) / slope
    return distance, tangency(A, x, n, m - distance / slope * n[:2])


def camera_row(p_OK: Array, R_OK: Array) -> ca.DM:
    """Return the position of a camera and the rows of R_OK, one after the other (1, 12)."""
    return ca.horzcat(ca.DM(p_OK).T, ca.vec(ca.DM(R_OK).T).T)


def is_one_of(number: ca.SX, count: int) -> ca.SX:
    """Return whether a number is one of 0 ... count - 1."""
    found = ca.SX(0)
    for k in range(count):
        found = ca.logic_or(found, ca.eq(number, k))
    return found


def chosen(rows: ca.SX | ca.DM, number: ca.SX) -> ca.SX:
    """Return the row with a number, as a column; the first where there is no such row."""
    table = ca.SX(rows)
    found = table[0, :].T
    for k in range(1, table.shape[0]):
        found = ca.if_else(ca.eq(number, k), table[k, :].T, found)
    return found


def deviation_of(S: Columns, h: Sequence[ca.SX]) -> ca.SX:
    """Return the standard deviation of h e, where e has the covariance S S^T."""
    size = len(S)
    products = (sum((h[i] * S[j][i - j] for i in range(j, size)), ca.SX(0)) for j in range(size))
    return ca.norm_2(ca.vertcat(*products))

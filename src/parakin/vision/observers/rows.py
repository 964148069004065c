"""Rows of a filter's measurements, and how one kernel chooses among rods and cameras: by selects, the same work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca

from parakin.control.estimators.square_root import Columns, measured, unpacked
from parakin.vision.observers.health import Judged
from parakin.vision.rigs.camera import Camera
from parakin.vision.rigs.contours import Tangency, tangency


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


def weighed(S: Columns, points: Sequence[Measured], gate: ca.SX) -> tuple[ca.SX, Judged]:
    """Take scalar measurements one by one into S, and return the correction of the errors and what became of each.

    Points further off than the gate allows, and those that were not offered, are taken with a row of zeros, which
    changes nothing.
    """
    correction, marks = ca.SX.zeros(len(S)), Judged(ca.SX(0), ca.SX(0), ca.SX(0))
    for point in points:
        innovation = point.missing - ca.dot(ca.vertcat(*point.h), correction)
        normalised = _normalised(S, point, innovation)
        taken = ca.logic_and(point.offered, normalised <= gate**2)
        h = [each if each.is_zero() else ca.if_else(taken, each, 0) for each in point.h]
        gain = measured(S, h, ca.if_else(taken, point.deviation, 1))
        correction += gain * ca.if_else(taken, innovation, 0)
        refused = ca.logic_and(point.offered, ca.logic_not(taken))
        marks = marks.after(taken, refused, ca.if_else(taken, normalised, 0))
    return correction, marks


def contradicts_itself(S: Columns, points: Sequence[Measured], deviation: ca.SX, gate: ca.SX) -> ca.SX:
    """Return whether a rod is not as wide as it can be, and neither of its contours alone is far from where it can be.

    Where a pose is hardly known, a contour of something else fits it as well as one of the rod does, and nothing tells
    which of the two is which. A pose that is not known shifts both alike: their distance has little of its bends.
    points: two of the first contour, two of the second; deviation: theirs (4,), without what bends add.
    """
    sides = [_together(points[:2], deviation[:2], 0.5), _together(points[2:], deviation[2:], 0.5)]
    width = _together(sides, ca.vertcat(*(side.deviation for side in sides)), 1.0)
    torn = _beyond(S, width, gate)
    for side in sides:
        torn = ca.logic_and(torn, ca.logic_not(_beyond(S, side, gate)))
    return torn


def _together(points: Sequence[Measured], deviation: ca.SX, share: float) -> Measured:
    """Return the sum of measurements times a share as one measurement, which there is if there are all of them."""
    h = [share * sum((point.h[i] for point in points), ca.SX(0)) for i in range(len(points[0].h))]
    offered = ca.SX(1)
    for point in points:
        offered = ca.logic_and(offered, point.offered)
    missing = share * sum((point.missing for point in points), ca.SX(0))
    return Measured(h, missing, share * ca.norm_2(deviation), offered)


def _beyond(S: Columns, point: Measured, gate: ca.SX) -> ca.SX:
    """Return whether there is such a measurement, and it is further off than the gate allows."""
    return ca.logic_and(point.offered, _normalised(S, point, point.missing) > gate**2)


def _normalised(S: Columns, point: Measured, innovation: ca.SX) -> ca.SX:
    return innovation**2 / (point.deviation**2 + deviation_of(S, point.h) ** 2)


def foot(A: ca.SX, x: ca.SX, n: ca.SX, m: ca.SX) -> tuple[ca.SX, Tangency]:
    """Return how far a point is inside a contour, and the tangency of the contour's point that is nearest to it.

    Only there the row of a tangency is the derivative of the distance.
    """
    slope = ca.norm_2(n[:2])
    distance = ca.dot(n, ca.vertcat(m, 1)) / slope
    return distance, tangency(A, x, n, m - distance / slope * n[:2])


def camera_rows(cameras: Sequence[Camera]) -> ca.DM:
    """Return a row for each camera: its position, and the rows of R_OK one after the other, R_KO by columns (1, 12)."""
    return ca.vertcat(*(ca.horzcat(ca.DM(each.p_OK).T, ca.DM(each.R_OK.ravel()).T) for each in cameras))


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


def row_deviations(root: ca.SX, size: int) -> ca.SX:
    """Return the standard deviations of all errors from the root of their covariance (size,)."""
    S = unpacked(root, size)
    return ca.vertcat(*(ca.norm_2(ca.vertcat(*(S[j][i - j] for j in range(i + 1)))) for i in range(size)))

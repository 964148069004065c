"""One telescopic element from the base to the platform: Gough-Stewart strut, planar RPR leg."""

from __future__ import annotations

import casadi as ca

from parakin.description import Leg
from parakin.kinematics.elements import STILL, Line
from parakin.kinematics.leg import Attached, Coordinate, LegMotion, actuated, frame_of
from parakin.kinematics.platform import Point
from parakin.kinematics.status import SMALLEST_PIVOT
from parakin.spatial import vector


def line_to(leg: Leg, tip: Point) -> Line:
    """Return the line of a strut: d = |r|, x = r/d with r from the base point to the attachment.

    d_dot = x·r_dot          x_dot = (r_dot - d_dot x)/d
    d_ddot = x·r_ddot + d x_dot·x_dot          x_ddot = (r_ddot - 2 d_dot x_dot - d_ddot x)/d

    [Ozgur2013] eq. (37) to (43).
    """
    A = vector(leg.root)
    r = tip.p - A
    d = ca.norm_2(r)
    x = r / d
    d_dot = ca.dot(x, tip.v)
    x_dot = (tip.v - d_dot * x) / d
    d_ddot = ca.dot(x, tip.a) + d * ca.dot(x_dot, x_dot)
    x_ddot = (tip.a - 2 * d_dot * x_dot - d_ddot * x) / d
    zero = ca.SX.zeros(3)
    return Line(A, zero, zero, x, x_dot, x_ddot, d, d_dot, d_ddot)


def solve(leg: Leg, attached: Attached) -> LegMotion:
    """Solve the leg: its line runs from the base point to the attachment; an actuator drives the length."""
    (element,) = leg.elements
    line = line_to(leg, attached.point)
    length = Coordinate(line.d, line.d_dot, line.d_ddot, line.x.T)
    motion = frame_of(element, line, STILL)
    q, q_dot, q_ddot, j = actuated(leg, (length,))
    return LegMotion((motion,), q, q_dot, q_ddot, j, ca.SX(-1), pivot=line.d, smallest_pivot=SMALLEST_PIVOT)

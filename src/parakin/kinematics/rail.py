"""Solve a leg of a carriage on a fixed rail and a free bar: Hexaglide, sliding hexapod, Orthoglide."""

from __future__ import annotations

import casadi as ca

from parakin.description import Leg
from parakin.kinematics.elements import STILL, Line
from parakin.kinematics.leg import Attached, Coordinate, LegMotion, actuated, frame_of
from parakin.spatial import vector


def solve(leg: Leg, attached: Attached) -> LegMotion:
    """Return the motion of the leg, where the rail meets a sphere about the attachment.

        |r - s u| = d:    s = r·u - branch sqrt(d^2 - |r - (r·u) u|^2)

    Rates, [Ozgur2013] eq. (37) to (43): r_dot = s_dot u + d x_dot, and its product with x, where x·x_dot = 0, gives
    s_dot = x·r_dot/(x·u); its derivative gives s_ddot.
    """
    rail, bar = leg.elements
    tip = attached.point
    assert rail.direction is not None and bar.length is not None and leg.branch is not None  # noqa: PT018
    A, u, d = vector(leg.root), vector(rail.direction), bar.length
    r = tip.p - A
    along = ca.dot(r, u)
    across = r - along * u
    across_squared = ca.dot(across, across)
    s = along - leg.branch * ca.sqrt(d**2 - across_squared)
    x = (r - s * u) / d

    pivot = ca.dot(x, u)
    s_dot = ca.dot(x, tip.v) / pivot
    x_dot = (tip.v - s_dot * u) / d
    s_ddot = (ca.dot(x, tip.a) + d * ca.dot(x_dot, x_dot)) / pivot
    x_ddot = (tip.a - s_ddot * u) / d

    zero, still = ca.SX.zeros(3), ca.SX(0)
    carriage = frame_of(rail, Line(A, zero, zero, u, zero, zero, s, s_dot, s_ddot), STILL)
    slider = carriage.line
    rod = frame_of(
        bar, Line(slider.B, slider.B_dot, slider.B_ddot, x, x_dot, x_ddot, ca.SX(d), still, still), carriage.frame
    )
    length = Coordinate(s, s_dot, s_ddot, x.T / pivot)
    return LegMotion((carriage, rod), *actuated(leg, (length,)), excess=ca.sqrt(across_squared) - d, pivot=pivot)

"""A bar that turns about a base axis, then a free bar: Delta, H4, Quattro, five-bar, 3-RRR, Hexa."""

from __future__ import annotations

import casadi as ca

from parakin.description.model import Leg
from parakin.kinematics.elements import STILL, Line
from parakin.kinematics.leg import Attached, Coordinate, LegMotion, actuated, angle_about, frame_of
from parakin.spatial import vector


def solve(leg: Leg, attached: Attached) -> LegMotion:
    """Circle meets sphere: |r - d_1 x_1| = d_2 with x_1 across the axis z. No trigonometry for x_1.

        x_1 = (c p - branch h z x p)/|p|^2
        p = r - (r·z) z,    c = (|r|^2 + d_1^2 - d_2^2)/(2 d_1),    h^2 = |p|^2 - c^2

    Rates, [Ozgur2013] eq. (37) to (43): r_dot = d_1 x_1_dot + d_2 x_2_dot along x_2, where x_2·x_2_dot = 0.
    """
    first, second = leg.elements
    tip = attached.point
    assert first.joint.axis is not None and first.length is not None and second.length is not None  # noqa: PT018
    A, z = vector(leg.root), ca.SX(ca.DM(first.joint.axis))
    d_1, d_2 = first.length, second.length
    r = tip.p - A
    height = ca.dot(r, z)
    p = r - height * z
    p_squared = ca.dot(p, p)
    c = (p_squared + height**2 + (d_1**2 - d_2**2)) / (2 * d_1)
    h = ca.sqrt(p_squared - c**2)
    x_1 = (c * p - leg.branch * h * ca.cross(z, p)) / p_squared
    x_2 = (r - d_1 * x_1) / d_2

    y = ca.cross(z, x_1)
    pivot = ca.dot(x_2, y)
    j = x_2.T / (d_1 * pivot)
    rate = ca.dot(x_2, tip.v) / (d_1 * pivot)
    x_1_dot = rate * y
    x_2_dot = (tip.v - d_1 * x_1_dot) / d_2
    along = ca.dot(x_2, tip.a) + d_2 * ca.dot(x_2_dot, x_2_dot) + d_1 * rate**2 * ca.dot(x_2, x_1)
    acceleration = along / (d_1 * pivot)
    x_1_ddot = acceleration * y - rate**2 * x_1
    x_2_ddot = (tip.a - d_1 * x_1_ddot) / d_2

    zero, still = ca.SX.zeros(3), ca.SX(0)
    arm = frame_of(first, Line(A, zero, zero, x_1, x_1_dot, x_1_ddot, ca.SX(d_1), still, still), STILL)
    elbow = arm.line
    bar = frame_of(
        second, Line(elbow.B, elbow.B_dot, elbow.B_ddot, x_2, x_2_dot, x_2_ddot, ca.SX(d_2), still, still), arm.frame
    )
    reference = first.actuator.reference if first.actuator is not None else None
    angle = Coordinate(angle_about(z, reference, x_1) if reference is not None else ca.SX(0), rate, acceleration, j)
    reach = ca.sqrt(p_squared)
    nearest = ca.sqrt((reach - d_1) ** 2 + height**2)
    farthest = ca.sqrt((reach + d_1) ** 2 + height**2)
    return LegMotion((arm, bar), *actuated(leg, (angle,)), excess=ca.fmax(nearest - d_2, d_2 - farthest), pivot=pivot)

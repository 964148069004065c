"""A bar that turns about a base axis, then a free bar: Delta, H4, Quattro, five-bar, 3-RRR, Hexa."""

from __future__ import annotations

import casadi as ca

from parakin.description import Leg
from parakin.kinematics.elements import STILL, Line
from parakin.kinematics.leg import Attached, Coordinate, LegMotion, actuated, angle_about, frame_of
from parakin.spatial import vector


def solve(leg: Leg, attached: Attached) -> LegMotion:
    """Solve the leg where a circle meets a sphere: |r - e| = d_2 with the elbow at e, |e| = d_1, across the axis z.

        e = (c p - branch h z x p)/|p|^2
        p = r - (r·z) z,    c = (|r|^2 + d_1^2 - d_2^2)/2,    h^2 = d_1^2 |p|^2 - c^2

    No trigonometry is needed. Rates are [Ozgur2013] eq. (37) to (43) times the lengths: with t = z x e and s = r - e
    along the second bar, s·s_dot = 0 gives rate = s·r_dot/(s·t), and its derivative the acceleration.
    """
    first, second = leg.elements
    tip = attached.point
    assert first.joint.axis is not None and first.length is not None  # noqa: PT018
    assert second.length is not None and leg.branch is not None  # noqa: PT018
    A, z = vector(leg.root), vector(first.joint.axis)
    d_1, d_2 = first.length, second.length
    r = tip.p - A
    height = ca.dot(r, z)
    p = r - height * z
    p_squared = ca.dot(p, p)
    c = (p_squared + height**2 + (d_1**2 - d_2**2)) / 2
    h = ca.sqrt(d_1**2 * p_squared - c**2)
    e = (c * p - leg.branch * h * ca.cross(z, p)) / p_squared
    s, t = r - e, ca.cross(z, e)

    across = ca.dot(s, t)
    j = s.T / across
    rate = ca.dot(s, tip.v) / across
    s_dot = tip.v - rate * t
    acceleration = (ca.dot(s, tip.a) + ca.dot(s_dot, s_dot) + rate**2 * ca.dot(s, e)) / across
    e_ddot = acceleration * t - rate**2 * e
    s_ddot = tip.a - e_ddot

    zero, still = ca.SX.zeros(3), ca.SX(0)
    upper = Line(A, zero, zero, e / d_1, rate * t / d_1, e_ddot / d_1, ca.SX(d_1), still, still, span=e)
    lower = Line(A + e, rate * t, e_ddot, s / d_2, s_dot / d_2, s_ddot / d_2, ca.SX(d_2), still, still, span=s)
    arm = frame_of(first, upper, STILL)
    bar = frame_of(second, lower, arm.frame)
    reference = first.actuator.reference if first.actuator is not None else None
    angle = Coordinate(angle_about(z, reference, e) if reference is not None else ca.SX(0), rate, acceleration, j)
    reach = ca.sqrt(p_squared)
    nearest = ca.sqrt((reach - d_1) ** 2 + height**2)
    farthest = ca.sqrt((reach + d_1) ** 2 + height**2)
    excess, pivot = ca.fmax(nearest - d_2, d_2 - farthest), across / (d_1 * d_2)
    return LegMotion((arm, bar), *actuated(leg, (angle,)), excess=excess, pivot=pivot)

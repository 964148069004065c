"""Solve a leg of a bar on a universal joint and a bar that turns about the joint's second axis: the leg of a 3-URU.

Both bars stay in the plane of axis 1 and the attachment, where circle meets circle.
"""

from __future__ import annotations

from dataclasses import replace

import casadi as ca

from parakin.description import Leg
from parakin.kinematics.elements import STILL, Line, revolute_frame, universal_frame
from parakin.kinematics.leg import Attached, Coordinate, LegMotion, actuated, angle_about
from parakin.spatial import vector


def solve(leg: Leg, attached: Attached) -> LegMotion:
    """Return the motion of the leg: circle meets circle in the plane of axis 1, a, and r, the elbow by branch.

        n = r x a/|r x a|,    x_1·r = c = (|r|^2 + d_1^2 - d_2^2)/(2 d_1)
        x_1 = (c r - branch h n x r)/|r|^2,    h^2 = |r|^2 - c^2
        r_dot = alpha a x r + beta n x r + gamma n x d_2 x_2

    where alpha turns the plane about axis 1, beta the leg in it, gamma the elbow. Its products with n, x_2 and r give
    one rate each; the products of r_ddot, less what is known by then, give their derivatives.
    """
    first, second = leg.elements
    assert first.joint.axis is not None and first.length is not None  # noqa: PT018
    assert second.length is not None and leg.branch is not None  # noqa: PT018
    A, a = vector(leg.root), vector(first.joint.axis)
    d_1, d_2, tip = first.length, second.length, attached.point
    r = tip.p - A
    r_squared = ca.sumsqr(r)
    across = ca.cross(r, a)
    n = across / ca.norm_2(across)
    c = (r_squared + d_1**2 - d_2**2) / (2 * d_1)
    h = ca.sqrt(r_squared - c**2)
    x_1 = (c * r - leg.branch * h * ca.cross(n, r)) / r_squared
    x_2 = (r - d_1 * x_1) / d_2

    n_r, n_x = ca.cross(n, r), ca.cross(n, d_2 * x_2)
    a_r = ca.cross(a, r)
    plane, swing, elbow = ca.dot(a_r, n), ca.dot(n_r, x_2), ca.dot(n_x, r)
    rows = ca.vertcat(n.T / plane, x_2.T / swing, r.T / elbow)
    rates = rows @ tip.v
    alpha, beta, gamma = rates[0], rates[1], rates[2]
    n_dot = alpha * ca.cross(a, n)
    x_1_dot = ca.cross(alpha * a + beta * n, x_1)
    x_2_dot = ca.cross(alpha * a + (beta + gamma) * n, x_2)
    known = (
        alpha * ca.cross(a, tip.v)
        + beta * (ca.cross(n_dot, r) + ca.cross(n, tip.v))
        + gamma * d_2 * (ca.cross(n_dot, x_2) + ca.cross(n, x_2_dot))
    )
    growths = rows @ (tip.a - known)
    w_1, w_2 = alpha * a + beta * n, alpha * a + (beta + gamma) * n
    w_1_dot = growths[0] * a + growths[1] * n + beta * n_dot
    w_2_dot = growths[0] * a + (growths[1] + growths[2]) * n + (beta + gamma) * n_dot
    x_1_ddot = ca.cross(w_1_dot, x_1) + ca.cross(w_1, x_1_dot)
    x_2_ddot = ca.cross(w_2_dot, x_2) + ca.cross(w_2, x_2_dot)

    zero, still = ca.SX.zeros(3), ca.SX(0)
    lower = universal_frame(Line(A, zero, zero, x_1, x_1_dot, x_1_ddot, ca.SX(d_1), still, still), STILL, a)
    line = lower.line
    upper_line = Line(line.B, line.B_dot, line.B_ddot, x_2, x_2_dot, x_2_ddot, ca.SX(d_2), still, still)
    upper = revolute_frame(upper_line, lower.frame, ca.SX(ca.DM(second.joint.axis)))
    reference = first.actuator.reference if first.actuator is not None else None
    driven = Coordinate(ca.SX(0), alpha, growths[0], rows[0, :])
    if reference is not None:
        driven = replace(driven, value=angle_about(a, reference, ca.cross(a, n)))
    elif first.actuator is not None:  # about axis 2, y of the first bar's frame, which is along n
        along, same = ca.dot(x_1, a), ca.dot(n, lower.frame.R[:, 1])
        tilt = ca.atan2(along, ca.norm_2(x_1 - along * a))
        driven = Coordinate(tilt, same * beta, same * growths[1], same * rows[1, :])
    between = ca.atan2(ca.dot(ca.cross(x_1, x_2), n), ca.dot(x_1, x_2))
    coordinates = (driven, Coordinate(between, gamma, growths[2], rows[2, :]))
    reach = ca.sqrt(r_squared)
    excess = ca.fmax(reach - (d_1 + d_2), abs(d_1 - d_2) - reach)
    pivot = ca.fmin(ca.fabs(plane / reach), ca.fabs(elbow / (reach * d_2)))
    return LegMotion((lower, upper), *actuated(leg, coordinates), excess=excess, pivot=pivot)

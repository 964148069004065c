"""Find the pose of a platform that does not turn in closed form: where three spheres, or two circles, meet."""

from __future__ import annotations

import math

import casadi as ca

from parakin.description import Element, Leg, RobotDescription, expanded_legs
from parakin.description.patterns import pattern_of
from parakin.kinematics.robot_motion import RobotMotion
from parakin.kinematics.status import Status


def has_closed_form(description: RobotDescription) -> bool:
    """Tell whether a robot has this closed form, as Delta, Orthoglide and five-bar do.

    Its platform does not turn, and it has one strut, arm or rail for each freedom, driven at the first element alone.
    """
    legs = expanded_legs(description)
    motion = description.motion_type
    return (
        not motion.turns
        and len(legs) == motion.degrees_of_freedom
        and all(
            pattern_of(leg) in ("strut", "arm", "rail")
            and [element.actuator is not None for element in leg.elements] == [True, False][: len(leg.elements)]
            for leg in legs
        )
    )


def _sphere(leg: Leg, q: ca.SX) -> tuple[ca.SX, ca.SX]:
    """Return g and l^2 with |p_OE - g|^2 = l^2; g is where p_OE would be if the leg's last bar had length 0."""
    first = leg.elements[0]
    assert first.actuator is not None
    coordinate = first.actuator.sign * q + first.actuator.zero
    offset = ca.SX(ca.DM(leg.root)) - ca.DM(leg.attachment.b) - ca.DM(leg.attachment.c)
    if pattern_of(leg) == "strut":
        return offset, coordinate**2
    length = leg.elements[1].length or 0.0
    if pattern_of(leg) == "rail":
        return offset + coordinate * ca.DM(first.direction), ca.SX(length**2)
    return offset + _arm(first, coordinate), ca.SX(length**2)


def _arm(element: Element, angle: ca.SX) -> ca.SX:
    """Return the vector d x of an arm at an angle from its reference direction about its axis."""
    assert element.joint.axis is not None and element.actuator is not None and element.length is not None  # noqa: PT018
    z, reference = ca.SX(ca.DM(element.joint.axis)), ca.SX(ca.DM(element.actuator.reference))
    x = reference - ca.dot(reference, z) * z
    x = x / ca.norm_2(x)
    return element.length * (ca.cos(angle) * x + ca.sin(angle) * ca.cross(z, x))


def _side(normal: ca.SX, w: ca.SX) -> ca.SX:
    """Return +1 or -1: on which side of the plane with this normal w points; +1 in the plane."""
    return ca.if_else(ca.dot(normal, w) < 0, -1, 1)


def closed_function(moving: RobotMotion, description: RobotDescription) -> ca.Function:
    """Return the function near, q -> pose, on the side of the centres' plane that `near` is on with its own q.

    With d_i = g_i - g_1, rho_i = (|d_i|^2 + l_1^2 - l_i^2)/2, n = d_2 x d_3 and w = p_OE - g_1:

        d_i·w = rho_i,  |w| = l_1:    w = (rho_2 d_3 x n + rho_3 n x d_2)/|n|^2 +- n sqrt(l_1^2 - ...)/|n|
    """
    q = ca.SX.sym("q", moving.q.shape[0])
    legs = expanded_legs(description)
    g_1, l_1_squared, d_2, d_3, rho_2, rho_3 = _differences([_sphere(leg, q[k]) for k, leg in enumerate(legs)])
    n = ca.cross(d_2, d_3)
    middle = (rho_2 * ca.cross(d_3, n) + rho_3 * ca.cross(n, d_2)) / ca.sumsqr(n)
    height = ca.sqrt((l_1_squared - ca.sumsqr(middle)) / ca.sumsqr(n))

    near_g_1, _, near_d_2, near_d_3, _, _ = _differences([_sphere(leg, moving.q[k]) for k, leg in enumerate(legs)])
    side = _side(ca.cross(near_d_2, near_d_3), moving.platform.p_OE - near_g_1)
    pose = (g_1 + middle + side * height * n)[: moving.pose.shape[0]]
    lost = ca.if_else(ca.mmax(moving.excess) <= 0, 0, Status.UNREACHABLE)
    pose = ca.if_else(lost, math.nan, pose)
    inputs = {"near": moving.pose, "q": q} | dict(moving.branches)
    outputs = {"pose": pose, "hindered": lost, "steps": ca.SX(0)}
    return ca.Function("closed", list(inputs.values()), list(outputs.values()), list(inputs), list(outputs))


def _differences(spheres: list[tuple[ca.SX, ca.SX]]) -> tuple[ca.SX, ...]:
    """Return g_1, l_1^2, d_2, d_3, rho_2, rho_3; in a plane the third sphere is the plane z = 0."""
    (g_1, l_1_squared), (g_2, l_2_squared), *rest = spheres
    d_2 = g_2 - g_1
    rho_2 = 0.5 * (ca.sumsqr(d_2) + l_1_squared - l_2_squared)
    if not rest:
        return g_1, l_1_squared, d_2, ca.SX([0, 0, 1]), rho_2, ca.SX(0)
    g_3, l_3_squared = rest[0]
    d_3 = g_3 - g_1
    return g_1, l_1_squared, d_2, d_3, rho_2, 0.5 * (ca.sumsqr(d_3) + l_1_squared - l_3_squared)

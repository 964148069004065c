"""Motion of every body: of the legs, leg by leg, then of the platform."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from parakin.description import RobotDescription, expanded_legs
from parakin.description.model import Body
from parakin.kinematics.elements import STILL, ElementMotion, Spin
from parakin.kinematics.model import RobotMotion


@dataclass(frozen=True)
class BodyMotion:
    """Centre of mass p with velocity and acceleration, orientation R with angular velocity and acceleration."""

    p: ca.SX
    v: ca.SX
    a: ca.SX
    R: ca.SX
    w: ca.SX
    w_dot: ca.SX


def carried(p: ca.SX, v: ca.SX, a: ca.SX, frame: Spin, com: ca.SX) -> BodyMotion:
    """A body in a frame whose origin moves: p_S = p + R com."""
    r = frame.R @ com
    return BodyMotion(
        p + r,
        v + ca.cross(frame.w, r),
        a + ca.cross(frame.w_dot, r) + ca.cross(frame.w, ca.cross(frame.w, r)),
        frame.R,
        frame.w,
        frame.w_dot,
    )


def element_body(element: ElementMotion, body: Body) -> BodyMotion:
    line, com = element.line, ca.SX(ca.DM(body.com))
    if body.part == "tip":
        return carried(line.B, line.B_dot, line.B_ddot, element.frame, com)
    if body.part == "ring":
        assert element.ring is not None, "the loader refuses rings without a universal joint"
        return carried(line.A, line.A_dot, line.A_ddot, element.ring, com)
    return carried(line.A, line.A_dot, line.A_ddot, element.frame, com)


def body_motions(moving: RobotMotion, description: RobotDescription) -> list[BodyMotion]:
    """All bodies, in the order of `body_names`."""
    found = [
        element_body(motion, body)
        for leg, legs_motion in zip(expanded_legs(description), moving.legs, strict=True)
        for element, motion in zip(leg.elements, legs_motion.elements, strict=True)
        for body in element.bodies
    ]
    platform = moving.platform
    turning = Spin(platform.R_OE, platform.w_E, platform.w_E_dot)
    for body in description.platform.bodies:
        centre = platform.point(body.b, body.c)
        frame = turning if body.turns else STILL
        found.append(BodyMotion(centre.p, centre.v, centre.a, frame.R, frame.w, frame.w_dot))
    return found


def body_names(description: RobotDescription) -> tuple[str, ...]:
    """leg1.arm.link, ..., platform.plate"""
    legs = [
        f"{leg.name}.{element.name}.{body.name}"
        for leg in expanded_legs(description)
        for element in leg.elements
        for body in element.bodies
    ]
    return (*legs, *(f"platform.{body.name}" for body in description.platform.bodies))

"""Motion of every body: of the legs, leg by leg, then of the platform."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from parakin.description import RobotDescription, expanded_legs
from parakin.description.model import Body, Element, Leg, Vector
from parakin.kinematics.elements import STILL, ElementMotion, Spin
from parakin.kinematics.model import RobotMotion
from parakin.kinematics.platform import PlatformMotion


@dataclass(frozen=True)
class Frame:
    """The frame a body's numbers are given in: its origin with velocity and acceleration, and how it turns."""

    p: ca.SX
    v: ca.SX
    a: ca.SX
    spin: Spin


@dataclass(frozen=True)
class BodyMotion:
    """Centre of mass p with velocity and acceleration, orientation R with angular velocity and acceleration."""

    p: ca.SX
    v: ca.SX
    a: ca.SX
    R: ca.SX
    w: ca.SX
    w_dot: ca.SX


def carried(frame: Frame, com: Vector) -> BodyMotion:
    """A body in a frame whose origin moves: p_S = p + R com."""
    R, w, w_dot = frame.spin.R, frame.spin.w, frame.spin.w_dot
    r = R @ ca.DM(com)
    return BodyMotion(
        frame.p + r,
        frame.v + ca.cross(w, r),
        frame.a + ca.cross(w_dot, r) + ca.cross(w, ca.cross(w, r)),
        R,
        w,
        w_dot,
    )


def element_frame(element: ElementMotion, part: str) -> Frame:
    """Of the root part or the ring, at A; of the tip part, at B."""
    line = element.line
    if part == "tip":
        return Frame(line.B, line.B_dot, line.B_ddot, element.frame)
    if part == "ring":
        assert element.ring is not None, "the loader refuses rings without a universal joint"
        return Frame(line.A, line.A_dot, line.A_ddot, element.ring)
    return Frame(line.A, line.A_dot, line.A_ddot, element.frame)


def leg_bodies(legs: tuple[Leg, ...]) -> list[tuple[Leg, Element, Body]]:
    """Every body of the legs, in order."""
    return [(leg, element, body) for leg in legs for element in leg.elements for body in element.bodies]


def leg_frames(leg: Leg, motions: tuple[ElementMotion, ...]) -> list[Frame]:
    """The frame of every body of one leg."""
    return [
        element_frame(motion, body.part)
        for element, motion in zip(leg.elements, motions, strict=True)
        for body in element.bodies
    ]


def body_frames(moving: RobotMotion, description: RobotDescription) -> list[Frame]:
    """All bodies, in the order of `body_names`.

    A platform body that turns is counted from E + c; one that does not, from its own centre of mass.
    """
    found = [
        frame
        for leg, motion in zip(expanded_legs(description), moving.legs, strict=True)
        for frame in leg_frames(leg, motion.elements)
    ]
    return found + platform_frames(moving.platform, description)


def platform_frame(platform: PlatformMotion) -> Frame:
    """E, moving with the platform."""
    return Frame(platform.p_OE, platform.v_E, platform.a_E, Spin(platform.R_OE, platform.w_E, platform.w_E_dot))


def platform_frames(platform: PlatformMotion, description: RobotDescription) -> list[Frame]:
    """Those of the platform's bodies."""
    turning = platform_frame(platform).spin
    found: list[Frame] = []
    for body in description.platform.bodies:
        origin = platform.point((0.0, 0.0, 0.0) if body.turns else body.b, body.c)
        found.append(Frame(origin.p, origin.v, origin.a, turning if body.turns else STILL))
    return found


def body_motions(moving: RobotMotion, description: RobotDescription) -> list[BodyMotion]:
    """All bodies, in the order of `body_names`."""
    centres = [body.com for _, _, body in leg_bodies(expanded_legs(description))]
    centres += [body.b if body.turns else (0.0, 0.0, 0.0) for body in description.platform.bodies]
    return [carried(frame, com) for frame, com in zip(body_frames(moving, description), centres, strict=True)]


def body_names(description: RobotDescription) -> tuple[str, ...]:
    """leg1.arm, leg1.forearm.rod_a, ..., platform.plate."""
    legs = [body_name(leg.name, element, body) for leg, element, body in leg_bodies(expanded_legs(description))]
    return (*legs, *(f"platform.{body.name}" for body in description.platform.bodies))


def body_name(leg: str, element: Element, body: Body) -> str:
    """Of a leg's body; one named as its element is named once."""
    return f"{leg}.{element.name}" + ("" if body.name == element.name else f".{body.name}")

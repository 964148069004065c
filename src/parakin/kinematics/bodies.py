"""Motion of every body: those of the legs, leg by leg, crosses at the platform, then those of the platform."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import casadi as ca

from parakin.description import Leg, RobotDescription, Vector, expanded_legs
from parakin.kinematics.elements import STILL, ElementMotion, Spin
from parakin.kinematics.joint_table import crosses, leg_bodies

if TYPE_CHECKING:
    from parakin.kinematics.platform import PlatformMotion
    from parakin.kinematics.robot_motion import RobotMotion


@dataclass(frozen=True)
class Frame:
    """The frame a body's numbers are given in, as it moves, in base axes."""

    p: ca.SX
    """Position of its origin [m]."""
    v: ca.SX
    """Velocity of its origin [m/s]."""
    a: ca.SX
    """Acceleration of its origin [m/s^2]."""
    spin: Spin
    """Orientation, angular velocity and acceleration."""


@dataclass(frozen=True)
class BodyMotion:
    """How a body moves, in base axes."""

    p: ca.SX
    """Position of its centre of mass [m]."""
    v: ca.SX
    """Velocity of its centre of mass [m/s]."""
    a: ca.SX
    """Acceleration of its centre of mass [m/s^2]."""
    R: ca.SX
    """Orientation: takes coordinates in the body's frame to base axes."""
    w: ca.SX
    """Angular velocity [rad/s]."""
    w_dot: ca.SX
    """Angular acceleration [rad/s^2]."""


def carried(frame: Frame, com: Vector) -> BodyMotion:
    """Return how a body moves whose centre of mass is at `com` in a moving frame: p_S = p + R com."""
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
    """Return the frame of a part of an element: root part and ring have theirs at A, the tip part at B."""
    line = element.line
    if part == "tip":
        return Frame(line.B, line.B_dot, line.B_ddot, element.end)
    if part == "ring":
        assert element.ring is not None, "the loader refuses rings without a universal joint"
        return Frame(line.A, line.A_dot, line.A_ddot, element.ring)
    return Frame(line.A, line.A_dot, line.A_ddot, element.frame)


def leg_frames(leg: Leg, motions: tuple[ElementMotion, ...]) -> list[Frame]:
    """Return the frame of every body of one leg."""
    return [
        element_frame(motion, body.part)
        for element, motion in zip(leg.elements, motions, strict=True)
        for body in element.bodies
    ]


def cross_frames(moving: RobotMotion, description: RobotDescription) -> list[Frame]:
    """Return the frames of the crosses between legs and platform that have mass, each at its leg's attachment."""
    from parakin.kinematics.ending import ending_of

    frames: list[Frame] = []
    for k, leg, _ in crosses(expanded_legs(description)):
        spin = ending_of(leg, moving.attached[k], moving.legs[k].elements[-1]).cross
        assert spin is not None, "the loader refuses crosses without a universal joint"
        point = moving.attachments[k]
        frames.append(Frame(point.p, point.v, point.a, spin))
    return frames


def body_frames(moving: RobotMotion, description: RobotDescription) -> list[Frame]:
    """Return the frames of all bodies, in the order of `body_names`.

    A platform body that turns is counted from E + c; one that does not, from its own centre of mass.
    """
    of_legs = [
        frame
        for leg, motion in zip(expanded_legs(description), moving.legs, strict=True)
        for frame in leg_frames(leg, motion.elements)
    ]
    return of_legs + cross_frames(moving, description) + platform_frames(moving.platform, description)


def platform_frame(platform: PlatformMotion) -> Frame:
    """Return the frame E, moving with the platform."""
    return Frame(platform.p_OE, platform.v_E, platform.a_E, Spin(platform.R_OE, platform.w_E, platform.w_E_dot))


def platform_frames(platform: PlatformMotion, description: RobotDescription) -> list[Frame]:
    """Return the frames of the platform's bodies."""
    turning = platform_frame(platform).spin
    frames: list[Frame] = []
    for body in description.platform.bodies:
        origin = platform.point((0.0, 0.0, 0.0) if body.turns else body.b, body.c)
        frames.append(Frame(origin.p, origin.v, origin.a, turning if body.turns else STILL))
    return frames


def body_motions(moving: RobotMotion, description: RobotDescription) -> list[BodyMotion]:
    """Return how all bodies move, in the order of `body_names`."""
    centres = [body.com for _, _, body in leg_bodies(expanded_legs(description))]
    centres += [cross.com for _, _, cross in crosses(expanded_legs(description))]
    centres += [body.b if body.turns else (0.0, 0.0, 0.0) for body in description.platform.bodies]
    return [carried(frame, com) for frame, com in zip(body_frames(moving, description), centres, strict=True)]

"""What every leg solver gives, and what they share."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from parakin.description.model import Element, Leg
from parakin.kinematics.elements import (
    ElementMotion,
    Line,
    Spin,
    fixed_frame,
    free_frame,
    revolute_frame,
    universal_frame,
)
from parakin.kinematics.platform import PlatformMotion, Point


@dataclass(frozen=True)
class Attached:
    """What a leg is solved for: the point where it meets the platform, the platform, and joint coordinates.

    z: coordinates of a leg without a closed form, found by Newton before the models run; empty for other legs.
    """

    point: Point
    platform: PlatformMotion
    z: ca.SX


@dataclass(frozen=True)
class LegMotion:
    """A leg that reaches its attachment.

    q, q_dot, q_ddot: of its actuators; j: q_dot = j r_dot with r_dot the attachment's velocity, a row for each; j_w:
    what the platform's angular velocity adds, q_dot = j r_dot + j_w w_E, where the leg transmits rotation;
    excess: how far the leg is from closing [m], positive where it cannot; pivot: what its rates are divided by, zero
    where the leg is singular (dimensionless); closure: zero where z is right. z, z_dot, z_ddot: joint coordinates of a
    leg without a closed form.
    """

    elements: tuple[ElementMotion, ...]
    q: ca.SX
    q_dot: ca.SX
    q_ddot: ca.SX
    j: ca.SX
    excess: ca.SX
    pivot: ca.SX
    j_w: ca.SX | None = None
    closure: ca.SX | None = None
    z: ca.SX | None = None
    z_dot: ca.SX | None = None
    z_ddot: ca.SX | None = None


@dataclass(frozen=True)
class Coordinate:
    """A joint coordinate with its derivatives, and the row j with coordinate_dot = j r_dot."""

    value: ca.SX
    rate: ca.SX
    acceleration: ca.SX
    j: ca.SX


def actuated(leg: Leg, coordinates: tuple[Coordinate, ...]) -> tuple[ca.SX, ca.SX, ca.SX, ca.SX]:
    """q = sign (coordinate - zero) for each element with an actuator."""
    rows: list[tuple[ca.SX, ca.SX, ca.SX, ca.SX]] = []
    for element, c in zip(leg.elements, coordinates, strict=False):
        if element.actuator is not None:
            sign = element.actuator.sign
            rows.append((sign * (c.value - element.actuator.zero), sign * c.rate, sign * c.acceleration, sign * c.j))
    if not rows:
        return ca.SX(0, 1), ca.SX(0, 1), ca.SX(0, 1), ca.SX(0, 3)
    q, q_dot, q_ddot, j = (ca.vertcat(*column) for column in zip(*rows, strict=True))
    return q, q_dot, q_ddot, j


def frame_of(element: Element, line: Line, carrier: Spin) -> ElementMotion:
    """The element's frame as its root joint makes it."""
    axis = ca.SX(ca.DM(element.joint.axis)) if element.joint.axis is not None else None
    match element.joint.type:
        case "revolute":
            assert axis is not None
            return revolute_frame(line, carrier, axis)
        case "universal":
            assert axis is not None
            return universal_frame(line, carrier, axis)
        case "fixed":
            assert axis is not None, "legs are written out with the axes of their rails"
            return fixed_frame(line, axis)
        case _:
            return free_frame(line, carrier)


def angle_about(axis: ca.SX, reference: tuple[float, float, float], x: ca.SX) -> ca.SX:
    """The angle of x, of any length, about an axis, from a reference direction made perpendicular to the axis."""
    start = ca.DM(reference) - ca.dot(ca.DM(reference), axis) * axis
    start = start / ca.norm_2(start)
    return ca.atan2(ca.dot(x, ca.cross(axis, start)), ca.dot(x, start))

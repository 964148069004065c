"""What every leg solver gives, and what they share."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from parakin.description import Element, Leg, PlatformJoint, Vector
from parakin.kinematics.elements import (
    STILL,
    ElementMotion,
    Line,
    Spin,
    fixed_frame,
    free_frame,
    revolute_frame,
    universal_frame,
)
from parakin.kinematics.platform import PlatformMotion, Point
from parakin.kinematics.status import SMALLEST_LEG_PIVOT
from parakin.spatial import vector


@dataclass(frozen=True)
class Attached:
    """What a leg is solved for."""

    point: Point
    """The point where it meets the platform."""
    platform: PlatformMotion
    """The platform in motion."""
    z: ca.SX
    """Joint coordinates of a leg without a closed form, found by Newton before the models run; empty for others."""
    joint: PlatformJoint
    """The joint between leg and platform, complete with its axes."""

    def carrier(self, leg: Leg) -> Spin:
        """Return the frame of what carries the joint at the platform: the platform, or a bar that does not turn.

        Dimensions that are symbols are those of a platform without such bars: `with_dimensions` sees to that.
        """
        c, platform = vector(leg.attachment.c), self.platform
        if c.is_constant() and not c.is_zero():
            return STILL
        return Spin(platform.R_OE, platform.w_E, platform.w_E_dot)


@dataclass(frozen=True)
class LegMotion:
    """A leg that reaches its attachment, r_dot being the velocity of that point."""

    elements: tuple[ElementMotion, ...]
    """Its elements in motion."""
    q: ca.SX
    """Positions of its actuators [m or rad]."""
    q_dot: ca.SX
    """Rates of its actuators."""
    q_ddot: ca.SX
    """Accelerations of its actuators."""
    j: ca.SX
    """q_dot = j r_dot, a row for each actuator."""
    excess: ca.SX
    """How far the leg is from closing [m], positive where it cannot."""
    pivot: ca.SX
    """What its rates are divided by (dimensionless), zero where the leg is singular."""
    smallest_pivot: float = SMALLEST_LEG_PIVOT
    """Size of `pivot` up to which the leg counts as singular."""
    j_w: ca.SX | None = None
    """What the platform's angular velocity adds where the leg transmits rotation: q_dot = j r_dot + j_w w_E."""
    closure: ca.SX | None = None
    """How far a leg without a closed form is from closing [m]; zero where z is right."""
    z: ca.SX | None = None
    """Joint coordinates of a leg without a closed form."""
    z_dot: ca.SX | None = None
    """Rates of z."""
    z_ddot: ca.SX | None = None
    """Second derivatives of z."""


@dataclass(frozen=True)
class Coordinate:
    """A joint coordinate of a leg as the platform moves it."""

    value: ca.SX
    """The coordinate [m or rad]."""
    rate: ca.SX
    """Its rate."""
    acceleration: ca.SX
    """Its second derivative."""
    j: ca.SX
    """The row with rate = j r_dot, r_dot being the velocity of the attachment."""


def actuated(leg: Leg, coordinates: tuple[Coordinate, ...]) -> tuple[ca.SX, ca.SX, ca.SX, ca.SX]:
    """Return q, q_dot, q_ddot and j of a leg's actuators: q = sign (coordinate - zero) for each driven element."""
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
    """Return an element with the frame that its root joint gives it."""
    axis = vector(element.joint.axis) if element.joint.axis is not None else None
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


def angle_about(axis: ca.SX, reference: ca.SX | Vector, x: ca.SX) -> ca.SX:
    """Return the angle of x, of any length, about an axis, from a reference direction made perpendicular to it."""
    towards = vector(reference)
    start = towards - ca.dot(towards, axis) * axis
    start = start / ca.norm_2(start)
    return ca.atan2(ca.dot(x, ca.cross(axis, start)), ca.dot(x, start))

"""Zeros that CAD systems write as 1e-17: numbers that must be zero, and are but for rounding, are set to zero.

Where a robot demands an exact zero, a length below ROUNDING times the robot's length, or a part of a direction below
ROUNDING, is taken for rounding. Places on the platform that are closer to each other than that are one: a bar of a
nacelle hangs in one point, whatever the digits of its bodies and legs. Everything else stays as it is in the file.
"""

from __future__ import annotations

import math
from typing import TypeVar

from parakin.description.elements import OPEN_SPIN, Body, Element, Joint
from parakin.description.model import Attachment, Leg, Platform, PlatformBody, RobotDescription
from parakin.description.patterns import line_pattern
from parakin.description.symmetry import expanded_legs
from parakin.description.values import ROUNDING, Vector

NOWHERE: Vector = (0.0, 0.0, 0.0)
"""The part b or c of a place that has none."""
Placed = TypeVar("Placed", Attachment, PlatformBody)
"""What has a place (b, c) on the platform."""


def without_rounding(robot: RobotDescription) -> RobotDescription:
    """Return the robot with zeros where they are demanded and nearly there.

    These are z of roots, attachments and directions of a planar robot, x and y of its axes, y and z of a centre of mass
    on a spherical or parallelogram root, and x and z of the second axis of a 3-URU leg; b and c of what is at E, or has
    no part that keeps the base's orientation; and the differences between places b that such parts hang on.
    """
    legs = tuple(_leg(leg, robot.length, robot.motion_type.planar) for leg in robot.legs)
    near = ROUNDING * robot.length
    legs = tuple(leg.model_copy(update={"attachment": _not_nearly_nowhere(leg.attachment, near)}) for leg in legs)
    bodies = tuple(_not_nearly_nowhere(body, near) for body in robot.platform.bodies)
    rounded = _on_bars(robot.model_copy(update={"legs": legs, "platform": _with(robot.platform, bodies)}), near)
    return robot if rounded == robot else rounded


def _with(platform: Platform, bodies: tuple[PlatformBody, ...]) -> Platform:
    return platform.model_copy(update={"bodies": bodies})


def _not_nearly_nowhere(placed: Placed, near: float) -> Placed:
    """Return what is on the platform with b or c exactly 0 where they are nearly so."""
    parts = {"b": placed.b, "c": placed.c}
    return placed.model_copy(update={name: NOWHERE for name, part in parts.items() if math.hypot(*part) <= near})


def _on_bars(robot: RobotDescription, near: float) -> RobotDescription:
    """Return the robot with one b for all that hangs on one bar of a nacelle.

    What keeps the base's orientation hangs on bars. Legs that are repeated stay where their turns put them, and what is
    written out meets them there.
    """
    if any(leg.symmetry is not None and leg.symmetry not in robot.symmetries for leg in robot.legs):
        return robot  # refused by the checks between tables, which come later
    places = [leg.attachment.b for leg in expanded_legs(robot) if any(leg.attachment.c)]
    places += [body.b for body in robot.platform.bodies if not body.turns]

    def met(b: Vector) -> Vector:
        return next(place for place in places if math.dist(place, b) <= near)

    legs = tuple(
        leg.model_copy(update={"attachment": leg.attachment.model_copy(update={"b": met(leg.attachment.b)})})
        if leg.symmetry is None and any(leg.attachment.c)
        else leg
        for leg in robot.legs
    )
    bodies = tuple(body if body.turns else body.model_copy(update={"b": met(body.b)}) for body in robot.platform.bodies)
    return robot.model_copy(update={"legs": legs, "platform": _with(robot.platform, bodies)})


def _zeroed(vector: Vector, places: tuple[int, ...], scale: float) -> Vector:
    x, y, z = (0.0 if k in places and abs(v) <= ROUNDING * scale else v for k, v in enumerate(vector))
    return (x, y, z)


def _turned(direction: Vector | None, places: tuple[int, ...]) -> Vector | None:
    """A direction with some of its parts set to zero, of unit length again."""
    if direction is None:
        return None
    short = _zeroed(direction, places, 1.0)
    if short == direction:
        return direction
    norm = math.hypot(*short)
    return (short[0] / norm, short[1] / norm, short[2] / norm)


def _leg(leg: Leg, length: float, planar: bool) -> Leg:
    middle = line_pattern(leg) == "elbow"
    elements = tuple(_element(element, length, planar, middle and n == 1) for n, element in enumerate(leg.elements))
    if not planar:
        return leg.model_copy(update={"elements": elements})
    b, c = (_zeroed(vector, (2,), length) for vector in (leg.attachment.b, leg.attachment.c))
    attachment = leg.attachment.model_copy(update={"b": b, "c": c})
    root = _zeroed(leg.root, (2,), length)
    return leg.model_copy(update={"elements": elements, "root": root, "attachment": attachment})


def _element(element: Element, length: float, planar: bool, middle: bool) -> Element:
    update: dict[str, object] = {"joint": _joint(element.joint, planar, middle)}
    if planar:
        update["direction"] = _turned(element.direction, (2,))
    if planar and element.actuator is not None:
        reference = _turned(element.actuator.reference, (2,))
        update["actuator"] = element.actuator.model_copy(update={"reference": reference})
    if element.joint.type in OPEN_SPIN:
        update["bodies"] = tuple(_body(body, length) for body in element.bodies)
    return element.model_copy(update=update)


def _joint(joint: Joint, planar: bool, middle: bool) -> Joint:
    if joint.type != "revolute" or not (planar or middle):
        return joint
    return joint.model_copy(update={"axis": _turned(joint.axis, (0, 1) if planar else (0, 2))})


def _body(body: Body, length: float) -> Body:
    com = body.com if body.part == "ring" else _zeroed(body.com, (1, 2), length)
    return body.model_copy(update={"com": com})

"""Gather the directions of a robot's axes, rails and references in one vector, which kernels can take as an input.

It holds, leg by leg and element by element, the axis and the reference of the joint, the direction of a rail and the
reference of an actuator; then the axis and the reference of the joint at the platform. Kernels bring each to unit
length. Planar robots have the components in their plane, so that their axes, which are across it, are left out.

Two kinds stay as they are in the file, for they decide which closed form a leg has: axes of revolute joints that
another element carries, and `leg_axis` of the joint at the platform.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from parakin.description import Element, Leg, RobotDescription, expanded_legs
from parakin.description.values import Vector

Change = Callable[[str, Vector], Any]
"""What puts something in place of a direction: takes its name and its value."""


@dataclass(frozen=True)
class DirectionEntry:
    """One component of a direction."""

    name: str
    """Where it stands in the robot file, as in `leg1.arm.axis.x`, `leg1.rail.direction.z`; `leg1.arm.drive_reference.x`
    is that of an actuator."""
    value: float
    """Its value in the robot file, whose directions have unit length."""


def directions_of(description: RobotDescription) -> tuple[DirectionEntry, ...]:
    """Return all components of a robot's directions, with the values of its file."""
    entries: list[DirectionEntry] = []

    def noted(name: str, value: Vector) -> Vector:
        entries.extend(DirectionEntry(f"{name}.{axis}", value["xyz".index(axis)]) for axis in components(description))
        return value

    changed_legs(description, noted)
    return tuple(entries)


def components(description: RobotDescription) -> str:
    """Return the components that directions have as entries: x and y for planar robots, or all three."""
    return "xy" if description.motion_type.planar else "xyz"


def changed_legs(description: RobotDescription, change: Change) -> tuple[Leg, ...]:
    """Return the legs, written out, with what a function gives in place of each of their directions, in order."""
    planar = description.motion_type.planar
    return tuple(_changed_leg(leg, change, planar) for leg in expanded_legs(description))


def _changed_leg(leg: Leg, change: Change, planar: bool) -> Leg:
    elements = tuple(
        _changed_element(element, f"{leg.name}.{element.name}", change, not planar and _axis_is_free(element, m))
        for m, element in enumerate(leg.elements)
    )
    joint = leg.attachment.joint
    if joint is None:
        return leg.model_copy(update={"elements": elements})
    given = {"axis": None if planar else joint.axis, "reference": joint.reference}
    changes = {key: change(f"{leg.name}.attachment.{key}", old) for key, old in given.items() if old is not None}
    attachment = leg.attachment.model_copy(update={"joint": joint.model_copy(update=changes)})
    return leg.model_copy(update={"elements": elements, "attachment": attachment})


def _axis_is_free(element: Element, m: int) -> bool:
    """Whether the axis of an element's root may point anywhere without changing how its leg is solved."""
    return m == 0 or element.joint.type != "revolute"


def _changed_element(element: Element, name: str, change: Change, with_axis: bool) -> Element:
    changes: dict[str, Any] = {}
    joint, actuator = element.joint, element.actuator
    given = {"axis": joint.axis if with_axis else None, "reference": joint.reference}
    turned = {key: change(f"{name}.{key}", old) for key, old in given.items() if old is not None}
    if turned:
        changes["joint"] = joint.model_copy(update=turned)
    if element.direction is not None:
        changes["direction"] = change(f"{name}.direction", element.direction)
    if actuator is not None and actuator.reference is not None:
        reference = change(f"{name}.drive_reference", actuator.reference)
        changes["actuator"] = actuator.model_copy(update={"reference": reference})
    return element.model_copy(update=changes)

"""Gather the dimensions of a robot in one vector, named and with units, so that kernels can take them as an input.

It holds, leg by leg, the root, then element by element the length of a bar and the zero of an actuator, then the
attachment's b and c. Directions of axes and rails stay as they are in the file. Planar robots have the components in
their plane.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca

from parakin.description import Leg, RobotDescription, expanded_legs
from parakin.description.attachments import turns_inside
from parakin.description.patterns import pattern_of
from parakin.errors import UnsupportedRobotError


@dataclass(frozen=True)
class Dimension:
    """One entry of the vector of dimensions."""

    name: str
    """Where it stands in the robot file, as in `left.root.x`, `left.arm.length`, `left.arm.zero`, `left.b.x`."""
    unit: str
    """Its unit, m or rad."""
    value: float
    """Its value in the robot file."""


def _entries(leg: Leg, components: str) -> list[Dimension]:
    """Return the dimensions of one leg, vectors by the given components."""

    def vector(name: str, values: tuple[float, float, float]) -> list[Dimension]:
        return [Dimension(f"{leg.name}.{name}.{axis}", "m", values["xyz".index(axis)]) for axis in components]

    dimensions = vector("root", leg.root)
    for element in leg.elements:
        name = f"{leg.name}.{element.name}"
        if element.length is not None:
            dimensions.append(Dimension(f"{name}.length", "m", element.length))
        if element.actuator is not None:
            unit = "m" if element.actuator.coordinate == "length" else "rad"
            dimensions.append(Dimension(f"{name}.zero", unit, element.actuator.zero))
    return dimensions + vector("b", leg.attachment.b) + vector("c", leg.attachment.c)


def dimensions_of(description: RobotDescription) -> tuple[Dimension, ...]:
    """Return all dimensions of a robot, with the values of its file."""
    components = "xy" if description.motion_type.planar else "xyz"
    return tuple(entry for leg in expanded_legs(description) for entry in _entries(leg, components))


def with_dimensions(description: RobotDescription, g: ca.SX) -> RobotDescription:
    """Return the description with symbols g in place of its dimensions, for building models only.

    Legs without a closed form cannot have this, and raise UnsupportedRobotError.
    """
    if any(pattern_of(leg) == "numeric" for leg in expanded_legs(description)):
        raise UnsupportedRobotError(description.name, "legs without a closed form have their geometry baked in")
    if any(any(leg.attachment.c) and (turns_inside(leg) or leg.attachment.joint) for leg in expanded_legs(description)):
        reason = "joints on parts of the platform that do not turn (c) have their geometry baked in"
        raise UnsupportedRobotError(description.name, reason)
    components = "xy" if description.motion_type.planar else "xyz"
    entries = iter(g[k] for k in range(g.shape[0]))

    def vector(values: tuple[float, float, float]) -> ca.SX:
        return ca.vertcat(*(next(entries) if axis in components else values["xyz".index(axis)] for axis in "xyz"))

    legs: list[Leg] = []
    for leg in expanded_legs(description):
        root, elements = vector(leg.root), list[Any]()
        for element in leg.elements:
            changes: dict[str, Any] = {}
            if element.length is not None:
                changes["length"] = next(entries)
            if element.actuator is not None:
                changes["actuator"] = element.actuator.model_copy(update={"zero": next(entries)})
            elements.append(element.model_copy(update=changes))
        attachment = leg.attachment.model_copy(update={"b": vector(leg.attachment.b), "c": vector(leg.attachment.c)})
        legs.append(leg.model_copy(update={"root": root, "elements": tuple(elements), "attachment": attachment}))
    return description.model_copy(update={"legs": tuple(legs), "symmetries": {}})

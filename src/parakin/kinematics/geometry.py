"""Dimensions of a robot: named, with units, in one vector, so that kernels can take them as an input.

    of each leg its root, the lengths of its bars, its attachment b and c, the zeros of its actuators

Directions of axes and rails stay as they are in the file. Planar robots have the components in their plane.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca

from parakin.description import Leg, RobotDescription, expanded_legs
from parakin.description.patterns import pattern_of
from parakin.errors import UnsupportedRobotError


@dataclass(frozen=True)
class Dimension:
    """One entry of the vector."""

    name: str
    unit: str
    value: float


def _entries(leg: Leg, components: str) -> list[Dimension]:
    def vector(name: str, values: tuple[float, float, float]) -> list[Dimension]:
        return [Dimension(f"{leg.name}.{name}.{axis}", "m", values["xyz".index(axis)]) for axis in components]

    found = vector("root", leg.root)
    for element in leg.elements:
        name = f"{leg.name}.{element.name}"
        if element.length is not None:
            found.append(Dimension(f"{name}.length", "m", element.length))
        if element.actuator is not None:
            unit = "m" if element.actuator.coordinate == "length" else "rad"
            found.append(Dimension(f"{name}.zero", unit, element.actuator.zero))
    return found + vector("b", leg.attachment.b) + vector("c", leg.attachment.c)


def dimensions_of(description: RobotDescription) -> tuple[Dimension, ...]:
    """All of them, with the values of the robot file."""
    components = "xy" if description.motion.startswith("planar") else "xyz"
    return tuple(entry for leg in expanded_legs(description) for entry in _entries(leg, components))


def with_dimensions(description: RobotDescription, g: ca.SX) -> RobotDescription:
    """The description with symbols in place of its dimensions, for building models only."""
    if any(pattern_of(leg) == "numeric" for leg in expanded_legs(description)):
        raise UnsupportedRobotError(description.name, "legs without a closed form have their geometry baked in")
    components = "xy" if description.motion.startswith("planar") else "xyz"
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

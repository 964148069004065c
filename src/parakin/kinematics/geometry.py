"""Put symbols in place of a robot's dimensions, so that kernels can take these as an input."""

from __future__ import annotations

from typing import Any

import casadi as ca

from parakin.description import Leg, RobotDescription, expanded_legs
from parakin.description.attachments import turns_inside
from parakin.description.patterns import pattern_of
from parakin.errors import UnsupportedRobotError


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

"""Put symbols in place of a robot's dimensions and directions, so that kernels can take these as inputs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

import casadi as ca

from parakin.description import Leg, RobotDescription, Vector, expanded_legs
from parakin.description.attachments import turns_inside
from parakin.description.patterns import pattern_of
from parakin.errors import UnsupportedRobotError
from parakin.kinematics.dimensions import dimensions_of
from parakin.kinematics.directions import changed_legs, components, directions_of


@dataclass(frozen=True)
class Shaped:
    """A robot whose dimensions or directions are symbols, for building models only."""

    moved: RobotDescription
    """What its motion is built from: dimensions and directions are symbols where they are freed."""
    judged: RobotDescription
    """What models look at besides: its directions are symbols where they are freed, its dimensions the file's."""
    inputs: Mapping[str, ca.SX]
    """The symbols, by the name of the input."""


GEOMETRY_SIZES: Mapping[str, Callable[[RobotDescription], int]] = {
    "geometry": lambda description: len(dimensions_of(description)),
    "directions": lambda description: len(directions_of(description)),
}
"""Inputs that say what shape a robot has -> how many numbers each has."""


def shaped_by(description: RobotDescription, free: Collection[str]) -> Shaped:
    """Return the description with symbols for those of "geometry" and "directions" that are freed.

    Legs without a closed form cannot have this, and raise UnsupportedRobotError.
    """
    inputs = {name: ca.SX.sym(name, size(description)) for name, size in GEOMETRY_SIZES.items() if name in free}
    if inputs:
        _refuse_baked(description)
    judged = with_directions(description, inputs["directions"]) if "directions" in inputs else description
    moved = with_dimensions(judged, inputs["geometry"]) if "geometry" in inputs else judged
    return Shaped(moved, judged, inputs)


def _refuse_baked(description: RobotDescription) -> None:
    """Raise UnsupportedRobotError for a robot whose models look at the numbers of its geometry."""
    if any(pattern_of(leg) == "numeric" for leg in expanded_legs(description)):
        raise UnsupportedRobotError(description.name, "legs without a closed form have their geometry baked in")
    if any(any(leg.attachment.c) and (turns_inside(leg) or leg.attachment.joint) for leg in expanded_legs(description)):
        reason = "joints on parts of the platform that do not turn (c) have their geometry baked in"
        raise UnsupportedRobotError(description.name, reason)


def with_directions(description: RobotDescription, u: ca.SX) -> RobotDescription:
    """Return the description with symbols u, brought to unit length, in place of its directions."""
    entries = iter(u[k] for k in range(u.shape[0]))
    free = components(description)

    def symbols(_: str, value: Vector) -> ca.SX:
        given = ca.vertcat(*(next(entries) if axis in free else value["xyz".index(axis)] for axis in "xyz"))
        return given / ca.norm_2(given)

    return description.model_copy(update={"legs": changed_legs(description, symbols), "symmetries": {}})


def with_dimensions(description: RobotDescription, g: ca.SX) -> RobotDescription:
    """Return the description with symbols g in place of its dimensions."""
    free = components(description)
    entries = iter(g[k] for k in range(g.shape[0]))

    def vector(values: Vector) -> ca.SX:
        return ca.vertcat(*(next(entries) if axis in free else values["xyz".index(axis)] for axis in "xyz"))

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

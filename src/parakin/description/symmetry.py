"""Legs written once and repeated about an axis, written out."""

from __future__ import annotations

import math
from itertools import groupby

import numpy as np

from parakin.description.model import Attachment, Direction, Element, Leg, RobotDescription, Symmetry, Vector


def turned(vector: Vector, axis: Vector, angle: float) -> Vector:
    """A vector turned about an axis (Rodrigues): v cos + (axis x v) sin + axis (axis·v)(1 - cos)."""
    v, n = np.array(vector), np.array(axis)
    result = v * math.cos(angle) + np.cross(n, v) * math.sin(angle) + n * float(n @ v) * (1 - math.cos(angle))
    return (float(result[0]), float(result[1]), float(result[2]))


def _turned_element(element: Element, symmetry: Symmetry, angle: float) -> Element:
    """The first element of a leg: its joint, direction and reference are given in base axes."""

    def turn(direction: Direction | None) -> Direction | None:
        return None if direction is None else turned(direction, symmetry.axis, angle)

    joint = element.joint.model_copy(update={"axis": turn(element.joint.axis)})
    actuator = element.actuator
    if actuator is not None:
        actuator = actuator.model_copy(update={"reference": turn(actuator.reference)})
    return element.model_copy(update={"joint": joint, "direction": turn(element.direction), "actuator": actuator})


def _copy(leg: Leg, symmetry: Symmetry, k: int) -> Leg:
    """Copy number k, from 0, which stays where it is."""
    update: dict[str, object] = {"name": f"{leg.name}{k + 1}", "symmetry": None}
    if k:
        angle = 2 * math.pi * k / symmetry.count
        first, *others = leg.elements
        update |= {
            "root": turned(leg.root, symmetry.axis, angle),
            "attachment": Attachment(
                b=turned(leg.attachment.b, symmetry.axis, angle), c=turned(leg.attachment.c, symmetry.axis, angle)
            ),
            "elements": (_turned_element(first, symmetry, angle), *others),
        }
    return leg.model_copy(update=update)


def expanded_legs(description: RobotDescription) -> tuple[Leg, ...]:
    """All legs in order; neighbours of one symmetry go round together: left1, right1, left2, right2, ..."""
    legs: list[Leg] = []
    for name, group in groupby(description.legs, key=lambda leg: leg.symmetry):
        members = list(group)
        if name is None:
            legs += members
        else:
            symmetry = description.symmetries[name]
            legs += [_copy(leg, symmetry, k) for k in range(symmetry.count) for leg in members]
    return tuple(legs)

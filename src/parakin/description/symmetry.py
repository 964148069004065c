"""Legs written once and repeated about an axis, written out."""

from __future__ import annotations

import math
import weakref
from fractions import Fraction
from itertools import groupby

import numpy as np

from parakin.description.elements import Element
from parakin.description.model import Leg, RobotDescription, Symmetry
from parakin.description.values import Vector


def cosine_and_sine(part: int, count: int) -> tuple[float, float]:
    """Return cos and sin of part/count of a full turn; those of eighth and twelfth turns are exact or rounded once.

    The angle is reduced to an eighth of a turn, so that what mirrors each other does so to the last bit: legs a third
    of a turn apart add up to nothing.
    """
    quarter, rest = divmod(4 * Fraction(part, count), 1)
    c, s = _in_first_quarter(rest)
    return ((c, s), (-s, c), (-c, -s), (s, -c))[quarter % 4]


def _in_first_quarter(share: Fraction) -> tuple[float, float]:
    """Return cos and sin of the angle that is this share, below 1, of a quarter turn."""
    if share > Fraction(1, 2):
        s, c = _in_first_quarter(1 - share)
        return c, s
    if share == Fraction(1, 2):
        return math.sqrt(0.5), math.sqrt(0.5)
    if share == Fraction(1, 3):
        return math.sqrt(0.75), 0.5
    angle = math.pi / 2 * share
    return math.cos(angle), math.sin(angle)


def _copy(leg: Leg, symmetry: Symmetry, k: int) -> Leg:
    """Copy number k, from 0, which stays where it is. What is given in base axes turns; element frames come along."""
    c, s = cosine_and_sine(k, symmetry.count)
    n = np.array(symmetry.axis)

    def turned(vector: Vector | None) -> Vector | None:
        """Rodrigues: v cos + (axis x v) sin + axis (axis·v)(1 - cos)."""
        if vector is None or k == 0:
            return vector
        v = np.array(vector)
        result = v * c + np.cross(n, v) * s + n * float(n @ v) * (1 - c)
        return (float(result[0]), float(result[1]), float(result[2]))

    def turned_element(element: Element, first: bool) -> Element:
        update: dict[str, object] = {"direction": turned(element.direction)}
        if first:
            axes = {"axis": turned(_axis(element)), "reference": turned(element.joint.reference)}
            update["joint"] = element.joint.model_copy(update=axes)
        if first and element.actuator is not None:
            reference = turned(element.actuator.reference)
            update["actuator"] = element.actuator.model_copy(update={"reference": reference})
        return element.model_copy(update=update)

    joint = leg.attachment.joint
    if joint is not None:
        joint = joint.model_copy(update={"axis": turned(joint.axis), "reference": turned(joint.reference)})
    places = {"b": turned(leg.attachment.b), "c": turned(leg.attachment.c), "joint": joint}
    attachment = leg.attachment.model_copy(update=places)
    return leg.model_copy(
        update={
            "name": f"{leg.name}{k + 1}",
            "symmetry": None,
            "root": turned(leg.root),
            "attachment": attachment,
            "elements": tuple(turned_element(element, m == 0) for m, element in enumerate(leg.elements)),
        }
    )


def _axis(element: Element) -> Vector | None:
    """The joint's axis; for a rail without one, a base axis well across it."""
    if element.joint.type != "fixed" or element.joint.axis is not None or element.direction is None:
        return element.joint.axis
    return (0.0, 0.0, 1.0) if abs(element.direction[2]) < 0.9 else (1.0, 0.0, 0.0)


def _complete(leg: Leg) -> Leg:
    """A leg as it is, with the axis of its rail."""
    first, *others = leg.elements
    joint = first.joint.model_copy(update={"axis": _axis(first)})
    return leg.model_copy(update={"elements": (first.model_copy(update={"joint": joint}), *others)})


_WRITTEN_OUT: dict[int, tuple[weakref.ref[RobotDescription], tuple[Leg, ...]]] = {}
"""The legs of each description that is alive, by its id: descriptions do not change, and comparing them takes long."""


def expanded_legs(description: RobotDescription) -> tuple[Leg, ...]:
    """Return all legs, written out; neighbours of one symmetry go round together: left1, right1, left2, right2, ...

    A derivation asks some ten times, so that what was written out is kept as long as its description lives.

    >>> [leg.name for leg in pk.description.expanded_legs(robot.description)]
    ['leg1', 'leg2', 'leg3']
    """
    known = _WRITTEN_OUT.get(id(description))
    if known is not None and known[0]() is description:
        return known[1]
    legs, number = _written_out(description), id(description)
    _WRITTEN_OUT[number] = weakref.ref(description, lambda _: _WRITTEN_OUT.pop(number, None)), legs
    return legs


def _written_out(description: RobotDescription) -> tuple[Leg, ...]:
    legs: list[Leg] = []
    for name, group in groupby(description.legs, key=lambda leg: leg.symmetry):
        members = list(group)
        if name is None:
            legs += [_complete(leg) for leg in members]
        else:
            symmetry = description.symmetries[name]
            legs += [_copy(leg, symmetry, k) for k in range(symmetry.count) for leg in members]
    return tuple(legs)

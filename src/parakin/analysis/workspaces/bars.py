"""Which parts of a robot are round bars, and which pairs of them are compared: one law for legs and mechanisms.

An element with a `radius` is a round bar from its root A to its tip B. A platform with a `radius` is a star of round
bars from E to the points where its legs meet it. A mechanism has the bars of its file's `bars`.

Two bars are compared unless they touch by construction: bars of one rigid part, and bars that come to one point of the
robot (a joint between them, a joint that both share with a third part, an end in common) or slide along each other.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import combinations

from parakin.description import Leg, RobotDescription, expanded_legs
from parakin.mechanism.bars import segments_of
from parakin.robot import Robot


@dataclass(frozen=True)
class Bar:
    """A round bar that can touch others."""

    name: str
    """What it is called: leg1.forearm, platform.leg1 for a bar of the platform, or as a mechanism's file says."""
    radius: float
    """Its radius [m]."""
    part: str | None
    """The rigid part that it belongs to; None if it reaches from one part to another."""
    meets: frozenset[Hashable]
    """The points that it comes to by construction, and the joints in which it slides."""


def bars_of(robot: Robot) -> tuple[Bar, ...]:
    """Return the bars of a robot whose radius the file gives: leg by leg and then the platform's, or as in the file."""
    if robot.legs:
        return _of_legs(robot.description)
    segments = segments_of(robot.graph_description)
    return tuple(Bar(one.name, one.radius, one.part, one.meets) for one in segments)


def pairs_of(bars: tuple[Bar, ...]) -> tuple[tuple[int, int], ...]:
    """Return the numbers of the bars that are compared, in pairs."""
    return tuple(
        (i, k)
        for (i, first), (k, second) in combinations(enumerate(bars), 2)
        if not first.meets & second.meets and (first.part is None or first.part != second.part)
    )


def _of_legs(description: RobotDescription) -> tuple[Bar, ...]:
    legs = expanded_legs(description)
    bars = [
        Bar(f"{leg.name}.{element.name}", element.radius, None, frozenset(_points(leg)[m : m + 2]))
        for leg in legs
        for m, element in enumerate(leg.elements)
        if element.radius is not None
    ]
    radius, middle = description.platform.radius, _on_platform((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    star = [
        Bar(f"platform.{leg.name}", radius, "platform", frozenset({middle, _points(leg)[-1]}))
        for leg in legs
        if radius is not None and any((*leg.attachment.b, *leg.attachment.c))
    ]
    return (*bars, *star)


def _points(leg: Leg) -> list[Hashable]:
    """The points between which the elements of a leg reach, from the base to the platform."""
    between = [(leg.name, m) for m in range(1, len(leg.elements))]
    return [("base", leg.root), *between, _on_platform(leg.attachment.b, leg.attachment.c)]


def _on_platform(b: tuple[float, float, float], c: tuple[float, float, float]) -> Hashable:
    return "platform", b, c

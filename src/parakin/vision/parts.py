"""What of a robot cameras can look at: the elements of its legs, or the bars of a mechanism's file."""

from __future__ import annotations

from dataclasses import dataclass

from parakin.description import Element, expanded_legs
from parakin.errors import VisionError
from parakin.mechanism.bars import segments_of
from parakin.robot import Robot


@dataclass(frozen=True)
class SeenPart:
    """A straight part of a robot that may be a round rod."""

    name: str
    """As in `Robot.element_names`, or as the file of a mechanism has its bar."""
    radius: float | None
    """Its radius in the file [m]; None if the file has none."""
    element: Element | None
    """Its table in a robot file; None for a bar of a mechanism."""


def parts_of(robot: Robot) -> tuple[SeenPart, ...]:
    """Return all parts of a robot that cameras can look at; mechanisms without bars are refused."""
    if robot.legs:
        tables = [element for leg in expanded_legs(robot.description) for element in leg.elements]
        named = zip(robot.element_names, tables, strict=True)
        return tuple(SeenPart(name, table.radius, table) for name, table in named)
    segments = segments_of(robot.graph_description)
    if not segments:
        reason = "must be at least one that a camera can look at, got none: write [[bars]] with body and radius"
        raise VisionError(robot.name, "bars", reason)
    return tuple(SeenPart(segment.name, segment.radius, None) for segment in segments)


def part_names(robot: Robot) -> tuple[str, ...]:
    """Return the names of all parts of a robot that cameras can look at."""
    return tuple(part.name for part in parts_of(robot))

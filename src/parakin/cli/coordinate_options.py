"""Options that name coordinates of a pose: which vary, and where others stand, in units that can be meant."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from parakin.cli.plausible import reason_against
from parakin.errors import DataError

if TYPE_CHECKING:
    from parakin.robot import Robot

FARTHEST = 10.0
"""Largest coordinate of a platform that is expected [m], ..."""
LENGTHS = 20.0
"""... or so many lengths of the robot, if these are more."""
ONE_TURN = 6.5
"""Largest angle of a platform that is expected [rad]."""
SOME_TURNS = 20.0
"""Largest angle of a joint that is expected [rad]: three turns."""


def names_in(text: str | None) -> tuple[str, ...]:
    """Return names that are joined by commas, blanks left out."""
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())


def assignments(command: str, option: str, texts: Iterable[str], form: str) -> dict[str, str]:
    """Read NAME=VALUE, joined by commas or given one by one; form: how to write it. No name is taken twice."""
    values: dict[str, str] = {}
    for text in (part for entry in texts for part in entry.split(",")):
        name, equals, value = (part.strip() for part in text.partition("="))
        if not (equals and name and value):
            raise DataError(command, option, f"{form}, got {text!r}")
        if name in values:
            raise DataError(command, option, f"{name} is given twice: {values[name]} and {value}")
        values[name] = value
    return values


def number(command: str, option: str, text: str) -> float:
    """Return a number that an option has."""
    try:
        return float(text)
    except ValueError:
        raise DataError(command, option, f"must be a number, got {text!r}") from None


def check_units(command: str, option: str, robot: Robot, places: Mapping[str, Sequence[float]]) -> None:
    """Refuse values of coordinates that are hardly in m or rad; names that are none are left to the library."""

    motion = robot.coordinates
    units = {name: axis.position for name, axis in zip(motion.offset_names, motion.axes, strict=True)}
    for name, values in places.items():
        if units.get(name) == "rad":
            most, smaller = SOME_TURNS if motion.of_joints else ONE_TURN, ("degrees", math.pi / 180)
        else:
            most, smaller = max(FARTHEST, LENGTHS * robot.length), ("mm", 1e-3)
        for value in values:
            reason = reason_against(value, abs(value), units.get(name, "m"), most=most, smaller=smaller)
            if name in units and reason:
                raise DataError(command, option, f"{name} = {reason}")

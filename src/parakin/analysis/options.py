"""What can be chosen about quantities at a pose: directions, lengths, and numbers that a robot file does not give."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.errors import DataError, UnknownNameError
from parakin.units import ANGLE, LENGTH, CoordinateUnits

if TYPE_CHECKING:
    from parakin.robot import Robot

Space = Literal["translation", "rotation", "all"]
"""Which motions count: ways alone, turns alone, or both, a turn counted as the way of a point `length` away."""
SPACES: tuple[Space, ...] = ("translation", "rotation", "all")
"""The spaces there are."""
End = Literal["output", "pose"]
"""What motors are taken to move where their evenness is asked for: the output frame, or the numbers of the pose."""
ENDS: tuple[End, ...] = ("output", "pose")
"""The ends there are."""
EVERY_DIRECTION = "all directions"
"""What is said of directions where there is nothing to choose."""
MOST_NAMED = 4
"""Coordinates that titles name one by one; more are told by their number."""


@dataclass(frozen=True)
class Options:
    """Choices for quantities at a pose; every one has a default.

    >>> pk.analysis.Options(space="rotation").space
    'rotation'
    """

    space: Space | None = None
    """Which motions and forces count; None: ways if there are any, else turns. Whatever does not count stays zero: a
    platform that moves does not turn, and a force comes without a moment."""
    direction: tuple[float, ...] | None = None
    """One direction alone, as many numbers as a velocity has [m or rad], to both sides; in place of `space`."""
    length: float | None = None
    """Characteristic length [m] that compares turns with ways; None: the robot's own."""
    at: End | None = None
    """What `condition`, `dexterity` and `isotropy` look at: the twist of a mechanism's output frame, the default, or
    the rates of its independent coordinates; and `accuracy`, by default these coordinates. A robot of legs has its
    platform for both."""
    limits: bool = True
    """Whether poses beyond strokes and joint limits have no value."""
    actuator: str | None = None
    """The actuator whose inertia is asked for; None: the largest of all, if they have one unit."""
    acceleration: float = 0.0
    """Acceleration that a payload must reach from rest in every direction of `space` [m/s^2, or rad/s^2 of turns];
    0: be held."""
    payload_centre: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Where a payload's mass is, from E in its axes [m]."""
    drive_stiffness: float | None = None
    """Stiffness of every drive, joint side [N/m or N m/rad], in place of the file's."""
    resolution: float | None = None
    """Smallest step of every encoder, joint side [m or rad], in place of the file's."""
    clearance: float | None = None
    """Radial play of every joint [m], in place of the file's."""

    def __post_init__(self) -> None:
        """Refuse numbers that no robot has."""
        if self.space is not None and self.space not in SPACES:
            raise UnknownNameError("space", self.space, SPACES)
        if self.at is not None and self.at not in ENDS:
            raise UnknownNameError("end of the motors' map", self.at, ENDS)
        for name in ("length", "drive_stiffness", "resolution"):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value > 0):
                raise DataError("options", name, f"must be above 0, got {value:g}")
        for name in ("acceleration", "clearance"):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value >= 0):
                raise DataError("options", name, f"must be 0 or above, got {value:g}")


@frozen_arrays
class Directions:
    """Unit directions u (k,) of motions v = moves u and of forces f = pushes u; pushes^T moves is the identity."""

    moves: Array
    """From directions to velocities (n, k)."""
    pushes: Array
    """From directions to forces on the platform (n, k)."""
    units: CoordinateUnits
    """Units of a way, a force, ... along a unit direction."""
    words: str
    """Which directions these are, for titles: "translation", "ways and turns"."""


def space_named(name: str) -> Space:
    """Return a space by its name, and refuse names that are none."""
    for space in SPACES:
        if space == name:
            return space
    raise UnknownNameError("space", name, SPACES)


def end_named(name: str) -> End:
    """Return what the evenness of motors is asked of, by its name, and refuse names that are none."""
    for end in ENDS:
        if end == name:
            return end
    raise UnknownNameError("end of the motors' map", name, ENDS)


def length_of(robot: Robot, options: Options) -> float:
    """Return the characteristic length [m] of a robot under some options."""
    return robot.length if options.length is None else options.length


def directions_of(robot: Robot, options: Options) -> Directions:
    """Return the directions that count for a robot under some options."""
    motion = robot.coordinates
    axes = motion.axes
    if options.direction is not None:
        return _one_direction(robot, options.direction)
    space = options.space or ("translation" if LENGTH in axes else "rotation")
    unit = ANGLE if space == "rotation" else LENGTH
    chosen = [k for k, axis in enumerate(axes) if space == "all" or axis == unit]
    if not chosen:
        raise DataError("options", "space", f"{_without(robot, unit)}: choose another space than '{space}'")
    scale = np.array(motion.scale(length_of(robot, options)) if space == "all" else [1.0] * len(axes))
    moves, pushes = (np.diag(factors)[:, chosen] for factors in (1 / scale, scale))
    if motion.of_joints:
        words = coordinates_in_words(motion.velocity_names, chosen)
    elif not (ANGLE in axes and LENGTH in axes):
        words = EVERY_DIRECTION
    else:
        words = "ways and turns" if space == "all" else space
    return Directions(moves, pushes, unit, words)


def coordinates_in_words(names: tuple[str, ...], chosen: list[int]) -> str:
    """Return which of a mechanism's coordinates count: their names, or how many there are."""
    if len(chosen) <= MOST_NAMED:
        return ", ".join(names[k] for k in chosen)
    share = "all" if len(chosen) == len(names) else f"{len(chosen)} of the"
    return f"{share} {len(names)} coordinates"


def _without(robot: Robot, unit: CoordinateUnits) -> str:
    """Return in words that a robot has no coordinate of a unit."""
    motion = robot.coordinates
    if motion.of_joints:
        kind = "an angle" if unit == ANGLE else "a length"
        return f"no coordinate of {robot.name} is {kind}: {', '.join(motion.coordinates)}"
    return f"{robot.name} {'does not turn' if unit == ANGLE else 'has no ways, only turns'}"


def _one_direction(robot: Robot, numbers: tuple[float, ...]) -> Directions:
    """Return a single direction, of ways or of turns."""
    motion, values = robot.coordinates, np.array(numbers, float)
    axes, names = motion.axes, motion.velocity_names
    if values.shape != (len(axes),) or not np.isfinite(values).all() or not values.any():
        reason = f"must have {len(axes)} numbers, {', '.join(names)}, not all zero, got {list(numbers)}"
        raise DataError("options", "direction", reason)
    units = {axis for axis, value in zip(axes, values, strict=True) if value}
    if len(units) > 1:
        raise DataError("options", "direction", f"must be of ways or of turns, not of both, got {list(numbers)}")
    column = (values / np.linalg.norm(values))[:, None]
    parts = [f"{one:.3g}" for one in column[:, 0]]
    if motion.of_joints:
        parts = [f"{one:.3g} {name}" for one, name in zip(column[:, 0], names, strict=True) if one]
    return Directions(column, column, units.pop(), f"along {', '.join(parts)}")

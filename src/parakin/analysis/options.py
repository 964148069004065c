"""What can be chosen about quantities at a pose: directions, lengths, and numbers that a robot file does not give."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from parakin.arrays import Array, lock_arrays
from parakin.errors import DataError, UnknownNameError
from parakin.units import ANGLE, LENGTH, CoordinateUnits

if TYPE_CHECKING:
    from parakin.robot import Robot

Space = Literal["translation", "rotation", "all"]
"""Which motions count: ways alone, turns alone, or both, a turn counted as the way of a point `length` away."""
SPACES: tuple[Space, ...] = ("translation", "rotation", "all")
"""The spaces there are."""
EVERY_DIRECTION = "all directions"
"""What is said of directions where there is nothing to choose."""


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
    limits: bool = True
    """Whether poses beyond strokes and joint limits have no value."""
    actuator: str | None = None
    """The actuator whose inertia is asked for; None: the largest of all, if they have one unit."""
    acceleration: float = 0.0
    """Acceleration [m/s^2] that a payload must reach from rest in every direction of `space`; 0: be held."""
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
        for name in ("length", "drive_stiffness", "resolution"):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value > 0):
                raise DataError("options", name, f"must be above 0, got {value:g}")
        for name in ("acceleration", "clearance"):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value >= 0):
                raise DataError("options", name, f"must be 0 or above, got {value:g}")


@dataclass(frozen=True, eq=False)
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

    def __post_init__(self) -> None:
        lock_arrays(self)


def space_named(name: str) -> Space:
    """Return a space by its name, and refuse names that are none."""
    for space in SPACES:
        if space == name:
            return space
    raise UnknownNameError("space", name, SPACES)


def length_of(robot: Robot, options: Options) -> float:
    """Return the characteristic length [m] of a robot under some options."""
    return robot.length if options.length is None else options.length


def directions_of(robot: Robot, options: Options) -> Directions:
    """Return the directions that count for a robot under some options."""
    axes = robot.motion_type.axes
    if options.direction is not None:
        return _one_direction(robot, options.direction)
    space = options.space or ("translation" if LENGTH in axes else "rotation")
    if space == "all":
        scale = np.array(robot.motion_type.scale(length_of(robot, options)))
        words = EVERY_DIRECTION if ANGLE not in axes else "ways and turns"
        return Directions(np.diag(1 / scale), np.diag(scale), LENGTH, words)
    unit = LENGTH if space == "translation" else ANGLE
    chosen = [k for k, axis in enumerate(axes) if axis == unit]
    if not chosen:
        has = "does not turn" if unit == ANGLE else "has no ways, only turns"
        raise DataError("options", "space", f"{robot.name} {has}: choose another space than '{space}'")
    columns = np.eye(len(axes))[:, chosen]
    return Directions(columns, columns, unit, space if ANGLE in axes and LENGTH in axes else EVERY_DIRECTION)


def _one_direction(robot: Robot, numbers: tuple[float, ...]) -> Directions:
    """Return a single direction, of ways or of turns."""
    axes, values = robot.motion_type.axes, np.array(numbers, float)
    names = ", ".join(robot.motion_type.velocity_names)
    if values.shape != (len(axes),) or not np.isfinite(values).all() or not values.any():
        reason = f"must have {len(axes)} numbers, {names}, not all zero, got {list(numbers)}"
        raise DataError("options", "direction", reason)
    units = {axis for axis, value in zip(axes, values, strict=True) if value}
    if len(units) > 1:
        raise DataError("options", "direction", f"must be of ways or of turns, not of both, got {list(numbers)}")
    column = (values / np.linalg.norm(values))[:, None]
    return Directions(column, column, units.pop(), f"along {', '.join(f'{one:.3g}' for one in column[:, 0])}")

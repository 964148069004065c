"""A line or a plane through the poses of a robot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.errors import DataError, UnknownNameError
from parakin.motions.offsets import displaced, origin_of

if TYPE_CHECKING:
    from parakin.robot import Robot

FINEST = 4001
"""Most poses along an axis of a map."""
TOLD_DIGITS = 6
"""Digits after the point [m or rad] to which a place is told: a mechanism is at home as exactly as its file says."""


@dataclass(frozen=True)
class Slice:
    """Which poses a map shows: one or two coordinates that vary, in how many steps, while all others are held.

    Coordinates are those of the pose, of a mechanism joint.freedom. The orientation of a spatial platform is a rotation
    vector about that of home, rx, ry, rz in base axes [rad], and so are the three turns of a ball, in its own axes.
    What is neither varied nor held elsewhere is held as at home.

    >>> pk.analysis.Slice(held={"z": -0.5}, grid=11).held
    {'z': -0.5}
    """

    held: Mapping[str, float] = field(default_factory=dict[str, float])
    """Coordinates that are held, and where [m or rad]."""
    axes: tuple[str, ...] | None = None
    """The one or two that vary; None: the first two that are not held, ways before turns."""
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict[str, tuple[float, float]])
    """Ends of coordinates that vary [m or rad]; the others reach `span` times as far as the robot's box."""
    grid: int = 41
    """Poses along each axis."""
    span: float = 1.5
    """Width of the map in widths of the robot's box."""


@frozen_arrays
class Axis:
    """A coordinate that varies over a map."""

    name: str
    """Name of the coordinate."""
    unit: str
    """Its unit."""
    values: Array
    """Where it is (N,) [m or rad]."""
    box: tuple[float, float]
    """Ends of the robot's box along it."""
    home: float
    """Where it is at home [m or rad]."""


@frozen_arrays
class Lattice:
    """The poses of a slice."""

    axes: tuple[Axis, ...]
    """What varies; the first runs along the last dimension of the grid, from left to right in figures."""
    held: dict[str, float]
    """Where all other coordinates are held [m or rad]."""
    units: dict[str, str]
    """Unit of each that is held."""
    poses: Array
    """The poses (rows, columns, coordinates); of one axis (columns, coordinates)."""


def lattice_of(robot: Robot, where: Slice) -> Lattice:
    """Return the poses of a slice of a robot.

    >>> pk.analysis.lattice_of(robot, pk.analysis.Slice(held={"z": -0.5}, grid=11)).poses.shape
    (11, 11, 3)
    """
    motion = robot.coordinates
    names = motion.offset_names
    for name in (*where.held, *(where.axes or ()), *where.ranges):
        if name not in names:
            raise UnknownNameError("coordinate", name, names)
    if not 2 <= where.grid <= FINEST:
        raise DataError("map", "grid", f"must be from 2 to {FINEST}, got {where.grid}")
    if not (np.isfinite(where.span) and where.span > 0):
        raise DataError("map", "span", f"must be above 0, got {where.span:g}")
    chosen = _chosen(names, where)
    for name in where.ranges:
        if name not in chosen:
            raise DataError("map", f"range of {name}", f"it does not vary here; choose among {', '.join(chosen)}")
    # What displaced takes are offsets from home; coordinates are told as they are, rotation vectors from home.
    origin = origin_of(motion, robot.home)
    values = origin.copy()
    for name, value in where.held.items():
        if not np.isfinite(value):
            raise DataError("map", name, f"must be finite, got {value:g}")
        values[names.index(name)] = value
    axes = tuple(_axis(robot, names.index(name), origin, where) for name in chosen)
    grids = np.meshgrid(*(axis.values for axis in axes))
    every = np.tile(values, (*grids[0].shape, 1))
    for name, grid in zip(chosen, grids, strict=True):
        every[..., names.index(name)] = grid
    held = {name: float(values[k]) for k, name in enumerate(names) if name not in chosen}
    units = {name: unit.position for name, unit in zip(names, motion.axes, strict=True) if name in held}
    return Lattice(axes, held, units, displaced(motion, robot.home, every - origin))


def _chosen(names: tuple[str, ...], where: Slice) -> tuple[str, ...]:
    """Return the coordinates that vary."""
    if where.axes is None:
        free = tuple(name for name in names if name not in where.held)[:2]
        if not free:
            raise DataError("map", "held", "every coordinate is held, and nothing varies: leave one out")
        return free
    if not 1 <= len(where.axes) <= 2 or len(set(where.axes)) != len(where.axes):
        raise DataError("map", "axes", f"one or two coordinates vary, got {', '.join(where.axes)}")
    both = [name for name in where.axes if name in where.held]
    if both:
        raise DataError("map", "axes", f"{both[0]} cannot both vary and be held")
    return where.axes


def _axis(robot: Robot, k: int, origin: Array, where: Slice) -> Axis:
    """Return where the k-th coordinate is along its axis."""
    motion = robot.coordinates
    name, unit = motion.offset_names[k], motion.axes[k].position
    low, high = (float(origin[k] + side[k]) for side in robot.box)
    middle, half = 0.5 * (low + high), 0.5 * where.span * (high - low)
    ends = where.ranges.get(name, (middle - half, middle + half))
    if not (np.isfinite(ends).all() and ends[0] < ends[1]):
        raise DataError("map", name, f"its range must go from smaller to larger, got {ends[0]:g} to {ends[1]:g}")
    return Axis(name, unit, np.linspace(*ends, where.grid), (low, high), float(origin[k]))


def place_in_words(name: str, value: float, unit: str) -> str:
    """Return where a coordinate is, for titles and reports: "crank.angle = 0.3 rad"."""
    return f"{name} = {round(value, TOLD_DIGITS) + 0.0:.4g} {unit}"

"""Where a workspace is looked for: some coordinates of the pose vary, the others stand, orientations may be a set.

A point of a region has one number for each axis: the coordinate of the pose where it is a position, an angle about z or
a joint's coordinate; of a spatial pose's orientation rx, ry, rz, the rotation vector from home in base axes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal

import numpy as np

from parakin.arrays import Array, lock_arrays
from parakin.errors import UnknownNameError
from parakin.motions import MotionType
from parakin.motions.offsets import displaced
from parakin.robot import Robot

Need = Literal["all", "any"]
"""Whether a point counts that the robot reaches in all orientations of a set, or in any of them."""
MOST_AXES = 3
"""Axes that are chosen where none are named: more are slow to look at, and nobody can draw them."""


@dataclass(frozen=True, eq=False)
class Region:
    """Axes that vary, what the others are, and orientations."""

    motion: MotionType
    """The motion of the robot."""
    home: Array
    """Its home (coordinates,)."""
    axes: tuple[str, ...]
    """Names of the coordinates that vary."""
    units: tuple[str, ...]
    """Unit of each, m or rad."""
    places: tuple[int, ...]
    """Where each is in an offset from home."""
    origin: Array
    """The axes' values at home (d,)."""
    offsets: Array
    """Offsets from home (k, n), one for each orientation of the set; what varies is zero in them."""
    need: Need = "all"
    """Whether all orientations count, or any."""

    def __post_init__(self) -> None:
        lock_arrays(self)

    @property
    def turning(self) -> bool:
        """Whether an axis turns something that is not a plain number of the pose."""
        first = len(self.motion.linear)
        turned = self.motion.quaternion is not None and any(place >= first for place in self.places)
        return turned or bool(self.motion.balls)

    @property
    def fixed(self) -> dict[str, float]:
        """The values of the coordinates that stand, in the first orientation, by name."""
        names, origin = self.motion.offset_names, origin_of(self.motion, self.home)
        return {name: float(origin[k] + self.offsets[0, k]) for k, name in enumerate(names) if k not in self.places}

    def poses(self, points: Array, orientation: int = 0) -> Array:
        """Return the poses (N, coordinates) of points (N, d) of the region, in one of its orientations.

        >>> region = pk.analysis.region_of(robot, ("x", "y"), {"z": -0.5})
        >>> region.poses(np.array([[0.1, 0.2]]))
        array([[ 0.1,  0.2, -0.5]])
        """
        offset = self.offsets[orientation]
        if self.turning:
            offsets = np.tile(offset, (len(points), 1))
            offsets[:, list(self.places)] = points - self.origin
            return displaced(self.motion, self.home, offsets)
        poses = np.tile(displaced(self.motion, self.home, offset), (len(points), 1))
        poses[:, list(self.places)] = points
        return poses


def region_of(
    robot: Robot,
    axes: Sequence[str] = (),
    at: Mapping[str, float] | None = None,
    orientations: Mapping[str, Sequence[float]] | None = None,
    need: Need = "all",
) -> Region:
    """Return a region of a robot's poses.

    axes: names of what varies, positions of the platform by default (of a mechanism its first three coordinates); at:
    values of others, home's by default; orientations: values of angles that are taken in every combination.

    >>> pk.analysis.region_of(robot).axes
    ('x', 'y', 'z')
    """
    motion = robot.motion_type
    names = motion.offset_names
    fixed, turned = dict(at or {}), dict(orientations or {})
    for name in (*axes, *fixed, *turned):
        if name not in names:
            raise UnknownNameError("coordinate", name, names)
    chosen = tuple(axes) or tuple(name for name in _usual(motion) if name not in (*fixed, *turned))
    origin = origin_of(motion, robot.home)
    still = np.zeros(len(names))
    for name, value in fixed.items():
        still[names.index(name)] = value - origin[names.index(name)]
    offsets: list[Array] = []
    for values in product(*turned.values()):
        row = still.copy()
        for name, value in zip(turned, values, strict=True):
            row[names.index(name)] = value - origin[names.index(name)]
        offsets.append(row)
    places = tuple(names.index(name) for name in chosen)
    stacked = np.array(offsets)
    stacked[:, list(places)] = 0.0
    units = tuple(motion.axes[place].position for place in places)
    return Region(motion, robot.home, chosen, units, places, origin[list(places)], stacked, need)


def _usual(motion: MotionType) -> tuple[str, ...]:
    return motion.offset_names[:MOST_AXES] if motion.of_joints else motion.offset_names[: len(motion.linear)]


def origin_of(motion: MotionType, home: Array) -> Array:
    """Return the value of each axis at home: its coordinate, or zero for what is a rotation from home."""
    if motion.quaternion is None:
        origin = np.array(home)
        for ball in motion.balls:
            origin[ball : ball + 3] = 0.0
        return origin
    return np.concatenate([home[: motion.quaternion.start], np.zeros(3)])

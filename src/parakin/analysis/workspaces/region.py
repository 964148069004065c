"""Where a workspace is looked for: some coordinates of the pose vary, the others stand, orientations may be a set.

A point of a region has one number for each axis: the coordinate of the pose where it is a position, an angle about z or
a joint's coordinate; of a spatial pose's orientation rx, ry, rz, the rotation vector from home in base axes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Literal

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.errors import DataError, UnknownNameError
from parakin.motions import MotionType
from parakin.motions.offsets import displaced, origin_of
from parakin.robot import Robot
from parakin.units import ANGLE

Need = Literal["all", "any"]
"""Whether a point counts that the robot reaches in all orientations of a set, or in any of them."""
MOST_AXES = 3
"""Axes that are chosen where none are named: more are slow to look at, and nobody can draw them."""

MOST_ORIENTATIONS = 10_000
"""Orientations of a set at most: every point is judged in each of them."""


@frozen_arrays
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
    fixed, turned = dict(at or {}), {name: tuple(values) for name, values in (orientations or {}).items()}
    for name in (*axes, *fixed, *turned):
        if name not in names:
            raise UnknownNameError("coordinate", name, names)
    chosen = tuple(axes) or tuple(name for name in _usual(motion) if name not in (*fixed, *turned))
    _refuse_confused(motion, chosen, fixed, turned)
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


def _refuse_confused(
    motion: MotionType, chosen: tuple[str, ...], fixed: dict[str, float], turned: dict[str, tuple[float, ...]]
) -> None:
    """Refuse coordinates that are told in two ways or in none, and values that are no numbers."""
    given = {**{name: (value,) for name, value in fixed.items()}, **turned}
    if not chosen:
        left = [name for name in motion.offset_names if name not in given]
        remedy = f"name what varies, such as {left[0]}" if left else "leave one out"
        raise DataError("region", "axes", f"every coordinate that varies by itself is held: {remedy}")
    for name in chosen:
        if chosen.count(name) > 1:
            raise DataError("region", "axes", f"{name} is named twice in {', '.join(chosen)}")
        if name in given:
            raise DataError("region", "axes", f"{name} cannot both vary and be held")
    for name, values in turned.items():
        if name in fixed:
            raise DataError("region", f"orientations.{name}", f"it is held at {fixed[name]:g} too: give one of them")
        if motion.axes[motion.offset_names.index(name)] != ANGLE:
            raise DataError(
                "region", f"orientations.{name}", "it is a length and no angle: hold it with `at`, or --slice"
            )
        if not values:
            raise DataError("region", f"orientations.{name}", "must have at least one angle")
    for name, values in given.items():
        if not np.isfinite(values).all():
            raise DataError("region", name, f"must be finite, got {', '.join(f'{value:g}' for value in values)}")
    count = math.prod(len(values) for values in turned.values())
    if count > MOST_ORIENTATIONS:
        raise DataError(
            "region", "orientations", f"{count:,} combinations, at most {MOST_ORIENTATIONS:,} are looked at"
        )


def checked_bounds(subject: str, axes: tuple[str, ...], given: Mapping[str, tuple[float, float]]) -> None:
    """Refuse bounds of what does not vary, and bounds that are no range."""
    for name, (low, high) in given.items():
        where = f"bounds.{name}"
        if name not in axes:
            raise DataError(subject, where, f"it does not vary here; choose among {', '.join(axes)}")
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise DataError(subject, where, f"the lower must be below the upper, both finite, got {low:g} and {high:g}")


def _usual(motion: MotionType) -> tuple[str, ...]:
    return motion.offset_names[:MOST_AXES] if motion.of_joints else motion.offset_names[: len(motion.linear)]

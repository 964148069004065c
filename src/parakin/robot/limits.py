"""Limits of a robot as arrays: how far actuators are beyond their strokes, and passive joints beyond their limits."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, frozen_arrays, read_only
from parakin.errors import JointLimitError, LimitError, StrokeError
from parakin.kinematics.status import Status
from parakin.units import ANGLE

if TYPE_CHECKING:
    from parakin.kinematics.joint_table import JointAngle
    from parakin.robot.engine import Engine, MachineData


LIMIT_ROUNDING = 1e-9
"""Part of a limit (plus 1 in its unit) that rounding may put a value beyond it."""


@frozen_arrays
class Bounds:
    """What may not be left: named values with their least and largest."""

    names: tuple[str, ...]
    """Names of the actuators or joints."""
    units: tuple[str, ...]
    """Unit of each, m or rad."""
    lower: Array
    """The least values (n,); -inf without a limit."""
    upper: Array
    """The largest values (n,); inf without a limit."""

    @cached_property
    def any(self) -> bool:
        """Whether there is any limit at all."""
        return bool(np.isfinite(self.lower).any() or np.isfinite(self.upper).any())

    def excess(self, values: Array) -> Array:
        """Return how far values (..., n) are outside [m or rad]; negative inside, NaN where a value is."""
        return np.maximum(self.lower - values, values - self.upper)

    @cached_property
    def slack(self) -> Array:
        """What rounding may put a value beyond its limits (n,) [m or rad]: on the limit is within it."""
        finite = np.nan_to_num(np.stack([self.lower, self.upper]), posinf=0.0, neginf=0.0)
        return read_only(LIMIT_ROUNDING * (1.0 + np.abs(finite).max(axis=0)))

    @cached_property
    def _spans(self) -> tuple[tuple[float, float], ...]:
        """Least and largest value of each as plain numbers, rounding allowed for."""
        return tuple(zip((self.lower - self.slack).tolist(), (self.upper + self.slack).tolist(), strict=True))

    def contain(self, values: Array) -> bool:
        """Return whether the values (n,) of one state are all within their limits, quicker than `beyond` tells."""
        spans = zip(values.tolist(), self._spans, strict=True)
        return all(lower <= value <= upper for value, (lower, upper) in spans)

    def beyond(self, values: Array) -> NDArray[np.bool_]:
        """Return which values (..., n) are beyond their limits by more than rounding."""
        return self.excess(values) > self.slack

    def limited(self) -> Bounds:
        """Return those that have a limit."""
        chosen = np.flatnonzero(np.isfinite(self.lower) | np.isfinite(self.upper)).tolist()
        names, units = (tuple(texts[k] for k in chosen) for texts in (self.names, self.units))
        return Bounds(names, units, self.lower[chosen], self.upper[chosen])


NO_BOUNDS = Bounds((), (), np.zeros(0), np.zeros(0))
"""Bounds of nothing, where no limits are known."""


def all_limits(robot: MachineData) -> Bounds:
    """Return what has a limit of its position: actuators with a stroke, then passive joints with limits."""
    parts = robot.strokes.limited(), robot.joint_limits.limited()
    names, units = (tuple(text for part in parts for text in getattr(part, what)) for what in ("names", "units"))
    return Bounds(names, units, *(np.concatenate([getattr(p, end) for p in parts]) for end in ("lower", "upper")))


def strokes(robot: MachineData) -> Bounds:
    """Return the strokes of a robot's actuators, in the order of `actuator_names`."""
    lower = [-np.inf if one.lower is None else one.lower for one in robot.actuators]
    upper = [np.inf if one.upper is None else one.upper for one in robot.actuators]
    units = tuple(one.units.position for one in robot.actuators)
    return Bounds(robot.actuator_names, units, np.array(lower), np.array(upper))


def joint_limits(table: Sequence[JointAngle]) -> Bounds:
    """Return the limits of passive joint angles."""
    lower, upper = [angle.lower for angle in table], [angle.upper for angle in table]
    return Bounds(
        tuple(angle.name for angle in table), (ANGLE.position,) * len(table), np.array(lower), np.array(upper)
    )


def judged(robot: Engine, pose: Array, status: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return statuses (...) in which GOOD poses (..., coordinates) beyond a limit are OUT_OF_STROKE or JOINT_LIMIT."""
    good = np.asarray(status == int(Status.GOOD))
    if not (robot.strokes.any or robot.joint_limits.any) or not good.any():
        return status
    result = np.array(status)
    poses = np.broadcast_to(pose, (*result.shape, pose.shape[-1]))[good]
    codes = np.full(len(poses), int(Status.GOOD), np.int32)
    if robot.joint_limits.any:
        angle = robot.kernel("joint_coordinates")(pose=poses)["coordinate"]
        codes[robot.joint_limits.beyond(angle).any(axis=-1)] = Status.JOINT_LIMIT
    if robot.strokes.any:
        q = robot.kernel("inverse_kinematics")(pose=poses)["q"]
        codes[robot.strokes.beyond(q).any(axis=-1)] = Status.OUT_OF_STROKE
    result[good] = codes
    return result


def refuse_beyond(robot: Engine, pose: Array, q: Array) -> None:
    """Raise for a single pose at which an actuator or a passive joint is beyond its limits."""
    if not robot.strokes.contain(q):
        refuse(StrokeError, robot.strokes, pose, q)
    if robot.joint_limits.any:
        refuse(JointLimitError, robot.joint_limits, pose, robot.kernel("joint_coordinates")(pose=pose)["coordinate"])


def refuse(kind: type[LimitError], bounds: Bounds, pose: Array, values: Array) -> None:
    """Raise for a single pose at which one of these values is beyond its bounds."""
    if not bounds.contain(values):
        worst = int(np.argmax(bounds.excess(values)))
        limits = float(bounds.lower[worst]), float(bounds.upper[worst])
        place = bounds.names[worst], float(values[worst])
        raise kind(tuple(pose.tolist()), *place, *limits, bounds.units[worst])

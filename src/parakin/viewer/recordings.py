"""Poses over time from a file: what simulations and motions write, or any log of poses or actuator positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from parakin.arrays import Array, lock_arrays
from parakin.errors import LogFileError
from parakin.robot import Mechanism, Robot
from parakin.tables import Table, open_table

POSES = ("pose", "measured_pose", "")
"""Quantities whose columns hold a pose, the first that is there: pose.x [m] of logs, x [m] of motions."""
ACTUATORS = ("q", "measured_q")
"""Quantities whose columns hold actuator positions: q.leg1.arm [rad]."""


@dataclass(frozen=True, eq=False)
class Recording:
    """Poses over time."""

    t: Array
    """Times (N,) [s], from small to large."""
    poses: Array
    """Poses (N, coordinates); NaN where a row has none."""

    def __post_init__(self) -> None:
        lock_arrays(self)

    def sampled(self, rate: float, speed: float = 1.0) -> Recording:
        """Return the poses of the rows nearest to the times of a film at a rate [1/s], at so many times the speed."""
        count = max(1, round(float(self.t[-1] - self.t[0]) * rate / speed) + 1)
        times = self.t[0] + np.arange(count) * speed / rate
        middles = (self.t[1:] + self.t[:-1]) / 2
        nearest = np.asarray(np.searchsorted(middles, times), np.intp)
        return Recording(times, self.poses[nearest])


def read_recording(path: str | Path, robot: Robot | Mechanism) -> Recording:
    """Read the poses of a robot over time from a table.

    Its columns are t and the pose's coordinates, as in a log (pose.x [m]) or a motion (x [m]); or else the positions of
    all actuators (q.leg1.arm [rad]), from which poses follow by forward kinematics, each near the one before.
    """
    table = open_table(path)
    coordinates = robot.pose_names if isinstance(robot, Mechanism) else robot.motion_type.coordinates
    places = _columns(table, POSES, coordinates)
    by_motors = _columns(table, ACTUATORS, robot.actuator_names)
    (time,) = _columns(table, ("",), ("t",)) or (None,)
    if time is None or (places is None and by_motors is None):
        wanted = ", ".join(f"pose.{name}" for name in coordinates)
        motors = ", ".join(f"q.{name}" for name in robot.actuator_names)
        reason = f"a recording of {robot.name} has columns t and {wanted}; or t and {motors}"
        raise LogFileError(str(path), reason)
    values = table.read()
    order = np.argsort(values[:, time], kind="stable")
    values = values[order[np.isfinite(values[order, time])]]
    if len(values) == 0:
        raise LogFileError(str(path), "has no row with a time")
    if places is not None:
        return Recording(values[:, time], values[:, places])
    assert by_motors is not None, "one of both is there"
    return Recording(values[:, time], _tracked(robot, values[:, by_motors]))


def _columns(table: Table, quantities: Sequence[str], parts: Sequence[str]) -> list[int] | None:
    """Return the columns of all parts of the first quantity that has them all; None if none has."""
    names = [name.split(" [")[0].strip() for name in table.names]
    for quantity in quantities:
        wanted = [f"{quantity}.{part}" if quantity else part for part in parts]
        if all(name in names for name in wanted):
            return [names.index(name) for name in wanted]
    return None


def _tracked(robot: Robot | Mechanism, q: Array) -> Array:
    """Return poses (N, coordinates) from actuator positions (N, m), each near the last one that was found."""
    poses = np.full((len(q), len(robot.home)), np.nan)
    if isinstance(robot, Mechanism):
        return np.asarray(robot.forward_kinematics(q))
    near = np.asarray(robot.home)
    for k, one in enumerate(q):
        if np.isfinite(one).all():
            poses[k] = robot.forward_kinematics(one[None], near=near[None])[0]
            near = poses[k] if np.isfinite(poses[k]).all() else near
    return poses

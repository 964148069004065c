"""Recordings from files: logs of simulations, motions, and logs of machines that know only their motors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from parakin.arrays import Array
from parakin.errors import LISTED, LogFileError
from parakin.robot import Mechanism, Robot
from parakin.tables import Table, open_table
from parakin.viewer.recording import Recording

POSES = ("pose", "measured_pose", "")
"""Quantities whose columns hold a pose, the first that is there: pose.x [m] of logs, x [m] of motions."""
MOTORS = ("measured_q", "q")
"""Quantities whose columns hold positions of motors, likewise: q.leg1.arm [rad]."""
COMPLETED = 0
"""What the column `status` of a simulation's log holds while the run goes on."""


def read_recording(path: str | Path, robot: Robot) -> Recording:
    """Read poses of a robot over time, and what else is known of them, from a table.

    Its columns are t and the coordinates of a pose, as in a log (pose.x [m]) or a motion (x [m]); or else the positions
    of all motors (q.leg1.arm [rad]), from which poses follow by forward kinematics. Desired poses, velocities,
    accelerations and forces are taken where they are there. A run that stopped ends there.
    """
    table = open_table(path)
    time = _columns(table, ("",), {"t": "s"})
    coordinates = dict(zip(robot.pose_names, robot.pose_units, strict=True))
    positions = {
        name: "m" if unit == "N" else "rad"
        for name, unit in zip(robot.actuator_names, robot.actuator_units, strict=True)
    }
    poses, motors = _columns(table, POSES, coordinates), _columns(table, MOTORS, positions)
    if time is None or (poses is None and motors is None):
        wanted = [
            ", ".join(f"{what}.{name} [{unit}]" for name, unit in units.items())
            for what, units in (("pose", coordinates), ("q", positions))
        ]
        reason = f"a recording of {robot.name} has columns t [s] and {wanted[0]}; or t [s] and {wanted[1]}"
        raise LogFileError(str(path), f"{reason}; this file has {', '.join(table.names[:LISTED])}")
    name, values = _while_it_ran(Path(path).name, table, table.read(), time[0])
    kept = values[np.isfinite(values[:, time[0]])]
    if not len(kept):
        raise LogFileError(str(path), "has no row with a time")
    kept = kept[np.argsort(kept[:, time[0]], kind="stable")]
    found = {what: kept[:, places] for what, places in _beside(table, robot, coordinates).items()}
    pose = kept[:, poses] if poses is not None else _poses_of_motors(robot, kept[:, motors or []])
    known = np.isfinite(pose).all(axis=1)
    if not known.any():
        raise LogFileError(
            str(path), f"has no row that is a pose of {robot.name}, or whose motor positions it can have"
        )
    return Recording(name, kept[known, time[0]], pose[known], **{what: part[known] for what, part in found.items()})


def _beside(table: Table, robot: Robot, coordinates: dict[str, str]) -> dict[str, list[int]]:
    """Columns of what else a recording can have, by its name there."""
    forces = dict(zip(robot.actuator_names, robot.actuator_units, strict=True))
    columns = {"desired": _columns(table, ("desired_pose",), coordinates), "tau": _columns(table, ("tau",), forces)}
    kind = robot.motion_type
    velocities = {name: axis.velocity for name, axis in zip(kind.velocity_names, kind.axes, strict=True)}
    accelerations = {name: axis.acceleration for name, axis in zip(kind.acceleration_names, kind.axes, strict=True)}
    alone = () if kind.of_joints else ("",)
    columns["velocity"] = _columns(table, ("velocity", *alone), velocities)
    columns["acceleration"] = _columns(table, ("acceleration", *alone), accelerations)
    return {what: places for what, places in columns.items() if places is not None}


def _columns(table: Table, quantities: Sequence[str], units: dict[str, str]) -> list[int] | None:
    """The columns of all parts of the first quantity that has them, in their units; None if none has all."""
    headers = {name.split(" [")[0].strip(): k for k, name in enumerate(table.names)}
    for quantity in quantities:
        wanted = {f"{quantity}.{part}" if quantity else part: unit for part, unit in units.items()}
        if not all(name in headers for name in wanted):
            continue
        others = [name for name in headers if quantity and name.startswith(f"{quantity}.") and name not in wanted]
        if others:
            reason = f"has {', '.join(others[:LISTED])} beside {', '.join(wanted)}: it is of another robot"
            raise LogFileError(str(table.path), reason)
        for name, unit in wanted.items():
            header = table.names[headers[name]]
            given = header.partition("[")[2].rstrip("] ") or unit
            if given != unit:
                raise LogFileError(str(table.path), f"column {header!r} must be in {unit}, not in {given}")
        return [headers[name] for name in wanted]
    return None


def _while_it_ran(name: str, table: Table, values: Array, time: int) -> tuple[str, Array]:
    """A simulation's rows up to where it stopped, from where on its log repeats one state, and a name that says so."""
    status = _columns(table, ("",), {"status": "1"})
    stopped = np.flatnonzero(values[:, status[0]] != COMPLETED) if status else np.array([], int)
    if not len(stopped) or stopped[0] == 0:
        return name, values
    ran = values[: stopped[0]]
    return f"{name} (stopped at {ran[-1, time]:.4g} s)", ran


def _poses_of_motors(robot: Robot, q: Array) -> Array:
    """Poses of a log that has only what encoders tell, NaN where there is none."""
    if isinstance(robot, Mechanism):
        return np.asarray(robot.forward_kinematics(q))
    from parakin.identification.logs.pose_tracking import PoseTracker

    usable = np.isfinite(q).all(axis=1)
    poses = np.full((len(q), len(robot.home)), np.nan)
    if usable.any():
        poses[usable] = PoseTracker(robot).track(q[usable])[0]
    return poses

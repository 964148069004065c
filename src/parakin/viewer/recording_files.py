"""Recordings from files: logs of simulations, motions, and logs of machines that know only their motors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from parakin.arrays import Array
from parakin.errors import LogFileError
from parakin.robot import Mechanism, Robot
from parakin.tables import Table, open_table
from parakin.viewer.recording import Recording

POSES = ("pose", "measured_pose", "")
"""Quantities whose columns hold a pose, the first that is there: pose.x [m] of logs, x [m] of motions."""
LOG_BLOCK = 65536
"""Rows of a log that are read at a time."""
COMPLETED = 0
"""What the column `status` of a simulation's log holds while the run goes on."""


def read_recording(path: str | Path, robot: Robot) -> Recording:
    """Read poses of a robot over time, and what else is known of them, from a table.

    Its columns are t and the coordinates of a pose, as in a log (pose.x [m]) or a motion (x [m]), beside them desired
    poses, velocities, accelerations and forces where they are there; or else t, positions and forces of all motors, as
    `parakin identify` takes them, from which poses follow by forward kinematics. A run that stopped ends there.
    """
    table = open_table(path)
    units = dict(zip(robot.pose_names, robot.pose_units, strict=True))
    places = _columns(table, POSES, units)
    time = _columns(table, ("",), {"t": "s"})
    if places is None or time is None:
        return _from_motors(path, table, robot)
    wanted = {
        "pose": places,
        "desired": _columns(table, ("desired_pose",), units),
        "tau": _columns(table, ("tau",), dict(zip(robot.actuator_names, robot.actuator_units, strict=True))),
    }
    if not isinstance(robot, Mechanism):
        kind = robot.motion_type
        velocities = {name: axis.velocity for name, axis in zip(kind.velocity_names, kind.axes, strict=True)}
        accelerations = {name: axis.acceleration for name, axis in zip(kind.acceleration_names, kind.axes, strict=True)}
        wanted["velocity"] = _columns(table, ("velocity", ""), velocities)
        wanted["acceleration"] = _columns(table, ("acceleration", ""), accelerations)
    values = table.read()
    name, values = _while_it_ran(Path(path).name, table, values, time[0])
    kept = values[np.isfinite(values[:, time[0]])]
    if not len(kept):
        raise LogFileError(str(path), "has no row with a time")
    kept = kept[np.argsort(kept[:, time[0]], kind="stable")]
    return Recording(name, kept[:, time[0]], **{what: kept[:, one] for what, one in wanted.items() if one is not None})


def _columns(table: Table, quantities: Sequence[str], units: dict[str, str]) -> list[int] | None:
    """The columns of all parts of the first quantity that has them all, in the units they must have; None if none has."""
    headers = {name.split(" [")[0].strip(): k for k, name in enumerate(table.names)}
    for quantity in quantities:
        wanted = {f"{quantity}.{part}" if quantity else part: unit for part, unit in units.items()}
        if not all(name in headers for name in wanted):
            continue
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


def _from_motors(path: str | Path, table: Table, robot: Robot) -> Recording:
    """Poses of a log that has only what encoders and drives tell."""
    from parakin.identification.logs.log_source import open_log
    from parakin.identification.logs.pose_tracking import PoseTracker

    if isinstance(robot, Mechanism):
        wanted = ", ".join(
            f"pose.{name} [{unit}]" for name, unit in zip(robot.pose_names, robot.pose_units, strict=True)
        )
        raise LogFileError(str(path), f"lacks columns t [s] and {wanted}; it has {', '.join(table.names[:8])}")
    source = open_log(robot, path)
    tracker = PoseTracker(robot)
    rows: list[Array] = []
    for block in source.blocks(LOG_BLOCK, lambda _: None):
        poses, _ = tracker.track(block[:, source.part("q")])
        rows.append(np.concatenate([block[:, source.part("t")], poses, block[:, source.part("tau")]], axis=1))
    found = np.concatenate(rows)
    found = found[np.isfinite(found).all(axis=1)]
    if not len(found):
        raise LogFileError(str(path), f"has no row whose motor positions {robot.name} can have")
    n = len(robot.home)
    return Recording(Path(path).name, found[:, 0], found[:, 1 : n + 1], tau=found[:, n + 1 :])

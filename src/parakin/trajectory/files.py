"""Sampled motions in files: a header with names and units, then one row a state, every float to its last digit.

The ending of a file's name decides its format, as everywhere in parakin: .csv, .npz or .parquet.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Generator
from itertools import islice
from pathlib import Path

import numpy as np

from parakin.arrays import Array
from parakin.errors import LISTED, LogFileError, MotionError, MotionFileError
from parakin.files import open_regular
from parakin.motions import MOTIONS, QUATERNION_TOLERANCE, MotionType, joints
from parakin.robot import Robot
from parakin.tables import FORMATS, Table, open_table, write_table
from parakin.trajectory.motions.spline import via_points
from parakin.trajectory.states import Motion, Samples
from parakin.units import ANGLE, LENGTH, TIME

_ACTUATOR_COLUMN = re.compile(r"q(_d?dot)?\..")
"""How the columns of actuator set points begin, which no column of the platform does."""
_QUANTITIES = ("pose", "velocity", "acceleration")
"""What the columns of a motion of joints begin with."""
_JOINT_COLUMN = re.compile(r"pose\.(?P<name>.+) \[(?P<unit>[^]]*)\]")
"""A coordinate of a joint in the header of a motion of joints."""


def columns(kind: MotionType) -> tuple[str, ...]:
    """Return the header of a type of motion: time, pose, velocity and acceleration, each name with its unit.

    Coordinates of joints have the same name in all three, which stands behind pose., velocity. and acceleration.
    """
    before = [f"{quantity}." if kind.of_joints else "" for quantity in _QUANTITIES]
    named = (
        *zip((before[0] + name for name in kind.coordinates), kind.units, strict=True),
        *zip((before[1] + name for name in kind.velocity_names), (axis.velocity for axis in kind.axes), strict=True),
        *zip(
            (before[2] + name for name in kind.acceleration_names),
            (axis.acceleration for axis in kind.axes),
            strict=True,
        ),
    )
    return (f"t [{TIME}]", *(f"{name} [{unit}]" for name, unit in named))


def actuator_columns(robot: Robot) -> tuple[str, ...]:
    """Return the header of a robot's actuator set points: position, velocity and acceleration, each with its unit."""
    named = list(zip(robot.actuator_names, (actuator.units for actuator in robot.actuators), strict=True))
    return (
        *(f"q.{name} [{unit.position}]" for name, unit in named),
        *(f"q_dot.{name} [{unit.velocity}]" for name, unit in named),
        *(f"q_ddot.{name} [{unit.acceleration}]" for name, unit in named),
    )


def check_ending(path: str | Path) -> None:
    """Refuse a file name whose ending names no format."""
    if Path(path).suffix.lower() not in FORMATS:
        raise MotionFileError(str(path), f"has an ending that names no format: choose one of {', '.join(FORMATS)}")


def write_csv(path: str | Path, samples: Samples, robot: Robot | None = None) -> Path:
    """Write a sampled motion as a whole: an interrupted or failed call leaves the file that was there before.

    With a robot, the set points of its actuators stand beside those of the platform, for the machine's controller.

    >>> pk.trajectory.write_csv("set_points.csv", motion.sampled(1000.0), robot).name
    'set_points.csv'
    """
    check_ending(path)
    names, parts = columns(samples.kind), [samples.t[:, None], samples.pose, samples.velocity, samples.acceleration]
    if robot is not None:
        names, parts = (*names, *actuator_columns(robot)), [*parts, *_actuator_set_points(samples, robot)]
    with _motion_errors():
        return write_table(path, names, np.concatenate(parts, axis=1))


def _actuator_set_points(samples: Samples, robot: Robot) -> tuple[Array, Array, Array]:
    """Return q, q_dot and q_ddot (N, actuators) of samples, or refuse states that the robot cannot be in."""
    if samples.kind != robot.motion_type:
        raise MotionError("samples", "robot", f"the motion is {samples.kind}, {robot.name} is {robot.motion_type}")
    near = robot.configurations(samples.pose)
    q = robot.evaluate("inverse_kinematics", near=near, pose=samples.pose)["q"]
    q_dot = robot.actuator_velocity(samples.pose, samples.velocity, near=near)
    q_ddot = robot.actuator_acceleration(samples.pose, samples.velocity, samples.acceleration, near=near)
    bad = np.flatnonzero(~np.isfinite(np.concatenate([q, q_dot, q_ddot], axis=1)).all(axis=1))
    if len(bad):
        reason = f"{robot.name} cannot be there at t = {samples.t[bad[0]]:.6g} s: trajectory.check says why"
        raise MotionError("samples", "pose", reason)
    return q, q_dot, q_ddot


def read_csv(path: str | Path) -> Samples:
    """Read a sampled motion, whose type follows from the header; times must increase and all values be finite.

    Actuator set points in the file are left aside: those of a robot follow from its geometry.

    >>> path = pk.trajectory.write_csv("motion.csv", motion.sampled(500.0))
    >>> pk.trajectory.read_csv(path).pose.shape
    (501, 3)
    """
    check_ending(path)
    with _motion_errors():
        return _samples(open_table(path))


def _samples(table: Table, robot: Robot | None = None) -> Samples:
    """Return the samples of a table, or say how its header differs from that of the robot's motions."""
    with _motion_errors():
        platform = [k for k, name in enumerate(table.names) if not _ACTUATOR_COLUMN.match(name)]
        kind = _kind(table.path, tuple(table.names[k] for k in platform), robot)
        values = table.read()[:, platform]
    _check_values(table.path, kind, values)
    poses, freedom = len(kind.coordinates), kind.degrees_of_freedom
    parts = np.split(values, [1, 1 + poses, 1 + poses + freedom], axis=1)
    return Samples(kind, parts[0][:, 0], *parts[1:])


def read_motion(path: str | Path, robot: Robot) -> Motion | Samples:
    """Read the samples of a file as they are; where it has times and poses alone, return a motion through its points.

    Such a file has the columns of time and of the robot's pose; names without a unit are in SI units. Velocity and
    acceleration come from a spline through the points, from rest to rest, as `via_points` makes it.

    >>> samples = motion.sampled(50.0)
    >>> table = np.column_stack([samples.t, samples.pose])
    >>> np.savetxt("path.csv", table, delimiter=",", header="t,x,y,z", comments="")
    >>> pk.trajectory.read_motion("path.csv", robot).duration
    1.0
    """
    check_ending(path)
    kind = robot.motion_type
    poses = columns(kind)[: 1 + len(kind.coordinates)]
    with _motion_errors():
        table = open_table(path)
        bare = [name.split(" [")[0] for name in poses]
        given = [full if name == short else name for name, full, short in zip(table.names, poses, bare, strict=False)]
        if len(table.names) != len(poses) or tuple(given) != poses:
            return _samples(table, robot)
        values = table.read()
    _check_values(table.path, kind, values)
    if len(values) < 2:
        raise MotionFileError(str(path), f"a path needs at least two rows, got {len(values)}")
    return via_points(robot, values[:, 1:], values[:, 0] - values[0, 0])


@contextlib.contextmanager
def _motion_errors() -> Generator[None]:
    """Say that it is a motion which cannot be read or written, and which function writes one that can."""
    try:
        yield
    except LogFileError as error:
        whole = error.line is None and error.column is None and not isinstance(error.__cause__, OSError)
        hint = "; write_csv writes motions that can be read" if whole else ""
        raise MotionFileError(error.file, error.reason + hint, error.line, error.column) from error


def _kind(path: Path, header: tuple[str, ...], robot: Robot | None) -> MotionType:
    """Return the type of motion that has this header, or say how the header differs from what is expected.

    That is the motion of the robot or, without one, the motion that has most of these columns.
    """
    moving = _joints(header)
    known = [(kind, columns(kind)) for kind in (MOTIONS.values() if moving is None else (moving,))]
    for kind, names in known:
        if header == names:
            return kind
    if robot is None:
        kind, names = max(known, key=lambda entry: (len(set(entry[1]) & set(header)), -len(entry[1])))
        accepted = f"a {kind} motion has the columns {','.join(names)}"
    else:
        kind = robot.motion_type
        names = columns(kind)
        poses = names[: 1 + len(kind.coordinates)]
        accepted = f"a motion of {robot.name} has the columns {','.join(names)}, or only {','.join(poses)}"
    missing = [name for name in names if name not in header]
    foreign = [name for name in header if name not in names]
    foreign[LISTED:] = [f"... ({len(foreign)} in all)"] * (len(foreign) > LISTED)
    wrong = [f"lacks {', '.join(missing)}"] * bool(missing) + [f"has unknown {', '.join(foreign)}"] * bool(foreign)
    reason = f"the header {'; '.join(wrong) or 'has them in another order'}"
    line = 1 if _is_text(path) else None
    raise MotionFileError(str(path), f"{reason}; {accepted}", line)


def _joints(header: tuple[str, ...]) -> MotionType | None:
    """Return the motion of the joints whose coordinates a header has; None where it has none."""
    units = {unit.position: unit for unit in (LENGTH, ANGLE)}
    found = [match.group("name", "unit") for name in header if (match := _JOINT_COLUMN.fullmatch(name))]
    known = [(name, units[unit]) for name, unit in found if unit in units]
    return joints(tuple(name for name, _ in known), tuple(unit for _, unit in known)) if known else None


def _check_values(path: Path, kind: MotionType, values: Array) -> None:
    """Refuse values that are not finite, times that do not increase and quaternions that are not of length 1."""
    names = columns(kind)
    endless = np.argwhere(~np.isfinite(values))
    if len(endless):
        row, column = (int(index) for index in endless[0])
        raise _bad_value(path, row, names[column], f"must be finite, got {values[row, column]}")
    back = np.flatnonzero(np.diff(values[:, 0]) <= 0.0)
    if len(back):
        row = int(back[0]) + 1
        before, after = values[row - 1 : row + 1, 0].tolist()
        reason = f"times must increase, got {after!r} after {before!r}: sort the rows, drop doubles"
        raise _bad_value(path, row, names[0], reason)
    if kind.quaternion is not None:
        poses = values[:, 1 : 1 + len(kind.coordinates)]
        norm = np.linalg.norm(poses[:, kind.quaternion], axis=1)
        off = np.flatnonzero(np.abs(norm - 1.0) > QUATERNION_TOLERANCE)
        if len(off):
            reason = f"the quaternion (w, x, y, z) has length {norm[off[0]]:.9g}: normalise it"
            raise _bad_value(path, int(off[0]), names[4], reason)


def _bad_value(path: Path, row: int, column: str, reason: str) -> MotionFileError:
    """Return the error that names the line of a text, or the row (counted from 1) of a file that has no lines."""
    if not _is_text(path):
        return MotionFileError(str(path), f"row {row + 1}: {reason}", None, column)
    with open_regular(path) as file:
        filled = (number for number, line in enumerate(file, start=1) if line.strip(b" \t\r\n"))
        return MotionFileError(str(path), reason, next(islice(filled, row + 1, None)), column)


def _is_text(path: Path) -> bool:
    return path.suffix.lower() == ".csv"

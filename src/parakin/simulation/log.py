"""A log is the record of a run: named columns with units, one row for each tick."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.control import Law, Reference, StatePart
from parakin.errors import LogFileError, UnknownNameError
from parakin.motions import MOTIONS, MotionType, joints
from parakin.motions.offsets import squared_errors
from parakin.robot import Robot
from parakin.robot.limits import NO_BOUNDS, Bounds
from parakin.simulation.sensors import Ending
from parakin.simulation.summary import Summary, summary_of_sums
from parakin.tables import open_table, write_table
from parakin.trajectory.check_result import Excess
from parakin.trajectory.checking import Course, beyond
from parakin.units import ANGLE, LENGTH, NUMBER, TIME

HELD_FORCE_DELAY = 0.5
"""How much later than its row a force acts that is held until the next row, in ticks.

Logs say so in a column `force_delay [s]`, the same in every row: any format keeps it, and so do cuts and copies.
"""


@dataclass(frozen=True)
class Column:
    """What one column of a log holds.

    >>> [column.header for column in log.columns[:3]]
    ['t [s]', 'desired_pose.x [m]', 'desired_pose.y [m]']
    """

    quantity: str
    """Quantity that the column belongs to, such as `q`."""
    part: str
    """Which part of the quantity it is, such as an actuator; empty for a quantity of one number."""
    unit: str
    """Unit of its numbers; 1 for none."""

    @property
    def name(self) -> str:
        """Quantity and part, such as `q.leg1.arm`."""
        return f"{self.quantity}.{self.part}" if self.part else self.quantity

    @property
    def header(self) -> str:
        """Name and unit as files have them, such as `q.leg1.arm [rad]`."""
        return f"{self.name} [{self.unit}]"


@frozen_arrays
class Log:
    """The record of a run: at each tick the true, measured and desired values, and the force from then on.

    log["q"] gives all columns of a quantity (ticks, k), log["q.leg1.arm"] one of them (ticks,), and
    log["state.integral"] all columns of a part of the law's state.

    >>> log["q"].shape, log["tau.leg1.arm"].shape
    ((1001, 3), (1001,))
    """

    columns: tuple[Column, ...]
    """What each column of the table holds."""
    table: Array
    """The numbers (ticks, columns), each column in its own unit."""
    limits: Bounds = NO_BOUNDS
    """Strokes and joint limits that the run was judged by; none for logs read from files."""
    beyond: tuple[Excess, ...] = ()
    """Actuators that left their strokes and passive joints that left their limits; empty for logs read from files."""

    def __len__(self) -> int:
        return len(self.table)

    def __getitem__(self, name: str) -> Array:
        """Return one column by its full name, or all columns whose names begin with this one and a dot."""
        for k, column in enumerate(self.columns):
            if column.name == name:
                return self.table[:, k]
        chosen = [k for k, column in enumerate(self.columns) if column.name.startswith(f"{name}.")]
        if not chosen:
            raise UnknownNameError("column", name, tuple(dict.fromkeys(c.quantity for c in self.columns)))
        return self.table[:, chosen]

    @property
    def t(self) -> Array:
        """The time of each tick (ticks,) [s]."""
        return self["t"]

    @property
    def status(self) -> Ending:
        """How the run ended."""
        last = float(self["status"][-1])
        return Ending.UNUSABLE if np.isnan(last) else Ending(int(last))

    @property
    def ran(self) -> int:
        """How many ticks went by before the run stopped; all of them where it completed.

        From there on a log repeats the state in which the robot stopped, which is not what a robot would do.
        """
        stopped = np.flatnonzero(self["status"] != Ending.COMPLETED)
        return int(stopped[0]) if len(stopped) else len(self)

    @property
    def kind(self) -> MotionType:
        """The type of platform motion, as the coordinates of the pose tell it."""
        columns = [column for column in self.columns if column.quantity == "pose"]
        names = tuple(column.part for column in columns)
        of_joints = joints(names, tuple(LENGTH if column.unit == LENGTH.position else ANGLE for column in columns))
        return next((kind for kind in MOTIONS.values() if kind.coordinates == names), of_joints)

    @property
    def turns(self) -> bool:
        """Whether the platform can turn."""
        return self.kind.turns

    @property
    def platform_errors(self) -> Array:
        """Distance [m] and angle [rad] from where the platform is to where it should be (ticks, 2)."""
        return np.sqrt(squared_errors(self.kind, self["pose"], self["desired_pose"]))

    def summary(self) -> Summary:
        """Return the figures of merit of the run up to where it completed or stopped.

        >>> summary = log.summary()
        >>> summary.failure, summary.error_rms.shape
        ('', (3,))
        """
        period = float(self.t[1] - self.t[0]) if len(self) > 1 else 0.0
        ran = self["status"] == Ending.COMPLETED
        error, tau = (self["desired_q"] - self["q"])[ran], self["tau"][ran]
        squares = squared_errors(self.kind, self["pose"][ran], self["desired_pose"][ran])
        nothing = not ran.any()
        names = tuple(column.part for column in self.columns if column.quantity == "q")
        sums = {
            "ticks_run": np.array(float(np.count_nonzero(ran))),
            "error_sum": np.sum(error**2, axis=0),
            "error_peak": np.zeros(len(names)) if nothing else np.max(np.abs(error), axis=0),
            "platform_sum": np.sum(squares, axis=0),
            "platform_peak": np.zeros(2) if nothing else np.max(squares, axis=0),
            "force_sum": np.sum(tau**2, axis=0),
            "force_peak": np.zeros(len(names)) if nothing else np.max(np.abs(tau), axis=0),
            "saturated": np.sum(self["saturated"][ran], axis=0),
            "status": np.array(self.status),
        }
        left = {entry.actuator: entry.excess for entry in self.beyond}
        sums |= {"excess": np.array([left.get(name, 0.0) for name in self.limits.names])}
        return summary_of_sums(names, self.kind, period, sums, self.limits)


def columns_of(robot: Robot) -> dict[str, list[Column]]:
    """Return all columns that a log of a robot may have, by quantity and in their order."""
    kind = robot.motion_type
    axes = [actuator.units for actuator in robot.actuators]
    positions, velocities, forces = (
        [getattr(axis, what) for axis in axes] for what in ("position", "velocity", "force")
    )

    def platform(name: str) -> list[Column]:
        return [Column(name, part, unit) for part, unit in zip(kind.coordinates, kind.units, strict=True)]

    def platform_rate(name: str) -> list[Column]:
        return [Column(name, part, axis.velocity) for part, axis in zip(kind.velocity_names, kind.axes, strict=True)]

    def actuators(name: str, units: Sequence[str]) -> list[Column]:
        return [Column(name, part, unit) for part, unit in zip(robot.actuator_names, units, strict=True)]

    return {
        "t": [Column("t", "", TIME)],
        "desired_pose": platform("desired_pose"),
        "pose": platform("pose"),
        "velocity": platform_rate("velocity"),
        "desired_q": actuators("desired_q", positions),
        "q": actuators("q", positions),
        "q_dot": actuators("q_dot", velocities),
        "measured_q": actuators("measured_q", positions),
        "measured_q_dot": actuators("measured_q_dot", velocities),
        "measured_pose": platform("measured_pose"),
        "measured_velocity": platform_rate("measured_velocity"),
        "command": actuators("command", forces),
        "tau": actuators("tau", forces),
        "force_delay": [Column("force_delay", "", TIME)],
        "saturated": actuators("saturated", [NUMBER] * len(axes)),
        "residual": [Column("residual", "", "m and rad")],
        "status": [Column("status", "", NUMBER)],
    }


def state_columns(law: Law) -> list[Column]:
    """Return the columns for a law's state."""
    return part_columns("state", law.robot, law.interface.state)


def part_columns(quantity: str, robot: Robot, parts: Sequence[StatePart]) -> list[Column]:
    """Return the columns for parts of a state: poses by coordinate, integrals by actuator, parameters by name.

    Anything else is numbered from 1.
    """
    sizes = {len(robot.actuator_names): robot.actuator_names}
    columns: list[Column] = []
    for part in parts:
        given = part.labels or (robot.motion_type.coordinates if part.name == "pose" else sizes.get(part.size, ()))
        labels = given if len(given) == part.size else [str(k + 1) for k in range(part.size)]
        names = [part.name] if part.size == 1 else [f"{part.name}.{label}" for label in labels]
        columns += [Column(quantity, name, unit) for name, unit in zip(names, _units(part), strict=True)]
    return columns


def _units(part: StatePart) -> list[str]:
    """Return the unit of each entry of a part, whose unit is one for all, a list, or `a, then b` for halves."""
    each, parts = part.unit.split(", "), part.unit.split(", then ")
    if len(each) == part.size:
        return [unit or "1" for unit in each]
    return [unit or "1" for unit in parts for _ in range(part.size // len(parts))]


def log_of_rows(columns: dict[str, list[Column]], reference: Reference, rows: dict[str, Array]) -> Log:
    """Make a log of the rows that the loop recorded, and of the reference that it followed."""
    known = rows | {
        "t": reference.t,
        "desired_q": reference.q,
        "desired_pose": reference.pose,
        "force_delay": np.full(reference.ticks, HELD_FORCE_DELAY * reference.period),
    }
    there = {name: group for name, group in columns.items() if name in known}
    table = np.column_stack([known[name] for name in there])
    return Log(tuple(_flat(there)), table)


def _flat(columns: dict[str, list[Column]]) -> Iterator[Column]:
    for group in columns.values():
        yield from group


_HEADER = re.compile(r"(?P<quantity>\w+)(?:\.(?P<part>[^\[\]]+?))? \[(?P<unit>[^\[\]]+)\]")


def write_log(path: str | Path, log: Log) -> Path:
    """Write a log to a file whole or not at all: an interrupted or failed call leaves what was there before.

    >>> pk.simulation.write_log("run.csv", log).name
    'run.csv'
    """
    return write_table(path, [column.header for column in log.columns], log.table)


def read_log(path: str | Path) -> Log:
    """Read a log that `write_log` wrote, to the last bit.

    >>> path = pk.simulation.write_log("run.csv", log)
    >>> np.array_equal(pk.simulation.read_log(path)["tau"], log["tau"])
    True
    """
    table = open_table(path)
    return Log(tuple(_column(str(path), header) for header in table.names), table.read())


def _column(file: str, header: str) -> Column:
    match = _HEADER.fullmatch(header)
    if match is None:
        raise LogFileError(file, f"column {header!r} must read like 'q.leg1.arm [rad]' or 't [s]'")
    return Column(match["quantity"], match["part"] or "", match["unit"])


def beyond_limits(robot: Robot, log: Log) -> tuple[Excess, ...]:
    """Return the strokes and joint limits that a run left, with where and when, up to where it completed or stopped."""
    ran = log["status"] == Ending.COMPLETED
    t, strokes, joints = log.t[ran], robot.strokes, robot.joint_limits
    left: list[Excess] = []
    if not (len(t) and (strokes.any or joints.any)):
        return ()
    pose = log["pose"][ran]
    values, angles = robot.limited_values(pose, near=robot.configurations(pose))
    if strokes.any:
        left += beyond(Course("stroke", strokes.names, strokes.units, t, values, strokes.lower, strokes.upper))
    if joints.any:
        left += beyond(Course("joint", joints.names, joints.units, t, angles, joints.lower, joints.upper))
    return tuple(left)

"""A log as the signals of a robot, in SI, in blocks of any size."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from parakin.arrays import Array
from parakin.description.model import COORDINATES
from parakin.errors import ColumnMapError, LogFileError
from parakin.identification.column_map import ColumnMap, Signal, check_unit
from parakin.kinematics.platform import ANGULAR, LINEAR
from parakin.robot import Robot
from parakin.tables import Table, open_table
from parakin.tables.rows import OnBad

_HEADER = re.compile(r"(?P<name>.*?)\s*(?:\[(?P<unit>[^\[\]]*)\])?")
OWN_NAMES = {"q": ("measured_q", "q")}
"""What a quantity is called in logs of our own simulations, the better name first: encoders see `measured_q`, while
the `q` beside it is the truth that no real log has."""
GROUPS = ("t", "q", "tau", "pose", "velocity")


@dataclass(frozen=True)
class Wired:
    """A signal of the robot and where it comes from: SI = factor (column - offset)."""

    name: str
    header: str
    index: int
    factor: float
    offset: float


@dataclass(frozen=True, eq=False)
class LogSource:
    """Signals in the order t, q, tau, then pose and velocity where asked for, wired to columns of a file."""

    table: Table
    signals: tuple[Wired, ...]
    actuators: int
    coordinates: int
    """Of a measured pose; 0 where none is used."""
    freedom: int
    """Of a measured velocity likewise."""

    @property
    def file(self) -> str:
        return str(self.table.path)

    @property
    def headers(self) -> tuple[str, ...]:
        """As in the file, for messages."""
        return tuple(signal.header for signal in self.signals)

    def part(self, group: str) -> slice:
        """Where a group of signals stands in a row."""
        counts = (1, self.actuators, self.actuators, self.coordinates, self.freedom)
        start = sum(counts[: GROUPS.index(group)])
        return slice(start, start + counts[GROUPS.index(group)])

    def blocks(self, rows: int, on_bad: OnBad | None = None) -> Iterator[Array]:
        """Rows (N, signals) in SI."""
        chosen = [signal.index for signal in self.signals]
        factor = np.array([signal.factor for signal in self.signals])
        offset = np.array([signal.offset for signal in self.signals])
        for block in self.table.blocks(rows, on_bad):
            yield (block[:, chosen] - offset) * factor


def open_log(
    robot: Robot,
    path: str | Path,
    columns: ColumnMap | None = None,
    *,
    pose: bool = False,
    velocity: bool = False,
) -> LogSource:
    """Wire a log to a robot. pose, velocity: also read what was measured of the platform.

    Without a mapping, columns are named as in logs of simulations: `t [s]`, `measured_q.leg1.arm [rad]` or else
    `q.leg1.arm [rad]`, `tau.leg1.arm [N m]`, `pose.x [m]`, `velocity.vx [m/s]`.
    """
    columns = columns or ColumnMap()
    table = open_table(path, separator=columns.separator, decimal=columns.decimal)
    needed = _needed(robot, pose, velocity)
    known = _needed(robot, True, True)
    problems = [
        (f"columns.{name}", f"{robot.name} has no such signal; it has {', '.join(known)}")
        for name in columns.columns
        if name not in known
    ]
    if problems:
        raise ColumnMapError("columns", tuple(problems))
    wired = [_wired(table, name, columns.columns.get(name), dimension) for name, dimension in needed.items()]
    missing = [signal for signal in wired if isinstance(signal, str)]
    if missing:
        told = ", ".join(f"'{name}'" for name in table.names)
        raise LogFileError(str(path), f"lacks columns for {', '.join(missing)}; it has {told}: map them")
    signals = tuple(signal for signal in wired if isinstance(signal, Wired))
    _check_distinct(str(path), signals)
    coordinates, freedom = len(COORDINATES[robot.motion]) * pose, robot.degrees_of_freedom * velocity
    return LogSource(table, signals, len(robot.actuator_names), coordinates, freedom)


def _needed(robot: Robot, pose: bool, velocity: bool) -> dict[str, str]:
    """Signals and their dimensions."""
    lengths = [unit == "N" for unit in robot.actuator_units]
    needed = {"t": "time"}
    needed |= {f"q.{n}": "length" if long else "angle" for n, long in zip(robot.actuator_names, lengths, strict=True)}
    needed |= {f"tau.{n}": "force" if long else "torque" for n, long in zip(robot.actuator_names, lengths, strict=True)}
    count, turning = len(LINEAR[robot.motion]), "number" if robot.motion == "spatial" else "angle"
    if pose:
        names = COORDINATES[robot.motion]
        needed |= {f"pose.{name}": "length" if k < count else turning for k, name in enumerate(names)}
    if velocity:
        needed |= {f"velocity.v{'xyz'[axis]}": "velocity" for axis in LINEAR[robot.motion]}
        needed |= {f"velocity.w{'xyz'[axis]}": "angular velocity" for axis in ANGULAR[robot.motion]}
    return needed


def _wired(table: Table, name: str, signal: Signal | None, dimension: str) -> Wired | str:
    """The signal with its column; its name where there is none."""
    if signal is None:
        quantity, _, part = name.partition(".")
        own = [f"{one}.{part}" if part else one for one in OWN_NAMES.get(quantity, (quantity,))]
        candidates = [Signal(column=one) for one in own]
    else:
        candidates = [signal]
    for candidate in candidates:
        index = _index(table, candidate.column)
        if index is None:
            continue
        unit = candidate.unit or _parsed(table.names[index])[1]
        wrong = check_unit(name, unit, dimension)
        if wrong is None and unit in ("counts", "A") and candidate.unit is None:
            wrong = f"{name} is in {unit}: a mapping must say how many make an SI unit"
        if wrong is not None or unit is None:
            raise LogFileError(str(table.path), str(wrong), None, table.names[index])
        return Wired(name, table.names[index], index, candidate.factor(unit), candidate.offset)
    return name if signal is None else f"{name} (mapped to '{signal.column}')"


def _index(table: Table, column: str) -> int | None:
    """By whole header, or by what stands before its unit."""
    if column in table.names:
        return table.names.index(column)
    plain = [_parsed(name)[0] for name in table.names]
    if plain.count(column) > 1:
        raise LogFileError(str(table.path), "stands there in several units: give the whole header", None, column)
    return plain.index(column) if column in plain else None


def _parsed(header: str) -> tuple[str, str | None]:
    found = _HEADER.fullmatch(header)
    return (header, None) if found is None else (found["name"], found["unit"])


def _check_distinct(file: str, signals: tuple[Wired, ...]) -> None:
    for k, signal in enumerate(signals):
        for other in signals[:k]:
            if other.index == signal.index:
                reason = f"is mapped to both {other.name} and {signal.name}: each needs a column of its own"
                raise LogFileError(file, reason, None, signal.header)

"""A log as the signals of a robot: each wired to a column of the file, in SI, in blocks of any size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from parakin.arrays import Array
from parakin.errors import LISTED, ColumnMapError, LogFileError
from parakin.identification.logs.column_map import ColumnMap, Signal, check_unit
from parakin.robot import Robot
from parakin.tables import Table, open_table
from parakin.tables.rows import OnBad
from parakin.units import TIME, UNITS

NAMES_IN_OUR_LOGS = {"q": ("measured_q", "q")}
"""Names of a quantity in logs of our own simulations, the better one first.

Encoders see `measured_q`, while the `q` beside it is the truth that no real log has.
"""
GROUPS = ("t", "q", "tau", "pose", "velocity")
"""Groups of signals, in the order in which they stand in a row."""

FORCE_DELAY = "force_delay"
"""Column in which a log says how much later than its row a force acts; all its rows are the same."""
FIRST_ROWS = 64
"""Rows in which that is looked for at a time."""


@dataclass(frozen=True)
class Wired:
    """A signal of the robot and the column it comes from: value in SI = factor (column - offset)."""

    name: str
    """Name of the signal, such as "q.leg1.arm"."""
    header: str
    """Header of the column as it stands in the file."""
    index: int
    """Number of the column in the file, from 0."""
    factor: float
    """SI units in one unit of the column."""
    offset: float
    """Number in the column that means zero."""


@dataclass(frozen=True, eq=False)
class LogSource:
    """A log wired to a robot: rows of t, q, tau, then pose and velocity of the platform where they are asked for."""

    table: Table
    """The file, read in blocks."""
    signals: tuple[Wired, ...]
    """The signals of a row, in order."""
    actuators: int
    """Number of actuators."""
    coordinates: int
    """Number of coordinates of a measured pose; 0 where none is used."""
    freedom: int
    """Number of coordinates of a measured velocity; 0 where none is used."""
    force_delay: float | None = None
    """How much later than its row a force acts [s], as a column `force_delay` says; None if the log has none."""

    @property
    def file(self) -> str:
        """Path of the log."""
        return str(self.table.path)

    @property
    def headers(self) -> tuple[str, ...]:
        """Headers of the signals' columns as they stand in the file, for messages."""
        return tuple(signal.header for signal in self.signals)

    def part(self, group: str) -> slice:
        """Return where a group of signals, one of GROUPS, stands in a row.

        >>> source = pk.identification.open_log(robot, path)
        >>> block = next(source.blocks(4096))
        >>> q, tau = block[:, source.part("q")], block[:, source.part("tau")]
        """
        counts = (1, self.actuators, self.actuators, self.coordinates, self.freedom)
        start = sum(counts[: GROUPS.index(group)])
        return slice(start, start + counts[GROUPS.index(group)])

    def blocks(self, rows: int, on_bad: OnBad | None = None) -> Iterator[Array]:
        """Yield the rows (N, signals) in SI, about `rows` at a time; `on_bad` is told of rows that cannot be read.

        >>> source = pk.identification.open_log(robot, path)
        >>> sum(len(block) for block in source.blocks(4096)) == len(run.t)
        True
        """
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
    """Wire a log to a robot; raise LogFileError where signals are missing or units do not fit.

    pose, velocity: also read what was measured of the platform. Without a column map, columns are named as in logs of
    simulations: `t [s]`, `measured_q.leg1.arm [rad]` or else `q.leg1.arm [rad]`, `tau.leg1.arm [N m]`, `pose.x [m]`,
    `velocity.vx [m/s]`.

    >>> source = pk.identification.open_log(robot, path)
    >>> source.headers[:3]
    ('t [s]', 'measured_q.side1.arm [rad]', 'measured_q.side2.arm [rad]')
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
        existing = ", ".join(f"'{name}'" for name in table.names[:LISTED])
        existing += f", ... ({len(table.names)} in all)" * (len(table.names) > LISTED)
        how = f"--column '{missing[0].partition(' ')[0]}=NAME [UNIT]' for each, or --columns FILE.toml for all"
        python = "in Python column_map_of_texts or load_column_map"
        reason = f"lacks columns for {', '.join(missing)}; it has {existing}: map them with {how} ({python})"
        raise LogFileError(str(path), reason)
    signals = tuple(signal for signal in wired if isinstance(signal, Wired))
    _check_distinct(str(path), signals)
    coordinates, freedom = len(robot.motion_type.coordinates) * pose, robot.degrees_of_freedom * velocity
    return LogSource(table, signals, len(robot.actuator_names), coordinates, freedom, _stated_delay(table))


def _stated_delay(table: Table) -> float | None:
    """What the column `force_delay [s]` says in the first row that can be read; None where there is no such column."""
    index = _index(table, FORCE_DELAY)
    if index is None:
        return None
    unit = _parsed(table.names[index])[1]
    wrong = check_unit(FORCE_DELAY, unit, UNITS[TIME].dimension)
    if wrong is not None or unit is None:
        raise LogFileError(str(table.path), str(wrong), None, table.names[index])
    for block in table.blocks(FIRST_ROWS, lambda _: None):
        stated = block[np.isfinite(block[:, index]), index]
        if len(stated):
            return float(stated[0]) * Signal(column=FORCE_DELAY).factor(unit)
    raise LogFileError(str(table.path), "says nowhere how late forces act: leave it out", None, table.names[index])


def _needed(robot: Robot, pose: bool, velocity: bool) -> dict[str, str]:
    """Signals that are read, and the dimension of each."""
    kind, drives = robot.motion_type, list(zip(robot.actuator_names, robot.actuators, strict=True))
    units = {"t": TIME}
    units |= {f"q.{name}": actuator.units.position for name, actuator in drives}
    units |= {f"tau.{name}": actuator.units.force for name, actuator in drives}
    if pose:
        units |= {f"pose.{name}": unit for name, unit in zip(kind.coordinates, kind.units, strict=True)}
    if velocity:
        named = zip(kind.velocity_names, kind.axes, strict=True)
        units |= {f"velocity.{name}": axis.velocity for name, axis in named}
    return {name: UNITS[unit].dimension for name, unit in units.items()}


def _wired(table: Table, name: str, signal: Signal | None, dimension: str) -> Wired | str:
    """The signal with its column, or its name as a message has it where there is no such column."""
    if signal is None:
        quantity, _, part = name.partition(".")
        names = [f"{one}.{part}" if part else one for one in NAMES_IN_OUR_LOGS.get(quantity, (quantity,))]
        candidates = [Signal(column=one) for one in names]
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
    """Number of the column with this header, or with this name before its unit; None if there is none."""
    if column in table.names:
        return table.names.index(column)
    plain = [_parsed(name)[0] for name in table.names]
    if plain.count(column) > 1:
        raise LogFileError(str(table.path), "stands there in several units: give the whole header", None, column)
    return plain.index(column) if column in plain else None


def _parsed(header: str) -> tuple[str, str | None]:
    """Return the name before the brackets at the end of a header, and the unit inside them; None without brackets."""
    name, bracket, unit = header[:-1].rpartition("[")
    if not header.endswith("]") or not bracket or "]" in unit:
        return header.rstrip(), None
    return name.rstrip(), unit


def _check_distinct(file: str, signals: tuple[Wired, ...]) -> None:
    for k, signal in enumerate(signals):
        for other in signals[:k]:
            if other.index == signal.index:
                reason = f"is mapped to both {other.name} and {signal.name}: each needs a column of its own"
                raise LogFileError(file, reason, None, signal.header)

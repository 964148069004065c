"""Says which column of a log holds which signal, and in which unit.

It is a small TOML file, or texts such as "q.leg1.arm=joint_1 [deg]".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails

from parakin.description import Number, Positive, Sign, Table, problems_of
from parakin.description.text import NotTomlError, tables_of
from parakin.description.wording import problem_of
from parakin.errors import ColumnMapError
from parakin.files import open_regular
from parakin.units import UNITS, units_for

LARGEST_FILE = 2**20
"""Largest size of a column map [bytes]."""
_WORD = re.compile(r"\w+=\S+")
_NUMBERS = ("counts_per_unit", "offset", "torque_constant", "gear", "sign")
_MOST_WORDS = 2 * len(_NUMBERS)
"""Words such as gear=50 after a column's name at most; there are only as many that mean something."""


class Signal(Table):
    """A column of a log, and how its numbers become SI.

    value = sign factor (number - offset)

    factor  counts: 1/counts_per_unit;  A: torque_constant gear;  otherwise that of the unit
    """

    column: Annotated[str, Field(min_length=1)]
    """Name of the column, with or without the unit in brackets."""
    unit: str | None = None
    """Unit of the numbers; None takes what the header says in brackets."""
    counts_per_unit: Positive | None = None
    """Encoder counts per m or rad, on the side of the joint."""
    offset: Number = 0.0
    """Number in the column that means zero, in the unit of the column."""
    torque_constant: Positive | None = None
    """Torque or force for each ampere [N m/A or N/A]."""
    gear: Positive = 1.0
    """Ratio of the gear between motor and joint, by which the force on the side of the joint is larger."""
    sign: Sign = 1
    """1, or -1 where the column counts the other way round."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.unit is not None and self.unit not in UNITS:
            raise ValueError(f"no unit '{self.unit}'; choose one of {', '.join(UNITS)}")
        if (self.unit == "counts") != (self.counts_per_unit is not None):
            raise ValueError("counts_per_unit [1/m or 1/rad] belongs to the unit counts, and counts need it")
        if (self.unit == "A") != (self.torque_constant is not None):
            raise ValueError("torque_constant [N m/A or N/A] belongs to the unit A, and currents need it")
        return self

    def factor(self, unit: str) -> float:
        """Return the SI value of one unit of the numbers in the column."""
        if self.counts_per_unit is not None:
            return self.sign / self.counts_per_unit
        return self.sign * UNITS[unit].factor * (self.torque_constant or 1.0) * self.gear


def signal_of(entry: object) -> object:
    """Turn a text such as "enc_1 [counts] counts_per_unit=20860 offset=5" into the table it stands for.

    Anything that is not such a text is returned as it is, for the validation to accept or refuse.
    """
    if not isinstance(entry, str):
        return entry
    column = entry.rstrip()
    words: list[str] = []
    while len(words) < _MOST_WORDS and len(parts := column.rsplit(None, 1)) == 2 and _WORD.fullmatch(parts[1]):
        column = parts[0]
        words.insert(0, parts[1])
    table: dict[str, Any] = {"column": column}
    name, bracket, unit = column[:-1].rpartition("[")
    if column.endswith("]") and bracket and "]" not in unit:
        table = {"column": name.rstrip(), "unit": unit}
    for word in words:
        name, _, value = word.partition("=")
        table[name] = _number(value) if name in _NUMBERS else value
    return table


def _number(text: str) -> Any:
    try:
        number = float(text)
    except ValueError:
        return text
    return int(number) if number.is_integer() else number


class ColumnMap(Table):
    """Which column each signal of a robot is in. Signals that are not named have a column of their own name."""

    separator: Literal[",", ";", "\t"] = ","
    """What separates the columns of a CSV file."""
    decimal: Literal[".", ","] = "."
    """Decimal sign of a CSV file."""
    columns: dict[str, Annotated[Signal, BeforeValidator(signal_of)]] = Field(default_factory=dict)
    """Column of each signal, by names such as "t", "q.leg1.arm", "tau.leg1.arm", "pose.x", "velocity.vx"."""

    @model_validator(mode="after")
    def _differ(self) -> Self:
        if self.separator == self.decimal:
            raise ValueError("separator and decimal sign cannot both be a comma: separators are ';' there")
        return self


def load_column_map(path: str | Path) -> ColumnMap:
    """Read a column map from a TOML file; raise ColumnMapError if it cannot be read or understood.

    >>> from pathlib import Path
    >>> written = Path("columns.toml").write_text('columns.t = { column = "time", unit = "ms" }')
    >>> pk.identification.load_column_map("columns.toml").columns["t"].unit
    'ms'
    """
    try:
        with open_regular(Path(path)) as file:
            data = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise ColumnMapError(str(path), (("", f"cannot be read: {error.strerror}"),)) from error
    try:
        return column_map(tables_of(data, LARGEST_FILE), Path(path).name)
    except NotTomlError as error:
        raise ColumnMapError(str(path), (("", str(error)),)) from error


def column_map(tables: Mapping[str, object], origin: str = "columns") -> ColumnMap:
    """Build a column map from nested dictionaries; errors name origin, key, value and remedy."""
    try:
        return ColumnMap.model_validate(tables)
    except ValidationError as error:
        raise ColumnMapError(origin, problems_of(error, _problem)) from error


def column_map_of_texts(texts: Iterable[str]) -> ColumnMap:
    """Build a column map from texts such as "t=time [ms]" and "tau.leg1.arm=i_1 [A] torque_constant=0.12 gear=50".

    >>> texts = ["t=time [ms]", "tau.side1.arm=i_1 [A] torque_constant=0.12 gear=50"]
    >>> sorted(pk.identification.column_map_of_texts(texts).columns)
    ['t', 'tau.side1.arm']
    """
    columns: dict[str, Any] = {}
    for text in texts:
        name, equals, signal = text.partition("=")
        if not equals or not name.strip() or not signal.strip():
            reason = f"must read like 'q.leg1.arm=joint_1 [deg]', got {text!r}"
            raise ColumnMapError("columns", ((name.strip(), reason),))
        columns[name.strip()] = signal.strip()
    return column_map({"columns": columns})


def _problem(entry: ErrorDetails) -> tuple[str, str]:
    """Key and reason of a validation error; the loader of robot files does not know the tables of column maps."""
    if entry["type"] == "extra_forbidden":
        table = Signal if len(entry["loc"]) > 1 else ColumnMap
        key = ".".join(map(str, entry["loc"]))
        return key, f"unknown key; known are {', '.join(sorted(table.model_fields))}"
    return problem_of(entry)


def check_unit(signal: str, unit: str | None, dimension: str) -> str | None:
    """Return what is wrong with the unit of a signal of this dimension, or None if it fits."""
    accepted = ", ".join(units_for(dimension))
    if unit is None:
        return f"{signal} has no unit: write it after the column's name, such as 'joint_1 [deg]'; choose of {accepted}"
    if unit not in units_for(dimension):
        return f"'{unit}' is no unit for {signal}, which measures {dimension}: choose of {accepted}"
    return None

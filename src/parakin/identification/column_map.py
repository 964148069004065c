"""Which column of a log is what, and in which unit: a small TOML file, or texts such as "q.leg1.arm=joint_1 [deg]"."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, ValidationError, model_validator

from parakin.description import Number, Positive, Sign, Table
from parakin.description.loader import problem_of
from parakin.errors import ColumnMapError
from parakin.identification.units import UNITS, units_for

_TEXT = re.compile(r"(?P<column>.*?)\s*(?:\[(?P<unit>[^\[\]]*)\])?(?P<more>(?:\s+\w+=\S+)*)\s*")
_NUMBERS = ("counts_per_unit", "offset", "torque_constant", "gear", "sign")


class Signal(Table):
    """A column and how its numbers become SI: sign factor (number - offset), factor from the unit or

        counts  1/counts_per_unit          counts per m or rad, joint side
        A       torque_constant gear       N m/A (or N/A), joint side after the gear

    unit: by default what the header says in brackets.
    """

    column: Annotated[str, Field(min_length=1)]
    unit: str | None = None
    counts_per_unit: Positive | None = None
    offset: Number = 0.0
    torque_constant: Positive | None = None
    gear: Positive = 1.0
    sign: Sign = 1

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
        """SI per number in the column."""
        if self.counts_per_unit is not None:
            return self.sign / self.counts_per_unit
        return self.sign * UNITS[unit].factor * (self.torque_constant or 1.0) * self.gear


def signal_of(given: Any) -> Any:
    """A table as it is; a text such as "enc_1 [counts] counts_per_unit=20860 offset=5" as the table it stands for."""
    found = _TEXT.fullmatch(given) if isinstance(given, str) else None
    if found is None:
        return given
    table: dict[str, Any] = {"column": found["column"]}
    if found["unit"] is not None:
        table["unit"] = found["unit"]
    for word in found["more"].split():
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
    """The whole mapping. columns: of signals such as "t", "q.leg1.arm", "tau.leg1.arm", "pose.x", "velocity.vx".

    Signals that are not named keep the column of their own name. separator, decimal: of CSV.
    """

    separator: Literal[",", ";", "\t"] = ","
    decimal: Literal[".", ","] = "."
    columns: dict[str, Annotated[Signal, BeforeValidator(signal_of)]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _differ(self) -> Self:
        if self.separator == self.decimal:
            raise ValueError("separator and decimal sign cannot both be a comma: separators are ';' there")
        return self


def load_column_map(path: str | Path) -> ColumnMap:
    """From a TOML file."""
    try:
        tables = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ColumnMapError(str(path), (("", f"cannot be read: {error.strerror}"),)) from error
    except ValueError as error:
        raise ColumnMapError(str(path), (("", f"is not TOML: {error}"),)) from error
    return column_map(tables, Path(path).name)


def column_map(tables: Mapping[str, Any], origin: str = "columns") -> ColumnMap:
    """From nested dictionaries. Errors name origin, key, value and remedy."""
    try:
        return ColumnMap.model_validate(tables)
    except ValidationError as error:
        raise ColumnMapError(origin, tuple(_problem(entry) for entry in error.errors())) from error


def column_map_of_texts(texts: Iterable[str]) -> ColumnMap:
    """From texts such as "t=time [ms]" and "tau.leg1.arm=i_1 [A] torque_constant=0.12 gear=50"."""
    columns: dict[str, Any] = {}
    for text in texts:
        name, found, signal = text.partition("=")
        if not found or not name.strip() or not signal.strip():
            reason = f"must read like 'q.leg1.arm=joint_1 [deg]', got {text!r}"
            raise ColumnMapError("columns", ((name.strip(), reason),))
        columns[name.strip()] = signal.strip()
    return column_map({"columns": columns})


def _problem(entry: Any) -> tuple[str, str]:
    """As of a robot file, whose tables the loader knows; of ours it is told here."""
    if entry["type"] == "extra_forbidden":
        table = Signal if len(entry["loc"]) > 1 else ColumnMap
        key = ".".join(map(str, entry["loc"]))
        return key, f"unknown key; known are {', '.join(sorted(table.model_fields))}"
    return problem_of(entry)


def check_unit(signal: str, unit: str | None, dimension: str) -> str | None:
    """What is wrong with a unit for a quantity, if anything."""
    accepted = ", ".join(units_for(dimension))
    if unit is None:
        return f"{signal} has no unit: write it after the column's name, such as 'joint_1 [deg]'; choose of {accepted}"
    if unit not in units_for(dimension):
        return f"'{unit}' is no unit for {signal}, which measures {dimension}: choose of {accepted}"
    return None

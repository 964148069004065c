"""Gains in a file: which robot, law and period they belong to, every value with its unit, and where they come from."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from parakin.control.definition import Gain, Law
from parakin.description.text import NotTomlError, tables_of
from parakin.errors import ControlError
from parakin.files import open_regular, printable, replacing

LARGEST_FILE = 2**20
"""Largest size of a gains file [bytes]; those of the library's laws take a thousandth of it."""
PERIOD_ROUNDING = 1e-9
"""Part of a period by which the one in a file may differ from that of a law: rounding of 1/1000 Hz."""
_KEYS = {"robot": str, "law": str, "period": float, "source": str, "gains": dict}
"""Keys of a gains file, and what each holds."""


@dataclass(frozen=True)
class GainSet:
    """The gains of a law as a file holds them.

    >>> gains = pk.control.read_gains(pk.control.write_gains("gains.toml", law, "by hand"))
    >>> gains.robot, gains.law, gains.period, gains.source
    ('delta', 'computed_torque', 0.001, 'by hand')
    """

    file: str
    """Name of the file, which messages begin with."""
    robot: str
    """Name of the robot that the gains were chosen for."""
    law: str
    """Name of the law, as in `LAWS`."""
    period: float
    """Time from one control tick to the next [s]."""
    source: str
    """Where the gains come from, in words."""
    values: Mapping[str, tuple[float, ...]]
    """Values of each gain, by its name."""
    units: Mapping[str, str]
    """Unit of each gain, by its name; empty for none."""

    def applied(self, law: Law, *, force: bool = False) -> Law:
        """Return a law with these gains as its defaults.

        ControlError, unless `force`, for a law of another robot, name or period; and in any case for gains that the law
        does not have, has in another unit or in another number.

        >>> gains = pk.control.read_gains(pk.control.write_gains("gains.toml", law.with_gains(K_p=900.0)))
        >>> float(gains.applied(law).gains[0])
        900.0
        """
        if not force:
            self._check_purpose(law)
        known = {gain.name: gain for gain in law.interface.gains}
        for name in self.values:
            self._check_gain(law, known.get(name), name)
        return law.with_gains(**self.values)

    def _check_purpose(self, law: Law) -> None:
        forced = "choose another file, or force it"
        if self.robot != law.robot.name:
            reason = f"the gains are those of {self.robot}, not of {law.robot.name}: {forced}"
            raise ControlError(self.file, "robot", reason)
        if self.law != law.name:
            raise ControlError(self.file, "law", f"the gains are those of {self.law}, not of {law.name}: {forced}")
        if abs(self.period - law.period) > PERIOD_ROUNDING * law.period:
            reason = f"the gains are for ticks every {self.period:g} s, not every {law.period:g} s: {forced}"
            raise ControlError(self.file, "period", reason)

    def _check_gain(self, law: Law, gain: Gain | None, name: str) -> None:
        if gain is None:
            have = ", ".join(each.name for each in law.interface.gains)
            raise ControlError(self.file, f"gains.{name}", f"{law.name} has no such gain; it has {have}")
        if self.units[name] != gain.unit:
            reason = f"is in {self.units[name] or '1'}, and {law.name} takes it in {gain.unit or '1'}"
            raise ControlError(self.file, f"gains.{name}", reason)
        if len(self.values[name]) not in (1, len(gain.values)):
            reason = f"has {len(self.values[name])} values, and {law.name} takes {len(gain.values)}"
            raise ControlError(self.file, f"gains.{name}", reason)


def write_gains(path: str | Path, law: Law, source: str = "") -> Path:
    """Write the gains of a law, with its robot, its period and where they come from, as a TOML file, whole or not.

    >>> pk.control.write_gains("gains.toml", law, source="tried on the machine").name
    'gains.toml'
    """
    target = Path(path)
    try:
        with replacing(target) as partial:
            partial.write_text(gains_text(law, source), encoding="utf-8", newline="\n")
    except OSError as error:
        raise ControlError(str(path), "file", f"cannot be written: {error.strerror or error}") from error
    return target


def gains_text(law: Law, source: str) -> str:
    """Return the text of a gains file."""
    lines = [
        f"# Gains of {law.name} for {printable(law.robot.name)}; `--gains` of parakin's commands reads them.",
        f"robot = {_quoted(law.robot.name)}",
        f"law = {_quoted(law.name)}",
        f"period = {law.period!r} # [s]",
        f"source = {_quoted(source)}",
    ]
    for gain in law.interface.gains:
        values = ", ".join(repr(value) for value in gain.values)
        lines += ["", f"[gains.{gain.name}] # {gain.meaning}", f"unit = {_quoted(gain.unit)}", f"values = [{values}]"]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return json.dumps(printable(text), ensure_ascii=False)


def read_gains(path: str | Path) -> GainSet:
    """Read a gains file; ControlError says what is wrong in it, and where.

    >>> path = pk.control.write_gains("gains.toml", law)
    >>> pk.control.read_gains(path).units["K_d"]
    '1/s'
    """
    name = str(path)
    try:
        with open_regular(Path(path)) as file:
            tables = tables_of(file.read(LARGEST_FILE + 1), LARGEST_FILE)
    except OSError as error:
        raise ControlError(name, "file", f"cannot be read: {error.strerror or error}") from error
    except NotTomlError as error:
        raise ControlError(name, "file", str(error)) from error
    for key in tables:
        if key not in _KEYS:
            raise ControlError(name, printable(key), f"is not known here; a gains file has {', '.join(_KEYS)}")
    for key, kind in _KEYS.items():
        if not isinstance(tables.get(key), kind):
            words = {str: "a text", float: "a number of s, such as 0.001", dict: "a table with one for each gain"}[kind]
            raise ControlError(name, key, f"must be {words}: write the file with `parakin tune` or write_gains")
    gains = cast("dict[str, object]", tables["gains"])
    read = {gain: _gain(name, gain, table) for gain, table in gains.items()}
    return GainSet(
        file=name,
        robot=cast(str, tables["robot"]),
        law=cast(str, tables["law"]),
        period=cast(float, tables["period"]),
        source=cast(str, tables["source"]),
        values={gain: values for gain, (values, _) in read.items()},
        units={gain: unit for gain, (_, unit) in read.items()},
    )


def _gain(file: str, name: str, given: object) -> tuple[tuple[float, ...], str]:
    """Return the values of a gain and their unit."""
    table = cast("dict[str, object]", given) if isinstance(given, dict) else {}
    values, unit = table.get("values"), table.get("unit")
    numbers = cast("list[object]", values) if isinstance(values, list) else []
    finite = [float(n) for n in numbers if isinstance(n, float | int) and not isinstance(n, bool) and math.isfinite(n)]
    if not isinstance(unit, str) or set(table) != {"unit", "values"} or not finite or len(finite) != len(numbers):
        place = f"gains.{printable(name)}"
        raise ControlError(file, place, "must have a unit (a text) and values (a list of finite numbers), no more")
    return tuple(finite), unit

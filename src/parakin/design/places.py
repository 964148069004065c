"""Keys of a robot file by their path, as in legs[leg].elements[0].length: found, and given other values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from parakin.description.shape_tables import Place, RawTable

_STEP = re.compile(r"\.?([A-Za-z_][A-Za-z0-9_]*)|\[([A-Za-z0-9_]+)\]")
_FORM = "must read like legs[0].elements[1].length or legs[leg].elements[arm].length"


def place_of(tables: Mapping[str, object], path: str) -> Place:
    """Return the keys and numbers that lead to a value; tables of a list are told by number or by their name.

    The value itself may be missing, for many have a default; the table that it belongs to may not. ValueError says
    where a path leads nowhere.
    """
    steps = _steps(path)
    place: list[str | int] = []
    here: object = tables
    for n, step in enumerate(steps):
        if isinstance(here, dict):
            table = cast("RawTable", here)
            if step not in table and n < len(steps) - 1:
                raise ValueError(f"{_text(place)} has no {step!r}; it has {', '.join(map(str, table))}")
            place.append(str(step))
            here = table.get(str(step))
        elif isinstance(here, list | tuple):
            number = _number(cast("Sequence[object]", here), step, place)
            place.append(number)
            here = cast("Sequence[object]", here)[number]
        else:
            raise ValueError(f"{_text(place)} is {here!r}, with nothing inside")
    if isinstance(here, dict | list | tuple | str | bool):
        kind = "a table" if isinstance(here, dict) else "a list" if isinstance(here, list | tuple) else repr(here)
        raise ValueError(f"is {kind}, and only single numbers can be varied")
    return tuple(place)


def _steps(path: str) -> list[str]:
    steps: list[str] = []
    at = 0
    while at < len(path):
        match = _STEP.match(path, at)
        if match is None or (at == 0 and match.group(1) is None):
            raise ValueError(f"{_FORM}, got {path!r}")
        steps.append(match.group(1) or match.group(2))
        at = match.end()
    if not steps:
        raise ValueError(f"{_FORM}, got {path!r}")
    return steps


def _number(entries: Sequence[object], step: str, place: Sequence[str | int]) -> int:
    """Return which entry of a list is meant, by its number or by its name."""
    if step.isdigit():
        if int(step) >= len(entries):
            raise ValueError(f"{_text(place)} has {len(entries)} entries, counted from 0, and no [{step}]")
        return int(step)
    names = [cast("RawTable", entry).get("name") if isinstance(entry, dict) else None for entry in entries]
    if step not in names:
        known = ", ".join(str(name) for name in names if name is not None) or "none with a name"
        raise ValueError(f"{_text(place)} has no entry {step!r}; it has {known}")
    return names.index(step)


def _text(place: Sequence[str | int]) -> str:
    """Return a place as messages name it."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place)
    return text.removeprefix(".") or "the file"


def replaced(tables: Mapping[str, object], values: Mapping[Place, object]) -> RawTable:
    """Return tables with other values at some places; the tables given do not change."""
    result: Any = dict(tables)
    for place, value in values.items():
        result = _with(result, place, value)
    return result


def _with(here: Any, place: Place, value: object) -> Any:
    if not place:
        return value
    step, *rest = place
    if isinstance(step, int):
        entries = list(here)
        entries[step] = _with(entries[step], tuple(rest), value)
        return entries
    table = dict(here)
    table[step] = _with(table.get(step), tuple(rest), value)
    return table

"""Frozen results as tables for JSON and back: dataclasses of numbers, texts, arrays, tuples and such dataclasses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from types import UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import numpy as np

Result = TypeVar("Result")
"""A dataclass."""


def to_table(result: object, leave_out: tuple[str, ...] = ()) -> dict[str, object]:
    """Return the fields of a dataclass, without those to leave out: dataclasses as tables, arrays, tuples as lists."""
    kept = [field.name for field in fields(cast(Any, result)) if field.name not in leave_out]
    return {name: _plain(getattr(result, name)) for name in kept}


def of_table(kind: type[Result], table: Mapping[str, object], known: Mapping[str, object] | None = None) -> Result:
    """Return the dataclass that `to_table` wrote; known: values of the fields that were left out."""
    hints, values = get_type_hints(kind), dict(known or {})
    for field in fields(cast(Any, kind)):
        if field.name not in values:
            values[field.name] = _value(hints[field.name], table[field.name])
    return kind(**values)


def _plain(value: object) -> object:
    if is_dataclass(value):
        return to_table(value)
    if isinstance(value, np.ndarray):
        return cast("list[object]", value.tolist())
    if isinstance(value, tuple):
        return [_plain(entry) for entry in cast("tuple[object, ...]", value)]
    return value


def _value(hint: Any, value: Any) -> object:
    """Return a value of the type that a field declares."""
    if is_dataclass(hint):
        return of_table(cast("type[object]", hint), value)
    if get_origin(hint) is np.ndarray:
        return np.array(value, float)
    if get_origin(hint) in (Union, UnionType) and isinstance(value, dict):
        names = set(cast("dict[str, object]", value))
        kinds = [kind for kind in get_args(hint) if is_dataclass(kind) and {f.name for f in fields(kind)} == names]
        return of_table(cast("type[object]", kinds[0]), cast("dict[str, object]", value))
    if get_origin(hint) is tuple:
        return tuple(_value(get_args(hint)[0], entry) for entry in value)
    return value

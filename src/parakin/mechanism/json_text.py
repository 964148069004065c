"""Frozen results as JSON and back: dataclasses of numbers, texts, arrays, tuples and other such dataclasses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

import numpy as np

Result = TypeVar("Result")
"""A dataclass."""


def plain(value: object, leave_out: tuple[str, ...] = ()) -> Any:
    """Return dataclasses as dictionaries, without the fields to leave out, and arrays and tuples as lists."""
    if is_dataclass(value):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value) if f.name not in leave_out}
    if isinstance(value, np.ndarray):
        return cast("list[object]", value.tolist())
    if isinstance(value, tuple):
        return [plain(entry) for entry in cast("tuple[object, ...]", value)]
    return value


def read_as(kind: type[Result], table: Mapping[str, Any], known: Mapping[str, object] | None = None) -> Result:
    """Return the dataclass that `plain` wrote; known: values of the fields that were left out."""
    hints, others = get_type_hints(kind), dict(known or {})
    for field in fields(cast(Any, kind)):
        if field.name not in others:
            others[field.name] = _value(hints[field.name], table[field.name])
    return kind(**others)


def _value(hint: Any, value: Any) -> object:
    """Return a value of the type that a field declares."""
    if is_dataclass(hint):
        return read_as(cast("type[object]", hint), value)
    if get_origin(hint) is np.ndarray:
        return np.array(value, float)
    if get_origin(hint) is tuple:
        return tuple(_value(get_args(hint)[0], entry) for entry in value)
    return value

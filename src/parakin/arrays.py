"""The one array type of parakin's numbers, and how arrays are handed out so that nobody can spoil them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeVar, cast, dataclass_transform, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
"""Numbers as parakin computes them: float64, in SI units."""
Record = TypeVar("Record")
"""A class of results."""


def read_only(values: ArrayLike) -> Array:
    """Copy numbers into an array that refuses to be written to: what frozen objects hand out."""
    array = np.array(values, np.float64)
    array.flags.writeable = False
    return array


@overload
def frozen_arrays(result: type[Record], /) -> type[Record]: ...
@overload
def frozen_arrays(*, eq: bool = False) -> Callable[[type[Record]], type[Record]]: ...
@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def frozen_arrays(
    result: type[Record] | None = None, /, *, eq: bool = False
) -> type[Record] | Callable[[type[Record]], type[Record]]:
    """Make a class a frozen dataclass whose arrays are read-only: what functions return.

    eq: whether instances are equal if their fields are, which arrays do not allow; by default each equals itself alone.
    """

    def frozen(one: type[Record]) -> type[Record]:
        setattr(one, "__post_init__", lock_arrays)  # noqa: B010  (a type has no such attribute to pyright)
        return dataclass(frozen=True, eq=eq)(one)

    return frozen if result is None else frozen(result)


def lock_arrays(result: object) -> None:
    """Make the arrays of a frozen result read-only, called from its `__post_init__`; nothing is copied.

    Arrays in a dictionary or a tuple of the result are locked too. Whoever handed an array in can still write to it;
    whoever is handed the result cannot.
    """
    for name, value in vars(result).items():
        locked = _locked(value)
        if locked is not value:
            object.__setattr__(result, name, locked)


def _locked(value: object) -> object:
    if isinstance(value, np.ndarray):
        view = cast("Array", value).view()
        view.flags.writeable = False
        return view
    if isinstance(value, dict):
        entries = cast("dict[object, object]", value)
        return {key: _locked(entry) for key, entry in entries.items()} if _holds_arrays(entries.values()) else entries
    if type(value) is tuple:
        members = cast("tuple[object, ...]", value)
        return tuple(_locked(entry) for entry in members) if _holds_arrays(members) else members
    return value


def _holds_arrays(values: Iterable[object]) -> bool:
    return any(isinstance(value, np.ndarray) for value in values)

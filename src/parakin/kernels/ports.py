"""What enters and leaves a function or a program: named matrices."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Port(NamedTuple):
    """A named matrix that enters or leaves a function."""

    name: str
    """Name in the function, or of the signal it stands for."""
    rows: int
    """Number of rows."""
    columns: int
    """Number of columns."""
    pattern: frozenset[int]
    """Elements, counted row-major, that are not structurally zero."""

    @property
    def size(self) -> int:
        """Number of elements, structural zeros included."""
        return self.rows * self.columns


def names_of(names: str | Iterable[str]) -> tuple[str, ...]:
    """Return names as a tuple; one name needs no tuple."""
    return (names,) if isinstance(names, str) else tuple(names)

"""What readers of all formats share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from parakin.arrays import Array


@dataclass(frozen=True)
class BadRow:
    """A row that is not as many numbers as there are columns.

    row counts data from 0, line the lines of the file from 1.
    kind: empty-value, text, decimal-comma, ragged or truncated.
    """

    kind: str
    row: int
    line: int
    column: str | None
    reason: str


class Dialect(NamedTuple):
    """How the numbers of a text are set apart, and what sets apart their digits."""

    separator: str = ","
    decimal: str = "."


OnBad = Callable[[BadRow], None]
"""Raises, or takes note: the row is then NaN."""


class Opened(NamedTuple):
    """Names of the columns, and blocks of about so many rows; rows that are no numbers go to OnBad."""

    names: tuple[str, ...]
    blocks: Callable[[int, OnBad], Iterator[Array]]

"""What the readers of all formats share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from parakin.arrays import Array


@dataclass(frozen=True)
class BadRow:
    """A row that is not as many numbers as there are columns."""

    kind: str
    """empty-value, text, decimal-comma, ragged or truncated."""
    row: int
    """Place among the rows of data, counted from 0."""
    line: int
    """Line of the file, counted from 1."""
    column: str | None
    """Name of the column whose value is wrong; None where the whole line is."""
    reason: str
    """What is wrong, and what to do about it."""


class Dialect(NamedTuple):
    """How numbers are written in a text."""

    separator: str = ","
    """Sign between two values."""
    decimal: str = "."
    """Sign between the digits before and after the point."""


OnBad = Callable[[BadRow], None]
"""Takes a bad row: it raises, or takes note, and the row is then NaN."""


class Opened(NamedTuple):
    """What a reader finds out when it opens a file."""

    names: tuple[str, ...]
    """Names of the columns."""
    blocks: Callable[[int, OnBad], Iterator[Array]]
    """Yields blocks (N, columns) of about so many rows; a row that is no numbers goes to OnBad."""

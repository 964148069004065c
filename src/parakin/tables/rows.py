"""What the readers of all formats share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from parakin.arrays import Array

MOST_COLUMNS = 2**14
"""Columns that a table has at most: 16,384, as many as spreadsheets have."""
LONGEST_NAME = 1000
"""Characters of a column's name at most."""
MOST_VALUES = 2**21
"""Numbers of a block at most (16 MiB), however many rows were asked for."""
LARGEST_UNPACKED = 2**28
"""Bytes of numbers that any packed file may hold, however small it is: 256 MiB."""
LARGEST_RATIO = 100
"""Bytes of numbers to bytes of their file at most, beyond LARGEST_UNPACKED. Logs of moving robots stay below 20."""


def rows_at_once(rows: int, width: int) -> int:
    """Return how many rows of so many columns make a block, where `rows` were asked for."""
    return max(1, min(rows, MOST_VALUES // max(width, 1)))


def bomb(rows: int, width: int, file_size: int) -> str | None:
    """Say what is wrong with a packed file that would unpack to far more numbers than a log of its size holds."""
    unpacked = 8 * rows * width
    if unpacked <= max(LARGEST_UNPACKED, LARGEST_RATIO * file_size):
        return None
    told = f"{rows} rows of {width} columns in {file_size} bytes"
    return f"claims {told}, which is no log: if it is one, save it unpacked, or in parts of {LARGEST_UNPACKED} bytes"


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
    """Yields blocks (N, columns) of about so many rows, fewer where there are many columns; a row that is no numbers
    goes to OnBad."""

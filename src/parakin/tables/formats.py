"""Tables of every format. The ending of a file's name decides which it is; a new one is a file and a row here."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from parakin.arrays import Array
from parakin.errors import LogFileError, UnknownNameError
from parakin.files import replacing
from parakin.tables.csv_text import open_csv, write_csv
from parakin.tables.npz import open_npz, write_npz
from parakin.tables.parquet import open_parquet, write_parquet
from parakin.tables.rows import LONGEST_NAME, MOST_COLUMNS, BadRow, Dialect, OnBad, Opened

BLOCK = 2**15
"""Rows of a block where the caller does not say."""
MOST_BAD_ROWS = 10**5
"""Bad rows that are told of one by one; a file with more of them is no log."""
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\ud800-\udfff]")
"""Control characters, which may do something to a terminal, and halves of surrogate pairs, which are no text."""


class Format(NamedTuple):
    """How tables of one format are written and opened."""

    write: Callable[[Path, Sequence[str], Array], None]
    """Writes names and table (rows, columns) to a path."""
    open: Callable[[Path, Dialect], Opened]
    """Reads the names of a file's columns; the dialect matters to text only."""


FORMATS: dict[str, Format] = {
    ".csv": Format(write_csv, open_csv),
    ".npz": Format(write_npz, open_npz),
    ".parquet": Format(write_parquet, open_parquet),
}
"""Formats by the ending of the file's name."""


@dataclass(frozen=True, eq=False)
class Table:
    """A file whose header has been read; its rows come in blocks, as often as asked."""

    path: Path
    """Path of the file."""
    names: tuple[str, ...]
    """Names of its columns, all different."""
    _blocks: Callable[[int, OnBad], Iterator[Array]] = field(repr=False)

    def blocks(self, rows: int = BLOCK, on_bad: OnBad | None = None) -> Iterator[Array]:
        """Yield blocks (N, columns) of about so many rows. A bad row raises, or goes to `on_bad` and is NaN.

        A file without any row is refused, and one with more than MOST_BAD_ROWS bad ones.
        """
        count = 0
        told = self._refuse if on_bad is None else _Limited(self.path, on_bad)
        try:
            for block in self._blocks(rows, told):
                count += len(block)
                yield block
        except OSError as error:
            raise LogFileError(str(self.path), f"cannot be read: {error.strerror or error}") from error
        if not count:
            raise LogFileError(str(self.path), "has a header and no rows: nothing was recorded")

    def read(self) -> Array:
        """Return all rows at once, (rows, columns)."""
        return np.concatenate(list(self.blocks()))

    def _refuse(self, bad: BadRow) -> None:
        raise LogFileError(str(self.path), bad.reason, bad.line, bad.column)


def open_table(path: str | Path, *, separator: str = ",", decimal: str = ".") -> Table:
    """Open a table by reading its header; separator and decimal sign are those of CSV."""
    source = Path(path)
    try:
        opened = _format(source).open(source, Dialect(separator, decimal))
    except OSError as error:
        raise LogFileError(str(source), f"cannot be read: {error.strerror or error}") from error
    _check_names(source, opened.names)
    return Table(source, *opened)


class _Limited:
    """Hands bad rows on until there are too many of them."""

    def __init__(self, path: Path, on_bad: OnBad) -> None:
        self._path, self._on_bad, self._count = path, on_bad, 0

    def __call__(self, bad: BadRow) -> None:
        self._count += 1
        if self._count > MOST_BAD_ROWS:
            reason = f"{bad.reason} (so have {MOST_BAD_ROWS} rows before: this is no log)"
            raise LogFileError(str(self._path), reason, bad.line, bad.column)
        self._on_bad(bad)


def _check_names(path: Path, names: tuple[str, ...]) -> None:
    """Refuse more columns than tables have, and names that are no text, too long, or there twice."""
    if len(names) > MOST_COLUMNS:
        raise LogFileError(str(path), f"has {len(names)} columns, a log has at most {MOST_COLUMNS}: split it")
    for number, name in enumerate(names, start=1):
        if len(name) > LONGEST_NAME:
            reason = f"the name of column {number} has {len(name)} characters, at most {LONGEST_NAME} are allowed"
            raise LogFileError(str(path), f"{reason}: {name[:20]!r}...: shorten it")
        if _UNPRINTABLE.search(name):
            reason = f"the name of column {number} holds characters that cannot be shown, {name[:60]!r}: rename it"
            raise LogFileError(str(path), reason)
    for name, count in Counter(names).items():
        if count > 1:
            raise LogFileError(str(path), "stands twice in the header: rename or drop one", None, name)


def write_table(path: str | Path, names: Sequence[str], table: Array) -> Path:
    """Write a table (rows, columns), every float to its last digit; a write that fails leaves what was there before."""
    target = Path(path)
    write = _format(target).write
    try:
        with replacing(target) as partial:
            write(partial, names, table)
    except OSError as error:
        raise LogFileError(str(target), f"cannot be written: {error.strerror or error}") from error
    return target


def _format(path: Path) -> Format:
    ending = path.suffix.lower()
    if ending not in FORMATS:
        raise UnknownNameError("format of logs", ending or path.name, tuple(FORMATS))
    return FORMATS[ending]

"""The ending of a name decides the format; a new one is a file and a row here."""

from __future__ import annotations

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
from parakin.tables.rows import BadRow, Dialect, OnBad, Opened

BLOCK = 2**15
"""Rows."""


class Format(NamedTuple):
    """How a table is written, and opened with the dialect of its text."""

    write: Callable[[Path, Sequence[str], Array], None]
    open: Callable[[Path, Dialect], Opened]


FORMATS: dict[str, Format] = {
    ".csv": Format(write_csv, open_csv),
    ".npz": Format(write_npz, open_npz),
    ".parquet": Format(write_parquet, open_parquet),
}
"""By the ending of the file's name."""


@dataclass(frozen=True, eq=False)
class Table:
    """A file whose header has been read; its rows come in blocks, as often as asked."""

    path: Path
    names: tuple[str, ...]
    _blocks: Callable[[int, OnBad], Iterator[Array]] = field(repr=False)

    def blocks(self, rows: int = BLOCK, on_bad: OnBad | None = None) -> Iterator[Array]:
        """Blocks (N, columns) of about so many rows. A bad row raises, or goes to `on_bad` and is NaN.

        A file without any row is refused.
        """
        count = 0
        try:
            for block in self._blocks(rows, on_bad or self._refuse):
                count += len(block)
                yield block
        except OSError as error:
            raise LogFileError(str(self.path), f"cannot be read: {error.strerror or error}") from error
        if not count:
            raise LogFileError(str(self.path), "has a header and no rows: nothing was recorded")

    def read(self) -> Array:
        """All rows at once."""
        return np.concatenate(list(self.blocks()))

    def _refuse(self, bad: BadRow) -> None:
        raise LogFileError(str(self.path), bad.reason, bad.line, bad.column)


def open_table(path: str | Path, *, separator: str = ",", decimal: str = ".") -> Table:
    """A table by its header; separator and decimal sign are those of CSV."""
    source = Path(path)
    try:
        opened = _format(source).open(source, Dialect(separator, decimal))
    except OSError as error:
        raise LogFileError(str(source), f"cannot be read: {error.strerror or error}") from error
    twice = [name for k, name in enumerate(opened.names) if name in opened.names[:k]]
    if twice:
        raise LogFileError(str(source), "stands twice in the header: rename or drop one", None, twice[0])
    return Table(source, *opened)


def write_table(path: str | Path, names: Sequence[str], table: Array) -> Path:
    """Every float to its last digit, all or nothing."""
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

"""CSV: a header, then lines of numbers, read in chunks of whole lines.

A chunk is parsed at once, by pyarrow where it is installed (212 MB/s on one core) or numpy.loadtxt (32 MB/s). What they
refuse is read again line by line (22 MB/s), so that a message can name line and column. All three round alike.
"""

from __future__ import annotations

import csv
import importlib
import io
from collections.abc import Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from parakin.arrays import Array
from parakin.errors import LogFileError
from parakin.tables.rows import BadRow, Dialect, OnBad, Opened

LONGEST_HEADER = 2**20
"""Bytes of the first line that are read at most; a file without lines is not read whole."""
_BYTES_A_VALUE = 20
"""Length of a float as commonly written [bytes]; decides how much text is read for so many rows."""


def write_csv(path: Path, names: Sequence[str], table: Array) -> None:
    """Write a header and one line for each row, every float to its last digit."""
    lines = [",".join(names), *(",".join(map(repr, row)) for row in table.tolist())]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


def open_csv(path: Path, dialect: Dialect) -> Opened:
    """Read the names in the header; a byte-order mark, spaces around names and CR LF do no harm."""
    with open(path, "rb") as file:
        first = file.readline(LONGEST_HEADER)
    text = _text(path, first, 1)
    if not text.strip():
        raise LogFileError(str(path), "is empty: nothing was recorded")
    names = tuple(name.strip() for name in next(csv.reader([text], delimiter=dialect.separator)))
    for other in ";\t":
        if len(names) == 1 and dialect.separator != other and other in text:
            reason = (
                f"its values seem to be separated by {other!r}, not {dialect.separator!r}: set separator = {other!r}"
            )
            raise LogFileError(str(path), reason, 1)
    if all(_is_number(name, dialect) for name in names):
        raise LogFileError(str(path), f"begins with numbers, {text.strip()[:40]!r}: put a line of names first", 1)
    return Opened(names, partial(_blocks, path, _Header(names, dialect)))


class _Header(NamedTuple):
    names: tuple[str, ...]
    dialect: Dialect


def _blocks(path: Path, header: _Header, rows: int, on_bad: OnBad) -> Iterator[Array]:
    width = len(header.names)
    with open(path, "rb") as file:
        file.readline(LONGEST_HEADER)
        line, row = 2, 0
        for chunk in _chunks(file, rows * width * _BYTES_A_VALUE):
            try:
                block = _at_once(chunk, width, header.dialect)
            except ValueError:
                block = _line_by_line(_text(path, chunk, line), header, line, row, on_bad)
            line, row = line + chunk.count(b"\n"), row + len(block)
            if len(block):
                yield block


def _chunks(file: BinaryIO, size: int) -> Iterator[bytes]:
    """Yield the text in chunks of whole lines, each about `size` bytes long."""
    rest = b""
    while data := file.read(size):
        whole, newline, tail = data.rpartition(b"\n")
        if not newline:
            rest += data
            continue
        yield rest + whole + newline
        rest = tail
    if rest.strip():
        yield rest


def _at_once(chunk: bytes, width: int, dialect: Dialect) -> Array:
    """Parse a whole chunk; ValueError where a line is not `width` numbers."""
    if dialect.decimal != ".":
        raise ValueError
    if not chunk.strip():
        return np.empty((0, width))
    if arrow := _arrow():
        try:
            return _by_arrow(arrow, chunk, width, dialect.separator)
        except (ValueError, OSError):
            pass
    text = chunk.decode("ascii")
    table = np.loadtxt(io.StringIO(text), delimiter=dialect.separator, comments=None, ndmin=2)
    if table.shape[1] != width:
        raise ValueError
    return table


@cache
def _arrow() -> Any:
    """Return the module pyarrow.csv, or None where it is not installed."""
    try:
        return importlib.import_module("pyarrow.csv")
    except ImportError:
        return None


def _by_arrow(arrow: Any, chunk: bytes, width: int, separator: str) -> Array:
    names = [str(k) for k in range(width)]
    read = arrow.ReadOptions(column_names=names, use_threads=False, block_size=len(chunk) + 1)
    parse = arrow.ParseOptions(delimiter=separator, quote_char=False)
    convert = arrow.ConvertOptions(column_types=dict.fromkeys(names, "double"), null_values=[])
    table = arrow.read_csv(io.BytesIO(chunk), read, parse, convert)
    return np.column_stack([column.to_numpy() for column in table.columns])


def _line_by_line(text: str, header: _Header, line: int, row: int, on_bad: OnBad) -> Array:
    """Parse text that begins at line `line` of the file and row `row` of the data; bad rows go to `on_bad`."""
    names, dialect = header
    lines = text.splitlines()
    ended = text.endswith("\n")
    rows: list[list[float]] = []
    for k, content in enumerate(lines):
        if not content.strip():
            continue
        values = content.split(dialect.separator)
        try:
            if len(values) != len(names):
                raise ValueError
            rows.append([_number(value, dialect) for value in values])
        except ValueError:
            kind, column, reason = _wrong(values, header, k == len(lines) - 1 and not ended)
            on_bad(BadRow(kind, row + len(rows), line + k, column, reason))
            rows.append([np.nan] * len(names))
    return np.array(rows).reshape(-1, len(names))


def _number(value: str, dialect: Dialect) -> float:
    """Return a value as a float; ValueError for another decimal sign, and for the underscores that Python allows."""
    if dialect.decimal != ".":
        if "." in value:
            raise ValueError
        value = value.replace(dialect.decimal, ".")
    if "_" in value:
        raise ValueError
    return float(value)


def _is_number(value: str, dialect: Dialect) -> bool:
    try:
        _number(value, dialect)
    except ValueError:
        return False
    return True


def _wrong(values: list[str], header: _Header, cut: bool) -> tuple[str, str | None, str]:
    """Return kind, column and reason of a line that is not as many numbers as there are columns."""
    names, dialect = header
    count = f"{len(values)} values for {len(names)} columns"
    if cut and len(values) < len(names):
        return "truncated", None, f"the file ends within a line, after {count}: copy it again"
    if len(values) == 2 * len(names) and dialect == Dialect():
        return "decimal-comma", None, f"has {count}, as with decimal commas: set decimal = ',' and the separator"
    if len(values) != len(names):
        return "ragged", None, f"has {count}: complete the line, or cut it"
    name, value = next((n, v) for n, v in zip(names, values, strict=True) if not _is_number(v, dialect))
    value = value.strip()
    if not value:
        return "empty-value", name, "has no value here"
    other = "," if dialect.decimal == "." else "."
    if _is_number(value, Dialect(dialect.separator, other)):
        return (
            "decimal-comma",
            name,
            f"{value!r} has another decimal sign than {dialect.decimal!r}: set decimal = {other!r}",
        )
    return "text", name, f"must be a number such as 0.25, got {value[:40]!r}"


def _text(path: Path, data: bytes, line: int) -> str:
    """Decode part of the file that begins at this line, or refuse what is no UTF-8 text."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise LogFileError(str(path), "is UTF-16 text: save it as UTF-8")
    try:
        text = data.decode("utf-8-sig" if line == 1 else "utf-8")
    except UnicodeDecodeError as error:
        line += data.count(b"\n", 0, error.start)
        raise LogFileError(str(path), f"is not UTF-8 text (byte {data[error.start]:#04x})", line) from error
    if "\0" in text:
        raise LogFileError(str(path), "holds zero bytes: a binary file, or a disk that was full", line)
    return text

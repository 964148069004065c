"""CSV: a header, then lines of numbers, read in chunks of whole lines. Lines end in LF or CR LF.

A chunk is parsed at once, by pyarrow where it is installed (212 MB/s on one core) or numpy.loadtxt (32 MB/s). What they
refuse is read again line by line (22 MB/s), so that a message can name line and column. All three round alike.
A last line without a line end is read too, unless its last number was cut off: see `last_number.py`.
"""

from __future__ import annotations

import csv
import importlib
import io
import re
from collections.abc import Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from parakin.arrays import Array
from parakin.errors import LogFileError
from parakin.files import open_regular
from parakin.tables.last_number import cut_number
from parakin.tables.rows import MOST_COLUMNS, BadRow, Dialect, OnBad, Opened, rows_at_once

LONGEST_LINE = 2**20
"""Bytes of a line at most, its end included: 1 MiB; a file without lines is not read whole."""
LARGEST_CHUNK = 2**23
"""Bytes of text that are parsed at once at most: 8 MiB."""
_MOST_BY_LINE = 2**20
"""Numbers that are gathered line by line at most, before they become a block."""
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
"""Characters that no line of numbers holds, though numpy.loadtxt takes some of them for spaces."""
_BLANK = b" \t\r\n"
"""What a line may hold and still be empty."""
_BYTES_A_VALUE = 20
"""Length of a float as commonly written [bytes]; decides how much text is read for so many rows."""


def write_csv(path: Path, names: Sequence[str], table: Array) -> None:
    """Write a header and one line for each row, every float to its last digit."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(",".join(names) + "\n")
        count = rows_at_once(len(table), len(names))
        for first in range(0, len(table), count):
            file.writelines(",".join(map(repr, row)) + "\n" for row in table[first : first + count].tolist())


def open_csv(path: Path, dialect: Dialect) -> Opened:
    """Read the names in the header; a byte-order mark, spaces around names and CR LF do no harm."""
    with open_regular(path) as file:
        first = file.readline(LONGEST_LINE + 1)
    if not first.strip(_BLANK):
        raise LogFileError(str(path), "is empty: nothing was recorded")
    _refuse_binary(path, first, 1)
    _check_lines(path, first, 1)
    text = _text(path, first, 1)
    names = _names(path, text, dialect)
    for other in ";\t":
        if len(names) == 1 and dialect.separator != other and other in text:
            reason = (
                f"its values seem to be separated by {other!r}, not {dialect.separator!r}: write it with "
                f"{dialect.separator!r}, or, for a log, set separator = {other!r} in its column map"
            )
            raise LogFileError(str(path), reason, 1)
    if all(_is_number(name, dialect) for name in names):
        raise LogFileError(str(path), f"begins with numbers, {text.strip()[:40]!r}: put a line of names first", 1)
    return Opened(names, partial(_blocks, _Header(path, names, dialect)))


def _names(path: Path, text: str, dialect: Dialect) -> tuple[str, ...]:
    """Return the names in a header, or refuse more of them than a table has columns."""
    count = text.count(dialect.separator) + 1
    try:
        names = tuple(name.strip() for name in next(csv.reader([text], delimiter=dialect.separator)))
    except csv.Error as error:
        reason = f"the header cannot be read, {error}: begin with a line of names, separated by {dialect.separator!r}"
        raise LogFileError(str(path), reason, 1) from error
    if len(names) > MOST_COLUMNS:
        raise LogFileError(str(path), f"has {count} columns, a log has at most {MOST_COLUMNS}: split it", 1)
    return names


class _Header(NamedTuple):
    path: Path
    names: tuple[str, ...]
    dialect: Dialect


def _blocks(header: _Header, rows: int, on_bad: OnBad) -> Iterator[Array]:
    width = len(header.names)
    with open_regular(header.path) as file:
        file.readline(LONGEST_LINE)
        line, row = 2, 0
        for chunk in _chunks(file, min(rows * width * _BYTES_A_VALUE, LARGEST_CHUNK)):
            _check_lines(header.path, chunk, line)
            for block in _parsed(chunk, header, line, row, on_bad):
                row += len(block)
                if len(block):
                    yield block
            line += chunk.count(b"\n")


def _chunks(file: BinaryIO, size: int) -> Iterator[bytes]:
    """Yield the text in chunks of whole lines, each about `size` bytes long; what has no line end is the last chunk.

    A line that is too long is yielded as far as it was read, for the caller to refuse.
    """
    rest: list[bytes] = []
    length = 0
    while data := file.read(size):
        whole, newline, tail = data.rpartition(b"\n")
        if newline:
            yield b"".join((*rest, whole, newline))
            rest, length = [], 0
        rest.append(tail)
        length += len(tail)
        if length > LONGEST_LINE:
            break
    last = b"".join(rest)
    if last.strip(_BLANK):
        yield last


def _check_lines(path: Path, chunk: bytes, line: int) -> None:
    """Refuse lines without an end, and carriage returns that are no part of one; the chunk begins at this line."""
    # A file cut between CR and LF ends in a CR of its own.
    if b"\r" in chunk and chunk.count(b"\r") > chunk.count(b"\r\n") + chunk.endswith(b"\r"):
        lone = re.search(rb"\r(?!\n)", chunk)
        reason = "has a carriage return (CR) that no line feed follows: save it with lines that end in LF or CR LF"
        raise LogFileError(str(path), reason, line + chunk.count(b"\n", 0, lone.start() if lone else None))
    start = 0
    while len(chunk) - start > LONGEST_LINE:
        stop = chunk.rfind(b"\n", start, start + LONGEST_LINE)
        if stop < 0:
            reason = f"goes on for more than {LONGEST_LINE} bytes without a line end: this is no CSV log"
            raise LogFileError(str(path), reason, line + chunk.count(b"\n", 0, start))
        start = stop + 1


def _parsed(chunk: bytes, header: _Header, line: int, row: int, on_bad: OnBad) -> Iterator[Array]:
    """Yield the rows of a chunk that begins at this line of the file and this row of the data."""
    path, names, dialect = header
    if chunk.endswith(b"\n"):
        try:
            block = _at_once(chunk, len(names), dialect)
        except ValueError:
            yield from _line_by_line(_text(path, chunk, line), header, line, row, on_bad)
        else:
            yield block
        return
    text = _text(path, chunk, line)
    reason = cut_number(path, chunk, dialect) if text.count(dialect.separator) == len(names) - 1 else None
    if reason is None:
        yield from _line_by_line(text, header, line, row, on_bad)
    else:
        on_bad(BadRow("truncated", row, line, names[-1], reason))
        yield np.full((1, len(names)), np.nan)


def _at_once(chunk: bytes, width: int, dialect: Dialect) -> Array:
    """Parse a whole chunk; ValueError where a line is not `width` numbers."""
    if dialect.decimal != ".":
        raise ValueError
    if not chunk.strip(_BLANK):
        return np.empty((0, width))
    if arrow := _arrow():
        try:
            return _by_arrow(arrow, chunk, width, dialect.separator)
        except (ValueError, OSError):
            pass
    if _CONTROL.search(chunk):
        raise ValueError
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


def _line_by_line(text: str, header: _Header, line: int, row: int, on_bad: OnBad) -> Iterator[Array]:
    """Parse text that begins at line `line` of the file and row `row` of the data; bad rows go to `on_bad`."""
    _, names, dialect = header
    rows: list[list[float]] = []
    for k, content in enumerate(io.StringIO(text, newline="\n")):
        if not content.strip(_BLANK.decode()):
            continue
        values = content.split(dialect.separator)
        try:
            if len(values) != len(names):
                raise ValueError
            rows.append([_number(value, dialect) for value in values])
        except ValueError:
            kind, column, reason = _wrong(values, header, not content.endswith("\n"))
            on_bad(BadRow(kind, row + len(rows), line + k, column, reason))
            rows.append([np.nan] * len(names))
        if len(rows) * len(names) >= _MOST_BY_LINE:
            yield np.array(rows)
            row += len(rows)
            rows = []
    yield np.array(rows).reshape(-1, len(names))


def _number(value: str, dialect: Dialect) -> float:
    """Return a value as a float; ValueError for another decimal sign, and for what Python alone allows around it."""
    if dialect.decimal != ".":
        if "." in value:
            raise ValueError
        value = value.replace(dialect.decimal, ".")
    value = value.strip(" \t\r\n")
    if "_" in value or not value.isprintable():
        raise ValueError
    return float(value)


def _is_number(value: str, dialect: Dialect) -> bool:
    try:
        _number(value, dialect)
    except ValueError:
        return False
    return True


def _wrong(values: list[str], header: _Header, cut: bool) -> tuple[str, str | None, str]:
    """Return kind, column and reason of a line that is not as many numbers as there are columns.

    cut: whether the line has no end, so that the file may have been cut within it.
    """
    _, names, dialect = header
    count = f"{len(values)} values for {len(names)} columns"
    if cut and len(values) < len(names):
        return "truncated", None, f"the file ends within a line, after {count}: copy it again"
    if len(values) == 2 * len(names) and dialect == Dialect():
        return "decimal-comma", None, f"has {count}, as with decimal commas: set decimal = ',' and the separator"
    if len(values) != len(names):
        return "ragged", None, f"has {count}: complete the line, or cut it"
    place = next(k for k, value in enumerate(values) if not _is_number(value, dialect))
    if cut and place == len(names) - 1 and (not values[-1].strip() or _is_number(f"{values[-1].strip()}0", dialect)):
        return "truncated", names[-1], f"the file ends within a number, {values[-1]!r}: copy it again"
    kind, reason = _wrong_value(values[place].strip(" \t\r\n"), dialect)
    return kind, names[place], reason


def _wrong_value(value: str, dialect: Dialect) -> tuple[str, str]:
    """Return kind and reason of a value that is no number."""
    if not value:
        return "empty-value", "has no value here"
    other = "," if dialect.decimal == "." else "."
    if _is_number(value, Dialect(dialect.separator, other)):
        reason = f"{value[:40]!r} has another decimal sign than {dialect.decimal!r}: set decimal = {other!r}"
        return "decimal-comma", reason
    return "text", f"must be a number such as 0.25, got {value[:40]!r}"


def _text(path: Path, data: bytes, line: int) -> str:
    """Decode part of the file that begins at this line, or refuse what is no UTF-8 text."""
    _refuse_binary(path, data, line)
    try:
        return data.decode("utf-8-sig" if line == 1 else "utf-8")
    except UnicodeDecodeError as error:
        line += data.count(b"\n", 0, error.start)
        raise LogFileError(str(path), f"is not UTF-8 text (byte {data[error.start]:#04x})", line) from error


def _refuse_binary(path: Path, data: bytes, line: int) -> None:
    if line == 1 and data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise LogFileError(str(path), "is UTF-16 text: save it as UTF-8")
    if (zero := data.find(b"\0")) >= 0:
        line += data.count(b"\n", 0, zero)
        raise LogFileError(str(path), "holds zero bytes: a binary file, or a disk that was full", line)

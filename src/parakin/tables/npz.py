"""NPZ: `columns` and `table` as parakin writes them, or one array for each column, unpacked a block at a time.

What the archive says of itself is compared before anything is unpacked: sizes with shapes, shapes with each other, and
all of it with the size of the file. Arrays are stored or deflated, as NumPy saves them; Python unpacks others without
any bound on memory.
"""

from __future__ import annotations

import contextlib
import io
import math
import os
import struct
import sys
import warnings
import zipfile
import zlib
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from parakin.arrays import Array
from parakin.errors import LogFileError
from parakin.files import open_regular
from parakin.tables.rows import LONGEST_NAME, MOST_COLUMNS, Dialect, OnBad, Opened, bomb, rows_at_once

MOST_ARRAYS = 2**10
"""Arrays that an archive holds at most; each is unpacked by an unpacker of its own."""
LARGEST_DIRECTORY = 2**22
"""Bytes of an archive's directory at most, for all of it is read at once: 4 MiB."""
_LONGEST_END = 22 + 2**16
"""Bytes of the record at the end of an archive, its comment included, at most."""
_LONGEST_HEADER = 12 * 2**10
"""Bytes that the header of an array takes at most; NumPy itself allows 10,000 characters."""
_BROKEN = (
    ValueError,
    KeyError,
    IndexError,
    EOFError,
    OverflowError,
    RuntimeError,  # encrypted, or a version of ZIP that Python does not know
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
)
"""What NumPy, zipfile and zlib raise for a file that is damaged or not an NPZ."""
_ENDLESS = 2**60
"""No array has so many rows or columns."""
_LISTED = 6
"""Arrays that a message lists at most."""


class _Header(NamedTuple):
    shape: tuple[int, ...]
    by_columns: bool
    kind: np.dtype[Any]
    bytes: int
    """Length of the header itself."""


class _Member(NamedTuple):
    entry: zipfile.ZipInfo
    header: _Header

    @property
    def name(self) -> str:
        return self.entry.filename.removesuffix(".npy")

    @property
    def width(self) -> int:
        """Number of its columns."""
        return math.prod(self.header.shape[1:])


class _File(io.BufferedReader):
    """A file of which at most so many bytes are read at once; zipfile reads a directory of any size as a whole."""

    limit: int | None = LARGEST_DIRECTORY

    def read(self, size: int | None = -1, /) -> bytes:
        if self.limit is not None and size is not None and size > self.limit:
            raise zipfile.BadZipFile(f"its directory has {size} bytes, at most {self.limit} are read")
        return super().read(size)


def write_npz(path: Path, names: Sequence[str], table: Array) -> None:
    """Write the names as array `columns` and the numbers as array `table`."""
    with open(path, "xb") as stream:
        np.savez_compressed(stream, columns=np.array(names), table=np.ascontiguousarray(table))


def open_npz(path: Path, _: Dialect) -> Opened:
    """Read the names of the columns; an array (N, k) called `q` without `columns` holds q.1 to q.k."""
    try:
        with _archive(path) as archive:
            members = _members(path, archive)
            own = {member.name: member for member in members}
            if {"columns", "table"} <= own.keys():
                names, members = _column_names(path, archive, own["columns"]), [own["table"]]
                _check(path, members)
            else:
                _check(path, members)
                names = tuple(name for member in members for name in _names(member))
    except LogFileError:
        raise
    except _BROKEN as error:
        raise LogFileError(str(path), f"is not an NPZ log with 'columns' and 'table': {_short(error)}") from error
    if len(names) != sum(member.width for member in members):
        shapes = ", ".join(str(member.header.shape) for member in members)
        raise LogFileError(str(path), f"has {len(names)} columns and a table of shape {shapes}: not a log")
    return Opened(names, partial(_blocks, path, members))


@contextlib.contextmanager
def _archive(path: Path) -> Generator[zipfile.ZipFile]:
    with _File(open_regular(path).detach()) as file, zipfile.ZipFile(file) as archive:
        file.limit = None
        _check_count(file, len(archive.infolist()))
        yield archive


def _check_count(file: IO[bytes], listed: int) -> None:
    """Compare the members in the directory with their number at its end, for zipfile does not: some may be lost."""
    start = max(0, file.seek(0, os.SEEK_END) - _LONGEST_END)
    file.seek(start)
    end = file.read(_LONGEST_END)
    (count,) = struct.unpack_from("<H", end, end.rfind(b"PK\5\6") + 10)
    if count not in (listed, 0xFFFF):
        raise zipfile.BadZipFile(f"its directory lists {listed} of {count} arrays")


def _members(path: Path, archive: zipfile.ZipFile) -> list[_Member]:
    """Return the arrays of an archive with their headers, or say which of them cannot be read."""
    entries = archive.infolist()
    if len(entries) > MOST_ARRAYS:
        reason = f"holds {len(entries)} arrays, a log has at most {MOST_ARRAYS}: save columns together, (rows, columns)"
        raise LogFileError(str(path), reason)
    for name, count in Counter(entry.filename for entry in entries).items():
        if count > 1:
            raise LogFileError(str(path), f"holds {count} arrays of one name: rename or drop some", None, _short(name))
    for entry in entries:
        if entry.flag_bits & 1:
            reason = "is encrypted: save it without a password"
            raise LogFileError(str(path), reason, None, _short(entry.filename))
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            reason = f"is packed by method {entry.compress_type} of ZIP: save it by np.savez or np.savez_compressed"
            raise LogFileError(str(path), reason, None, _short(entry.filename))
    return [_Member(entry, _header(archive, entry)) for entry in entries]


def _header(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> _Header:
    """Read shape, whether it is stored by columns, and type of an array; ValueError where there is no such header."""
    with archive.open(entry) as packed:
        stream = io.BytesIO(packed.read(_LONGEST_HEADER))
    version = np.lib.format.read_magic(stream)
    if version not in ((1, 0), (2, 0), (3, 0)):
        raise ValueError(f"'{_short(entry.filename)}' is of version {version}, which NumPy does not write")
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    try:
        with warnings.catch_warnings(action="ignore"):  # that Python 2 wrote the file does no harm
            return _Header(*read(stream), stream.tell())
    except Exception as error:  # those of literals, of the tokenizer and of dtypes come through
        raise ValueError(f"the header of '{_short(entry.filename)}' cannot be read: {_short(error)}") from error


def _column_names(path: Path, archive: zipfile.ZipFile, member: _Member) -> tuple[str, ...]:
    """Read the array `columns`."""
    shape, _, kind, start = member.header
    if kind.kind != "U" or len(shape) != 1:
        reason = f"must be a list of names, has an array of {_short(kind)} of shape {_short(shape)}"
        raise LogFileError(str(path), reason, None, "columns")
    if not 0 <= shape[0] <= MOST_COLUMNS or kind.itemsize > 4 * LONGEST_NAME:
        reason = f"holds {_short(shape[0])} names, each of up to {kind.itemsize // 4} characters"
        most = f"a log has at most {MOST_COLUMNS} of {LONGEST_NAME}"
        raise LogFileError(str(path), f"{reason}: {most}", None, "columns")
    size = shape[0] * kind.itemsize
    if member.entry.file_size != start + size:
        raise LogFileError(str(path), "is damaged: its shape does not fit its size; copy it again", None, "columns")
    with archive.open(member.entry) as stream:
        data = stream.read(start + size)
    if np.any(np.frombuffer(data, f"{kind.byteorder}u4", offset=start) > sys.maxunicode):
        raise ValueError("a name of a column holds what is no character")
    return tuple(np.frombuffer(data, kind, offset=start).tolist()) if size else ()


def _names(member: _Member) -> list[str]:
    """Return the columns that an array holds."""
    if len(member.header.shape) == 1:
        return [member.name]
    return [f"{member.name}.{k + 1}" for k in range(member.width)]


def _check(path: Path, members: list[_Member]) -> None:
    """Refuse arrays that are no columns of numbers, that differ in length, or that are not what their sizes say."""
    for member in members:
        _check_kind(path, member)
    lengths = {member.header.shape[0] for member in members}
    if len(lengths) != 1:
        told = ", ".join(f"{_short(member.name)} {member.header.shape[0]}" for member in members[:_LISTED])
        told += ", ..." * (len(members) > _LISTED)
        raise LogFileError(str(path), f"must hold arrays of one length, has {told or 'none'}")
    width = sum(member.width for member in members)
    if width > MOST_COLUMNS:
        raise LogFileError(str(path), f"has {_short(width)} columns, a log has at most {MOST_COLUMNS}: split it")
    if wrong := bomb(lengths.pop(), width, os.stat(path).st_size):
        raise LogFileError(str(path), wrong)
    for member in members:
        rows, size = member.header.shape[0], member.header.kind.itemsize * member.width
        held, rest = divmod(member.entry.file_size - member.header.bytes, size)
        if held != rows or rest:
            reason = f"is damaged: it should hold {rows} rows and holds {held}; copy it again"
            raise LogFileError(str(path), reason, None, _short(member.name))


def _check_kind(path: Path, member: _Member) -> None:
    """Refuse an array that is no column, and no table, of numbers."""
    shape, by_columns, kind, _ = member.header
    if kind.kind not in "fiu":
        raise LogFileError(str(path), f"must hold numbers, has an array of {_short(kind)}", None, _short(member.name))
    if len(shape) not in (1, 2) or not 0 <= shape[0] < _ENDLESS or not all(0 < size < _ENDLESS for size in shape[1:]):
        reason = f"has the shape {_short(shape)}: a column has (rows,), several have (rows, columns)"
        raise LogFileError(str(path), reason, None, _short(member.name))
    if by_columns and len(shape) == 2:
        reason = "has a table stored by columns: save np.ascontiguousarray(table)"
        raise LogFileError(str(path), reason, None, _short(member.name))


def _blocks(path: Path, members: list[_Member], rows: int, _: OnBad) -> Iterator[Array]:
    at_once = rows_at_once(rows, sum(member.width for member in members))
    try:
        with contextlib.ExitStack() as stack:
            archive = stack.enter_context(_archive(path))
            parts = [_rows(stack.enter_context(archive.open(one.entry)), one, at_once) for one in members]
            for block in zip(*parts, strict=True):
                yield np.concatenate(block, axis=1)
    except _BROKEN as error:
        raise LogFileError(str(path), f"is damaged: {_short(error)}; copy it again") from error


def _rows(stream: IO[bytes], member: _Member, rows: int) -> Iterator[Array]:
    """Yield one array of the file in blocks (N, columns)."""
    count, width, kind = member.header.shape[0], member.width, member.header.kind
    stream.read(member.header.bytes)
    for start in range(0, count, rows):
        wanted = min(rows, count - start)
        data = stream.read(wanted * width * kind.itemsize)
        if len(data) < wanted * width * kind.itemsize:
            raise EOFError(f"row {start + len(data) // (width * kind.itemsize)} is the last of {count}")
        yield np.frombuffer(data, kind).astype(np.float64).reshape(wanted, width)


def _short(told: object) -> str:
    """Return what a message says of something that may be as long as the file; 10^5000 has no decimal text."""
    try:
        text = " ".join(str(told).split())
    except ValueError:
        return "a number of thousands of digits"
    return text if len(text) <= 80 else f"{text[:77]}..."

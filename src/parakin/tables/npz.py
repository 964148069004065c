"""NPZ: `columns` and `table` as parakin writes them, or one array for each column, unpacked a block at a time."""

from __future__ import annotations

import contextlib
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from parakin.arrays import Array
from parakin.errors import LogFileError
from parakin.tables.rows import Dialect, OnBad, Opened

_BROKEN = (ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error)
"""What numpy and zipfile raise for a file that is damaged or not an NPZ."""


class _Member(NamedTuple):
    name: str
    shape: tuple[int, ...]


def write_npz(path: Path, names: Sequence[str], table: Array) -> None:
    """Write the names as array `columns` and the numbers as array `table`."""
    with open(path, "xb") as stream:
        np.savez_compressed(stream, columns=np.array(names), table=np.ascontiguousarray(table))


def open_npz(path: Path, _: Dialect) -> Opened:
    """Read the names of the columns; an array (N, k) called `q` without `columns` holds q.1 to q.k."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = [_member(archive, entry) for entry in archive.namelist()]
            if {"columns.npy", "table.npy"} <= {member.name for member in members}:
                with archive.open("columns.npy") as stream:
                    names = tuple(str(name) for name in np.lib.format.read_array(stream))
                members = [member for member in members if member.name == "table.npy"]
            else:
                names = tuple(name for member in members for name in _names(member))
    except _BROKEN as error:
        raise LogFileError(str(path), f"is not an NPZ log with 'columns' and 'table': {error}") from error
    _check(path, names, members)
    return Opened(names, partial(_blocks, path, members))


def _member(archive: zipfile.ZipFile, entry: str) -> _Member:
    with archive.open(entry) as stream:
        return _Member(entry, _header(stream)[0])


def _names(member: _Member) -> list[str]:
    """Return the columns that an array holds."""
    name = member.name.removesuffix(".npy")
    return [name] if len(member.shape) < 2 else [f"{name}.{k + 1}" for k in range(member.shape[1])]


def _header(stream: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Read shape, whether it is stored by columns, and type of an array."""
    version = np.lib.format.read_magic(stream)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    return read(stream)


def _check(path: Path, names: tuple[str, ...], members: list[_Member]) -> None:
    """Refuse arrays of different lengths, and a table whose width is not the number of names."""
    lengths = {member.name.removesuffix(".npy"): member.shape[:1] for member in members}
    if len(set(lengths.values())) != 1 or () in lengths.values():
        told = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise LogFileError(str(path), f"must hold arrays of one length, has {told or 'none'}")
    width = sum(1 if len(member.shape) == 1 else member.shape[1] for member in members)
    if any(len(member.shape) > 2 for member in members) or width != len(names):
        shapes = ", ".join(str(member.shape) for member in members)
        raise LogFileError(str(path), f"has {len(names)} columns and a table of shape {shapes}: not a log")


def _blocks(path: Path, members: list[_Member], rows: int, _: OnBad) -> Iterator[Array]:
    with contextlib.ExitStack() as stack:
        archive = stack.enter_context(zipfile.ZipFile(path))
        parts = [_rows(stack.enter_context(archive.open(member.name)), path, rows) for member in members]
        try:
            for block in zip(*parts, strict=True):
                yield np.concatenate(block, axis=1)
        except _BROKEN as error:
            raise LogFileError(str(path), f"is damaged: {error}; copy it again") from error


def _rows(stream: IO[bytes], path: Path, rows: int) -> Iterator[Array]:
    """Yield one array of the file in blocks (N, columns)."""
    shape, by_columns, kind = _header(stream)
    if kind.kind not in "fiu":
        raise LogFileError(str(path), f"must hold numbers, has an array of {kind}")
    if by_columns and len(shape) == 2:
        raise LogFileError(str(path), "has a table stored by columns: save np.ascontiguousarray(table)")
    width = int(np.prod(shape[1:], dtype=int))
    for start in range(0, shape[0], rows):
        count = min(rows, shape[0] - start)
        data = stream.read(count * width * kind.itemsize)
        if len(data) < count * width * kind.itemsize:
            raise EOFError(f"row {start + len(data) // (width * kind.itemsize)} is the last of {shape[0]}")
        yield np.frombuffer(data, kind).astype(np.float64).reshape(count, width)

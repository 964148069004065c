"""Logs as files: CSV to the last digit, NPZ, and Parquet where pyarrow is installed. The ending of the name decides."""

from __future__ import annotations

import contextlib
import csv
import importlib
import os
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from parakin.errors import LogFileError, UnknownNameError
from parakin.simulation.log import Column, Log

Array = NDArray[np.float64]

_HEADER = re.compile(r"(?P<quantity>\w+)(?:\.(?P<part>[^\[\]]+?))? \[(?P<unit>[^\[\]]+)\]")


def write_log(path: str | Path, log: Log) -> Path:
    """Write all or nothing: an interrupted or failed call leaves what was there before."""
    target = Path(path)
    writer, _ = _format(target)
    partial = target.with_name(f".{target.name}-{uuid4().hex}")
    try:
        writer(partial, log)
        os.replace(partial, target)
    except OSError as error:
        raise LogFileError(str(target), f"cannot be written: {error.strerror or error}") from error
    finally:
        with contextlib.suppress(OSError):
            partial.unlink()
    return target


def read_log(path: str | Path) -> Log:
    """What `write_log` wrote, to the last bit."""
    source = Path(path)
    _, reader = _format(source)
    try:
        headers, table = reader(source)
    except OSError as error:
        raise LogFileError(str(source), f"cannot be read: {error.strerror or error}") from error
    if table.ndim != 2 or table.shape[1] != len(headers) or not len(table):
        raise LogFileError(str(source), f"has {len(headers)} columns and a table of shape {table.shape}: not a log")
    return Log(tuple(_column(str(source), header) for header in headers), table)


def _column(file: str, header: str) -> Column:
    found = _HEADER.fullmatch(header)
    if found is None:
        raise LogFileError(file, f"column {header!r} must read like 'q.leg1.arm [rad]' or 't [s]'")
    return Column(found["quantity"], found["part"] or "", found["unit"])


Writer = Callable[[Path, Log], None]
Reader = Callable[[Path], tuple[list[str], Array]]


def _headers(log: Log) -> list[str]:
    return [column.header for column in log.columns]


def _write_csv(path: Path, log: Log) -> None:
    lines = [",".join(_headers(log)), *(",".join(map(repr, row)) for row in log.table.tolist())]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


def _read_csv(path: Path) -> tuple[list[str], Array]:
    try:
        with open(path, encoding="utf-8-sig", newline="") as stream:
            header, *rows = [row for row in csv.reader(stream) if row]
        return header, np.array([[float(text) for text in row] for row in rows])
    except (UnicodeDecodeError, csv.Error, ValueError) as error:
        raise LogFileError(str(path), f"is not a table of numbers under a header: {error}") from error


def _write_npz(path: Path, log: Log) -> None:
    with open(path, "xb") as stream:
        np.savez_compressed(stream, columns=np.array(_headers(log)), table=log.table)


def _read_npz(path: Path) -> tuple[list[str], Array]:
    try:
        with np.load(path, allow_pickle=False) as archive:
            return [str(header) for header in archive["columns"]], archive["table"].astype(np.float64)
    except (ValueError, KeyError, zipfile.BadZipFile) as error:
        raise LogFileError(str(path), f"is not an NPZ log with 'columns' and 'table': {error}") from error


def _parquet(path: Path) -> Any:
    """The modules pyarrow and pyarrow.parquet."""
    try:
        return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError:
        reason = "Parquet needs pyarrow: pip install 'parakin[parquet]', or choose .csv or .npz"
        raise LogFileError(str(path), reason) from None


def _write_parquet(path: Path, log: Log) -> None:
    arrow, parquet = _parquet(path)
    columns = [np.ascontiguousarray(log.table[:, k]) for k in range(log.table.shape[1])]
    parquet.write_table(arrow.table(columns, names=_headers(log)), path)


def _read_parquet(path: Path) -> tuple[list[str], Array]:
    arrow, parquet = _parquet(path)
    try:
        table = parquet.read_table(path)
    except arrow.ArrowInvalid as error:
        raise LogFileError(str(path), f"is not a Parquet file: {error}") from error
    return list(table.column_names), np.column_stack([column.to_numpy() for column in table.columns])


FORMATS: dict[str, tuple[Writer, Reader]] = {
    ".csv": (_write_csv, _read_csv),
    ".npz": (_write_npz, _read_npz),
    ".parquet": (_write_parquet, _read_parquet),
}
"""Ending of a file's name -> how it is written and read."""


def _format(path: Path) -> tuple[Writer, Reader]:
    ending = path.suffix.lower()
    if ending not in FORMATS:
        raise UnknownNameError("format of logs", ending or path.name, tuple(FORMATS))
    return FORMATS[ending]

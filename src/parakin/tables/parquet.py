"""Parquet files, where pyarrow is installed; pages are written with checksums, and those that are there verified."""

from __future__ import annotations

import contextlib
import importlib
import os
from collections.abc import Callable, Generator, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from parakin.arrays import Array
from parakin.errors import LogFileError
from parakin.files import check_regular
from parakin.tables.rows import MOST_COLUMNS, Dialect, OnBad, Opened, bomb, rows_at_once


def _pyarrow(path: Path) -> Any:
    """Return the modules pyarrow and pyarrow.parquet."""
    try:
        return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError:
        reason = "Parquet needs pyarrow: pip install 'parakin[parquet]', or choose .csv or .npz"
        raise LogFileError(str(path), reason) from None


def write_parquet(path: Path, names: Sequence[str], table: Array) -> None:
    """Write each column under its name."""
    arrow, parquet = _pyarrow(path)
    columns = [np.ascontiguousarray(table[:, k]) for k in range(table.shape[1])]
    parquet.write_table(arrow.table(columns, names=list(names)), path, write_page_checksum=True)


@contextlib.contextmanager
def parquet_writer(path: Path, names: Sequence[str]) -> Generator[Callable[[Array], None]]:
    """Yield a function that writes one block (rows, columns) after the other."""
    arrow, parquet = _pyarrow(path)
    schema = arrow.schema([(name, arrow.float64()) for name in names])
    with parquet.ParquetWriter(path, schema, write_page_checksum=True) as writer:

        def write(block: Array) -> None:
            columns = [np.ascontiguousarray(block[:, k]) for k in range(block.shape[1])]
            writer.write_table(arrow.table(columns, schema=schema))

        yield write


def open_parquet(path: Path, _: Dialect) -> Opened:
    """Read the names of the columns, or refuse a column that holds no numbers."""
    arrow, _parquet = _pyarrow(path)
    with _opened(path, "is not a Parquet file: {}") as file:
        rows, width = file.metadata.num_rows, file.metadata.num_columns
        if width > MOST_COLUMNS:
            raise LogFileError(str(path), f"has {width} columns, a log has at most {MOST_COLUMNS}: split it")
        if wrong := bomb(rows, width, os.stat(path).st_size):
            raise LogFileError(str(path), wrong)
        names = tuple(file.schema_arrow.names)
        for name, kind in zip(names, file.schema_arrow.types, strict=True):
            if not (arrow.types.is_floating(kind) or arrow.types.is_integer(kind)):
                raise LogFileError(str(path), f"must hold numbers, got {str(kind)[:80]}", None, name)
    return Opened(names, partial(_blocks, path, rows, width))


def _blocks(path: Path, count: int, width: int, rows: int, _: OnBad) -> Iterator[Array]:
    """Yield blocks (N, columns); a value that is missing is NaN."""
    read = 0
    with _opened(path, "is damaged: {}; copy it again") as file:
        for batch in file.iter_batches(batch_size=rows_at_once(rows, width)):
            columns = [column.to_numpy(zero_copy_only=False).astype(np.float64) for column in batch.columns]
            read += len(batch)
            yield np.column_stack(columns)
    if read != count:
        raise LogFileError(str(path), f"is damaged: it should hold {count} rows and holds {read}; copy it again")


@contextlib.contextmanager
def _opened(path: Path, wrong: str) -> Generator[Any]:
    """Yield the file; what pyarrow finds wrong with it is put into the text `wrong`."""
    arrow, parquet = _pyarrow(path)
    check_regular(path)
    try:
        with parquet.ParquetFile(path, page_checksum_verification=True) as file:
            yield file
    except UnicodeDecodeError as error:
        reason = f"has a column whose name is not UTF-8 text (byte {error.object[error.start]:#04x}): rename it"
        raise LogFileError(str(path), reason) from error
    except (arrow.ArrowException, OSError, OverflowError) as error:
        if isinstance(error, OSError) and error.errno is not None:  # of the disk, not of what is on it
            raise
        told = " ".join(str(error).split())
        raise LogFileError(str(path), wrong.format(told[:200])) from error

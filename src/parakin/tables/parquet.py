"""Parquet files, where pyarrow is installed."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from parakin.arrays import Array
from parakin.errors import LogFileError
from parakin.tables.rows import Dialect, OnBad, Opened


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
    parquet.write_table(arrow.table(columns, names=list(names)), path)


def open_parquet(path: Path, _: Dialect) -> Opened:
    """Read the names of the columns, or refuse a column that holds no numbers."""
    arrow, parquet = _pyarrow(path)
    try:
        with parquet.ParquetFile(path) as file:
            schema = file.schema_arrow
    except arrow.ArrowInvalid as error:
        raise LogFileError(str(path), f"is not a Parquet file: {error}") from error
    for field in schema:
        if not (arrow.types.is_floating(field.type) or arrow.types.is_integer(field.type)):
            raise LogFileError(str(path), f"must hold numbers, got {field.type}", None, field.name)
    return Opened(tuple(schema.names), partial(_blocks, path))


def _blocks(path: Path, rows: int, _: OnBad) -> Iterator[Array]:
    """Yield blocks (N, columns); a value that is missing is NaN."""
    arrow, parquet = _pyarrow(path)
    try:
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=rows):
                columns = [column.to_numpy(zero_copy_only=False).astype(np.float64) for column in batch.columns]
                yield np.column_stack(columns)
    except arrow.ArrowException as error:
        raise LogFileError(str(path), f"is damaged: {error}; copy it again") from error

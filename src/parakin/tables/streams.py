"""Tables written block by block, so that one of any length takes the memory of a block."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from parakin.arrays import Array
from parakin.errors import LogFileError, UnknownNameError
from parakin.files import replacing
from parakin.tables.formats import FORMATS
from parakin.tables.parquet import parquet_writer


def write_blocks(path: str | Path, names: Sequence[str], blocks: Iterator[Array]) -> Path:
    """Write blocks (rows, columns) as one table: .parquet, .csv or .npz, whole or not at all.

    An NPZ file says how many rows it has before the first, so that its blocks are written beside it at first.

    >>> from parakin.tables import write_blocks
    >>> write_blocks("t.csv", ["a", "b"], iter([np.zeros((2, 2)), np.ones((1, 2))])).read_text().splitlines()
    ['a,b', '0,0', '0,0', '1,1']
    """
    target = Path(path)
    suffix = target.suffix.lower()
    if suffix not in FORMATS:
        raise UnknownNameError("ending of a table's name", suffix, tuple(FORMATS))
    try:
        with replacing(target) as partial:
            {".csv": _csv, ".npz": _npz, ".parquet": _parquet}[suffix](partial, names, blocks)
    except OSError as error:
        raise LogFileError(str(target), f"cannot be written: {error.strerror or error}") from error
    return target


def _csv(path: Path, names: Sequence[str], blocks: Iterator[Array]) -> None:
    with open(path, "x", encoding="utf-8", newline="\n") as stream:
        stream.write(",".join(names) + "\n")
        for block in blocks:
            np.savetxt(stream, block, fmt="%.17g", delimiter=",")


def _parquet(path: Path, names: Sequence[str], blocks: Iterator[Array]) -> None:
    with parquet_writer(path, names) as write:
        for block in blocks:
            write(block)


def _npz(path: Path, names: Sequence[str], blocks: Iterator[Array]) -> None:
    raw = path.with_name(f"{path.name}.rows")
    rows = 0
    try:
        with open(raw, "xb") as stream:
            for block in blocks:
                stream.write(np.ascontiguousarray(block, "<f8").tobytes())
                rows += len(block)
        with zipfile.ZipFile(path, "x", zipfile.ZIP_DEFLATED) as archive:
            with archive.open("columns.npy", "w") as member:
                np.lib.format.write_array(member, np.array(names))
            with archive.open("table.npy", "w", force_zip64=True) as member, open(raw, "rb") as stream:
                header = {"descr": "<f8", "fortran_order": False, "shape": (rows, len(names))}
                np.lib.format.write_array_header_1_0(member, header)
                while piece := stream.read(2**20):
                    member.write(piece)
    finally:
        raw.unlink(missing_ok=True)

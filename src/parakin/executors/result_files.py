"""The file of a span: an NPZ archive, written whole by renaming, of which every byte that counts has a checksum.

NPZ is ZIP: its directory is at the end, so that a file cut short has none, and each array has a CRC-32, compared before
anything is used. Files of another job have another fingerprint. Whatever is wrong with a file, it is as good as not
there, and its rows are computed again. numpy.load reads these files too.
"""

from __future__ import annotations

import io
import json
import struct
import zipfile
import zlib
from pathlib import Path
from typing import cast

import numpy as np

from parakin.errors import ExecutorError
from parakin.executors.row_results import Column, RowResults, RowStatus
from parakin.executors.spans import Span, span_of_name
from parakin.files import open_regular, replacing

HEAD, STATUS = "parakin.head", "parakin.status"
"""Arrays of a file beside its columns: job, rows and reasons as JSON; what became of each row."""
_BROKEN = (ValueError, KeyError, TypeError, EOFError, OSError, NotImplementedError, RuntimeError, struct.error)
"""What reading raises for a file that is not what was written, besides errors of ZIP."""


def write_part(folder: Path, job: str, part: RowResults) -> None:
    """Write the results of a span. ExecutorError where the folder cannot be written, or is full."""
    reasons = {str(row): text for row, text in part.reasons.items()}
    head = json.dumps({"job": job, "rows": [*part.span], "columns": [*part.columns], "reasons": reasons})
    arrays: dict[str, Column] = {
        HEAD: np.frombuffer(head.encode(), np.uint8),
        STATUS: part.status,
        **part.columns,
    }
    try:
        with replacing(folder / part.span.file_name) as path, zipfile.ZipFile(path, "x") as archive:
            for name, values in arrays.items():
                archive.writestr(zipfile.ZipInfo(f"{name}.npy"), _bytes(values))
    except OSError as error:
        raise ExecutorError(str(folder), f"cannot be written: {error.strerror or error}") from error


def read_part(folder: Path, job: str, span: Span) -> RowResults | None:
    """Read the results of a span; None where there are none, or the file is damaged or of another job."""
    try:
        with open_regular(folder / span.file_name) as file, zipfile.ZipFile(file) as archive:
            arrays = {entry.removesuffix(".npy"): _array(archive.read(entry)) for entry in archive.namelist()}
        head = json.loads(arrays.pop(HEAD).tobytes())
        status = arrays.pop(STATUS).astype(np.int8)
        sizes = {len(values) for values in (status, *arrays.values())}
        names = [*arrays]  # a damaged directory may list fewer
        if (head["job"], head["rows"], head["columns"], sizes) != (job, [*span], names, {span.size}):
            return None
        reasons = {int(row): str(text) for row, text in cast("dict[str, str]", head["reasons"]).items()}
        return RowResults(span, arrays, status, reasons)
    except (*_BROKEN, zipfile.BadZipFile, zlib.error):
        return None


def missing_part(span: Span) -> RowResults:
    """Return the results of rows that have not been computed."""
    return RowResults(span, {}, np.full(span.size, RowStatus.MISSING, np.int8), {})


def spans_there(folder: Path, job: str) -> dict[Span, int]:
    """Return the spans of which a folder holds whole results, with the number of rows that failed in each.

    In the order of their rows, without overlap. Every file is read, one at a time, and files that are damaged are
    removed.
    """
    named = (span_of_name(path.name) for path in folder.iterdir())
    there: dict[Span, int] = {}
    reached = 0
    for span in sorted((span for span in named if span), key=_widest_first):
        if span.first < reached:
            continue  # part of a chunk that was halved, and then written as a whole by a worker believed lost
        part = read_part(folder, job, span)
        if part is None:
            (folder / span.file_name).unlink(missing_ok=True)
        else:
            there[span], reached = part.failed, span.last
    return there


def remove_leftovers(folder: Path) -> None:
    """Remove files that were begun and never got their names, because their process was killed."""
    for path in folder.glob(".rows-*"):
        path.unlink(missing_ok=True)


def _widest_first(span: Span) -> tuple[int, int]:
    return span.first, -span.last


def _bytes(values: Column) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, values, allow_pickle=False)
    return stream.getvalue()


def _array(content: bytes) -> Column:
    return np.lib.format.read_array(io.BytesIO(content), allow_pickle=False)

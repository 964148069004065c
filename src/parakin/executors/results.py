"""Results of a job, read from its folder when they are asked for, one file at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from parakin.errors import ExecutorError
from parakin.executors.job import Job, read_job
from parakin.executors.result_files import missing_part, read_part, spans_there
from parakin.executors.row_results import (
    Column,
    RowResults,
    RowStatus,
    Shape,
    common_shapes,
    joined,
    shapes_of,
)
from parakin.executors.spans import Span, gaps


@dataclass(frozen=True)
class Results:
    """Results of a job in its folder; a part is read when it is asked for, and forgotten after.

    >>> results = executors.run(executors.OnRows(roots, np.arange(4.0)), 4, "four_roots")
    >>> len(results), results.finished, results["root"].shape
    (4, True, (4,))
    """

    folder: Path
    """Folder of the job."""
    job: Job
    """What the job is."""
    spans: tuple[Span, ...]
    """Spans whose results are there, in the order of their rows."""

    def __len__(self) -> int:
        return self.job.rows

    @property
    def finished(self) -> bool:
        """Whether every row has its result."""
        return sum(span.size for span in self.spans) == self.job.rows

    @cached_property
    def shapes(self) -> Mapping[str, Shape]:
        """What one row of each column looks like, by name; empty where no row could be computed."""
        for part in self._read():
            if part.columns:
                return shapes_of(part.columns)
        return {}

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self.shapes)

    def parts(self) -> Iterator[RowResults]:
        """Read the results part by part, in the order of rows; parts that are not there yet have the status MISSING.

        >>> results = executors.run(executors.OnRows(roots, np.arange(6.0)), 6, "six_roots", chunk=4)
        >>> [len(part) for part in results.parts()]
        [4, 2]
        """
        for part in self._read():
            shapes = common_shapes(self.shapes, shapes_of(part.columns), part.span)
            yield part if part.columns else joined([part], shapes)

    def __getitem__(self, name: str) -> Column:
        """Return one column of all rows (rows, ...)."""
        if name not in self.shapes:
            raise ExecutorError(str(self.folder), f"has no column '{name}'; it has {', '.join(self.names)}")
        column = self.shapes[name].blank(self.job.rows)
        for part in self.parts():
            column[part.span.first : part.span.last] = part.columns[name]
        return column

    @property
    def status(self) -> NDArray[np.int8]:
        """What became of each row (rows,): numbers of `RowStatus`."""
        return np.concatenate([part.status for part in self._read()])

    @property
    def reasons(self) -> dict[int, str]:
        """Why rows could not be computed, by the number of the row."""
        return {row: text for part in self._read() for row, text in part.reasons.items()}

    def read(self) -> RowResults:
        """Read all results into memory.

        >>> results = executors.run(executors.OnRows(roots, np.arange(3.0)), 3, "three_roots")
        >>> results.read()["root"]
        array([0.        , 1.        , 1.41421356])
        """
        columns = {name: shape.blank(self.job.rows) for name, shape in self.shapes.items()}
        status = np.full(self.job.rows, RowStatus.MISSING, np.int8)
        reasons: dict[int, str] = {}
        for part in self.parts():
            here = slice(part.span.first, part.span.last)
            status[here] = part.status
            reasons |= part.reasons
            for name, values in part.columns.items():
                columns[name][here] = values
        return RowResults(Span(0, self.job.rows), columns, status, reasons)

    def _read(self) -> Iterator[RowResults]:
        missing = gaps(self.job.rows, self.job.chunk, self.spans)
        there = set(self.spans)
        for span in sorted((*self.spans, *missing)):
            part = read_part(self.folder, self.job.key, span) if span in there else missing_part(span)
            if part is None:
                reason = f"{span.file_name} has been damaged or removed: resume the job to compute it again"
                raise ExecutorError(str(self.folder), reason)
            yield part


def read_results(folder: Path | str) -> Results:
    """Find the results of a job in its folder, whether it is finished or not. Every file is read to check it.

    >>> results = executors.run(executors.OnRows(roots, np.arange(4.0)), 4, "more_roots")
    >>> executors.read_results("more_roots")["root"][3]
    np.float64(1.7320508075688772)
    """
    place = Path(folder)
    job = read_job(place)
    if job is None:
        raise ExecutorError(str(place), "holds no job: give the folder of one")
    return Results(place, job, tuple(spans_there(place, job.key)))

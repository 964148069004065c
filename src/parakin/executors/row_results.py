"""What came out of some rows: a column for each quantity, and for each row whether it could be computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import frozen_arrays
from parakin.errors import ExecutorError
from parakin.executors.spans import Span

Column: TypeAlias = NDArray[np.generic]
"""Numbers or truth values of one quantity, with an entry for each row in the first axis."""


class RowStatus(IntEnum):
    """What became of a row.

    >>> [status.name for status in executors.RowStatus]
    ['COMPUTED', 'RAISED', 'KILLED', 'MISSING', 'TIMED_OUT']
    """

    COMPUTED = 0
    """It was computed."""
    RAISED = 1
    """The work raised an error on this row alone."""
    KILLED = 2
    """The process that computed this row alone ended, more than once."""
    MISSING = 3
    """It has not been computed yet: the job was interrupted."""
    TIMED_OUT = 4
    """It took longer than a row may, computed alone."""


@frozen_arrays
class RowResults:
    """Results of rows that follow each other: of a part of a job, or of all of it."""

    span: Span
    """Which rows they are."""
    columns: Mapping[str, Column]
    """Quantities by name, each (rows, ...). Rows that were not computed have NaN, or zero where there are no NaN."""
    status: NDArray[np.int8]
    """What became of each row (rows,): numbers of `RowStatus`."""
    reasons: Mapping[int, str]
    """Why rows were not computed, by the number of the row."""

    def __len__(self) -> int:
        return self.span.size

    def __getitem__(self, name: str) -> Column:
        return self.columns[name]

    @property
    def failed(self) -> int:
        """How many rows raised an error or killed their process."""
        return int(np.isin(self.status, (RowStatus.RAISED, RowStatus.KILLED)).sum())


@dataclass(frozen=True)
class Shape:
    """What one row of a column looks like."""

    kind: str
    """Type of the numbers, as numpy writes it."""
    entry: tuple[int, ...]
    """Shape of the numbers of one row."""

    def blank(self, rows: int) -> Column:
        """Return a column in which nothing has been computed: NaN, or zero where there are no NaN."""
        kind = np.dtype(self.kind)
        return np.full((rows, *self.entry), np.nan if kind.kind in "fc" else 0, kind)


def shapes_of(columns: Mapping[str, Column]) -> dict[str, Shape]:
    """Return what one row of each column looks like, by name."""
    return {name: Shape(values.dtype.str, values.shape[1:]) for name, values in columns.items()}


def joined(parts: Sequence[RowResults], shapes: Mapping[str, Shape]) -> RowResults:
    """Join results of rows that follow each other; shapes: what the columns look like, in all of them alike."""
    span = Span(parts[0].span.first, parts[-1].span.last)
    columns = {name: shape.blank(span.size) for name, shape in shapes.items()}
    status = np.full(span.size, RowStatus.MISSING, np.int8)
    reasons: dict[int, str] = {}
    for part in parts:
        here = slice(part.span.first - span.first, part.span.last - span.first)
        status[here] = part.status
        reasons |= part.reasons
        for name, values in part.columns.items():
            columns[name][here] = values
    return RowResults(span, columns, status, reasons)


def common_shapes(known: Mapping[str, Shape], found: Mapping[str, Shape], span: Span) -> Mapping[str, Shape]:
    """Return what columns look like, or refuse rows whose columns differ from those of rows before."""
    if not known or not found:
        return known or found
    if known != found:
        differ = sorted(name for name in known.keys() | found.keys() if known.get(name) != found.get(name))
        reason = f"rows {span.first} to {span.last - 1} gave other columns than rows before: {', '.join(differ)}"
        raise ExecutorError("work", f"{reason}; every row must have the same names, types and shapes")
    return known

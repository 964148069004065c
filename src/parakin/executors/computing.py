"""Compute a span of rows. If the work raises an error, the span is halved until the rows that do it stand alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parakin.errors import ExecutorError
from parakin.executors.row_results import (
    Column,
    RowResults,
    RowStatus,
    common_shapes,
    joined,
    shapes_of,
)
from parakin.executors.spans import Span, chunks_of

if TYPE_CHECKING:
    from parakin.executors.driving import Progress
    from parakin.executors.placement import Placement

LONGEST_REASON = 500
"""Characters of an error that are kept for a row."""


class Work(Protocol):
    """A pure function on numbered rows: a function of a module, or a frozen dataclass with a `__call__`.

    What comes out for a row must depend on its number and on the seed alone, not on the rows beside it: chunks are cut
    and halved as it suits. Where chance is needed, `row_generators` gives each row its own. Where rows go to other
    processes, the work must pickle.

    >>> def squares(rows, seed):
    ...     return {"square": rows**2}
    >>> executors.evaluate(squares, 4)["square"]
    array([0, 1, 4, 9])
    """

    def __call__(self, rows: NDArray[np.int64], seed: int, /) -> Mapping[str, ArrayLike]:
        """Return quantities by name, each with an entry for each of these rows in its first axis."""
        ...


def row_generators(seed: int, rows: NDArray[np.int64]) -> list[np.random.Generator]:
    """Return a generator of random numbers for each row, the same however rows are cut into chunks.

    >>> first, second = executors.row_generators(7, np.array([0, 1]))
    >>> again = executors.row_generators(7, np.array([1]))[0]
    >>> second.uniform() == again.uniform()
    True
    """
    return [np.random.default_rng((seed, row)) for row in rows.tolist()]


def compute(work: Work, span: Span, seed: int) -> RowResults:
    """Compute these rows; those on which the work raises an error have the status RAISED and no numbers.

    Errors halve the span, so that one bad row among n costs the work some 2 n rows more.
    """
    try:
        columns = _checked(work(np.arange(span.first, span.last, dtype=np.int64), seed), span)
    except ExecutorError:
        raise
    except (Exception, SystemExit) as error:
        if span.size > 1:
            halves = [compute(work, half, seed) for half in span.halves()]
            first, second = (shapes_of(half.columns) for half in halves)
            return joined(halves, common_shapes(first, second, halves[1].span))
        return failed_row(span, RowStatus.RAISED, f"{type(error).__name__}: {error}")
    return RowResults(span, columns, np.full(span.size, RowStatus.COMPUTED, np.int8), {})


def failed_row(span: Span, status: RowStatus, reason: str) -> RowResults:
    """Return the result of one row that could not be computed."""
    return RowResults(span, {}, np.array([status], np.int8), {span.first: reason[:LONGEST_REASON]})


def _checked(given: Mapping[str, ArrayLike], span: Span) -> dict[str, Column]:
    """Return columns of numbers, or refuse what is none: that is a mistake of the work, not of a row."""
    if not isinstance(given, Mapping) or not given:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ExecutorError("work", f"must give quantities by name, got {type(given).__name__}")
    columns: dict[str, Column] = {}
    for name, values in given.items():
        column = np.asarray(values)
        if not isinstance(name, str) or not name or not name.isprintable() or set(name) & set("/\\"):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ExecutorError("work", f"{name!r} cannot be the name of a column: give printable text without slashes")
        if column.dtype.kind not in "biufc":
            raise ExecutorError("work", f"column '{name}' must hold numbers or truth values, got {column.dtype}")
        if column.shape[:1] != (span.size,):
            reason = f"column '{name}' must have {span.size} rows in its first axis, got shape {column.shape}"
            raise ExecutorError("work", reason)
        columns[name] = column
    return columns


def _to_nobody(_done: int, _rows: int) -> None:
    """Tell nobody."""


def placed(
    work: Work,
    rows: int,
    placement: Placement | None,
    *,
    chunk: int,
    told: Callable[[int, int], None] = _to_nobody,
) -> RowResults:
    """Compute all rows of a work where a placement says; without one here, where an error of a row is raised.

    told: is called with how many rows are done and how many there are, whenever a chunk is done.

    >>> executors.placed(executors.OnRows(roots, np.arange(3.0)), 3, None, chunk=2)["root"]
    array([0.        , 1.        , 1.41421356])
    """
    if placement is None:
        parts: list[Mapping[str, ArrayLike]] = []
        for span in chunks_of(rows, chunk):
            parts.append(work(np.arange(span.first, span.last), 0))
            told(span.last, rows)
        columns = {name: np.concatenate([np.asarray(part[name]) for part in parts]) for name in parts[0]}
        return RowResults(Span(0, rows), columns, np.full(rows, RowStatus.COMPUTED, np.int8), {})

    def progress(job: Progress) -> None:
        told(job.done, job.rows)
        if placement.progress is not None:
            placement.progress(job)

    return replace(placement, progress=progress).evaluate(work, rows, chunk=chunk)

"""Have the rows of a job computed: hand out what is missing, and halve what ends its workers."""

from __future__ import annotations

import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parakin.arrays import Array, frozen_arrays
from parakin.blas import one_numpy_thread
from parakin.errors import ExecutorError
from parakin.executors.computing import Work, compute, failed_row
from parakin.executors.crew import Crew, Executor, Fate, Report
from parakin.executors.job import Job, enter, new_job
from parakin.executors.result_files import read_part, remove_leftovers, spans_there, write_part
from parakin.executors.results import Results
from parakin.executors.row_results import RowResults, RowStatus, Shape, common_shapes, joined, shapes_of
from parakin.executors.spans import Span, chunks_of, default_chunk, gaps
from parakin.executors.this_process import ThisProcess
from parakin.kernels.arguments import as_array

DEATHS = 2
"""Processes that must end on a span before it is halved, or its only row is given up: one may be ended by others."""
LATE_FILE = 30.0
"""Time after which a file that a worker wrote must be seen here [s]; network file systems show it late."""
THIS_PROCESS = ThisProcess()
"""The executor where nobody says otherwise."""


class Progress(NamedTuple):
    """How far a job is.

    >>> told = []
    >>> found = executors.map_rows(roots, np.arange(4.0), chunk=2, progress=told.append)
    >>> told[-1]
    Progress(done=4, rows=4, failed=0, workers=1)
    """

    done: int
    """Rows whose results are there."""
    rows: int
    """Rows of the job."""
    failed: int
    """How many of the rows done raised an error or killed their process."""
    workers: int
    """Spans that are computed at the same time; 0 while a cluster has no workers."""


def nobody(_: Progress) -> None:
    """Tell nobody."""


Told = Callable[[Progress], None]
"""A function that is told how far a job is, whenever a chunk is done."""


def run(
    work: Work,
    rows: int,
    folder: Path | str,
    *,
    executor: Executor = THIS_PROCESS,
    chunk: int | None = None,
    seed: int = 0,
    resume: bool = False,
    progress: Told = nobody,
) -> Results:
    """Compute all rows of a work and keep the results in a folder, one file for each chunk.

    The results are the same to the last bit whatever the executor, the chunk and the number of workers. With `resume`
    a job that was interrupted in this folder goes on: what is there and whole stays, what is missing or damaged is
    computed. ExecutorError if the folder holds another job, or if not a single row can be computed.

    >>> results = executors.run(executors.OnRows(roots, np.arange(4.0)), 4, "roots", chunk=2)
    >>> results["root"]
    array([0.        , 1.        , 1.41421356, 1.73205081])
    """
    place = Path(folder)
    job = enter(place, new_job(work, rows, chunk or default_chunk(rows), seed), resume=resume)
    there = spans_there(place, job.key)
    missing = list(gaps(job.rows, job.chunk, there))
    if missing:
        with executor.crew(place, job, work) as crew:
            there = _Drive(place, job, crew, progress, there).all_of(missing)
    remove_leftovers(place)
    results = Results(place, job, tuple(sorted(there)))
    if sum(there.values()) == job.rows:
        raise _nothing(results.reasons)
    return results


def evaluate(
    work: Work,
    rows: int,
    *,
    executor: Executor = THIS_PROCESS,
    folder: Path | str | None = None,
    chunk: int | None = None,
    seed: int = 0,
    resume: bool = False,
    progress: Told = nobody,
) -> RowResults:
    """Compute all rows of a work and return the results in memory. Without a folder nothing is kept.

    In this process and without a folder nothing is written either. A cluster needs a folder, which its workers see.

    >>> found = executors.evaluate(executors.OnRows(roots, np.arange(-1.0, 3.0)), 4)
    >>> found["root"], found.failed, found.reasons[0]
    (array([       nan, 0.        , 1.        , 1.41421356]), 1, 'ValueError: math domain error')
    """
    if folder is not None:
        where = Path(folder)
        return run(
            work, rows, where, executor=executor, chunk=chunk, seed=seed, resume=resume, progress=progress
        ).read()
    if resume:
        raise ExecutorError("resume", "needs the folder of the job that is to go on")
    if isinstance(executor, ThisProcess):
        return _in_memory(work, rows, chunk or default_chunk(rows), seed, progress)
    if not executor.on_this_machine:
        reason = "workers of a cluster answer by files: give a folder that they and this process see"
        raise ExecutorError("folder", reason)
    with tempfile.TemporaryDirectory(prefix="parakin-") as place:
        return run(work, rows, place, executor=executor, chunk=chunk, seed=seed, progress=progress).read()


def map_rows(
    function: Callable[[Array], Mapping[str, ArrayLike]],
    values: ArrayLike,
    *,
    executor: Executor = THIS_PROCESS,
    folder: Path | str | None = None,
    chunk: int | None = None,
    resume: bool = False,
    progress: Told = nobody,
) -> RowResults:
    """Evaluate a pure batch function on many rows of numbers (rows, ...), and return the results in memory.

    >>> found = executors.map_rows(roots, np.arange(4.0))
    >>> found["root"]
    array([0.        , 1.        , 1.41421356, 1.73205081])
    """
    work = OnRows(function, as_array("map_rows", "values", values))
    return evaluate(
        work, len(work.values), executor=executor, folder=folder, chunk=chunk, resume=resume, progress=progress
    )


@frozen_arrays
class OnRows:
    """A batch function and the numbers that it is evaluated on, as a work; no chance in it.

    >>> executors.OnRows(roots, np.array([4.0, 9.0]))(np.array([1]), 0)
    {'root': [3.0]}
    """

    function: Callable[[Array], Mapping[str, ArrayLike]]
    """Gives quantities by name, with an entry for each row that it is given."""
    values: Array
    """Numbers of each row (rows, ...)."""

    def __call__(self, rows: NDArray[np.int64], seed: int, /) -> Mapping[str, ArrayLike]:  # noqa: ARG002
        return self.function(self.values[rows])


def _in_memory(work: Work, rows: int, chunk: int, seed: int, progress: Told) -> RowResults:
    """Compute all rows here and now."""
    if rows < 1 or chunk < 1:
        raise ExecutorError("rows" if rows < 1 else "chunk", f"must be at least 1, got {min(rows, chunk)}")
    parts: list[RowResults] = []
    shapes: Mapping[str, Shape] = {}
    failed = 0
    with one_numpy_thread():
        for span in chunks_of(rows, chunk):
            part = compute(work, span, seed)
            shapes = common_shapes(shapes, shapes_of(part.columns), span)
            parts.append(part)
            failed += part.failed
            progress(Progress(span.last, rows, failed, 1))
    if failed == rows:
        raise _nothing(parts[0].reasons)
    return joined(parts, shapes)


def _nothing(reasons: Mapping[int, str]) -> ExecutorError:
    row, reason = next(iter(reasons.items()))
    return ExecutorError("work", f"not a single row could be computed; row {row}: {reason}")


@dataclass
class _Drive:
    """A job while it is computed."""

    folder: Path
    job: Job
    crew: Crew
    told: Told
    done: dict[Span, int]
    """Spans whose files are there, with the number of their rows that failed."""
    waiting: deque[Span] = field(default_factory=deque[Span])
    running: set[Span] = field(default_factory=set[Span])
    deaths: dict[Span, int] = field(default_factory=dict[Span, int])
    accused: deque[Span] = field(default_factory=deque[Span])
    """Single rows that may end their process: each is tried with nothing beside it, when all else is done."""
    alone: Span | None = None
    """The accused row that is tried."""

    def __post_init__(self) -> None:
        self.rows = sum(span.size for span in self.done)
        self.failed = sum(self.done.values())

    def all_of(self, missing: Iterable[Span]) -> dict[Span, int]:
        """Have these spans computed; return all spans of the job with the number of rows that failed in each."""
        self.waiting.extend(missing)
        self._tell()
        while self.waiting or self.running or self.accused:
            if not self.waiting and not self.running:
                self.alone = self.accused.popleft()
                self.waiting.append(self.alone)
            while self.waiting and len(self.running) < self.crew.room:
                span = self.waiting.popleft()
                self.running.add(span)
                self.crew.start(span)
            for report in self.crew.reports():
                self.running.discard(report.span)
                self._note(report)
            self._tell()
        return self.done

    def _tell(self) -> None:
        self.told(Progress(self.rows, self.job.rows, self.failed, self.crew.workers))

    def _count(self, span: Span, failed: int) -> None:
        self.done[span] = failed
        self.rows += span.size
        self.failed += failed

    def _note(self, report: Report) -> None:
        span = report.span
        match report.fate:
            case Fate.WRITTEN:
                self._count(span, self._seen(span).failed)
            case Fate.LOST:
                self.waiting.appendleft(span)
            case Fate.TIMED_OUT if span.size > 1:
                self.waiting.extendleft(reversed(span.halves()))
            case Fate.TIMED_OUT:
                self._give_up(span, RowStatus.TIMED_OUT, "this row alone took longer than a row may")
            case Fate.WORKER_ENDED | Fate.DEADLY:
                self.deaths[span] = self.deaths.get(span, 0) + 1
                if report.fate is Fate.WORKER_ENDED and self.deaths[span] < DEATHS:
                    self.waiting.appendleft(span)
                else:
                    self._suspect(span)

    def _suspect(self, span: Span) -> None:
        """Halve a span that ends its workers; give up a row that does so while nothing else is handed out.

        Until then it may be innocent: dask blames all spans that a worker was given, those in its queue too.
        """
        if span.size > 1:
            self.waiting.extendleft(reversed(span.halves()))
            return
        if span != self.alone:
            self.accused.append(span)
            return
        reason = "the process that computed this row alone ended, more than once"
        self._give_up(span, RowStatus.KILLED, reason)

    def _give_up(self, span: Span, status: RowStatus, reason: str) -> None:
        """Write that a row has no result."""
        write_part(self.folder, self.job.key, failed_row(span, status, reason))
        self._count(span, 1)

    def _seen(self, span: Span) -> RowResults:
        """Return what a worker has written, as soon as it is seen here."""
        until = time.monotonic() + LATE_FILE
        while (part := read_part(self.folder, self.job.key, span)) is None:
            if time.monotonic() > until:
                reason = f"a worker wrote {span.file_name}, and it is not here: workers must see the same folder"
                raise ExecutorError(str(self.folder), reason)
            time.sleep(0.05)
        return part

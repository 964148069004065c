"""Who is to blame: a crew may blame all spans that it was given for the end of a worker, as dask does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from parakin import executors
from parakin.executors import RowStatus, Work
from parakin.executors.computing import compute
from parakin.executors.crew import Fate, Report
from parakin.executors.job import Job
from parakin.executors.result_files import write_part
from parakin.executors.spans import Span
from tests.executors.support import same
from tests.executors.works import Marking, counts

ROWS = 12


@dataclass
class Blaming:
    """A crew in which a deadly row ends the worker of all spans that were handed out with it."""

    folder: Path
    job: Job
    work: Work
    deadly: set[int]
    fate: Fate
    workers: int = 4
    room: int = 4
    given: list[Span] = field(default_factory=list)
    loss: int = 0

    def start(self, span: Span) -> None:
        self.given.append(span)

    def reports(self) -> list[Report]:
        given, self.given = self.given, []
        self.loss += 1
        if self.loss == 3:
            return [Report(span, Fate.LOST) for span in given]
        if any(self.deadly & set(range(*span)) for span in given):
            return [Report(span, self.fate) for span in given]
        for span in given:
            write_part(self.folder, self.job.key, compute(self.work, span, self.job.seed))
        return [Report(span, Fate.WRITTEN) for span in given]


@dataclass(frozen=True)
class Blamed:
    """An executor with such a crew."""

    deadly: frozenset[int]
    fate: Fate
    on_this_machine: bool = True

    @contextmanager
    def crew(self, folder: Path, job: Job, work: Work) -> Iterator[Blaming]:
        yield Blaming(folder, job, work, set(self.deadly), self.fate)

    def lasting(self) -> nullcontext[Blamed]:
        return nullcontext(self)


@pytest.mark.parametrize("fate", [Fate.DEADLY, Fate.WORKER_ENDED])
@pytest.mark.parametrize("deadly", [(), (0,), (5, 6), (11,)])
def test_only_rows_that_end_a_process_alone_are_given_up(tmp_path: Path, deadly: tuple[int, ...], fate: Fate) -> None:
    (tmp_path / "marks").mkdir()
    work = Marking(tmp_path / "marks")
    found = executors.run(work, ROWS, tmp_path / "job", executor=Blamed(frozenset(deadly), fate), chunk=3)
    assert found.status.tolist() == [RowStatus.KILLED if row in deadly else 0 for row in range(ROWS)]
    assert counts(tmp_path / "marks", ROWS) == [int(row not in deadly) for row in range(ROWS)]
    if not deadly:
        assert same(found.read(), executors.evaluate(work, ROWS))

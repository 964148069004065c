"""Compute spans in this process, one after the other."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from parakin.blas import one_numpy_thread
from parakin.executors.computing import Work, compute
from parakin.executors.crew import Fate, Report
from parakin.executors.job import Job
from parakin.executors.result_files import write_part
from parakin.executors.spans import Span


@dataclass(frozen=True)
class ThisProcess:
    """Many runs in this process, chunk by chunk; kernels use all cores.

    A row that ends the process ends this one: `LocalProcesses(1)` finds such rows.

    >>> found = executors.map_rows(roots, np.arange(4.0), executor=executors.ThisProcess())
    >>> found["root"]
    array([0.        , 1.        , 1.41421356, 1.73205081])
    """

    @property
    def on_this_machine(self) -> bool:
        """Whether its workers see every folder that this process sees: they do."""
        return True

    @contextmanager
    def crew(self, folder: Path, job: Job, work: Work) -> Generator[_Here]:
        """Open a crew that is this process.

        >>> with executors.ThisProcess().crew(Path("."), new_job(dict, 4, 2, 0), dict) as crew:
        ...     crew.workers
        1
        """
        with one_numpy_thread():  # as other executors do: how many threads BLAS has may change the last bits
            yield _Here(folder, job, work)

    def lasting(self) -> nullcontext[ThisProcess]:
        """Open it for several jobs: it starts nothing.

        >>> with executors.ThisProcess().lasting() as executor:
        ...     executor
        ThisProcess()
        """
        return nullcontext(self)


@dataclass
class _Here:
    folder: Path
    job: Job
    work: Work
    workers: int = 1
    room: int = 1
    _done: list[Report] = field(default_factory=list[Report])

    def start(self, span: Span) -> None:
        write_part(self.folder, self.job.key, compute(self.work, span, self.job.seed))
        self._done.append(Report(span, Fate.WRITTEN))

    def reports(self) -> list[Report]:
        done, self._done = self._done, []
        return done

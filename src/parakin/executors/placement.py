"""Where the many runs of a command are computed and kept, as one object that is handed on."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from parakin.executors.computing import Work
from parakin.executors.crew import Executor
from parakin.executors.driving import THIS_PROCESS, Told, evaluate, nobody
from parakin.executors.row_results import RowResults


@dataclass(frozen=True)
class Placement:
    """Where many runs are computed, where their results are kept, and who is told how far they are.

    >>> here = executors.Placement(folder="kept")
    >>> here.evaluate(executors.OnRows(roots, np.arange(3.0)), 3)["root"]
    array([0.        , 1.        , 1.41421356])
    """

    executor: Executor = THIS_PROCESS
    """Who computes."""
    folder: Path | str | None = None
    """Where results are kept; None keeps nothing."""
    resume: bool = False
    """Whether a job that was interrupted in the folder goes on."""
    progress: Told | None = None
    """Is told how far the job is, whenever a chunk is done; None tells nobody."""

    def evaluate(self, work: Work, rows: int, *, chunk: int | None = None, seed: int = 0) -> RowResults:
        """Compute all rows of a work there, and return the results in memory.

        >>> executors.Placement().evaluate(executors.OnRows(roots, np.arange(3.0)), 3).failed
        0
        """
        return evaluate(
            work,
            rows,
            executor=self.executor,
            folder=self.folder,
            chunk=chunk,
            seed=seed,
            resume=self.resume,
            progress=self.progress or nobody,
        )

    def within(self, name: str) -> Placement:
        """Return the same with results in a folder of this name inside its folder: one of several jobs.

        >>> executors.Placement(folder="kept").within("first").folder.as_posix()
        'kept/first'
        """
        return self if self.folder is None else replace(self, folder=Path(self.folder, name))

    @contextmanager
    def lasting(self) -> Generator[Placement]:
        """Open it for several jobs, one after the other, so that workers are started once.

        >>> with executors.Placement().lasting() as here:
        ...     here.executor
        ThisProcess()
        """
        with self.executor.lasting() as executor:
            yield replace(self, executor=executor)

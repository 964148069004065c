"""What an executor is: it opens a crew of workers, which take spans and tell what became of them."""

from __future__ import annotations

from contextlib import AbstractContextManager
from enum import Enum
from pathlib import Path
from typing import NamedTuple, Protocol

from parakin.executors.computing import Work
from parakin.executors.job import Job
from parakin.executors.spans import Span


class Fate(Enum):
    """What became of a span that a worker was given."""

    WRITTEN = "written"
    """Its file is there."""
    WORKER_ENDED = "worker ended"
    """The process that computed it ended: killed from outside, or by what it computed."""
    DEADLY = "deadly"
    """Several processes that computed it ended, one after the other."""
    TIMED_OUT = "timed out"
    """It took longer than its rows may, and the process that computed it was ended."""
    LOST = "lost"
    """Nobody knows, because the scheduler was lost."""


class Report(NamedTuple):
    """What a crew tells of a span."""

    span: Span
    """Which rows it is about."""
    fate: Fate
    """What became of them."""


class Crew(Protocol):
    """Workers that compute spans of one job."""

    @property
    def workers(self) -> int:
        """How many spans are computed at the same time."""
        ...

    @property
    def room(self) -> int:
        """How many spans the crew should be given before others are done."""
        ...

    def start(self, span: Span) -> None:
        """Have a span computed."""
        ...

    def reports(self) -> list[Report]:
        """Wait a while for spans that are done, and return what became of them: none if none is."""
        ...


class Executor(Protocol):
    """Where many runs are computed: `ThisProcess`, `LocalProcesses` or `Cluster`.

    >>> [executor.on_this_machine for executor in (executors.ThisProcess(), executors.Cluster("tcp://10.0.0.7:8786"))]
    [True, False]
    """

    @property
    def on_this_machine(self) -> bool:
        """Whether its workers see every folder that this process sees."""
        ...

    def crew(self, folder: Path, job: Job, work: Work) -> AbstractContextManager[Crew]:
        """Open a crew for a job; when it is closed, nothing of it goes on.

        >>> with executors.ThisProcess().crew(Path("."), new_job(dict, 4, 2, 0), dict) as crew:
        ...     crew.reports()
        []
        """
        ...

    def lasting(self) -> AbstractContextManager[Executor]:
        """Open the same executor for several jobs, one after the other, so that its workers are started once.

        >>> with executors.LocalProcesses(2).lasting() as executor:
        ...     executor.on_this_machine
        True
        """
        ...

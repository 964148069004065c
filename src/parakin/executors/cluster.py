"""Compute spans on a dask cluster.

The scheduler only hands out numbers of rows; work and results are files of the folder that all see. Whatever is lost,
a worker, the scheduler or this process, what has been written stays, and only what has not is computed again.
"""

from __future__ import annotations

import pickle
import queue
import time
from collections.abc import Generator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any
from uuid import uuid4

from parakin.errors import ExecutorError, ParakinError
from parakin.executors.computing import Work
from parakin.executors.crew import Fate, Report
from parakin.executors.job import Job
from parakin.executors.spans import Span
from parakin.executors.tasks import Task, cannot_leave, new_task

ANSWER = 1.0
"""Time that `reports` waits for a span to be done [s]."""
LOOKING = 1.0
"""Time after which a cluster is asked again how many workers it has [s]."""
SILENCE = 5.0
"""Time that a scheduler is given to say how many workers it has, before it is asked again [s]."""
LOST_WORKERS = "set distributed.deploy.lost-worker-timeout to more than the 15 s it has"
"""What keeps dask's own clusters from closing a worker for good.

A `SpecCluster`, as LocalCluster is one, looks so long after each end of a worker whether one of its name is there, and
closes the nanny if not. If the same worker has ended once more by then, it is just being started again, and lost.
"""
LEAST_ROOM = 8
"""Spans that a cluster is given at least: one that grows with its work must see some."""


@dataclass(frozen=True)
class Cluster:
    """Many runs on a dask cluster whose scheduler has this address.

    Workers need parakin of the same version and the folder of the job under the same path; `dask worker` with one
    thread each suits best. Needs the extra `cluster`.

    >>> executors.Cluster("tcp://10.0.0.7:8786").patience
    300.0
    """

    address: str
    """Where the scheduler listens, as tcp://host:8786."""
    patience: float = 300.0
    """How long a scheduler may be away, silent or without workers, before the job gives up, to be resumed [s]."""
    first_patience: float = 15.0
    """How long to wait for the scheduler at the beginning [s]."""

    @property
    def on_this_machine(self) -> bool:
        """Whether its workers see every folder that this process sees: nobody knows."""
        return False

    @contextmanager
    def crew(self, folder: Path, job: Job, work: Work) -> Generator[_Workers]:
        """Connect to the scheduler, and open a crew that is all its workers.

        >>> nowhere = executors.Cluster("tcp://127.0.0.1:1", first_patience=0.1)
        >>> with nowhere.crew(Path("."), new_job(dict, 4, 2, 0), dict):
        ...     pass
        Traceback (most recent call last):
            ...
        parakin.errors.work.ExecutorError: scheduler tcp://127.0.0.1:1: does not answer ...
        """
        distributed = _distributed()
        try:
            pickled: bytes = import_module("cloudpickle").dumps(work)  # functions of a script too, by their code
        except (pickle.PicklingError, TypeError, AttributeError) as error:
            raise cannot_leave(error) from error
        crew = _Workers(self, distributed, new_task(folder, job, pickled))
        crew.connect(self.first_patience)
        try:
            yield crew
        finally:
            crew.close()

    def lasting(self) -> nullcontext[Cluster]:
        """Open it for several jobs: its workers are there before and after, and a connection is soon made.

        >>> with executors.Cluster("tcp://10.0.0.7:8786").lasting() as executor:
        ...     executor.address
        'tcp://10.0.0.7:8786'
        """
        return nullcontext(self)


def _distributed() -> Any:
    """Import dask's library for clusters, or say how to get it."""
    try:
        return import_module("distributed")
    except ImportError as error:
        reason = "a cluster needs dask and distributed: pip install 'parakin[cluster]'"
        raise ExecutorError("scheduler", reason) from error


@dataclass(eq=False)
class _Workers:
    """The workers of a cluster, as one connection to its scheduler sees them; a new one is made when that is lost."""

    cluster: Cluster
    distributed: Any
    task: Task
    client: Any = None
    futures: dict[Any, Span] = field(default_factory=dict[Any, Span])
    ended: queue.SimpleQueue[Any] = field(default_factory=queue.SimpleQueue[Any])
    threads: int = 0
    looked: float = 0.0
    manned: float = field(default_factory=time.monotonic)
    """When workers were last seen."""
    silent: float | None = None
    """When the scheduler was first asked something that it has not answered."""
    refused: set[Span] = field(default_factory=set[Span])
    """Spans that a worker could not compute, for a reason of its own."""

    @property
    def workers(self) -> int:
        if self.client.status != "running":
            return 0
        if time.monotonic() > self.looked + LOOKING:
            asked = time.monotonic()
            try:
                self.threads = sum(self.client.nthreads(callback_timeout=SILENCE).values())
                self.silent = None
            except TimeoutError:
                self.silent = asked if self.silent is None else self.silent
            except (OSError, RuntimeError):
                pass  # the scheduler went away meanwhile: `reports` will hear so
            self.looked = time.monotonic()
        return self.threads

    @property
    def room(self) -> int:
        return max(LEAST_ROOM, 2 * self.workers)

    def connect(self, patience: float) -> None:
        """Find the scheduler, or say after a while that it is not there."""
        self._check_address()
        until = time.monotonic() + patience
        while True:
            try:
                left = min(5.0, max(1.0, until - time.monotonic()))
                self.client = self.distributed.Client(self.cluster.address, timeout=left, set_as_default=False)
                self.manned, self.silent = time.monotonic(), None
                return
            except (OSError, TimeoutError) as error:
                if time.monotonic() > until:
                    reason = f"does not answer ({error}); start it with `dask scheduler`, or resume later"
                    raise ExecutorError(f"scheduler {self.cluster.address}", reason) from error
                time.sleep(0.2)

    def _check_address(self) -> None:
        """Refuse what is no address before there is a client, which would look for a scheduler to its end."""
        try:
            with suppress(OSError):  # a host that nobody knows may be known later
                import_module("distributed.comm.addressing").resolve_address(self.cluster.address)
        except ValueError as error:
            raise ExecutorError(f"scheduler {self.cluster.address}", f"is no address: {error}") from error

    def close(self) -> None:
        """Withdraw what has not been computed, and leave the cluster."""
        client, self.client, self.threads = self.client, None, 0
        futures, self.futures = self.futures, {}
        if client is not None:
            with suppress(Exception):  # a scheduler that is gone has nothing to withdraw
                if client.status == "running":
                    client.cancel([*futures], force=True)
            with suppress(Exception):
                client.close(timeout=2.0)

    def start(self, span: Span) -> None:
        key = f"parakin-{span.first}-{span.last}-{uuid4().hex}"
        try:
            future = self.client.submit(_run, self.task, *span, key=key, pure=False, retries=0)
        except (
            Exception
        ) as error:  # whatever it raises without a scheduler; a task that is refused is told in `reports`
            future = error
        self.futures[future] = span
        if isinstance(future, Exception):
            self.ended.put(future)
        else:
            future.add_done_callback(self.ended.put)

    def reports(self) -> list[Report]:
        """Wait a while for spans; where the scheduler is gone, all of them are lost, and another is looked for."""
        found: list[Report] = []
        with suppress(queue.Empty):
            ended = [self.ended.get(timeout=ANSWER)]
            while not self.ended.empty():
                ended.append(self.ended.get())
            found = [self._report(future) for future in ended if future in self.futures]
        if self.client.status == "running" and all(report.fate is not Fate.LOST for report in found):
            self._check_workers()
            return found
        found += [Report(span, Fate.LOST) for span in self.futures.values()]
        self.close()
        self.connect(self.cluster.patience)
        return found

    def _check_workers(self) -> None:
        """Refuse to wait any longer for a scheduler that is silent, or has had no workers for a while."""
        if self.workers:
            self.manned = time.monotonic()
        where, patience = f"scheduler {self.cluster.address}", self.cluster.patience
        if self.silent is not None and time.monotonic() > self.silent + patience:
            reason = f"is connected and has not answered for {patience:g} s; see whether its process runs, and resume"
            raise ExecutorError(where, reason)
        if time.monotonic() > self.manned + patience:
            remedy = "start some with `dask worker`, and resume"
            hint = f"workers of a LocalCluster that ended again and again do not come back: {LOST_WORKERS}"
            raise ExecutorError(where, f"has had no workers for {patience:g} s; {remedy} ({hint})")

    def _report(self, future: Any) -> Report:
        """Return what became of a span; raise an error that is not of a row."""
        span = self.futures.pop(future)
        if isinstance(future, Exception) or future.status not in ("finished", "error"):
            return Report(span, Fate.LOST)
        if future.status == "finished":
            return Report(span, Fate.WRITTEN)
        try:
            error = future.exception(timeout=ANSWER)
        except TimeoutError:  # its state changed since: the scheduler went away
            return Report(span, Fate.LOST)
        if isinstance(error, self.distributed.KilledWorker):
            return Report(span, Fate.DEADLY)
        if isinstance(error, ParakinError):
            raise error
        if span not in self.refused:  # a worker that is just closing says so too: another shall try
            self.refused.add(span)
            return Report(span, Fate.WORKER_ENDED)
        reason = f"a worker cannot compute: {type(error).__name__}: {error}"
        raise ExecutorError(f"scheduler {self.cluster.address}", reason)


def _run(task: Task, first: int, last: int) -> None:
    """Compute a span, on a worker of the cluster."""
    task.run(Span(first, last))

"""Compute spans in processes of this machine.

They are started afresh (spawn): a forked copy of a process with threads and LLVM may hang. Compiled kernels are in the
cache, so that a start costs the imports. When this process ends, however it ends, the operating system ends them too,
even in C code that holds Python's lock (GIL). A span that takes longer than its rows may is ended with its process.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from multiprocessing import connection
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import cast

from parakin.errors import ExecutorError, ParakinError
from parakin.executors.computing import Work
from parakin.executors.crew import Fate, Report
from parakin.executors.job import Job
from parakin.executors.spans import Span
from parakin.executors.tasks import Task, new_task, pickled_work

PATIENCE = 1.0
"""Time that `reports` waits for a span to be done [s]."""
LEAVING = 5.0
"""Time that idle processes are given to end by themselves [s]."""
MOST_WORKERS = 1024
"""Processes of one machine at most."""
FALSE_STARTS = 3
"""Processes that may end before they were ready, one after the other, before that is an error."""


@dataclass(frozen=True)
class LocalProcesses:
    """Many runs in so many processes of this machine, with one thread each.

    A script that uses it must do its work below `if __name__ == "__main__":`, because new processes read it again.

    >>> executors.LocalProcesses(4).on_this_machine
    True
    """

    workers: int
    """How many processes there are."""
    row_time: float = math.inf
    """Time that a row may take [s], and a chunk as many times as it has rows. Rows that take longer get the status
    TIMED_OUT."""

    def __post_init__(self) -> None:
        if self.workers < 1:
            raise ExecutorError("workers", f"must be at least 1, got {self.workers}")
        if self.workers > MOST_WORKERS:
            raise ExecutorError("workers", f"at most {MOST_WORKERS} processes of one machine, got {self.workers}")
        if not self.row_time > 0:
            raise ExecutorError("row_time", f"must be > 0 s, got {self.row_time}")

    @property
    def on_this_machine(self) -> bool:
        """Whether its workers see every folder that this process sees: they do."""
        return True

    @contextmanager
    def crew(self, folder: Path, job: Job, work: Work) -> Generator[_Processes]:
        """Open a crew of new processes.

        >>> with executors.LocalProcesses(2).crew(Path("."), new_job(dict, 4, 2, 0), dict) as crew:
        ...     crew.workers
        2
        """
        with self.lasting() as executor, executor.crew(folder, job, work) as crew:
            yield crew

    @contextmanager
    def lasting(self) -> Generator[_Lasting]:
        """Open it for several jobs: processes stay from job to job, and end with the block.

        >>> with executors.LocalProcesses(2).lasting() as executor:
        ...     executor.on_this_machine
        True
        """
        processes = _Processes(self.workers, self.row_time)
        try:
            yield _Lasting(processes)
            processes.dismiss()
        finally:
            processes.end()


@dataclass(frozen=True, eq=False)
class _Lasting:
    """Processes that take one job after the other, as an executor."""

    processes: _Processes
    on_this_machine: bool = True

    @contextmanager
    def crew(self, folder: Path, job: Job, work: Work) -> Generator[_Processes]:
        self.processes.task = new_task(folder, job, pickled_work(work))
        yield self.processes

    def lasting(self) -> nullcontext[_Lasting]:
        return nullcontext(self)


@dataclass(eq=False)
class _Worker:
    """A process with our end of its pipe."""

    process: BaseProcess
    pipe: Connection
    ready: bool = False
    span: Span | None = None
    until: float = math.inf
    """When its span must be done, by the clock of `time.monotonic` [s]."""


@dataclass(eq=False)
class _Processes:
    """Processes of one job after the other; those that end are replaced while there are spans for them."""

    workers: int
    row_time: float
    """Time that a row may take [s]."""
    task: Task | None = None
    """The job that is computed."""
    crew: list[_Worker] = field(default_factory=list[_Worker])
    waiting: list[Span] = field(default_factory=list[Span])
    false_starts: int = 0

    @property
    def room(self) -> int:
        return self.workers

    def start(self, span: Span) -> None:
        """Give a span to an idle process, or keep it until one is ready."""
        self.waiting.append(span)
        if len(self.crew) < self.workers:
            self.crew.append(self._new())
        self._hand_out()

    def reports(self) -> list[Report]:
        """Wait a while for answers and for processes that end."""
        while len(self.crew) < min(self.workers, len(self.waiting)):
            self.crew.append(self._new())
        next_end = min((worker.until for worker in self.crew), default=math.inf)
        patience = min(PATIENCE, max(next_end - time.monotonic(), 0.0))
        ready = connection.wait([worker.pipe for worker in self.crew], patience)
        found = [self._heard(worker) for worker in [*self.crew] if worker.pipe in ready]
        late = [worker for worker in self.crew if worker.pipe not in ready and worker.until <= time.monotonic()]
        found += [self._timed_out(worker) for worker in late]
        self._hand_out()
        return [report for report in found if report is not None]

    def dismiss(self) -> None:
        """Let the processes end by themselves."""
        for worker in self.crew:
            worker.pipe.close()
        for worker in self.crew:
            worker.process.join(LEAVING)

    def end(self) -> None:
        """End all processes that are left."""
        for worker in self.crew:
            worker.process.kill()
        for worker in self.crew:
            worker.process.join()
            worker.pipe.close()
            worker.process.close()
        self.crew.clear()

    def _new(self) -> _Worker:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs,), daemon=True, name="parakin-worker")
        process.start()
        theirs.close()  # theirs alone: when the process ends, our end says so
        return _Worker(process, ours)

    def _hand_out(self) -> None:
        for worker in self.crew:
            if self.waiting and worker.ready and worker.span is None:
                worker.span = self.waiting.pop(0)
                worker.until = time.monotonic() + self.row_time * worker.span.size
                with suppress(OSError):  # it has ended: `reports` will hear so
                    worker.pipe.send((self.task, worker.span))

    def _heard(self, worker: _Worker) -> Report | None:
        """Return what a process says of its span, or that it ended; raise an error that is not of a row."""
        try:
            answer: object = worker.pipe.recv()
        except (EOFError, OSError, pickle.UnpicklingError):
            return self._ended(worker)
        if isinstance(answer, BaseException):
            raise answer
        self.false_starts = 0
        span, worker.span, worker.ready, worker.until = worker.span, None, True, math.inf
        return None if span is None else Report(span, Fate.WRITTEN)

    def _timed_out(self, worker: _Worker) -> Report | None:
        worker.process.kill()
        report = self._ended(worker)
        return None if report is None else Report(report.span, Fate.TIMED_OUT)

    def _ended(self, worker: _Worker) -> Report | None:
        self.crew.remove(worker)
        worker.process.join(LEAVING)
        worker.process.kill()  # one that closed its pipe and lives would be waited for without end
        worker.process.join()
        code = worker.process.exitcode
        worker.pipe.close()
        worker.process.close()
        if worker.ready:
            return None if worker.span is None else Report(worker.span, Fate.WORKER_ENDED)
        self.false_starts += 1
        if self.false_starts >= FALSE_STARTS:
            hint = 'a script must do its work below `if __name__ == "__main__":`'
            raise ExecutorError("workers", f"new processes end before they are ready (exit code {code}): {hint}")
        return None


def _serve(pipe: Connection) -> None:
    """Be a worker: say that it is ready, then compute the spans that come until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the driver, who then ends its workers
    _signalled_when_the_driver_ends()
    threading.Thread(target=_end_with_the_driver, daemon=True).start()  # if it ended before, or there are no signals
    with suppress(EOFError, OSError):  # the driver has ended
        pipe.send(None)
        while True:
            task, span = cast("tuple[Task, Span]", pipe.recv())
            try:
                answer: ParakinError | None = task.run(span)
            except ParakinError as error:
                answer = error
            pipe.send(answer)


def _end_with_the_driver() -> None:
    """End this process as soon as the one that started it has ended, where this thread can run."""
    driver = multiprocessing.parent_process()
    if driver is not None:
        connection.wait([driver.sentinel])
        os._exit(1)


def _signalled_when_the_driver_ends() -> None:
    """Have the operating system end this process with the one that started it, whatever code runs here then.

    The pipe from the driver closes with it, and a pipe with O_ASYNC then sends SIGIO. PR_SET_PDEATHSIG would send its
    signal when the thread that started this process ends, which may be long before the driver.
    """
    driver = multiprocessing.parent_process()
    if driver is None or sys.platform == "win32":
        return
    import fcntl

    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(driver.sentinel, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(driver.sentinel, fcntl.F_SETFL, fcntl.fcntl(driver.sentinel, fcntl.F_GETFL) | os.O_ASYNC)

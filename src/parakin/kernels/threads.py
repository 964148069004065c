"""Split work on a range of states over threads that stay for the next call.

The caller's thread works too, and blocks are handed out one at a time, so a busy core costs its share and Ctrl-C is
heard between blocks. Which thread takes which block changes nothing in the results.
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import os
import threading
from collections.abc import Callable, Generator, Sequence

Work = Callable[[int, int], int]
"""work(first, after_last) -> a flag"""

LANES = 16
"""A block is a multiple of it, or what is left at the end, so that no registers run half empty before."""

MOST_HELPERS = 64
"""Threads that are made at most; a call that finds them all at work does without."""

COMPILING = threading.RLock()
"""Lock that is held while LLVM works.

It is also held across a fork, so that no child starts with LLVM in the middle of something.
"""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=COMPILING.acquire, after_in_parent=COMPILING.release, after_in_child=COMPILING.release)


def _current_core() -> Callable[[], int] | None:
    """Return the function that tells on which core the caller runs, where the system has one."""
    return getattr(ctypes.CDLL(None), "sched_getcpu", None) if hasattr(os, "sched_setaffinity") else None


class KeptOff:
    """Keeps helper threads off the caller's core: woken there they wait for milliseconds, with other cores idle."""

    def __init__(self) -> None:
        self._core = _current_core()
        self._last = (-1, 0)

    def make_way(self, helpers: Sequence[threading.Thread]) -> None:
        """Let helpers run on any core but the one on which the caller is now."""
        if self._core is None or not helpers:
            return
        here = (self._core(), len(helpers))
        if here == self._last:
            return
        others = os.sched_getaffinity(0) - {here[0]}
        for helper in helpers if others else ():
            with contextlib.suppress(OSError):  # a thread that has ended
                os.sched_setaffinity(helper.native_id or 0, others)
        self._last = here


class _Helper:
    """A thread that waits for work on a bare lock: woken by one call, without a queue or a future between."""

    def __init__(self) -> None:
        self._go = threading.Lock()
        self._go.acquire()
        self._task: Callable[[], None] = _nothing
        self.thread = threading.Thread(target=self._live, name="parakin", daemon=True)
        self.thread.start()

    def start(self, task: Callable[[], None]) -> None:
        """Let the thread run a task, which must not raise, and then wait in the pool again."""
        self._task = task
        self._go.release()

    def _live(self) -> None:
        while True:
            self._go.acquire()
            task, self._task = self._task, _nothing
            task()
            del task  # what it holds goes now, not when the next one comes
            _pool.idle.append(self)


def _nothing() -> None:
    pass


class _Pool:
    """Helper threads, made when first needed; forgotten in a forked child, whose copy has none."""

    def __init__(self) -> None:
        self.forget()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self.forget)

    def forget(self) -> None:
        self.idle: list[_Helper] = []
        self._all: list[_Helper] = []
        self._kept_off = KeptOff()

    def take(self) -> _Helper | None:
        """Return a thread that waits for work, a new one if need be; None where there are too many already."""
        try:
            return self.idle.pop()
        except IndexError:
            if len(self._all) >= MOST_HELPERS:
                return None
            self._all.append(_Helper())
            return self._all[-1]

    def make_way(self) -> None:
        """Keep the helpers off the caller's core."""
        self._kept_off.make_way([helper.thread for helper in self._all])


_pool = _Pool()


_limited: list[None] = []
"""An entry for each block of code that lets kernels work on one thread."""


@contextlib.contextmanager
def one_kernel_thread() -> Generator[None]:
    """Let kernels of this process work on one thread inside the block, where nobody says otherwise.

    For processes that stand beside each other, each with its own share of the work.
    """
    _limited.append(None)
    try:
        yield
    finally:
        _limited.pop()


def cores() -> int:
    """Return how many cores this process may use."""
    if _limited:
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def spread(new_work: Callable[[], Work], count: int, block: int, threads: int) -> int:
    """Work on states 0 to count in blocks of `block` or less, and return 1 if any block has a flag, else 0.

    Each thread gets a work function of its own. After an interruption helpers finish the block they are at, so a work
    function must own what it writes to.
    """
    if threads == 1 or count <= block:
        return _alone(new_work(), count, block)
    job = _Job(new_work, _edges(count, block, threads))
    try:
        with contextlib.suppress(RuntimeError):  # an interpreter that is shutting down takes no more threads
            _pool.make_way()
            for _ in range(min(threads, job.blocks) - 1):
                helper = _pool.take()
                if helper is not None:
                    helper.start(job.help)
        job.work()
        job.all_done.acquire()
    except BaseException:
        job.stopped = True
        raise
    if job.error is not None:
        raise job.error
    return int(any(job.flags))


class _Job:
    """Blocks of states that threads take one by one. Who ends the last block tells the caller.

    A helper that wakes when all blocks are taken finds nothing to do, and nobody has waited for it.
    """

    def __init__(self, new_work: Callable[[], Work], edges: list[int]) -> None:
        self._new_work = new_work
        self._edges = edges
        self._begun = itertools.count()
        self._ended = itertools.count(1)
        self.blocks = len(edges) - 1
        self.flags: list[int] = []
        self.stopped = False
        self.error: BaseException | None = None
        self.all_done = threading.Lock()
        self.all_done.acquire()

    def work(self) -> None:
        """Take blocks and work on them until none is left."""
        k = next(self._begun)
        if k >= self.blocks:
            return
        work = self._new_work()
        while k < self.blocks and not self.stopped:
            self.flags.append(work(self._edges[k], self._edges[k + 1]))
            if next(self._ended) == self.blocks:
                self.all_done.release()
            k = next(self._begun)

    def help(self) -> None:
        """Work in a helper thread, whose errors are raised by the caller."""
        try:
            self.work()
        except BaseException as error:
            self.error = error
            self.stopped = True
            with contextlib.suppress(RuntimeError):  # another helper failed before and has told the caller
                self.all_done.release()


def _alone(work: Work, count: int, block: int) -> int:
    flags = [work(first, min(first + block, count)) for first in range(0, count, block)]
    return int(any(flags))


def _edges(count: int, block: int, threads: int) -> list[int]:
    """Return where blocks begin and end. The last are an eighth of the others, so that all threads end together."""
    small = max(block // 8 // LANES * LANES, min(block, LANES))
    whole = max(0, count // block - threads) * block
    return [*range(0, whole, block), *range(whole, count, small), count]

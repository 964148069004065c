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
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import get_native_id

Work = Callable[[int, int], int]
"""work(first, after_last) -> a flag"""

LANES = 16
"""A block is a multiple of it, or what is left at the end, so that no registers run half empty before."""

COMPILING = threading.RLock()
"""Lock that is held while LLVM works.

It is also held across a fork, so that no child starts with LLVM in the middle of something.
"""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=COMPILING.acquire, after_in_parent=COMPILING.release, after_in_child=COMPILING.release)


def _current_core() -> Callable[[], int] | None:
    """Return the function that tells on which core the caller runs, where the system has one."""
    return getattr(ctypes.CDLL(None), "sched_getcpu", None) if hasattr(os, "sched_setaffinity") else None


class _Pool:
    """Helper threads, made when first needed; forgotten in a forked child, whose copy has none."""

    def __init__(self) -> None:
        self.forget()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self.forget)

    def forget(self) -> None:
        self._lock = threading.Lock()
        self._executor: ThreadPoolExecutor | None = None
        self._threads: list[int] = []
        self._core = _current_core()
        self._kept_off = (-1, 0)

    def get(self) -> ThreadPoolExecutor:
        with self._lock:
            if self._executor is None:
                self._executor = ThreadPoolExecutor(64, "parakin", lambda: self._threads.append(get_native_id()))
            return self._executor

    def make_way(self) -> None:
        """Keep the helpers off the caller's core: woken there they wait for milliseconds, with other cores idle."""
        if self._core is None or not self._threads:
            return
        here = (self._core(), len(self._threads))
        if here == self._kept_off:
            return
        others = os.sched_getaffinity(0) - {here[0]}
        for thread in self._threads if others else ():
            with contextlib.suppress(OSError):  # a thread that has ended
                os.sched_setaffinity(thread, others)
        self._kept_off = here


_pool = _Pool()


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def spread(new_work: Callable[[], Work], count: int, block: int, threads: int) -> int:
    """Work on states 0 to count in blocks of `block` or less, and return the flags of all blocks, or'ed.

    Each thread gets a work function of its own. After an interruption helpers finish the block they are at, so a work
    function must own what it writes to.
    """
    if threads == 1 or count <= block:
        return _alone(new_work(), count, block)
    edges = _edges(count, block, threads)
    blocks = len(edges) - 1
    queue = itertools.count()
    stopped: list[bool] = []

    def worker() -> int:
        work, flag = new_work(), 0
        while not stopped and (k := next(queue)) < blocks:
            flag |= work(edges[k], edges[k + 1])
        return flag

    helpers: list[Future[int]] = []
    try:
        with contextlib.suppress(RuntimeError):  # an interpreter that is shutting down takes no more threads
            _pool.make_way()
            for _ in range(min(threads, blocks) - 1):
                helpers.append(_pool.get().submit(worker))
        flag = worker()
        for helper in helpers:
            flag |= helper.result()
    except BaseException:
        stopped.append(True)
        raise
    return flag


def _alone(work: Work, count: int, block: int) -> int:
    flag = 0
    for first in range(0, count, block):
        flag |= work(first, min(first + block, count))
    return flag


def _edges(count: int, block: int, threads: int) -> list[int]:
    """Return where blocks begin and end. The last are an eighth of the others, so that all threads end together."""
    small = max(block // 8 // LANES * LANES, min(block, LANES))
    whole = max(0, count // block - threads) * block
    return [*range(0, whole, block), *range(whole, count, small), count]

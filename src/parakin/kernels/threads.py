"""Work on a range of states, split over threads that stay for the next call.

The caller's thread works too, and blocks are handed out one at a time, so a busy core costs its share and Ctrl-C is
heard between blocks. Which thread takes which block changes nothing in the results.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

Work = Callable[[int, int], int]
"""work(first, after_last) -> a flag"""

COMPILING = threading.RLock()
"""Held while LLVM works, and across a fork, so that no child starts with LLVM in the middle of something."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=COMPILING.acquire, after_in_parent=COMPILING.release, after_in_child=COMPILING.release)


class _Pool:
    """Made when first needed; forgotten in a forked child, whose copy has no threads."""

    def __init__(self) -> None:
        self.forget()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self.forget)

    def forget(self) -> None:
        self._lock = threading.Lock()
        self._executor: ThreadPoolExecutor | None = None

    def get(self) -> ThreadPoolExecutor:
        with self._lock:
            if self._executor is None:
                self._executor = ThreadPoolExecutor(max_workers=64, thread_name_prefix="parakin")
            return self._executor


_pool = _Pool()


def cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def spread(new_work: Callable[[], Work], count: int, block: int, threads: int) -> int:
    """Do states 0 to count in blocks; each thread gets a work function of its own. Returns the flags or'ed.

    After an interruption helpers finish the block they are at, so a work function must own what it writes to.
    """
    blocks = -(-count // block)
    queue = itertools.count()
    stop = threading.Event()

    def worker() -> int:
        work, flag = new_work(), 0
        while not stop.is_set() and (k := next(queue)) < blocks:
            flag |= work(k * block, min((k + 1) * block, count))
        return flag

    helpers: list[Future[int]] = []
    try:
        with contextlib.suppress(RuntimeError):  # an interpreter that is shutting down takes no more threads
            for _ in range(min(threads, blocks) - 1):
                helpers.append(_pool.get().submit(worker))
        flag = worker()
        for helper in helpers:
            flag |= helper.result()
    except BaseException:
        stop.set()
        raise
    return flag

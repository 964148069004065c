"""Cut a batch into blocks and run them, on as many threads as that is worth.

Blocks are handed out one at a time, so that a busy core costs its share. Which thread takes which block changes nothing
in the results.
"""

from __future__ import annotations

import functools
import math
from time import perf_counter
from typing import NamedTuple

from parakin.kernels import native_pool
from parakin.kernels.bound import room
from parakin.kernels.native_pool import Cut, Task
from parakin.kernels.threads import Work, spread

BLOCK_WORK = 4_000_000
"""Most operations on doubles in a block: less than a tenth of a millisecond, so that Ctrl-C is heard."""
HANDED_WORK = 100_000
"""Fewest operations in a block where threads share a batch: a few microseconds."""
SHARED_WORK = 1_800_000
"""Operations from which on a batch is worth a second thread that sleeps: some 70 microseconds.

To wake it takes the caller some 15, and after a rest the code that shares a batch is out of the caches.
"""
ROW_WORK = 800_000
"""Operations from which on a batch is worth a second thread where batches follow each other: some 35 microseconds.

Two threads are then a fifth quicker than one, each at its best; at half as many operations they are as quick.
"""
ROW_SECONDS = 250e-6
"""Time from the beginning of one batch to that of the next within which they follow each other [s]."""
BLOCKS_EACH = 16
"""Blocks for each thread, where neither of these bounds is met: all threads end together."""


class Extent(NamedTuple):
    """How much there is to do."""

    size: int
    """States of the batch."""
    width: int
    """States that are evaluated together."""
    work: int
    """Operations on doubles for each state."""

    def states(self, operations: int) -> int:
        """Return how many states take so many operations: whole groups, at least one."""
        return max(1, operations // (self.work * self.width)) * self.width


class _Pace:
    """When the last batch began that may have been worth a second thread."""

    def __init__(self) -> None:
        self._last = -math.inf

    def follows(self) -> bool:
        """Note that such a batch begins, and return whether it follows the one before."""
        now = perf_counter()
        since, self._last = now - self._last, now
        return since < ROW_SECONDS


_pace = _Pace()


def worthwhile(extent: Extent, threads: int) -> int:
    """Return on how many of so many threads a batch should run, and have them wake while its arrays are described."""
    work = extent.size * extent.work
    if threads == 1 or work < ROW_WORK or extent.size <= extent.width:
        return 1
    follows, native = _pace.follows(), native_pool.available()
    if work < SHARED_WORK and not (follows and native):
        return 1
    if native:
        native_pool.rouse(threads)
    return threads


def run_batch(task: Task, extent: Extent, threads: int) -> int:
    """Run a task on all states, on as many threads as `worthwhile` said; return 1 if any had a flag, else 0."""
    size, width, _ = extent
    largest = extent.states(BLOCK_WORK)
    if threads == 1:
        return _alone(task, size, largest)
    if not native_pool.available():
        return spread(lambda: _work(task), size, largest, threads)
    block = min(max(-(-size // (threads * BLOCKS_EACH)), extent.states(HANDED_WORK)), largest)
    block = -(-block // width) * width  # no registers run half empty before the last block
    blocks = -(-size // block)
    return native_pool.share(task, Cut(size, block, blocks, max(1, largest // block)), min(threads, blocks))


def _alone(task: Task, size: int, block: int) -> int:
    place, memory = room(task.workspace_bytes)
    flags = 0
    for first in range(0, size, block):
        flags |= task.call(task.context, place, first, min(first + block, size))
    del memory  # until here it was the place
    return flags


def _work(task: Task) -> Work:
    """Return a work function of its own for a thread of Python."""
    place, workspace = room(task.workspace_bytes)
    work = functools.partial(task.call, task.context, place)
    work.__dict__["keeps"] = (task, workspace)  # it knows only their addresses
    return work

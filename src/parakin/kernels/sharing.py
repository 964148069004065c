"""Cut a batch into blocks and run them, on as many threads as that is worth.

Blocks are handed out one at a time, so that a busy core costs its share. Which thread takes which block changes nothing
in the results.
"""

from __future__ import annotations

import functools
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
"""Operations from which on a batch is worth a second thread: some 70 microseconds."""
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


def worthwhile(extent: Extent, threads: int) -> int:
    """Return on how many of so many threads a batch should run, and have them wake while its arrays are described."""
    if threads == 1 or extent.size * extent.work < SHARED_WORK or extent.size <= extent.width:
        return 1
    if native_pool.available():
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

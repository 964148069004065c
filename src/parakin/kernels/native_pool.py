"""Helper threads that take blocks of a batch in machine code, so that handing work over needs no lock of Python.

Each helper is a daemon thread of Python that has gone into machine code (`pool_text.serve`) and never comes back: it
waits there, looking for an invitation for a quarter of a millisecond and then asleep, and takes blocks of any job that
it is invited to. The caller takes blocks too, from the other end, and returns to Python after each fraction of a
millisecond to hear Ctrl-C. It waits until all blocks are done, not for helpers: one that comes too late finds its
invitation revoked.

What a job points to must live as long as a helper may touch it. The pool holds every job from before helpers are
invited until they have left, so that a caller may be interrupted anywhere; at its end the process waits for them.
"""

from __future__ import annotations

import array
import atexit
import contextlib
import ctypes
import functools
import itertools
import os
import platform
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from parakin.kernels.arguments import address
from parakin.kernels.bound import aligned, room
from parakin.kernels.pool_text import pool_text
from parakin.kernels.pool_words import FUTEX_CALLS, MAILBOX_BYTES, MAILBOX_WORKSPACE, JobWord
from parakin.kernels.threads import COMPILING, MOST_HELPERS, KeptOff

_TICKETS = 2**28
"""Jobs until tickets begin anew; a ticket is above three bits of 32."""
_ENDED, _ACTIVE, _FLAGS, _STOPPED, _BLOCKS = (
    int(JobWord[name]) for name in ("ENDED", "ACTIVE", "FLAGS", "STOPPED", "BLOCKS")
)  # plain numbers are quicker than members of an enumeration, and a call should take microseconds
_BEFORE = (0,) * JobWord.SIZE
"""The words that change, as they are before anybody has come."""


class Task(NamedTuple):
    """What is to be run on ranges of states."""

    call: Callable[[int, int, int, int], int]
    """run(context, workspace, first state, state after the last) -> a flag"""
    run: int
    """Address of its machine code."""
    context: int
    """Address of the context that it is given."""
    workspace_bytes: int
    """Memory that each thread must give it."""
    keeps: tuple[object, ...]
    """What the addresses point to, and the arrays that it reads and writes."""


class Cut(NamedTuple):
    """How a batch is cut into blocks for several threads."""

    size: int
    """Number of states."""
    block: int
    """States of each block but the last, which may have fewer."""
    blocks: int
    """Number of blocks."""
    at_once: int
    """Blocks that the caller takes before it listens for signals."""


@dataclass(frozen=True)
class _Functions:
    """The functions of `pool_text`, loaded into this process for good."""

    advance: Callable[[int], int]
    serve: Callable[[int], int]
    rouse: Callable[[int, int, int], int]
    revoke: Callable[[int], int]


@functools.cache
def available() -> bool:
    """Return whether threads can wait for each other in machine code here: on Linux, whose futex that takes."""
    return sys.platform == "linux" and platform.machine() in FUTEX_CALLS


def _loaded() -> _Functions:
    from parakin.kernels import compiler

    text = pool_text(platform.machine())
    key = compiler.code_key("pool", text)
    engine = compiler.engine_of(compiler.cached_object(key, lambda: compiler.object_code(text, driver=None)))
    word, pointer = ctypes.c_int64, ctypes.c_void_p
    place = engine.get_function_address
    functions = _Functions(
        advance=ctypes.CFUNCTYPE(word, pointer)(place("advance")),
        serve=ctypes.CFUNCTYPE(word, pointer)(place("serve")),
        rouse=ctypes.PYFUNCTYPE(word, pointer, word, word)(place("rouse")),
        revoke=ctypes.PYFUNCTYPE(word, pointer)(place("revoke")),
    )
    engine.detach()  # helpers are in this code until the process ends: it must never be unloaded
    return functions


class _Job(NamedTuple):
    """A job with what its addresses point to."""

    words: array.array[int]
    """Its words, as `JobWord` says: an array whose address is found in no time."""
    keeps: tuple[object, ...]
    """What helpers read and write besides the words."""

    @property
    def is_over(self) -> bool:
        """Whether nobody will touch the job any more."""
        return bool(self.words[_STOPPED] or self.is_done) and not self.words[_ACTIVE]

    @property
    def is_done(self) -> bool:
        """Whether all blocks are done."""
        return self.words[_ENDED] == self.words[_BLOCKS]


class _Pool:
    """Mailboxes and the threads at them, made when first needed; forgotten in a forked child, whose copy has none."""

    def __init__(self) -> None:
        self.functions: _Functions | None = None
        self.forget()
        os.register_at_fork(after_in_child=self.forget)
        atexit.register(self.wait_for_helpers)

    def forget(self) -> None:
        """Start without helpers."""
        self.mailboxes = aligned(MOST_HELPERS * MAILBOX_BYTES)
        self.mailboxes.fill(0.0)
        _keep_for_ever(self.mailboxes)
        self.place = address(self.mailboxes)
        self.helpers: list[threading.Thread] = []
        self.kept_off = KeptOff()
        self.growing = threading.RLock()
        self.workspace_bytes = 0
        self.tickets = itertools.count()
        self.jobs: dict[int, _Job] = {}

    def ready(self, threads: int, workspace_bytes: int = 0) -> _Functions:
        """Return the functions, with as many helpers as a call on so many threads can use, and with room to work."""
        if self.functions is None:
            with COMPILING:
                if self.functions is None:
                    self.functions = _loaded()
        wanted = min(threads - 1, MOST_HELPERS)
        if len(self.helpers) < wanted or self.workspace_bytes < workspace_bytes:
            with self.growing, contextlib.suppress(RuntimeError):  # at its end an interpreter takes no more threads
                if self.workspace_bytes < workspace_bytes:
                    self._make_room(workspace_bytes)
                while len(self.helpers) < wanted:
                    self._start(self.functions)
        return self.functions

    def _make_room(self, size: int) -> None:
        """Let helpers have so many bytes to work in, or twice as many as before.

        Memory that was given before stays, for a helper may be at work there: all of it is less than what is given now.
        """
        self.workspace_bytes = max(size, 2 * self.workspace_bytes)
        for number in range(len(self.helpers)):
            self._give_room(number)

    def _give_room(self, number: int) -> None:
        """Give one helper memory to work in, the same in every job: it stays in the caches of its core."""
        place, memory = room(self.workspace_bytes)
        _keep_for_ever(memory)
        self.mailboxes.view(np.int64)[(number * MAILBOX_BYTES + MAILBOX_WORKSPACE) // 8] = place

    def _start(self, functions: _Functions) -> None:
        number = len(self.helpers)
        self._give_room(number)
        mailbox = self.place + number * MAILBOX_BYTES
        thread = threading.Thread(target=functions.serve, args=(mailbox,), name="parakin", daemon=True)
        thread.start()
        self.helpers.append(thread)

    def let_go(self) -> None:
        """Let go of jobs whose callers were interrupted, where no helper can touch them any more."""
        for ticket, job in list(self.jobs.items()):
            if job.is_over:
                self.jobs.pop(ticket, None)

    def wait_for_helpers(self) -> None:
        """Wait until no helper is at work: arrays are freed when the process ends."""
        for job in self.jobs.values():
            job.words[_STOPPED] = 1
        while any(job.words[_ACTIVE] for job in self.jobs.values()):
            time.sleep(1e-3)


def _keep_for_ever(thing: object) -> None:
    """Let an object outlive the interpreter: helpers look at their mailboxes until the process ends."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))


_pool = _Pool() if available() else None


def rouse(threads: int) -> None:
    """Wake the helpers of a call on so many threads, which takes them as long as it takes to describe its arrays."""
    assert _pool is not None
    functions = _pool.ready(threads)
    _pool.kept_off.make_way(_pool.helpers)
    functions.rouse(_pool.place, len(_pool.helpers), threads - 1)


def share(task: Task, cut: Cut, threads: int) -> int:
    """Run a task on all blocks, on up to so many threads, and return 1 if any block has a flag, else 0.

    Call `rouse` before, as early as you can.
    """
    assert _pool is not None
    pool, functions = _pool, _pool.ready(threads, task.workspace_bytes)
    if pool.jobs:
        pool.let_go()
    ticket = next(pool.tickets) % _TICKETS
    own, workspace = room(task.workspace_bytes)
    helpers = len(pool.helpers)
    # In the order of `JobWord`.
    words = array.array("q", (*_BEFORE, *cut, task.run, task.context, own, pool.place, helpers, threads - 1, ticket))
    place, _ = words.buffer_info()
    pool.jobs[ticket] = job = _Job(words, (task, workspace))
    try:
        while functions.advance(place):
            pass
    except BaseException:
        words[_STOPPED] = 1
        functions.revoke(place)
        raise
    finally:
        if not words[_ACTIVE]:
            pool.jobs.pop(ticket, None)
        elif job.is_done:
            pool.jobs[ticket] = _Job(words, ())  # a helper that comes now finds no block: it touches words alone
    return int(words[_FLAGS] != 0)

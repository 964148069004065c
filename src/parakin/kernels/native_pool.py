"""Helper threads that take blocks of a batch in machine code, so that handing work over needs no lock of Python.

Each helper is a daemon thread of Python that has gone into machine code (`pool_text.serve`) and never comes back: it
waits there, looking for an invitation for a quarter of a millisecond and then asleep, and takes blocks of any job that
it is invited to. The caller takes blocks too, and returns to Python after each fraction of a millisecond to hear
Ctrl-C. It waits until all blocks are done, not for helpers: one that comes too late finds its invitation revoked.

What a job points to must live as long as a helper may touch it. The pool holds every job from before helpers are
invited until they have left, so that a caller may be interrupted anywhere; at its end the process waits for them.
"""

from __future__ import annotations

import array
import atexit
import contextlib
import ctypes
import itertools
import os
import platform
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from parakin.kernels.arguments import address
from parakin.kernels.bound import aligned
from parakin.kernels.context import LINE_BYTES
from parakin.kernels.pool_text import FUTEX_CALLS, MAILBOX_BYTES, JobWord, pool_text
from parakin.kernels.threads import COMPILING, MOST_HELPERS, KeptOff

_TICKETS = 2**28
"""Jobs until tickets begin anew; a ticket is above three bits of 32."""
_ENDED, _ACTIVE, _FLAGS, _STOPPED, _BLOCKS, _EDGES = (
    int(JobWord[name]) for name in ("ENDED", "ACTIVE", "FLAGS", "STOPPED", "BLOCKS", "EDGES")
)  # plain numbers are quicker than members of an enumeration, and a call should take microseconds
_BEFORE = [0] * _BLOCKS
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


@dataclass(frozen=True)
class _Functions:
    """The functions of `pool_text`, loaded into this process for good."""

    work: Callable[[int, int, int], int]
    wait: Callable[[int], int]
    serve: Callable[[int], int]
    rouse: Callable[[int, int, int], int]
    invite: Callable[[int, int, int, int, int], int]
    revoke: Callable[[int, int, int, int], int]


def available() -> bool:
    """Return whether threads can wait for each other in machine code here: on Linux, whose futex that takes."""
    return sys.platform == "linux" and platform.machine() in FUTEX_CALLS


def _loaded() -> _Functions:
    from parakin.kernels import compiler

    text = pool_text(platform.machine())
    key = compiler.code_key("pool", text)
    engine = compiler.engine_of(compiler.cached_object(key, lambda: compiler.object_code(text, driver=None)))
    word, pointer, short = ctypes.c_int64, ctypes.c_void_p, ctypes.c_int32
    place = engine.get_function_address
    functions = _Functions(
        work=ctypes.CFUNCTYPE(word, pointer, word, pointer)(place("work")),
        wait=ctypes.CFUNCTYPE(word, pointer)(place("wait")),
        serve=ctypes.CFUNCTYPE(word, pointer)(place("serve")),
        rouse=ctypes.PYFUNCTYPE(word, pointer, word, word)(place("rouse")),
        invite=ctypes.PYFUNCTYPE(word, pointer, word, word, pointer, short)(place("invite")),
        revoke=ctypes.PYFUNCTYPE(word, pointer, word, pointer, short)(place("revoke")),
    )
    engine.detach()  # helpers are in this code until the process ends: it must never be unloaded
    return functions


class _Job(NamedTuple):
    """A job with what its addresses point to."""

    words: array.array[int]
    """Its words, as `JobWord` says, and then its edges: an array whose address is found in no time."""
    place: int
    """Their address."""
    workspace: int
    """Address of the caller's workspace."""
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
        self.tickets = itertools.count()
        self.jobs: dict[int, _Job] = {}

    def ready(self, threads: int) -> _Functions:
        """Return the functions, with as many helpers as a call on so many threads can use."""
        if self.functions is None:
            with COMPILING:
                if self.functions is None:
                    self.functions = _loaded()
        wanted = min(threads - 1, MOST_HELPERS)
        if len(self.helpers) < wanted:
            # An interpreter that is shutting down takes no more threads.
            with self.growing, contextlib.suppress(RuntimeError):
                while len(self.helpers) < wanted:
                    self._start(self.functions, self.place + len(self.helpers) * MAILBOX_BYTES)
        return self.functions

    def _start(self, functions: _Functions, mailbox: int) -> None:
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


def share(task: Task, edges: Sequence[int], threads: int, at_once: int) -> int:
    """Run a task on the blocks between edges, on up to so many threads, and return 1 if any block has a flag, else 0.

    at_once: blocks that the caller takes before it listens for signals. Call `rouse` before, as early as you can.
    """
    assert _pool is not None
    pool, functions = _pool, _pool.ready(threads)
    if pool.jobs:
        pool.let_go()
    job = _new_job(task, edges, threads)
    ticket = next(pool.tickets) % _TICKETS
    pool.jobs[ticket] = job
    try:
        functions.invite(pool.place, len(pool.helpers), threads - 1, job.place, ticket)
        while functions.work(job.place, at_once, job.workspace):
            pass
        while not functions.wait(job.place):
            pass
    finally:
        job.words[_STOPPED] = 1
        if not functions.revoke(pool.place, len(pool.helpers), job.place, ticket):
            pool.jobs.pop(ticket, None)
        elif job.is_done:
            pool.jobs[ticket] = job._replace(keeps=())  # a helper that comes now finds no block: it touches words alone
    return int(job.words[_FLAGS] != 0)


def _new_job(task: Task, edges: Sequence[int], threads: int) -> _Job:
    stride = -(-task.workspace_bytes // LINE_BYTES) * LINE_BYTES
    workspaces = aligned(stride * threads)
    own = address(workspaces)
    words = array.array("q", (*_BEFORE, len(edges) - 1, 0, task.run, task.context, own + stride, stride, *edges))
    place, _ = words.buffer_info()
    words[_EDGES] = place + 8 * len(JobWord)
    return _Job(words, place, own, (task, workspaces))

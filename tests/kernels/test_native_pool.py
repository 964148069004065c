"""Threads that share a batch in machine code: bits, many callers at once, interruptions, forks, ends of processes."""

from __future__ import annotations

import ctypes
import itertools
import signal
import subprocess
import sys
import threading
import time
from types import FrameType

import casadi as ca
import numpy as np
import pytest

import parakin as pk
from parakin.kernels import native_pool, sharing
from parakin.kernels.sharing import Extent

pytestmark = pytest.mark.skipif(not native_pool.available(), reason="no futex here: Python's threads share batches")

x = ca.SX.sym("x", 8)
KERNEL = pk.Kernel(ca.Function("waves", [x], [ca.sin(x) + x[::-1] * ca.cos(x)], ["x"], ["y"]))
STATES = np.random.default_rng(0).normal(size=(40_000, 8))
z = ca.SX.sym("z")
STEP = ca.Function("step", [z], [ca.cos(z)], ["z"], ["z_next"])
SCAN = pk.Kernel(pk.Program(pk.scan(pk.stage(STEP, z_next="z")), outputs=["z"]))
"""A kernel whose call takes as long as one likes."""


@pytest.fixture(autouse=True)
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let batches of a few hundred states be worth several threads."""
    monkeypatch.setattr(sharing, "SHARED_WORK", 20_000)
    monkeypatch.setattr(sharing, "ROW_WORK", 20_000)
    monkeypatch.setattr(sharing, "HANDED_WORK", 5_000)


def idle() -> bool:
    """Wait until no job is held, as interrupted ones are until their helpers have left."""
    assert native_pool._pool is not None
    for _ in range(1000):
        native_pool._pool.let_go()
        if not native_pool._pool.jobs:
            return True
        time.sleep(0.01)
    return False


@pytest.mark.parametrize("threads", [2, 3, 7])
def test_bits_do_not_depend_on_threads(threads: int) -> None:
    want = KERNEL(STATES, threads=1)["y"]
    for count in (len(STATES), 12_345, 4_097):
        got = KERNEL(STATES[:count], threads=threads)["y"]
        assert got.tobytes() == want[:count].tobytes()
    assert idle()


def test_a_bad_row_is_flagged_wherever_it_is() -> None:
    want = KERNEL(STATES, threads=1)["y"]
    for row in (0, 20_011, len(STATES) - 1):
        bad = STATES.copy()
        bad[row, 3] = np.nan
        through = KERNEL._batches.walk([bad], None)
        got, unusable = KERNEL._batches.run([bad], through, KERNEL._code.width, 3)
        assert unusable == 1
        assert np.isnan(got["y"][row]).all()
        assert np.array_equal(np.delete(got["y"], row, axis=0), np.delete(want, row, axis=0))


def test_without_futex_threads_of_python_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    want = KERNEL(STATES, threads=2)["y"]
    monkeypatch.setattr(native_pool, "available", lambda: False)
    monkeypatch.setattr(native_pool, "share", None)
    assert KERNEL(STATES, threads=2)["y"].tobytes() == want.tobytes()


def test_small_batches_stay_on_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    shared: list[int] = []
    share = native_pool.share
    monkeypatch.setattr(native_pool, "share", lambda *job: shared.append(job[2]) or share(*job))
    few = sharing.SHARED_WORK // KERNEL._code.interface.work - 1
    KERNEL(STATES[:few], threads=2)
    assert not shared
    KERNEL(STATES[: few + 2], threads=2)
    assert shared == [2]
    assert Extent(100, 4, 10**9).states(sharing.BLOCK_WORK) == 4  # never less than a group


def test_smaller_batches_are_shared_where_they_follow_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing, "SHARED_WORK", 10**9)
    now = itertools.chain([0.0, 1.0], itertools.count(1.0 + 0.9 * sharing.ROW_SECONDS, 1.1 * sharing.ROW_SECONDS))
    monkeypatch.setattr(sharing, "perf_counter", now.__next__)
    monkeypatch.setattr(sharing, "_pace", sharing._Pace())
    extent = Extent(1000, 8, sharing.ROW_WORK // 1000 + 1)
    assert [sharing.worthwhile(extent, 2) for _ in range(4)] == [1, 1, 2, 1]
    assert sharing.worthwhile(extent._replace(work=1), 2) == 1


@pytest.mark.parametrize("threads", [2, 4])
def test_callers_take_from_the_front_and_helpers_from_the_back(threads: int) -> None:
    """A block is taken once, and the blocks of the caller are the first ones; it waits until a helper has come."""
    taken: list[tuple[int, int, int]] = []
    main, come = threading.get_ident(), threading.Event()

    @ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
    def run(_: int, __: int, first: int, last: int) -> int:
        taken.append((threading.get_ident(), first, last))
        if threading.get_ident() != main:
            come.set()
        return 0 if come.wait(60.0) else 1

    place = ctypes.cast(run, ctypes.c_void_p).value or 0
    cut = native_pool.Cut(size=395, block=10, blocks=40, at_once=3)
    assert native_pool.share(native_pool.Task(run, place, 0, 64, (run,)), cut, threads) == 0
    ranges = sorted((first, last) for _, first, last in taken)
    assert ranges == [(first, min(first + 10, 395)) for first in range(0, 395, 10)]
    own = [first for who, first, _ in taken if who == main]
    assert own == list(range(0, 10 * len(own), 10))
    assert len(own) < cut.blocks
    assert idle()


def test_helpers_get_more_room_where_a_kernel_needs_it() -> None:
    pool = native_pool._pool
    assert pool is not None
    want = KERNEL(STATES, threads=1)["y"]
    KERNEL(STATES, threads=3)
    rooms = [pool.mailboxes.view(np.int64)[8 * k + 2] for k in (0, 1)]
    needed, pool.workspace_bytes = pool.workspace_bytes, 64  # as if they had had less
    assert KERNEL(STATES, threads=3)["y"].tobytes() == want.tobytes()
    new_rooms = [pool.mailboxes.view(np.int64)[8 * k + 2] for k in (0, 1)]
    assert not set(rooms) & set(new_rooms)
    assert all(place % 64 == 0 for place in rooms + new_rooms)
    assert KERNEL._code.machine(KERNEL._code.width).workspace_bytes <= pool.workspace_bytes <= needed


def test_helpers_that_have_nothing_to_do_take_no_processor_time() -> None:
    KERNEL(STATES, threads=3)
    time.sleep(0.05)
    before = time.process_time()
    time.sleep(0.1)
    assert time.process_time() - before < 0.01


def test_many_callers_share_the_helpers() -> None:
    want = KERNEL(STATES, threads=1)["y"]
    wrong: list[int] = []

    def call(seed: int) -> None:
        for count in np.random.default_rng(seed).integers(3_000, len(STATES), 15).tolist():
            if KERNEL(STATES[:count], threads=3)["y"].tobytes() != want[:count].tobytes():
                wrong.append(count)

    callers = [threading.Thread(target=call, args=(seed,)) for seed in range(6)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert not wrong
    assert idle()


def test_an_interrupted_call_is_left_at_once_and_leaves_nothing() -> None:
    """At any moment: while helpers are called, at work, or waited for."""

    def interrupt(_: int, __: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    start = np.linspace(0, 1, 4096)
    want = SCAN(z=start, ticks=20, threads=1)["z"]
    interrupted = 0
    try:
        for delay in np.geomspace(1e-5, 3e-2, 25).tolist():
            try:
                signal.setitimer(signal.ITIMER_REAL, delay)
                SCAN(z=start, ticks=20_000, threads=3)
            except KeyboardInterrupt:
                interrupted += 1
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            assert np.array_equal(SCAN(z=start, ticks=20, threads=3)["z"], want)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert interrupted > 20
    assert idle()


HEAD = """
import os, sys, numpy as np, casadi as ca, parakin as pk
x = ca.SX.sym("x", 8)
kernel = pk.Kernel(ca.Function("waves", [x], [ca.sin(x) + x[::-1] * ca.cos(x)], ["x"], ["y"]))
states = np.ones((200_000, 8))
first = kernel(states, threads=2)["y"]
"""
ENDS = {
    "at once": "",
    "in a child, which makes threads of its own": """
child = os.fork()
if child == 0:
    os._exit(0 if np.array_equal(kernel(states, threads=2)["y"], first) else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
""",
    "while helpers are at work": """
import signal
def interrupt(*_):
    sys.exit(0)
signal.signal(signal.SIGALRM, interrupt)
states = np.ones((400_000, 8))
signal.setitimer(signal.ITIMER_REAL, 5e-3)
while True:
    kernel(states, threads=2)
""",
}


@pytest.mark.parametrize("how", sorted(ENDS))
def test_a_process_ends_cleanly(how: str) -> None:
    command = [sys.executable, "-W", "ignore", "-c", HEAD + ENDS[how]]
    for _ in range(2):
        assert subprocess.run(command, timeout=120, check=False).returncode == 0


def test_tickets_begin_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    assert native_pool._pool is not None
    monkeypatch.setattr(native_pool._pool, "tickets", itertools.count(native_pool._TICKETS - 2))
    want = KERNEL(STATES, threads=1)["y"]
    for _ in range(5):
        assert KERNEL(STATES, threads=2)["y"].tobytes() == want.tobytes()

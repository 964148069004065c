"""The kernel engine, measured."""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import casadi as ca
import numpy as np

import parakin as pk
from benchmarks import peers
from benchmarks.timing import Figure, at_least, at_most, best_of, repeated
from benchmarks.workloads import hexapod, hexapod_states, random_graph
from parakin.kernels import compiler

STATES = 131_072
LOOPED = 2_000
"""States for CasADi's own evaluation, which is slow."""


def batch(function: ca.Function, states: list[np.ndarray], label: str, *, goals: bool) -> Iterator[Figure]:
    """States a second of one thread, against CasADi, its C and heyoka."""
    kernel = pk.Kernel(function)
    with tempfile.TemporaryDirectory() as directory:
        generated = peers.GeneratedC(function, Path(directory))
        contestants: dict[str, Callable[[], object]] = {
            "parakin": lambda: kernel(*states, threads=1),
            "lanes": peers.lane_sweep(kernel, states),
            "c": generated.runner(states),
            "casadi": peers.casadi_loop(function, [array[:LOOPED] for array in states]),
        }
        try:
            contestants["heyoka"], heyoka = peers.heyoka_runner(function, states)
            heyoka.set_nthreads(1)
        except ImportError:
            pass
        peak, peak_operations = peers.multiply_add_peak()
        seconds = best_of(contestants | {"peak": peak})
    ours = seconds["parakin"] / STATES
    yield Figure(f"{label}: operations", kernel.operations.total, "")
    yield Figure(f"{label}: one state in a batch, one thread", ours * 1e6, "us")

    def ratio(what: str, value: float, goal: float) -> Figure:
        return at_least(f"{label}: {what}", value, goal) if goals else Figure(f"{label}: {what}", value, "x")

    yield ratio("faster than CasADi's evaluation in a loop", seconds["casadi"] / LOOPED / ours, 100)
    yield ratio("faster than CasADi's C, gcc -O3 -march=native", seconds["c"] / STATES / ours, 3)
    if "heyoka" in seconds:
        yield ratio("faster than heyoka's cfunc", seconds["heyoka"] / STATES / ours, 1)
    yield ratio("rate on (N, n) arrays against lane-ordered data", seconds["lanes"] / seconds["parakin"], 0.75)
    rate, peak_rate = kernel.operations.total / ours, peak_operations / seconds["peak"]
    yield Figure(
        f"{label}: share of the multiply-add peak ({peak_rate / 1e9:.0f} GFLOP/s)", 100 * rate / peak_rate, "%"
    )


def threads(function: ca.Function, states: list[np.ndarray]) -> Iterator[Figure]:
    """Two threads against one, and what the machine itself gives two threads that share nothing."""
    kernel = pk.Kernel(function)
    half = [array[: STATES // 2] for array in states]
    first, second = peers.lane_sweep(kernel, half), peers.lane_sweep(kernel, half)

    def apart() -> None:
        other = threading.Thread(target=second)
        other.start()
        first()
        other.join()

    seconds = best_of(
        {
            "one": lambda: kernel(*states, threads=1),
            "two": lambda: kernel(*states, threads=2),
            "lanes, one": lambda: (first(), second()),
            "lanes, two": apart,
        }
    )
    yield at_least("two threads against one", seconds["one"] / seconds["two"], 1.8)
    alone = seconds["lanes, one"] / seconds["lanes, two"]
    yield Figure("two threads against one, lane-ordered data, nothing shared", alone, "x")


def latency(function: ca.Function, states: list[np.ndarray]) -> Iterator[Figure]:
    """One state at a time, as a control loop calls it."""
    times = 2_000
    kernel = pk.Kernel(function)
    state = [array[0].copy() for array in states]
    bound = kernel.bind()
    for array, value in zip(bound.inputs.values(), state, strict=True):
        array[...] = value
    with tempfile.TemporaryDirectory() as directory:
        generated = peers.GeneratedC(function, Path(directory))
        same = [np.repeat(value[None], times, axis=0) for value in state]
        seconds = best_of(
            {
                "call": repeated(lambda: kernel(*state), times),
                "run": repeated(bound.run, times),
                "c": generated.runner(same),
            }
        )
    call, run, c = (1e6 * seconds[name] / times for name in ("call", "run", "c"))
    yield Figure("one state: CasADi's C by itself", c, "us")
    yield at_most("one state: bind().run", run, 1.5 * c + 0.5, "us")
    yield at_most("one state: friendly call beyond bind().run", call - run, 5, "us")
    x = ca.SX.sym("x")
    trivial = pk.Kernel(ca.Function("trivial", [x], [x + 1], ["x"], ["y"])).bind()
    alone = 1e6 * best_of({"run": repeated(trivial.run, 10_000)})["run"] / 10_000
    yield at_most("bind().run of one addition", alone, 1, "us")


def compilation() -> Iterator[Figure]:
    """From a casadi.Function to the first result, with an empty and with a full cache."""
    before = os.environ.get("PARAKIN_CACHE_DIR")

    def first_call(function: ca.Function, count: int) -> float:
        states = [np.ones((count, function.size1_in(k))) for k in range(function.n_in())]
        start = time.perf_counter()
        pk.Kernel(function)(*states)
        return time.perf_counter() - start

    pk.Kernel(random_graph(50, transcendental=True))(np.ones((9, 20)))  # LLVM itself starts once
    cases = {
        "hexapod": (hexapod(), 1.0),
        "random 4,000": (random_graph(4_000, transcendental=True), 1.0),
        "random 36,000": (random_graph(36_000, transcendental=True), 3.0),
    }
    try:
        for name, (function, goal) in cases.items():
            operations = pk.Kernel(function).operations.total
            cold, warm = float("inf"), float("inf")
            for _ in range(3):
                with tempfile.TemporaryDirectory() as directory:
                    os.chmod(directory, 0o700)
                    os.environ["PARAKIN_CACHE_DIR"] = directory
                    cold = min(cold, first_call(function, compiler.host().width))
                    warm = min(warm, *(first_call(function, compiler.host().width) for _ in range(3)))
            yield at_most(f"{name} ({operations:,} operations): compiled, cold", cold, goal, "s")
            if goal <= 1:
                yield at_most(f"{name}: from the cache", 1e3 * warm, 30, "ms")
            else:
                yield Figure(f"{name}: from the cache", 1e3 * warm, "ms")
    finally:
        if before is None:
            os.environ.pop("PARAKIN_CACHE_DIR", None)
        else:
            os.environ["PARAKIN_CACHE_DIR"] = before


def functions() -> Iterator[Figure]:
    """Nanoseconds for one lane of each function, ours in a batch against libm through numpy."""
    table: dict[str, tuple[Callable[..., ca.SX], Callable[..., np.ndarray]]] = {
        "sin": (ca.sin, np.sin),
        "atan2": (ca.atan2, np.arctan2),
        "exp": (ca.exp, np.exp),
        "log": (ca.log, np.log),
        "tanh": (ca.tanh, np.tanh),
    }
    rng = np.random.default_rng(0)
    count, terms = 16_384, 16
    for name, (symbolic, numeric) in table.items():
        x = ca.SX.sym("x", terms)
        arguments = (x, ca.SX(0.7)) if name == "atan2" else (x,)
        kernel = pk.Kernel(ca.Function(name, [x], [symbolic(*arguments)], ["x"], ["y"]))
        states = rng.uniform(0.1, 3.0, (count, terms))
        others = (0.7,) if name == "atan2" else ()
        seconds = best_of(
            {
                "ours": lambda kernel=kernel, states=states: kernel(states, threads=1),
                "numpy": lambda numeric=numeric, states=states, others=others: numeric(states, *others),
            }
        )
        yield Figure(f"{name}: one value", 1e9 * seconds["ours"] / count / terms, "ns")
        yield Figure(f"{name}: against numpy", seconds["numpy"] / seconds["ours"], "x")


def figures() -> Iterator[Figure]:
    model, states = hexapod(), hexapod_states(STATES)
    yield from batch(model, states, "hexapod", goals=True)
    yield from threads(model, states)
    yield from latency(model, states)
    graph = random_graph(3_500, transcendental=True)
    yield from batch(graph, [np.random.default_rng(0).normal(size=(STATES, 20))], "random graph", goals=False)
    yield from functions()
    yield from compilation()

"""What a person waits for: commands as new processes from warm caches, and single calls; the table of issue 15.

Each command runs ten times, in turns with the others, after one unmeasured run that fills the caches of kernels and of
Python's bytecode. Its figure is the median; that of a bare `python -c pass` stands beside them. The whole suite takes
about five minutes on two idle cores. `python -m benchmarks waiting` writes its results;
`python -m benchmarks.waiting 2` prints what two runs of each command take, and writes nothing.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import parakin as pk
from benchmarks.timing import Figure, at_least, at_most, best_of, empty_cache, machine_load, repeated
from parakin import control, simulation, trajectory
from parakin.arrays import Array
from parakin.kernels.output_memory import OUTPUTS
from parakin.simulation import Scenario
from parakin.tables import write_table

RUNS = 10
"""Runs of each command, of which the median counts."""
TIMES, ROUNDS = 200, 60
"""Calls of a few states in a round, and rounds: only what is short has a best run without interruption."""
FEW = (2, 8, 64)
"""States of small batches."""
HANDED = 4096
"""States of a batch that two threads share."""
UNSHARED = 65
"""States of the smallest batch whose arrays are described as those of large ones are."""
IN_A_ROW = 20
"""Calls of such a batch, or of a block of regressors, one after the other."""
RESTS = (3e-3, 20e-3)
"""Rests before a call [s]: a tick of a slow control loop; long enough for cores to sleep."""
MANY, BLOCK = 65_536, 1000
"""States of the regressor, whose results fill memory; and of a block, as estimators take them, that stays in caches."""
ROWS, RATE = 10**6, 1000.0
"""Rows of the log that is identified, and their rate [Hz]."""
SCENARIOS = 4096
"""Noisy closed loops that run together."""
REAL = Scenario(counts=2**17 / (2 * np.pi), velocity_filter=200.0, delay=True, noise=1e-6)
"""Encoders with noise [rad], a filter [Hz] and a tick of delay."""


@dataclass(frozen=True)
class Wait:
    """A command that somebody waits for."""

    what: str
    """What it is."""
    arguments: tuple[str, ...]
    """What Python is started with; {out} stands for a directory to write to."""
    goal: float | None = None
    """The longest median that is hoped for [s]; None where it is only reported."""


def _python(code: str) -> tuple[str, ...]:
    return ("-c", code)


def _parakin(*arguments: str) -> tuple[str, ...]:
    return ("-c", "from parakin.cli import app; app()", *arguments)


_FIRST_CALL = "robot = pk.load('palida'); robot.inverse_dynamics(robot.home, [0.0] * 6, [0.0] * 6)"
WAITS = (
    Wait("python -c pass", _python("pass")),
    Wait("import numpy, casadi, llvmlite, pydantic", _python("import numpy, casadi, llvmlite.binding, pydantic")),
    Wait("pk.load('palida')", _python("import parakin as pk; pk.load('palida')"), 0.35),
    Wait("first call of palida's inverse dynamics", _python(f"import parakin as pk; {_FIRST_CALL}"), 0.4),
    Wait("parakin --help", _parakin("--help"), 0.2),
    Wait("parakin info delta", _parakin("info", "delta"), 0.45),
    Wait("parakin simulate h4", _parakin("simulate", "h4", "-o", "{out}"), 2.0),
    Wait("parakin tune h4", _parakin("tune", "h4", "-o", "{out}"), 3.0),
    Wait("parakin export-c h4", _parakin("export-c", "h4", "-o", "{out}"), 1.3),
)
"""Commands that are timed, each as a new process."""
IDENTIFY = "parakin identify palida with 10^6 rows"
"""The command that is timed on a log of its own."""


def medians(waits: tuple[Wait, ...], runs: int) -> dict[str, float]:
    """Return the median time of each command [s], run in turns after one unmeasured run that fills the caches."""
    taken: dict[str, list[float]] = {wait.what: [] for wait in waits}
    with tempfile.TemporaryDirectory() as folder:
        environment = _environment(Path(folder))
        for k in range(runs + 1):
            for wait in waits:
                command = [sys.executable, *(text.format(out=f"{folder}/out") for text in wait.arguments)]
                start = time.perf_counter()
                subprocess.run(command, check=True, capture_output=True, env=environment)
                if k:
                    taken[wait.what].append(time.perf_counter() - start)
    return {what: statistics.median(seconds) for what, seconds in taken.items()}


def _environment(folder: Path) -> Mapping[str, str]:
    """Return an environment with caches of its own, in which Python keeps bytecode, as an installed package has it."""
    kernels = folder / "kernels"
    kernels.mkdir(mode=0o700)
    own = {"PARAKIN_CACHE_DIR": str(kernels), "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | own


def commands(runs: int) -> Iterator[Figure]:
    """Commands on the robots of the library."""
    measured = medians(WAITS, runs)
    for wait in WAITS:
        seconds = measured[wait.what]
        yield Figure(wait.what, seconds, "s") if wait.goal is None else at_most(wait.what, seconds, wait.goal, "s")


def identifying(runs: int) -> Iterator[Figure]:
    """A long log, from the file to the report."""
    with tempfile.TemporaryDirectory() as folder:
        path = log_of_palida(Path(folder))
        wait = Wait(IDENTIFY, _parakin("identify", "palida", str(path), "--shared", "-o", "{out}"))
        yield at_most(IDENTIFY, medians((wait,), runs)[IDENTIFY], 10.0, "s")


def log_of_palida(folder: Path) -> Path:
    """Write a log of a periodic motion, its positions and forces with noise, as NPZ."""
    robot = pk.load("palida")
    period = trajectory.fourier(robot, blend=0.0).sampled(RATE)
    pick = np.arange(ROWS) % (len(period.t) - 1)
    q = robot.inverse_kinematics(period.pose)[pick]
    tau = robot.inverse_dynamics(period.pose, period.velocity, period.acceleration)[pick]
    rng = np.random.default_rng(0)
    q = q + 1e-7 * rng.normal(size=q.shape)
    tau = tau + 0.01 * tau.std(axis=0) * rng.normal(size=tau.shape)
    heads = ["t [s]"]
    heads += [f"q.{name} [m]" for name in robot.actuator_names]
    heads += [f"tau.{name} [{unit}]" for name, unit in zip(robot.actuator_names, robot.actuator_units, strict=True)]
    return write_table(folder / "log.npz", heads, np.column_stack([np.arange(ROWS) / RATE, q, tau]))


def calls() -> Iterator[Figure]:
    """One state, few states, and as many as two threads share: PaLiDA's inverse dynamics."""
    robot = pk.load("palida")
    kernel = robot.kernel("inverse_dynamics")
    state = [array[0].copy() for array in robot.sample_states(1)]
    bound = kernel.bind()
    for array, value in zip(bound.inputs.values(), state, strict=True):
        array[...] = value
    contestants: dict[str, Callable[[], object]] = {
        "friendly": repeated(lambda: robot.inverse_dynamics(*state), TIMES),
        "kernel": repeated(lambda: kernel(*state), TIMES),
        "run": repeated(bound.run, TIMES),
    }
    for count in FEW:
        few = robot.sample_states(count)
        contestants[f"{count}"] = repeated(lambda few=few: robot.inverse_dynamics(*few), TIMES)
    best = {name: 1e6 * seconds / TIMES for name, seconds in best_of(contestants, ROUNDS).items()}
    yield at_most("palida: robot.inverse_dynamics of one state", best["friendly"], 3.0, "us")
    yield Figure("palida: kernel(...) of one state", best["kernel"], "us")
    yield Figure("palida: bind().run of one state", best["run"], "us")
    for count in FEW:
        yield at_most(f"palida: robot.inverse_dynamics of {count} states", best[f"{count}"], 15.0, "us")
    yield from hand_off(kernel, robot.sample_states(HANDED))


def hand_off(kernel: pk.Kernel, states: tuple[Array, ...]) -> Iterator[Figure]:
    """What two threads take beyond half of what one takes, each its best, one thread after the same rest as two.

    Three ways: calls in a row; calls of one and of two threads in turns without a rest, which is how the 100 us of
    issue 15 come about (threads of Python took 95 to 108); and after rests. After a rest the code of Python that
    describes the arrays is out of the caches and takes ten times as long, whatever the threads: a call of few states
    shows how long, and half of it is in what two threads take beyond half of one. What it takes the system to wake a
    thread, which nothing here can shorten, is measured beside.
    """
    few = [values[:UNSHARED] for values in states]
    calls = {
        "one": lambda: kernel(*states, threads=1),
        "two": lambda: kernel(*states, threads=2),
        "few": lambda: kernel(*few, threads=1),
    }
    what = f"palida: {HANDED:,} states on two threads, beyond half of one thread's time"
    best = best_of({name: repeated(call, IN_A_ROW) for name, call in calls.items()}, 2 * ROUNDS, rest=0.0)
    yield at_most(f"{what}, {IN_A_ROW} calls in a row", _beyond(best) / IN_A_ROW, 20.0, "us")
    best = best_of(calls, 20 * ROUNDS, rest=0.0)
    yield at_most(f"{what}, in turns with one thread", _beyond(best), 20.0, "us")
    for rest in RESTS:
        best = best_of(calls, 10 * ROUNDS, rest=rest)
        after = f"after {1e3 * rest:g} ms of rest"
        yield Figure(f"{what}, {after}", _beyond(best), "us")
        yield Figure(f"half of a call of {UNSHARED} states, {after}", 1e6 * best["few"] / 2, "us")
        yield Figure(f"a thread that only notes the time is woken, {after}", 1e6 * waking(10 * ROUNDS, rest), "us")
        yield Figure(f"palida: {HANDED:,} states, two threads against one, {after}", best["one"] / best["two"], "x")


def _beyond(best: Mapping[str, float]) -> float:
    return 1e6 * (best["two"] - best["one"] / 2)


def waking(rounds: int, rest: float) -> float:
    """Return how long a thread that sleeps takes at best from being woken to running, after a rest of both [s]."""
    reader, writer = os.pipe()
    woken: list[float] = []

    def sleeper() -> None:
        while os.read(reader, 1) == b"1":
            woken.append(time.perf_counter())

    thread = threading.Thread(target=sleeper)
    thread.start()
    called: list[float] = []
    for _ in range(rounds):
        time.sleep(rest)
        called.append(time.perf_counter())
        os.write(writer, b"1")
        while len(woken) < len(called):
            time.sleep(1e-4)
    os.write(writer, b"0")
    thread.join()
    os.close(reader)
    os.close(writer)
    return min(end - start for start, end in zip(called, woken, strict=True))


def noisy_scenarios() -> Iterator[Figure]:
    """Closed loops of an H4 with noise, all drawn apart."""
    robot = pk.load("h4")
    law = control.law("computed_torque", robot)
    reference = control.reference(robot, trajectory.lift(robot), 1e-3)
    noisy, quiet = (simulation.family(replace(REAL, noise=noise), SCENARIOS) for noise in (REAL.noise, 0.0))
    best = best_of(
        {
            "noisy": lambda: simulation.simulate_many(robot, law, reference, noisy),
            "quiet": lambda: simulation.simulate_many(robot, law, reference, quiet),
        },
        rounds=5,
    )
    total = SCENARIOS * reference.ticks * 1e-3
    yield at_least(f"h4: {SCENARIOS:,} noisy scenarios, scenario-seconds a second", total / best["noisy"], 2000, "")
    yield Figure("the same without noise", total / best["quiet"], "")


def regressor() -> Iterator[Figure]:
    """PaLiDA's regressor: a state in a batch on one thread, and from nothing to machine code.

    The large batch is written to the memory of the one before, which is gone by then; and, for who keeps all results,
    to memory that is new to the process.
    """
    robot = pk.load("palida")
    kernel, states = robot.kernel("regressor"), robot.sample_states(MANY)
    block = [array[:BLOCK] for array in states]

    def anew() -> None:
        OUTPUTS.clear()
        kernel(*states, threads=1)

    best = best_of(
        {
            "anew": anew,
            "many": lambda: kernel(*states, threads=1),
            "blocks": repeated(lambda: kernel(*block, threads=1), IN_A_ROW),
        },
        rounds=20,
        rest=0.0,
    )
    yield at_most("palida: regressor of one state in a batch, one thread", 1e9 * best["many"] / MANY, 1100.0, "ns")
    yield Figure("palida: the same in new memory", 1e9 * best["anew"] / MANY, "ns")
    yield Figure(f"palida: the same in blocks of {BLOCK:,}", 1e9 * best["blocks"] / IN_A_ROW / BLOCK, "ns")
    compiled = [_cold_regressor() for _ in range(3)]
    yield at_most("palida: regressor compiled, from nothing", min(compiled), 3.0, "s")


def _cold_regressor() -> float:
    """Return how long a new robot takes to its first batch of regressors with an empty cache [s]."""
    robot = pk.load("palida")
    states = robot.sample_states(8)
    with empty_cache():
        start = time.perf_counter()
        robot.kernel("regressor")(*states)
        return time.perf_counter() - start


def figures(runs: int = RUNS) -> Iterator[Figure]:
    yield machine_load()
    yield from commands(runs)
    yield from calls()
    yield from noisy_scenarios()
    yield from regressor()
    yield from identifying(runs)


if __name__ == "__main__":
    for figure in figures(*map(int, sys.argv[1:])):
        print(f"{figure.what}: {figure.value:.4g} {figure.unit} {figure.goal}", flush=True)

"""Identification: samples a second and memory from 10^5 to 10^7 of PaLiDA, from a log and from states; intervals."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.timing import Figure, at_most
from parakin.arrays import Array
from parakin.identification.fit.estimate import estimate
from parakin.identification.fit.linear import LinearModel, base_model
from parakin.identification.logs.column_map import column_map_of_texts
from parakin.identification.logs.log_source import LogSource, open_log
from parakin.identification.preparation import Preparation, prepare
from parakin.identification.states import States
from parakin.robot import load
from parakin.tables import write_table
from parakin.tables.formats import Table
from parakin.tables.rows import OnBad
from parakin.trajectory import fourier
from tests.identification import own_logs

SIZES = (10**5, 10**6, 10**7)
BLOCK = 50_000
"""States that a reader would hand over at a time."""
WARM = 10**5
"""Before memory is measured."""
RATE = 1000.0
COUNTS = 1e7
"""Of an encoder per m."""
SEEDS = 200
CASES = {"five_bar": False, "delta": False, "h4": False, "palida": True}
"""Robot -> whether its legs share parameters."""
OUTSIDE = (0.92, 0.98)
LOGS = 20
"""Logs of the independent five-bar for each of its cases."""
INSIDE = (0.93, 0.97)
"""Part of the truth inside the intervals of what is called identified, over all these logs."""
MOST_REFUSED = 5.0
"""Clean logs that may be refused [%]."""


def motion(model: LinearModel, rate: float, count: int | None = None) -> States:
    robot = model.robot
    s = fourier(robot, blend=0.0).sampled(rate)
    pick = slice(None) if count is None else np.arange(count) % (len(s.t) - 1)
    t = s.t if count is None else np.arange(count) / rate
    pose, velocity, acceleration = s.pose[pick], s.velocity[pick], s.acceleration[pick]
    return States(t, pose, velocity, acceleration, robot.inverse_dynamics(pose, velocity, acceleration))


def noisy(states: States, seed: int) -> States:
    noise = 0.01 * states.tau.std(axis=0) * np.random.default_rng(seed).normal(size=states.tau.shape)
    return replace(states, tau=states.tau + noise)


def blocks(block: States, count: int) -> Iterator[States]:
    """The same motion over and over."""
    for _ in range(count // len(block)):
        yield block


def measure(count: int, shared: bool, counts: bool) -> None:
    """In a process of its own, so that the peak of memory is its own: prints seconds and MB.

    counts: from a log of encoder counts, else from states. Memory is that of a process that has done the same with
    WARM states before: what the first run takes is code, kernels and buffers, whatever the size.
    """
    import resource
    import tempfile
    import time

    model = base_model(load("palida"), shared=shared)
    states = noisy(motion(model, RATE, BLOCK), 0)
    with tempfile.TemporaryDirectory() as folder:
        source = encoder_log(model, states, Path(folder)) if counts else None

        def data(size: int) -> Iterable[States]:
            if source is None:
                return blocks(states, size)
            again = replace(source, table=repeating(source.table, size // len(states)))
            return prepare(model.robot, again, Preparation(cutoff=40.0))

        estimate(model, data(WARM))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        wall, cpu = time.perf_counter(), time.process_time()
        estimate(model, data(count))
        figures = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps(figures | {"warm": before / 1024, "peak": peak / 1024}))


def encoder_log(model: LinearModel, states: States, folder: Path) -> LogSource:
    """The states as a CSV of times, encoder counts and forces."""
    robot = model.robot
    q = np.round(robot.inverse_kinematics(states.pose) * COUNTS)
    names = [f"{what}_{name}" for what in ("enc", "force") for name in robot.actuator_names]
    path = write_table(folder / "log.csv", ["time [s]", *names], np.column_stack([states.t, q, states.tau]))
    units = dict(zip(robot.actuator_names, robot.actuator_units, strict=True))
    texts = ["t=time [s]"]
    texts += [f"q.{name}=enc_{name} [counts] counts_per_unit={COUNTS}" for name in units]
    texts += [f"tau.{name}=force_{name} [{unit}]" for name, unit in units.items()]
    return open_log(robot, path, column_map_of_texts(texts))


def repeating(table: Table, times: int) -> Table:
    """The file over and over, parsed anew each time, its clock running on."""

    def read(rows: int, on_bad: OnBad) -> Iterator[Array]:
        for k in range(times):
            for block in table.blocks(rows, on_bad):
                yield block + np.eye(1, block.shape[1]) * (k * BLOCK / RATE)

    return Table(table.path, table.names, read)


def scaling(sizes: tuple[int, ...] = SIZES) -> Iterator[Figure]:
    for shared, counts in ((True, True), (True, False), (False, False)):
        legs = "legs alike, 28 parameters" if shared else "legs on their own, 118 parameters"
        origin = "encoder counts in a CSV" if counts else "states"
        for count in sizes if shared else sizes[:2]:
            code = f"from benchmarks.identification import measure; measure({count}, {shared}, {counts})"
            run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
            found = json.loads(run.stdout)
            what = f"palida, {legs}, from {origin}: 10^{int(np.log10(count))}"
            yield Figure(what, found["wall"], "s")
            yield Figure(f"{what}, processor time", found["cpu"], "s")
            yield Figure(f"{what}, a second", count / found["wall"], "samples")
            yield Figure(f"{what}, peak memory", found["peak"], "MB")
            growth = found["peak"] / found["warm"]
            yield at_most(f"{what}, memory of that with {WARM:,} samples", growth, 1.1, "x")


def coverage(seeds: int = SEEDS) -> Iterator[Figure]:
    for name, shared in CASES.items():
        model = base_model(load(name), shared=shared)
        states = motion(model, 100.0)
        inside: list[np.ndarray] = []
        for seed in range(seeds):
            intervals = estimate(model, [noisy(states, seed)]).intervals
            inside.append((intervals[:, 0] < model.values) & (model.values < intervals[:, 1]))
        rate = float(np.mean(inside))
        goal = f"{100 * OUTSIDE[0]:.0f} to {100 * OUTSIDE[1]:.0f}"
        what = f"{name}: truth inside 95 % intervals, {seeds} seeds"
        yield Figure(what, 100 * rate, "%", goal, OUTSIDE[0] <= rate <= OUTSIDE[1])


def own_five_bar(count: int = LOGS) -> Iterator[Figure]:
    measured = list(own_logs.measure(count))
    for one in measured:
        what = f"independent five-bar, {one.case.name}, {count} logs"
        yield Figure(f"{what}: refused", 100 * one.refused.total() / count, "%")
        if one.inside:
            yield Figure(
                f"{what}: truth inside intervals of identified parameters", 100 * float(np.mean(one.inside)), "%"
            )
    clean = [one for one in measured if not one.case.cause]
    rate = float(np.mean([inside for one in measured for inside in one.inside]))
    goal = f"{100 * INSIDE[0]:.0f} to {100 * INSIDE[1]:.0f}"
    what = "independent five-bar, all logs: truth inside intervals of identified parameters"
    yield Figure(what, 100 * rate, "%", goal, INSIDE[0] <= rate <= INSIDE[1])
    mistaken = sum(one.mistaken for one in measured if one.case.cause)
    yield at_most("independent five-bar: logs refused for another cause than the true one", mistaken, 0, "logs")
    refused = sum(one.refused.total() for one in clean) / (count * len(clean))
    yield at_most("independent five-bar: clean logs refused", 100 * refused, MOST_REFUSED, "%")


def figures() -> Iterator[Figure]:
    yield from scaling()
    yield from coverage()
    yield from own_five_bar()


if __name__ == "__main__":
    for figure in figures():
        print(f"{figure.what}: {figure.value:.3g} {figure.unit} {figure.goal}")

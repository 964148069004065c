"""Identification: samples a second and memory from 10^5 to 10^7 states of PaLiDA, and intervals that hold."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from benchmarks.timing import Figure, at_most
from parakin.identification.estimate import estimate
from parakin.identification.linear import LinearModel, base_model
from parakin.identification.states import States
from parakin.robot.robot import load
from parakin.trajectory import fourier

SIZES = (10**5, 10**6, 10**7)
BLOCK = 50_000
"""States that a reader would hand over at a time."""
SEEDS = 200
CASES = {"five_bar": False, "delta": False, "h4": False, "palida": True}
"""Robot -> whether its legs share parameters."""
OUTSIDE = (0.92, 0.98)


def motion(model: LinearModel, rate: float, count: int | None = None) -> States:
    robot = model.robot
    s = fourier(robot, blend=0.0).sampled(rate)
    pick = slice(None) if count is None else np.arange(count) % len(s.t)
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


def measure(count: int, shared: bool) -> None:
    """In a process of its own, so that the peak of memory is its own: prints states a second and MB."""
    import resource  # noqa: PLC0415
    import time  # noqa: PLC0415

    model = base_model(load("palida"), shared=shared)
    block = noisy(motion(model, 1000.0, BLOCK), 0)
    estimate(model, [block])
    wall, cpu = time.perf_counter(), time.process_time()
    estimate(model, blocks(block, count))
    figures = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    print(json.dumps(figures | {"peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))


def scaling() -> Iterator[Figure]:
    peaks: list[float] = []
    for shared in (True, False):
        legs = "legs alike, 28 parameters" if shared else "legs on their own, 118 parameters"
        for count in SIZES if shared else SIZES[:2]:
            code = f"from benchmarks.identification import measure; measure({count}, {shared})"
            run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
            found = json.loads(run.stdout)
            what = f"palida, {legs}: 10^{int(np.log10(count))} states"
            yield Figure(what, found["wall"], "s")
            yield Figure(f"{what}, processor time", found["cpu"], "s")
            yield Figure(f"{what}, peak memory", found["peak"], "MB")
            if shared:
                peaks.append(found["peak"])
    yield at_most("palida: memory for 100 times the states", peaks[-1] / peaks[0], 1.1, "x")


def coverage() -> Iterator[Figure]:
    for name, shared in CASES.items():
        model = base_model(load(name), shared=shared)
        states = motion(model, 100.0)
        inside: list[np.ndarray] = []
        for seed in range(SEEDS):
            intervals = estimate(model, [noisy(states, seed)]).intervals
            inside.append((intervals[:, 0] < model.values) & (model.values < intervals[:, 1]))
        rate = float(np.mean(inside))
        goal = f"{100 * OUTSIDE[0]:.0f} to {100 * OUTSIDE[1]:.0f}"
        what = f"{name}: truth inside 95 % intervals, {SEEDS} seeds"
        yield Figure(what, 100 * rate, "%", goal, OUTSIDE[0] <= rate <= OUTSIDE[1])


def figures() -> Iterator[Figure]:
    yield from scaling()
    yield from coverage()


if __name__ == "__main__":
    for figure in figures():
        print(f"{figure.what}: {figure.value:.3g} {figure.unit} {figure.goal}")

"""Assembly modes: all of them, on one core."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from benchmarks.timing import Figure, at_least, at_most, best_of
from parakin.assembly import assembly_modes
from parakin.assembly.closure import closure_of
from parakin.assembly.sphere_system import spheres
from parakin.assembly.start_set import start_set
from parakin.assembly.torus_start_set import torus_start_set
from parakin.assembly.tracker import tracker
from parakin.description import load_description
from parakin.robot import Robot
from tests import machines
from tests.assembly import path_reference

DATA = Path(__file__).parents[1] / "tests" / "data"
ROUNDS = 3
FLAT = {"fivebar": 10_000, "delta": 10_000, "h4": 500}
"""Robots solved by elimination -> sets in a batch."""
SETS = 200
REFERENCE_SETS = 4
TORUS_SETS = 8
MOST_MILLISECONDS = 5.0


@contextmanager
def one_core() -> Iterator[None]:
    """Kernels use the cores this process may use."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def actuators(robot: Robot, count: int) -> np.ndarray:
    return robot.inverse_kinematics(robot.sample(count, seed=1))


def solved(robot: Robot, q: np.ndarray) -> Callable[[], object]:
    return lambda: assembly_modes(robot.description, q)


def elimination() -> Iterator[Figure]:
    robots = {name: Robot(load_description(DATA / f"{name}.toml")) for name in FLAT}
    robots["planar_3rpr"] = Robot(machines.planar_3rpr())
    counts = FLAT | {"planar_3rpr": 500}
    contestants = {name: solved(robot, actuators(robot, counts[name])) for name, robot in robots.items()}
    for name, seconds in best_of(contestants, ROUNDS).items():
        yield Figure(f"{name}: a set in a batch of {counts[name]:,}, one core", 1e6 * seconds / counts[name], "us")


def six_legs() -> Iterator[Figure]:
    robots = {
        name: Robot(load_description(DATA / f"{name}.toml")) for name in ("gough_stewart_general", "hexapod_6pus")
    }
    robots |= {make.__name__: Robot(make()) for make in (machines.hexa, machines.semi_regular, machines.six_three)}
    start = time.perf_counter()
    tracker(spheres)
    yield Figure("tracker: symbolic, once a process", time.perf_counter() - start, "s")
    for name, robot in robots.items():
        start_set(closure_of(robot.description))  # compiles, or loads, the tracker
        start_set.cache_clear()
        start = time.perf_counter()
        start_set(closure_of(robot.description))
        yield Figure(f"{name}: start set, once a robot", 1e3 * (time.perf_counter() - start), "ms")
    contestants = {name: solved(robot, actuators(robot, SETS)) for name, robot in robots.items()}
    robot = robots["gough_stewart_general"]
    closure = closure_of(robot.description)
    start_q = actuators(robot, REFERENCE_SETS)
    contestants["numpy"] = lambda: path_reference.real_poses(closure, start_set(closure), start_q)
    contestants["one"] = solved(robot, start_q[0])
    seconds = best_of(contestants, ROUNDS)
    for name in robots:
        milliseconds = 1e3 * seconds[name] / SETS
        yield at_most(f"{name}: a set in a batch of {SETS}, one core", milliseconds, MOST_MILLISECONDS, "ms")
    ours = seconds["gough_stewart_general"] / SETS
    yield at_least("gough_stewart_general: faster than the same in numpy", seconds["numpy"] / REFERENCE_SETS / ours, 20)
    yield Figure("gough_stewart_general: a single set", 1e3 * seconds["one"], "ms")


def six_tori() -> Iterator[Figure]:
    """2560 paths a set instead of 40."""
    robot = Robot(load_description("hexa_offset"))
    q = actuators(robot, TORUS_SETS)
    assembly_modes(robot.description, q[0])  # compiles, or loads, the tracker
    torus_start_set.cache_clear()
    start = time.perf_counter()
    torus_start_set(closure_of(robot.description))
    yield Figure("hexa_offset: start set, once a robot", time.perf_counter() - start, "s")
    seconds = best_of({"tori": solved(robot, q)}, ROUNDS)["tori"]
    yield Figure(f"hexa_offset: a set in a batch of {TORUS_SETS}, one core", 1e3 * seconds / TORUS_SETS, "ms")


def figures() -> Iterator[Figure]:
    with one_core():
        yield from elimination()
        yield from six_legs()
        yield from six_tori()


if __name__ == "__main__":
    for figure in figures():
        print(f"{figure.what}: {figure.value:.3g} {figure.unit} {figure.goal}")

"""What derivatives cost beside the model that they are of: operations, and processor time of a batch on one thread."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import parakin as pk
from benchmarks.timing import Figure

STATES = 8192
ROUNDS = 40
ROBOTS = ("four_bar", "tripod_3rps", "tricept", "five_bar", "delta", "gough_stewart")
BY = ("pose", "velocity", "acceleration")


def figures() -> Iterator[Figure]:
    """Inverse dynamics with its derivatives by pose, velocity and acceleration, beside inverse dynamics alone."""
    for name in ROBOTS:
        robot = pk.load(name)
        columns = 3 * robot.degrees_of_freedom
        model, derived = robot.kernel("inverse_dynamics"), robot.kernel("inverse_dynamics", by=BY)
        share = derived.operations.total / model.operations.total
        yield Figure(f"{name}: operations with {columns} derivatives, beside the model's", share, "times", "")
        inputs = _inputs(robot, model)
        contestants = {"model": partial(model, threads=1, **inputs), "derived": partial(derived, threads=1, **inputs)}
        taken = _processor_times(contestants)
        share = taken["derived"] / taken["model"]
        what = f"{name}: processor time with {columns} derivatives, beside the model's"
        yield Figure(what, share, "times", f"<= {2 * columns + 1}, central differences", share <= 2 * columns + 1)


def _processor_times(contestants: Mapping[str, Callable[[], object]]) -> dict[str, float]:
    """Seconds of the best run of each, taking turns; other programs on the machine do not count."""
    best = dict.fromkeys(contestants, float("inf"))
    for _ in range(ROUNDS):
        for name, run in contestants.items():
            start = time.process_time()
            run()
            best[name] = min(best[name], time.process_time() - start)
    return best


def _inputs(robot: pk.Robot, kernel: pk.Kernel) -> dict[str, Any]:
    """States of the box, with the configuration itself as what a search starts from."""
    pose, velocity, acceleration = robot.sample_states(STATES, seed=1)
    given = {"pose": pose, "velocity": velocity, "acceleration": acceleration, "near": robot.configuration(pose)}
    return {socket.name: given[socket.name].reshape(STATES, *socket.shape) for socket in kernel.inputs}

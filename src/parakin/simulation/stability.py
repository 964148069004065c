"""Stability margins and force noise of a loop, and gains that give laws the same: how to compare laws fairly."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from threadpoolctl import threadpool_limits

from parakin.arrays import Array
from parakin.control import Law, gains_for
from parakin.errors import SimulationError
from parakin.robot import Robot
from parakin.simulation.linear import LinearLoop, linear_loop
from parakin.simulation.scenario import Scenario

STABLE = 1 + 1e-7
"""Poles up to here count as stable: an integral without gain stands still at 1."""
LARGEST_GAIN = 1e3
MOST_DELAY = 64
"""[ticks] Margins beyond these are not looked for."""
BANDWIDTHS = (5.0, 1500.0)
"""[rad/s] Where `matched` looks."""


@dataclass(frozen=True, eq=False)
class Margins:
    """What a loop bears before it is unstable, all forces alike: gain, smallest gain, more delay [s]; and force noise.

    Infinite, or zero for gain_low: none found up to a gain of 1000, down to 1/1000, up to 64 ticks. force_noise: rms
    by actuator [N or N m].
    """

    stable: bool
    gain: float
    gain_low: float
    delay: float
    force_noise: Array


def margins(robot: Robot, law: Law, scenario: Scenario | None = None, pose: ArrayLike | None = None) -> Margins:
    """Of the sampled loop linearised at rest about a pose (home by default), with the scenario's sensors and delay."""
    with _one_thread():
        return _margins(linear_loop(robot, law, scenario, pose))


def _one_thread() -> AbstractContextManager[object]:
    """These matrices are small: several threads of BLAS spend their time waiting for each other."""
    return threadpool_limits(1, "blas")


def _margins(loop: LinearLoop) -> Margins:
    if loop.radius() > STABLE:
        return Margins(False, 1.0, 1.0, 0.0, np.full(len(loop.J), np.nan))
    grid = np.geomspace(1.0, LARGEST_GAIN, 61)
    upper = _last_stable(lambda k: loop.radius(gain=k), grid, np.inf)
    lower = _last_stable(lambda k: loop.radius(gain=k), 1 / grid, 0.0)
    return Margins(True, upper, lower, delay_margin(loop), loop.force_noise())


def delay_margin(loop: LinearLoop, most: float | None = None) -> float:
    """[s] What more delay the loop bears; infinite if it bears `most`, 64 ticks by default."""
    most = MOST_DELAY * loop.period if most is None else most
    steps = max(2, int(np.ceil(8 * np.log2(1 + most / loop.period))))
    grid = np.concatenate([[0.0], np.geomspace(min(loop.period / 4, most / 2), most, steps)])
    return _last_stable(lambda late: loop.radius(extra_delay=late), grid, np.inf)


def _last_stable(radius: Callable[[float], float], grid: Array, beyond: float) -> float:
    """Where stability ends, going along the grid from its first entry: found by bisection to 1e-6 of it."""
    unstable = (k for k in range(1, len(grid)) if radius(float(grid[k])) > STABLE)
    first = next(unstable, None)
    if first is None:
        return beyond
    return _edge(lambda value: radius(value) <= STABLE, float(grid[first - 1]), float(grid[first]))


def _edge(good: Callable[[float], bool], inside: float, outside: float) -> float:
    """The last good value between a good one and one that is not."""
    for _ in range(20):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if good(middle) else (inside, middle)
    return inside


def matched(
    robot: Robot,
    law: Law,
    rule: Literal["delay", "noise"],
    target: float,
    scenario: Scenario | None = None,
    *,
    integral: float = 0.0,
) -> Law:
    """The law with gains from the bandwidth at which its delay margin [s], or its largest force noise, is the target.

    Both are taken at home. The faster of the loops that qualify; SimulationError where none does.
    """
    base = scenario or Scenario()
    if rule == "delay" and not 0.0 < target <= MOST_DELAY * law.period:
        raise SimulationError("delay", f"must be > 0 and at most {MOST_DELAY} ticks, got {target:g} s")

    def good(bandwidth: float) -> bool:
        gains = gains_for(law, bandwidth, integral=integral)  # of one law, whose derivatives are worked out once
        loop = linear_loop(robot, law, replace(base, gains=gains))
        if loop.radius() > STABLE:
            return False
        return np.isinf(delay_margin(loop, target)) if rule == "delay" else float(loop.force_noise().max()) <= target

    with _one_thread():
        fastest = _fastest(good)
    if fastest is None:
        what = f"{target:g} s of delay" if rule == "delay" else f"force noise of {target:g}"
        raise SimulationError(rule, f"{law.name} reaches {what} at no bandwidth from 5 to 1500 rad/s: ask for less")
    return law.with_gains(**gains_for(law, fastest, integral=integral))


def _fastest(good: Callable[[float], bool]) -> float | None:
    """The largest bandwidth that is good."""
    grid = np.geomspace(*BANDWIDTHS, 25).tolist()
    for k in range(len(grid) - 1, -1, -1):
        if good(grid[k]):
            return grid[k] if k == len(grid) - 1 else _edge(good, grid[k], grid[k + 1])
    return None

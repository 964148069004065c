"""Stability margins and force noise of a loop, and gains that make laws equal in one of them, for a fair comparison."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array, frozen_arrays
from parakin.blas import one_numpy_thread
from parakin.control import Law, gains_for
from parakin.errors import SimulationError, UnmatchedLawError
from parakin.robot import Robot
from parakin.simulation.linear import LinearLoop, linear_loop
from parakin.simulation.scenario import Scenario

STABLE = 1 + 1e-7
"""Magnitude up to which a pole counts as stable: an integral without gain stands still at 1, rounding aside."""
LARGEST_GAIN = 1e3
"""Factor on all forces up to which gain margins are looked for; downwards, to its reciprocal."""
MOST_DELAY = 64
"""Additional delay up to which delay margins are looked for [ticks]."""
BANDWIDTHS = (5.0, 1500.0)
"""Range of bandwidths in which `matched` looks [rad/s]."""


@frozen_arrays
class Margins:
    """How much gain and delay a loop bears before it is unstable, and how noisy its forces are."""

    stable: bool
    """Whether the loop is stable as it is; if not, both gain margins are 1 and the delay margin is 0."""
    gain: float
    """Largest factor on all forces with which the loop is stable; infinite if it bears 1000."""
    gain_low: float
    """Smallest factor on all forces with which the loop is stable; zero if it bears 1/1000."""
    delay: float
    """Additional delay of all forces that the loop bears [s]; infinite if it bears 64 ticks."""
    force_noise: Array
    """Root mean square of each commanded force under sensor noise (actuators,) [N or N m]; NaN if unstable."""


def margins(robot: Robot, law: Law, scenario: Scenario | None = None, pose: ArrayLike | None = None) -> Margins:
    """Compute the margins of the sampled loop, linearised at rest about a pose that is its own set point.

    The pose is the one given, else the one at which the scenario begins, else home. The scenario gives gains, sensors
    and delay.

    >>> margins = pk.simulation.margins(robot, law, scenario)
    >>> margins.stable, margins.gain > 2
    (True, True)
    """
    begin = None if scenario is None else scenario.pose
    with one_numpy_thread():
        return margins_of(linear_loop(robot, law, scenario, begin if pose is None else pose))


def margins_of(loop: LinearLoop) -> Margins:
    """Compute the margins of a loop that has been linearised."""
    if loop.radius() > STABLE:
        return Margins(False, 1.0, 1.0, 0.0, np.full(len(loop.J), np.nan))
    grid = np.geomspace(1.0, LARGEST_GAIN, 61)
    upper = _last_stable(lambda k: loop.radius(gain=k), grid, np.inf)
    lower = _last_stable(lambda k: loop.radius(gain=k), 1 / grid, 0.0)
    return Margins(True, upper, lower, delay_margin(loop), loop.force_noise())


def delay_margin(loop: LinearLoop, most: float | None = None) -> float:
    """Return the additional delay that a loop bears [s]; infinite if it bears `most`, which is 64 ticks by default."""
    most = MOST_DELAY * loop.period if most is None else most
    steps = max(2, int(np.ceil(8 * np.log2(1 + most / loop.period))))
    grid = np.concatenate([[0.0], np.geomspace(min(loop.period / 4, most / 2), most, steps)])
    return _last_stable(lambda late: loop.radius(extra_delay=late), grid, np.inf)


def _last_stable(radius: Callable[[float], float], grid: Array, beyond: float) -> float:
    """Go along a grid to where stability ends, and bisect to 1e-6 of that step; `beyond` if it ends nowhere."""
    unstable = (k for k in range(1, len(grid)) if radius(float(grid[k])) > STABLE)
    first = next(unstable, None)
    if first is None:
        return beyond
    return _edge(lambda value: radius(value) <= STABLE, float(grid[first - 1]), float(grid[first]))


def _edge(good: Callable[[float], bool], inside: float, outside: float) -> float:
    """Bisect for the last good value between a good one and one that is not."""
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
    """Return a law with gains for the bandwidth at which its delay margin [s] or its largest force noise is the target.

    Both are those at home. Where several bandwidths qualify it is the largest; UnmatchedLawError where none does.

    >>> law = pk.simulation.matched(robot, pk.control.law("pid", robot), "delay", 4e-3)
    >>> round(pk.simulation.margins(robot, law).delay, 4)
    0.004
    """
    base = scenario or Scenario()
    if rule == "delay" and not 0.0 < target <= MOST_DELAY * law.period:
        raise SimulationError("delay", f"must be > 0 and at most {MOST_DELAY} ticks, got {target:g} s")

    reached: dict[float, float] = {}

    def good(bandwidth: float) -> bool:
        gains = gains_for(law, bandwidth, integral=integral)  # of one law, whose derivatives are worked out once
        loop = linear_loop(robot, law, replace(base, gains=gains))
        if loop.radius() > STABLE:
            return False
        size = delay_margin(loop, target) if rule == "delay" else float(loop.force_noise().max())
        reached[bandwidth] = size
        return np.isinf(size) if rule == "delay" else size <= target

    with one_numpy_thread():
        fastest = _fastest(good)
    if fastest is None:
        best = (max if rule == "delay" else min)(reached, key=reached.__getitem__) if reached else None
        raise UnmatchedLawError(law.name, rule, target, None if best is None else reached[best], best)
    return law.with_gains(**gains_for(law, fastest, integral=integral))


def _fastest(good: Callable[[float], bool]) -> float | None:
    """Return the largest bandwidth that is good, or None."""
    grid = np.geomspace(*BANDWIDTHS, 25).tolist()
    for k in range(len(grid) - 1, -1, -1):
        if good(grid[k]):
            return grid[k] if k == len(grid) - 1 else _edge(good, grid[k], grid[k + 1])
    return None

"""Stability margins and force noise of a linear loop."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.control.tuning.linear_loop import LinearLoop

STABLE = 1 + 1e-7
"""Magnitude up to which a pole counts as stable: an integral without gain stands still at 1, rounding aside."""
LARGEST_GAIN = 1e3
"""Factor on all forces up to which gain margins are looked for; downwards, to its reciprocal."""
MOST_DELAY = 64
"""Additional delay up to which delay margins are looked for [ticks]."""


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


def margins_of(loop: LinearLoop) -> Margins:
    """Compute the margins of a loop that has been linearised."""
    if loop.radius() > STABLE:
        return Margins(False, 1.0, 1.0, 0.0, np.full(len(loop.J), np.nan))
    grid = np.geomspace(1.0, LARGEST_GAIN, 61)
    upper = last_stable(lambda k: loop.radius(gain=k), grid, np.inf)
    lower = last_stable(lambda k: loop.radius(gain=k), 1 / grid, 0.0)
    return Margins(True, upper, lower, delay_margin(loop), loop.force_noise())


def delay_margin(loop: LinearLoop, most: float | None = None) -> float:
    """Return the additional delay that a loop bears [s]; infinite if it bears `most`, which is 64 ticks by default."""
    most = MOST_DELAY * loop.period if most is None else most
    steps = max(2, int(np.ceil(8 * np.log2(1 + most / loop.period))))
    grid = np.concatenate([[0.0], np.geomspace(min(loop.period / 4, most / 2), most, steps)])
    return last_stable(lambda late: loop.radius(extra_delay=late), grid, np.inf)


def last_stable(radius: Callable[[float], float], grid: Array, beyond: float) -> float:
    """Go along a grid to where stability ends, and bisect to 1e-6 of that step; `beyond` if it ends nowhere."""
    unstable = (k for k in range(1, len(grid)) if radius(float(grid[k])) > STABLE)
    first = next(unstable, None)
    if first is None:
        return beyond
    return edge(lambda value: radius(value) <= STABLE, float(grid[first - 1]), float(grid[first]))


def edge(good: Callable[[float], bool], inside: float, outside: float) -> float:
    """Bisect for the last good value between a good one and one that is not."""
    for _ in range(20):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if good(middle) else (inside, middle)
    return inside

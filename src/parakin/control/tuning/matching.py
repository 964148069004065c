"""Gain matching: gains that make laws equal in delay margin or force noise, for a fair comparison."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np

from parakin.arrays import Array
from parakin.blas import one_numpy_thread
from parakin.control.definition import Law
from parakin.control.tuning.gains import gains_for
from parakin.control.tuning.linear_loop import LinearLoop
from parakin.control.tuning.margins import MOST_DELAY, STABLE, delay_margin, edge
from parakin.errors import SimulationError, UnmatchedLawError

BANDWIDTHS = (5.0, 1500.0)
"""Range of bandwidths in which `matched_gains` looks [rad/s]."""
MatchingRule = Literal["delay", "noise"]
"""What loops are to have in common: their delay margin [s], or their largest force noise."""


def matched_gains(
    law: Law,
    rule: MatchingRule,
    target: float,
    loop_with: Callable[[Mapping[str, Array]], LinearLoop],
    *,
    integral: float = 0.0,
) -> dict[str, Array]:
    """Return gains for the bandwidth at which a law's delay margin [s] or its largest force noise is the target.

    loop_with: the loop with given gains. Where several bandwidths qualify it is the largest; UnmatchedLawError where
    none does.
    """
    if rule == "delay" and not 0.0 < target <= MOST_DELAY * law.period:
        raise SimulationError("delay", f"must be > 0 and at most {MOST_DELAY} ticks, got {target:g} s")

    reached: dict[float, float] = {}

    def good(bandwidth: float) -> bool:
        loop = loop_with(gains_for(law, bandwidth, integral=integral))
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
    return gains_for(law, fastest, integral=integral)


def _fastest(good: Callable[[float], bool]) -> float | None:
    """Return the largest bandwidth that is good, or None."""
    grid = np.geomspace(*BANDWIDTHS, 25).tolist()
    for k in range(len(grid) - 1, -1, -1):
        if good(grid[k]):
            return grid[k] if k == len(grid) - 1 else edge(good, grid[k], grid[k + 1])
    return None

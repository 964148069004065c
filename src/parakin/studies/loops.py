"""Nominal loops: the loop of a law on the robot that it takes for granted, with the gain and delay that it bears."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from threadpoolctl import threadpool_limits

from parakin.control import Law
from parakin.control.tuning.linear_loop import LinearLoop
from parakin.control.tuning.margins import STABLE, delay_margin
from parakin.simulation import Scenario
from parakin.simulation.linear import linear_loop
from parakin.studies.criteria import NominalLoop

GAIN_GRID = np.geomspace(1.0, 8.0, 10)
"""Factors on the loop gain that are tried in turn; a loop that bears the last may bear more."""
MOST_DELAY = 8e-3
"""Delay up to which delay margins are looked for [s]."""
HALVINGS = 7
"""Bisections between the last stable and the first unstable value: they leave 1/128 of the step."""


def nominal_loop(law: Law, scenario: Scenario) -> NominalLoop:
    """Linearise the loop of a law on its own robot, at rest at home, and look for the gain and delay that it bears."""
    loop = linear_loop(law.robot, law, scenario)
    with threadpool_limits(1, "blas"):
        radius = loop.radius()
        delay = min(delay_margin(loop, MOST_DELAY), MOST_DELAY) if radius <= STABLE else 0.0
        return NominalLoop(law.name, radius, gain_margin(loop), delay)


def gain_margin(loop: LinearLoop) -> float:
    """Return the largest gain, from 1 to 8, up to which a loop is stable, or 0 if it is not stable at all.

    It goes along the grid to the first gain that is too much, then bisects between it and the one before.
    """
    last = 0.0
    for gain in GAIN_GRID.tolist():
        if loop.radius(gain=gain) > STABLE:
            return last_good(lambda value: loop.radius(gain=value) <= STABLE, last, gain) if last else 0.0
        last = gain
    return last


def last_good(good: Callable[[float], bool], inside: float, outside: float) -> float:
    """Bisect for the last good value between one inside, which is good, and one outside, which is not."""
    for _ in range(HALVINGS):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if good(middle) else (inside, middle)
    return inside

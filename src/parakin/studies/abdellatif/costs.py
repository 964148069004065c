"""Findings about the mass matrix itself: operations, exactness, time."""

from __future__ import annotations

import time
from itertools import takewhile

import numpy as np

from parakin.dynamics.count import Count
from parakin.dynamics.count_table import MASS_OF_PALIDA, count_table
from parakin.robot import Robot
from parakin.studies.common import relative
from parakin.studies.definition import Finding, Verdict

EXACT = 1e-10
"""Relative difference below which the forces of two exact formulations count as equal."""
SEVERAL = 3.0
"""Factor of operations from which on "significantly more efficient" is taken to hold."""
CONTROL_PERIOD = 5e-4
"""Time from one control tick to the next, within which the mass matrix must be computed [s]; sec. 4 of the paper."""


def cost_findings(robot: Robot) -> dict[str, Finding]:
    """Count, compare and time the mass matrix of PaLiDA."""
    table = takewhile(lambda row: row.model == "mass matrix", count_table(robot.description))
    counts = {row.form: row.count for row in table}
    chains, ours, textbook = counts["subchain-mass"], counts["virtual-work"], counts["body-by-body"]
    verdict = (
        Verdict.HOLDS
        if chains.within(MASS_OF_PALIDA)
        else Verdict.CONDITIONAL
        if ours.within(MASS_OF_PALIDA)
        else Verdict.REFUTED
    )
    fewer, fewest = textbook.total / chains.total, textbook.total / ours.total
    advantage = Verdict.HOLDS if fewer >= SEVERAL else Verdict.CONDITIONAL if fewest >= SEVERAL else Verdict.REFUTED
    difference, seconds = _difference(robot), _seconds(robot)
    return {
        "counts": Finding(
            f"{_text(chains)} by sub-chains; {_text(ours)} regrouped",
            verdict,
            "Full inertia tensors, free centres of mass and the ring's own motion cost more than Table 1; with "
            "inertial parameters regrouped before, less. The table's rows add up to its totals.",
        ),
        "cheaper": Finding(
            f"{fewer:.1f} times fewer than body by body; regrouped {fewest:.1f}",
            advantage,
            "Against the textbook sum over bodies; the two methods that the paper names are not here.",
        ),
        "exact": Finding(
            f"forces equal to {EXACT:g}" if difference < EXACT else f"{difference:.1e} apart",
            Verdict.HOLDS if difference < EXACT else Verdict.REFUTED,
        ),
        "rate": Finding(
            f"{1e6 * seconds:.0f} µs a pose, called from Python",
            Verdict.HOLDS if seconds < CONTROL_PERIOD else Verdict.REFUTED,
            timed=True,
        ),
    }


def _text(count: Count) -> str:
    return f"{count.additions:,} + {count.multiplications:,}"


def _difference(robot: Robot) -> float:
    """Return the relative difference of forces by sub-chains and by virtual work, at rest, random accelerations."""
    pose = robot.sample(200)
    acceleration = np.random.default_rng(0).normal(size=(200, 6))
    both = [
        robot.inverse_dynamics(pose, 0 * acceleration, acceleration, formulation=name)
        for name in ("virtual-work", "subchain-mass")
    ]
    return relative(both[1], both[0])


def _seconds(robot: Robot) -> float:
    """Return the shortest time of 50 calls for one pose [s]."""
    times: list[float] = []
    for _ in range(50):
        begun = time.perf_counter()
        robot.mass_matrix(robot.home, space="actuator")
        times.append(time.perf_counter() - begun)
    return min(times)

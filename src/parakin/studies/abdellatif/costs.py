"""Findings about the mass matrix itself: operations, exactness, time."""

from __future__ import annotations

import time
from itertools import takewhile

import numpy as np

from parakin.dynamics.count import Count
from parakin.dynamics.count_table import MASS_OF_PALIDA, count_table
from parakin.robot import Robot
from parakin.studies.abdellatif.claims import EXACT
from parakin.studies.abdellatif.transcribed import transcribed_counts
from parakin.studies.common import relative
from parakin.studies.criteria import Measured
from parakin.studies.definition import Finding, single


def cost_findings(robot: Robot) -> dict[str, Finding]:
    """Count, compare and time the mass matrix of PaLiDA."""
    table = takewhile(lambda row: row.model == "mass matrix", count_table(robot.description))
    counts = {row.form: row.count for row in table}
    chains, ours, textbook = counts["subchain-mass"], counts["virtual-work"], counts["body-by-body"]
    written, printed = transcribed_counts(robot.description), MASS_OF_PALIDA
    difference, seconds = _difference(robot), _seconds(robot)
    return {
        "counts": Finding(
            "; ".join(f"{reading}: {_text(count)}" for reading, count in written.items()),
            {reading: _apart(count, printed) for reading, count in written.items()},
            "So no more are needed than printed, on the library's PaLiDA, whose tensors are diagonal and whose centres "
            "of mass lie on their struts; what eq. (5) takes depends on how far it is worked out. Neither the geometry "
            f"nor the rule of counting is printed. Our formulation for legs of any kind takes {_text(chains)} by "
            f"sub-chains, and {_text(ours)} regrouped: other implementations, which say nothing about the paper's.",
        ),
        "cheaper": Finding(
            f"not measured; {textbook.total / chains.total:.1f} times fewer than body by body, both our own",
            remark="Both rivals are only cited, with 2365 / 2964 and 2550 / 3839 operations: their routes are not "
            "described here or there.",
        ),
        "exact": Finding(
            f"forces equal to {EXACT:g}" if difference < EXACT else f"{difference:.1e} apart",
            single(difference),
            "By sub-chains and by virtual work, on the same kinematics.",
        ),
        "rate": Finding(
            f"{1e6 * seconds:.0f} µs a pose, called from Python",
            remark="Needs a controller of 2005: today's processors cannot fail.",
            timed=True,
        ),
    }


def _apart(count: Count, printed: Count) -> tuple[Measured, Measured]:
    """Return the larger over the smaller number of additions, and of multiplications."""
    pairs = (count.additions, printed.additions), (count.multiplications, printed.multiplications)
    more, times = (Measured(max(pair) / min(pair)) for pair in pairs)
    return more, times


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

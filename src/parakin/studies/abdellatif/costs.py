"""Findings about the mass matrix itself: operations row by row, exactness, time."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import takewhile

import casadi as ca
import numpy as np

from parakin.dynamics.count import Count, paper_count
from parakin.dynamics.count_table import MASS_OF_PALIDA, POSITION_AND_ROTATION, count_table
from parakin.dynamics.mechanics import frictionless, mechanics
from parakin.dynamics.subchain_mass import chains, platform_mass
from parakin.kinematics.robot_motion import robot_motion
from parakin.robot import Robot
from parakin.studies.abdellatif.claims import EXACT
from parakin.studies.common import relative
from parakin.studies.definition import Finding, single

PRINTED_ROWS = {
    "inverse kinematics": (1, Count(120, 156)),
    "mass matrix of a strut": (6, Count(29, 54)),
    "its transformation": (6, Count(23, 44)),
    "mass matrix of the platform": (1, Count(15, 17)),
    "summation": (1, Count(252, 0)),
}
"""Table 1: row -> how often it is needed, and what it takes each time."""


def cost_findings(robot: Robot) -> dict[str, Finding]:
    """Count, compare and time the mass matrix of PaLiDA."""
    table = takewhile(lambda row: row.model == "mass matrix", count_table(robot.description))
    counts = {row.form: row.count for row in table}
    chains, ours, textbook = counts["subchain-mass"], counts["virtual-work"], counts["body-by-body"]
    rows = "; ".join(
        f"{name} {_text(count)} for {_text(PRINTED_ROWS[name][1])}" for name, count in table_rows(robot).items()
    )
    difference, seconds = _difference(robot), _seconds(robot)
    return {
        "counts": Finding(
            f"{_text(chains)} by sub-chains",
            single(
                chains.additions / MASS_OF_PALIDA.additions, chains.multiplications / MASS_OF_PALIDA.multiplications
            ),
            f"Row by row, ours for theirs: {rows}. Full tensors, free centres of mass and a ring that moves on its own "
            f"cost more. Another algorithm, regrouped, takes {_text(ours)}, and says nothing about this one.",
        ),
        "cheaper": Finding(
            f"not measured; {textbook.total / chains.total:.1f} times fewer than body by body",
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


def table_rows(robot: Robot) -> dict[str, Count]:
    """Count the rows of Table 1 for the sub-chains of a hexapod, each without what the rows before it have computed."""
    subject = frictionless(mechanics(robot.description, None))
    moving = robot_motion(robot.description, ca.SX.sym("pose", POSITION_AND_ROTATION))
    subject = replace(subject, moving=moving)
    legs = list(chains(subject))
    first = legs[0]
    u, J, M = first.at.u, first.at.J_C, ca.triu(first.M)
    inputs = [moving.pose, moving.velocity]

    def counted(*outputs: ca.SX) -> Count:
        return _counted(inputs, ca.vertcat(*(ca.vec(ca.densify(out)) for out in outputs)))

    symmetric = ca.SX.sym("M", 3, 3)
    transformed = ca.substitute(ca.triu(J.T @ symmetric @ J), symmetric, ca.triu2symm(ca.triu(symmetric)))
    rows = [
        counted(*(leg.at.u for leg in legs), *(leg.at.u_dot for leg in legs)),
        _less(counted(u, M), counted(u)),
        _less(_counted([*inputs, symmetric], ca.densify(transformed)), counted(J)),
        counted(ca.triu(platform_mass(subject))),
        Count(len(legs) * 21, 0),
    ]
    return dict(zip(PRINTED_ROWS, rows, strict=True))


def _counted(inputs: list[ca.SX], output: ca.SX) -> Count:
    names = [f"in{k}" for k in range(len(inputs))]
    return paper_count(ca.Function("row", inputs, [output], names, ["out"], {"cse": True}))


def _less(whole: Count, part: Count) -> Count:
    return Count(whole.additions - part.additions, whole.multiplications - part.multiplications)


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

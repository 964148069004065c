"""A configuration is called singular where the constraints are, by singular values, and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import casadi as ca
import numpy as np
import pytest

import parakin as pk
from parakin.arrays import Array
from parakin.description import library
from parakin.kinematics.graph.closing import SMALLEST_SHARE
from parakin.kinematics.graph.loops import graph_motion
from parakin.mechanism import MechanismDescription, load_mechanism_description, mechanism_library, numeric
from parakin.mechanism.assembling import closed, scaled_rows, scales
from parakin.mechanism.expansion import graph_of
from parakin.mechanism.plan import Plan, null_space, plan
from tests.mechanisms import NAMES, described
from tests.robots import twins_later

WALK = 12
"""Configurations of a random walk away from home."""
STRIDE = 0.8
"""Length of a step of the walk [rad, and lengths in sizes]: it soon leaves the neighbourhood of the plan's samples."""
BISECTIONS = 16
"""Halvings of a step over which det J_d changes its sign, which lead into a singularity."""
ESTIMATED = 3.0
"""How far the estimate of the smallest singular value may be from it: two steps of inverse iteration."""
RATES = 1e-9
"""Largest difference of rates from numpy's least squares, relative to the largest."""


def description(name: str) -> MechanismDescription:
    if name in NAMES:
        return described(name)
    kind, _, name = name.partition(" ")
    return graph_of(pk.load(name).description) if kind == "legs" else load_mechanism_description(name)


LIBRARY = (*(f"library {name}" for name in mechanism_library()), *(f"legs {name}" for name in library()))


@dataclass(frozen=True, eq=False)
class Walk:
    """Configurations with closed loops, far from home and into singularities."""

    plan: Plan
    configurations: Array


def imposed(planned: Plan, configuration: Array) -> Array:
    """J_d, free of units."""
    _, J = scaled_rows(planned.skeleton, configuration)
    return J[np.ix_(planned.pivots.rows, planned.pivots.columns)]


def moved(planned: Plan, start: Array, step: Array) -> Array | None:
    """The configuration after a step, its loops closed again; None where they do not close."""
    _, of_columns = scales(planned.skeleton)
    found, error = closed(planned.skeleton, numeric.stepped(planned.skeleton, start, step * of_columns), 1e-9)
    return found if error < max(1e-11, planned.tolerance) else None


@cache
def walk(name: str) -> Walk:
    planned, rng = plan(description(name)), np.random.default_rng(6)
    found = [np.array(planned.assembly.configuration)]
    singular: list[Array] = []
    for _ in range(3 * WALK):
        if len(found) == WALK:
            break
        free = null_space(scaled_rows(planned.skeleton, found[-1])[1], planned.tolerance)
        # Along a random direction, not by weights of a basis, which the last digits of a file could turn.
        along = free.T @ rng.normal(size=free.shape[0])
        step = free @ (STRIDE / np.linalg.norm(along) * along)
        after = moved(planned, found[-1], step)
        if after is None:
            continue
        if len(singular) < BISECTIONS and _side(planned, after) != _side(planned, found[-1]):
            singular += _into_singularity(planned, found[-1], step)
        found.append(after)
    return Walk(planned, np.array(found + singular))


def _side(planned: Plan, configuration: Array) -> float:
    return float(np.linalg.slogdet(imposed(planned, configuration))[0]) if planned.pivots.rows else 1.0


def _into_singularity(planned: Plan, start: Array, step: Array) -> list[Array]:
    found: list[Array] = []
    low, high = 0.0, 1.0
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        here = moved(planned, start, middle * step)
        if here is None:
            break
        found.append(here)
        low, high = (middle, high) if _side(planned, here) == _side(planned, start) else (low, middle)
    return found


def evaluated(planned: Plan, configurations: Array, u: Array, *, surely: bool) -> tuple[Array, Array]:
    """Rates of the tree, and whether the fixed order is trusted or, surely, how regular the configuration is."""
    moving = graph_motion(planned, surely=surely)
    judged = moving.regularity if surely else moving.trusted
    function = ca.Function("rates", [moving.c, moving.u], [moving.t, judged])
    rows = [function(c, each) for c, each in zip(configurations, u, strict=True)]
    return np.array([t.full()[:, 0] for t, _ in rows]), np.array([float(value) for _, value in rows])


@pytest.mark.parametrize("name", [*NAMES, *twins_later(LIBRARY)])
def test_singular_is_what_singular_values_say(name: str) -> None:
    one = walk(name)
    planned = one.plan
    u = np.random.default_rng(1).normal(size=(len(one.configurations), len(planned.independent)))
    quick, trusted = evaluated(planned, one.configurations, u, surely=False)
    sure, regularity = evaluated(planned, one.configurations, u, surely=True)
    smallest = [np.linalg.svd(imposed(planned, c), compute_uv=False)[-1:] for c in one.configurations]
    share = np.array([float(s[0]) if s.size else 1.0 for s in smallest]) / planned.smallest_singular_value
    assert np.all(share[regularity > SMALLEST_SHARE] > SMALLEST_SHARE / ESTIMATED)  # never GOOD where it is singular
    assert np.all(share[~(regularity > SMALLEST_SHARE)] < SMALLEST_SHARE * ESTIMATED)  # never SINGULAR where it is not
    assert np.all(share[trusted > 0] > SMALLEST_SHARE)
    for rates, kept in ((quick, trusted > 0), (sure, regularity > SMALLEST_SHARE)):
        for t, c, given in zip(rates[kept], one.configurations[kept], u[kept], strict=True):
            expected = _rates(planned, c, given)
            assert np.max(np.abs(t - expected)) < RATES * np.max(np.abs(expected))


def _rates(planned: Plan, configuration: Array, u: Array) -> Array:
    """Rates of the tree by least squares, the independent ones given."""
    _, J = numeric.loop_rows(planned.skeleton, configuration)
    _, of_columns = scales(planned.skeleton)
    picked = np.eye(planned.skeleton.velocities)[list(planned.independent)]
    matrix = np.vstack([J[list(planned.pivots.rows)], picked]) * of_columns
    right = np.concatenate([np.zeros(len(planned.pivots.rows)), u])
    return of_columns * np.linalg.lstsq(matrix, right)[0]


def test_walks_come_to_singularities_and_to_doubt() -> None:
    reached = doubted = 0
    for name in ("four_bar", "3rps", "legs delta", "legs five_bar"):
        one = walk(name)
        u = np.ones((len(one.configurations), len(one.plan.independent)))
        reached += int(np.sum(~(evaluated(one.plan, one.configurations, u, surely=True)[1] > SMALLEST_SHARE)))
        doubted += int(np.sum(evaluated(one.plan, one.configurations, u, surely=False)[1] == 0))
    assert reached > 5
    assert doubted > reached

"""The search for a configuration follows one path, as small steps along it do: no jump, and nothing lost."""

from __future__ import annotations

import numpy as np
import pytest

from parakin.arrays import Array
from parakin.kinematics.status import Status
from parakin.mechanism import numeric
from parakin.mechanism.plan import Plan
from parakin.robot import Robot
from tests.mechanism.test_singular import description, imposed

GOALS = 8
"""Goals far from home."""
FINE = 50
"""Steps of the path that is compared with."""
SAME = 1e-8
"""Largest difference of coordinates where both arrive [m, rad]."""


def closed(planned: Plan, start: Array, pose: Array) -> Array | None:
    """Newton's method in numpy, with the pose held; None where it does not converge."""
    rows, columns, given = list(planned.pivots.rows), list(planned.pivots.columns), list(planned.independent)
    places = [numeric.coordinate_of(planned.skeleton, k) for k in given]
    c = start
    for _ in range(8):
        values, J = numeric.loop_rows(planned.skeleton, c)
        step = np.zeros(planned.skeleton.velocities)
        step[given] = pose - c[places]
        step[columns] = np.linalg.solve(J[np.ix_(rows, columns)], -values[rows] - J[np.ix_(rows, given)] @ step[given])
        c = numeric.stepped(planned.skeleton, c, step)
        if np.max(np.abs(step)) < 1e-10:
            return c
    return None


def followed(one: Robot, goal: Array) -> Array | None:
    """The configuration at the end of a straight way in small steps; None where a singularity lies on it."""
    c, side = np.array(one.home_configuration), np.linalg.slogdet(imposed(one.plan, one.home_configuration))[0]
    for share in np.linspace(0, 1, FINE + 1)[1:]:
        found = closed(one.plan, c, one.home + share * (goal - one.home))
        if found is None or np.linalg.slogdet(imposed(one.plan, found))[0] != side:
            return None
        c = found
    return c


@pytest.mark.parametrize(("name", "reach"), [("3rps", 0.4), ("legs planar_3rrr", 1.0)])
def test_far_goals_are_reached_or_refused_as_on_a_fine_path(name: str, reach: float) -> None:
    one = Robot(description(name))
    unit = np.array([one.plan.skeleton.size if unit == "m" else 1.0 for unit in one.pose_units])
    goals = one.home + reach * unit * np.random.default_rng(1).uniform(-1, 1, (GOALS, len(one.home)))
    found = one.evaluate("configuration", pose=goals)
    arrived = [status not in (Status.SINGULAR, Status.NOT_CONVERGED) for status in found.status]
    paths = [followed(one, goal) for goal in goals]
    assert arrived == [path is not None for path in paths]
    assert 0 < sum(arrived) < GOALS  # both outcomes are seen
    for c, path in zip(found["configuration_found"], paths, strict=True):
        if path is not None:
            assert np.max(np.abs(np.abs(c) - np.abs(path))) < SAME  # a quaternion has two signs

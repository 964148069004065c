"""Clearances of round bars against a search over both segments, and in a workspace."""

from __future__ import annotations

import warnings
from typing import Any

import casadi as ca
import numpy as np
import pytest

from parakin.analysis import Demands, Reason, clearance_names, judge_of, workspace
from parakin.analysis.workspaces.capsules import apart
from parakin.errors import ImplausibleValueWarning
from parakin.robot import Robot
from tests.robots import robot_named

SEARCHED = 3e-3
"""How far the least of a grid of pairs may be above the least distance of two bars of about one metre."""


def test_distance_of_two_bars_is_the_least_of_all_pairs_of_points() -> None:
    ends = [ca.SX.sym(name, 3) for name in "abcd"]
    distance = ca.Function("apart", ends, [apart((ends[0], ends[1]), (ends[2], ends[3]))])
    rng = np.random.default_rng(2)
    s = np.linspace(0, 1, 201)
    for k in range(60):
        a, b, c, d = rng.normal(size=(4, 3))
        if k % 6 == 0:
            d = c + 0.7 * (b - a)  # parallel
        p, q = a + s[:, None] * (b - a), c + s[:, None] * (d - c)
        least = float(np.min(np.linalg.norm(p[:, None] - q[None], axis=-1)))
        found = float(distance(a, b, c, d))
        assert least - SEARCHED * (1 + np.linalg.norm(b - a)) < found <= least + 1e-12


def with_radii(name: str, radius: float, platform: float | None = None) -> Robot:
    robot = robot_named(name)
    tables: dict[str, Any] = robot.description.model_dump(exclude_defaults=True)
    for leg in tables["legs"]:
        for element in leg["elements"]:
            element["radius"] = radius
    if platform is not None:
        tables["platform"]["radius"] = platform
    return robot.replace(legs=tables["legs"], platform=tables["platform"])


def test_thick_bars_shrink_a_workspace_and_are_named() -> None:
    robot = with_radii("planar_3rrr", 0.02)
    bounds = {"x": (-0.25, 0.25), "y": (-0.25, 0.25)}
    thick = workspace(robot, levels=2, bounds=bounds)
    thin = workspace(robot_named("planar_3rrr"), levels=2, bounds=bounds)
    assert thick.volume() < thin.volume()
    assert any(cause.reason is Reason.CLEARANCE and " and " in cause.name for cause in thick.causes_outside())
    assert (thick.lattice.inside <= thin.lattice.inside).all()


@pytest.mark.parametrize(("radius", "platform", "count"), [(0.01, None, 12), (0.01, 0.01, 27)])
def test_pairs_that_share_a_joint_are_not_compared(radius: float, platform: float | None, count: int) -> None:
    """Three legs of two elements: 12 pairs of different legs; 3 x (1 own arm + 2 x 2 of others) with the platform."""
    assert len(clearance_names(with_radii("delta", radius, platform))) == count


def test_a_clearance_can_be_asked_for() -> None:
    robot = with_radii("planar_3rrr", 0.005)
    poses = robot.sample(2000) * 1.5
    touching = judge_of(robot)(poses) == 0
    apart_too = judge_of(robot, Demands(clearance=0.03))(poses) == 0
    assert (apart_too <= touching).all()
    assert apart_too.sum() < touching.sum()


def test_a_radius_in_millimetres_is_doubted() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with_radii("delta", 12.0)
    told = [str(entry.message) for entry in caught if issubclass(entry.category, ImplausibleValueWarning)]
    assert "elements[0].radius: 12 m" in told[0]
    assert "probably in millimetres, which would be 0.012 m" in told[0]

"""Helpers of the studies: sizes, comparisons, intervals."""

from __future__ import annotations

import numpy as np
import pytest

import parakin as pk
from parakin.studies.common import (
    ROUNDING,
    correlation_interval,
    percent,
    proportion_interval,
    relative,
    rms,
    same_within,
    without_friction,
    workspace_states,
)


def test_intervals_of_proportions_and_correlations_are_those_of_the_textbooks() -> None:
    assert proportion_interval(8, 13) == pytest.approx((0.355, 0.823), abs=1e-3)
    assert proportion_interval(0, 10)[0] == pytest.approx(0.0, abs=1e-12)
    assert correlation_interval(0.5, 30) == pytest.approx((0.17, 0.73), abs=5e-3)
    low, high = correlation_interval(0.0, 6)
    assert low == pytest.approx(-high)
    assert correlation_interval(0.99, 3) == (-1.0, 1.0)


def test_sizes_are_root_mean_squares_and_shares_of_the_whole() -> None:
    assert rms(np.array([[3.0, -4.0], [0.0, 0.0]])) == 2.5
    assert percent(np.array([1.0, -1.0]), np.array([4.0, 4.0])) == 25.0
    assert relative(np.array([1.0, -3.0]), np.array([2.0, -4.0])) == 0.25


def test_differences_below_rounding_read_as_equal() -> None:
    assert same_within(0.5 * ROUNDING) == "equal to 1e-12"
    assert same_within(ROUNDING) == "1e-12 apart"
    assert same_within(0.25) == "0.25 apart"


def test_without_friction_all_else_stays() -> None:
    robot = pk.load("five_bar")
    smooth = without_friction(robot)
    moving = {n: p for n, p in zip(smooth.parameter_names, smooth.parameters, strict=True) if p}
    before = dict(zip(robot.parameter_names, robot.parameters, strict=True))
    assert any(name.endswith("coulomb") and value for name, value in before.items())
    assert not any(name.endswith(("viscous", "coulomb")) for name in moving)
    assert moving == {name: value for name, value in before.items() if name in moving}


@pytest.mark.parametrize("name", ["five_bar", "h4"])
def test_states_have_the_speed_and_acceleration_asked_for(name: str) -> None:
    robot = pk.load(name)
    state = workspace_states(robot, 7, 2.0, 30.0)
    assert state.pose == pytest.approx(robot.sample(7, 0))
    length = robot.description.length
    scale = np.array([1.0, 1.0] if name == "five_bar" else [1.0, 1.0, 1.0, length])  # an angle is a way at `length`
    for values, size in ((state.velocity, 2.0), (state.acceleration, 30.0)):
        assert np.linalg.norm(values * scale, axis=1) == pytest.approx(np.full(7, size))

"""Stretched motions keep the limits, and are no longer than they must be."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parakin.errors import MotionLimitError
from parakin.trajectory import check, motion, point_to_point, within_limits
from parakin.trajectory.stretch import MARGIN, largest_pace
from tests.trajectory.helpers import made, robot_named
from tests.variants import narrow_delta


def test_strokes_and_reach_are_not_cured_by_time() -> None:
    robot = robot_named("gough_stewart")
    high = robot.home + np.array([0.0, 0.0, 0.4, 0, 0, 0, 0])
    motion = point_to_point(robot, robot.home, high)
    with pytest.raises(MotionLimitError, match=r"more time does not help:\nstroke of .* mm beyond its limit of 500 mm"):
        within_limits(motion, robot)
    delta = robot_named("delta")
    away = point_to_point(delta, delta.home, [0.6, 0.0, -0.43])
    with pytest.raises(
        MotionLimitError, match=r"unreachable: .* cannot close, [\d.]+ mm missing at 1 s \(first at 0\."
    ) as e:
        within_limits(away, delta)
    assert e.value.robot == "delta"
    assert check(away, delta).troubles[0].states > 100


@pytest.mark.parametrize("name", ["delta", "hexapod_sliding"])
@pytest.mark.parametrize("kind", ["pick_and_place", "circle", "lift", "fourier"])
def test_stretching_respects_limits_and_is_no_longer_than_needed(name: str, kind: str) -> None:
    robot = robot_named(name)
    fast = made(name, kind).stretched(0.05)
    slowed = within_limits(fast, robot)
    assert slowed.factor > 1.0
    assert not slowed.asked.good
    assert check(slowed.motion, robot, states=20_011).good
    assert not check(fast.stretched(0.999 * slowed.factor), robot).good
    assert slowed.motion.duration == pytest.approx(slowed.factor * fast.duration)
    assert str(slowed).startswith("stretched by ")


def test_what_is_within_limits_stays_as_it_is() -> None:
    robot, motion = robot_named("delta"), made("delta", "cosine_x")
    same = within_limits(motion, robot)
    assert same.factor == 1.0
    assert same.motion is motion
    assert str(same) == str(same.check)


@given(st.lists(st.tuples(*[st.integers(-8, 8)] * 3), min_size=1, max_size=5))
def test_the_pace_found_is_the_largest(rows: list[tuple[int, int, int]]) -> None:
    """No pace of a fine grid above it meets all demands c + b x + a x^2 <= 0, and it meets them itself."""
    demands = np.array(rows, float).T / 4
    pace = largest_pace(demands)
    c, b, a = demands
    grid = np.linspace(0.0, 1.0, 2002)[1:, None]
    good = np.all(c + b * grid + a * grid**2 <= 0.0, axis=1)
    assert not np.any(good & (grid[:, 0] > pace + 1e-12))
    if pace > 0.0:
        assert np.all(c + b * pace + a * pace**2 <= 1e-8)


def test_slower_can_be_worse() -> None:
    """Forbidden above 0.6 and from 0.3 to 0.65; what is met only at speed is not met at all."""
    gap = [-0.3 * 0.65, 0.95, -1.0]
    assert largest_pace(np.array([[-0.6, 1.0, 0.0], gap]).T) == pytest.approx(0.3)
    assert largest_pace(np.array([[0.5, -1.0, 0.0]]).T) == 1.0
    assert largest_pace(np.array([[0.5, -1.0, 0.0], [-0.6, 1.0, 0.0]]).T) == pytest.approx(0.6)
    assert largest_pace(np.array([[0.5, -1.0, 0.0], [-0.4, 1.0, 0.0]]).T) == 0.0


def test_what_cannot_be_held_is_not_cured_by_time() -> None:
    heavy = robot_named("delta").with_payload(30.0)
    with pytest.raises(MotionLimitError, match=r"more time does not help:\nhowever slowly, force of .* N m beyond"):
        within_limits(made("delta", "pick_and_place"), heavy)


def test_stretching_leaves_the_margin_and_no_more() -> None:
    robot = robot_named("delta")
    slowed = within_limits(made("delta", "circle").stretched(0.05), robot)
    assert max(abs(peak.value) / peak.limit for peak in slowed.check.peaks) == pytest.approx(1.0 - MARGIN, rel=1e-9)
    assert slowed.check.good
    assert slowed.asked.duration * slowed.factor == pytest.approx(slowed.check.duration)
    assert str(slowed).endswith(f"now\n{slowed.check}")


def test_more_time_does_not_help_a_joint() -> None:
    robot = narrow_delta(0.02)
    with pytest.raises(MotionLimitError, match=r"joint of leg\d\.forearm\.joint"):
        within_limits(motion("circle", robot, diameter=0.1), robot)

"""Fastest motions keep limits, use one of them nearly everywhere, go along their path, and are never slower."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parakin.errors import MotionError, MotionLimitError
from parakin.motions.offsets import pose_rates
from parakin.robot import Robot
from parakin.trajectory import (
    Fastest,
    Motion,
    State,
    check,
    motion,
    pick_and_place,
    point_to_point,
    time_optimal,
    within_limits,
)
from parakin.trajectory.fastest.path import path_of
from parakin.trajectory.limits import Limits, limits_of
from tests.moving import STENCIL
from tests.trajectory.helpers import made, robot_named

NODES = 300
"""Enough for laws, and quick."""
LAST_STRETCH = 1.0005
"""With a thousand nodes; docs/trajectories.md has what it was for every robot: 1.00007 for a Delta."""
SLOPE = 1e-7
"""Relative. Differences of order 8 in an interval of 1/300 of a way, whose length is known to 1e-9 of a cell."""


def fastest_of(name: str, kind: str) -> Fastest:
    return time_optimal(robot_named(name), made(name, kind), points=NODES)


@pytest.mark.parametrize("kind", ["pick_and_place", pytest.param("circle", marks=pytest.mark.slow)])
def test_limits_hold_and_one_of_them_is_active(kind: str) -> None:
    robot, path = robot_named("delta"), made("delta", kind)
    fastest = time_optimal(robot, path)
    assert fastest.check.good
    assert check(fastest.motion, robot, 20_011).good
    assert 1.0 <= fastest.stretched < LAST_STRETCH
    held = np.diff(fastest.t)[fastest.share > 0.999].sum() / fastest.duration
    assert held > 0.99  # the rest are the intervals in which one limit takes over from another
    quintic = within_limits(path.stretched(1e-3), robot)
    assert fastest.duration < 0.75 * quintic.motion.duration


def test_it_goes_along_the_path_and_stops_where_that_turns_round() -> None:
    robot, path, fastest = robot_named("delta"), made("delta", "pick_and_place"), fastest_of("delta", "pick_and_place")
    first, last = fastest.motion.at([0.0, fastest.duration]).pose
    np.testing.assert_allclose([first, last], path.at([0.0, path.duration]).pose, atol=1e-10)
    rests = fastest.t[fastest.pace == 0.0]
    assert len(rests) == 3
    np.testing.assert_allclose(fastest.motion.at(rests[1]).pose, path.at(path.duration / 2).pose, atol=1e-10)
    assert np.abs(fastest.motion.at(rests).velocity).max() < 1e-12
    asked = path.at(np.linspace(0.0, path.duration / 2, 20_001)).pose
    gone = fastest.motion.at(np.linspace(0.0, rests[1], 301)).pose
    distance = np.linalg.norm(asked[None] - gone[:, None], axis=2).min(axis=1)
    assert distance.max() < 3e-5  # half of what lies between two of the poses asked for
    assert robot.name in str(fastest)
    assert str(fastest).startswith(f"fastest along its path: {fastest.duration:.6g} s, held back by ")


@pytest.mark.parametrize(
    ("name", "kind"), [("delta", "circle"), pytest.param("gough_stewart", "via_points", marks=pytest.mark.slow)]
)
def test_rates_are_derivatives(name: str, kind: str) -> None:
    """pose_dot = velocity, velocity_dot = acceleration, inside intervals: at nodes acceleration jumps."""
    fastest = fastest_of(name, kind)
    k = np.arange(5, len(fastest.s) - 6, 23)
    begin, width = fastest.t[k], np.diff(fastest.t)[k]
    step = width / 20
    t = begin[:, None] + width[:, None] / 2 + step[:, None] * np.arange(-4, 5)
    state = fastest.motion.at(t)
    pose_dot, acceleration = (np.einsum("j,ijk->ik", STENCIL, v) / step[:, None] for v in (state.pose, state.velocity))
    want = pose_rates(fastest.motion.kind, state.pose[:, 4], state.velocity[:, 4])
    np.testing.assert_allclose(pose_dot, want, rtol=0, atol=SLOPE * np.abs(want).max())
    want = state.acceleration[:, 4]
    np.testing.assert_allclose(acceleration, want, rtol=0, atol=SLOPE * np.abs(want).max())


def test_the_platforms_acceleration_is_bounded_entry_by_entry() -> None:
    robot, path = robot_named("delta"), made("delta", "pick_and_place")
    bound = np.array([30.0, np.inf, 12.0])
    slow = time_optimal(robot, path, acceleration=bound, points=NODES)
    most = np.abs(slow.motion.at(np.linspace(0.0, slow.duration, 5001)).acceleration).max(axis=0)
    assert np.all(most <= bound * (1 + 1e-9))
    assert most[0] > 29.9
    assert {"acceleration x", "acceleration z"} <= set(slow.active)
    every = time_optimal(robot, path, acceleration=12.0, points=NODES)
    assert every.duration > slow.duration > fastest_of("delta", "pick_and_place").duration


def test_the_time_of_the_motion_given_does_not_count() -> None:
    robot, path = robot_named("delta"), made("delta", "circle")
    durations = [time_optimal(robot, path.stretched(k), points=NODES).duration for k in (0.1, 100.0)]
    assert durations[0] == pytest.approx(durations[1], rel=1e-7)  # what counts as a rest depends on it


def _twice(path: Motion) -> Motion:
    """A straight motion that rests half a second half way, though the path goes straight on."""

    def function(t: np.ndarray) -> State:
        first, second = np.clip(t, 0.0, 1.0), np.clip(t - 1.5, 0.0, 1.0)
        start = path.at(0.0).pose
        pose = (path.at(first).pose + path.at(second).pose - 2 * start) / 2 + start
        return State(pose, *((a + b) / 2 for a, b in zip(path.at(first)[1:], path.at(second)[1:], strict=True)))

    return replace(path, duration=2.5, function=function)


def test_a_rest_on_a_straight_way_is_left_out() -> None:
    robot = robot_named("delta")
    path = point_to_point(robot)
    assert len(path_of(_twice(path), robot).pieces) == 2
    through, straight = (time_optimal(robot, one, points=NODES) for one in (_twice(path), path))
    assert np.count_nonzero(through.pace == 0.0) == 2
    assert through.duration == pytest.approx(straight.duration, rel=1e-3)  # other nodes


@given(st.floats(0.3, 3.0), st.floats(0.05, 2.0), st.integers(0, 2**16))
@settings(max_examples=6)
def test_it_is_never_slower_than_the_stretched_quintic(force: float, speed: float, seed: int) -> None:
    robot = robot_named("five_bar")
    start, goal = robot.sample(2, seed)
    path = point_to_point(robot, start, goal, 0.001)
    known = limits_of(robot)
    other = Limits(speed * known.speed, force * known.force, known.lengths)

    def limits(_: Robot) -> Limits:
        return other

    with pytest.MonkeyPatch.context() as patch:
        for module in ("checking", "stretch", "fastest.time_optimal"):
            patch.setattr(f"parakin.trajectory.{module}.limits_of", limits)
        assert time_optimal(robot, path, points=100).duration <= within_limits(path, robot).motion.duration


def test_what_no_pace_can_make_is_refused() -> None:
    delta = robot_named("delta")
    away = point_to_point(delta, delta.home, [0.6, 0.0, -0.43])
    with pytest.raises(MotionLimitError, match=r"more time does not help:\nunreachable: .* cannot close"):
        time_optimal(delta, away)
    heavy = delta.with_payload(30.0)
    with pytest.raises(MotionLimitError, match=r"more time does not help:\nhowever slowly, force of .* N m beyond"):
        time_optimal(heavy, pick_and_place(delta))
    hexapod = robot_named("gough_stewart")
    high = point_to_point(hexapod, hexapod.home, hexapod.home + np.array([0.0, 0.0, 0.4, 0, 0, 0, 0]))
    with pytest.raises(MotionLimitError, match=r"stroke of .* mm beyond its limit of 500 mm"):
        time_optimal(hexapod, high)


def test_what_makes_no_sense_is_refused() -> None:
    robot, path = robot_named("delta"), made("delta", "circle")
    with pytest.raises(MotionError, match=r"point_to_point: path: does not move"):
        time_optimal(robot, point_to_point(robot, robot.home, robot.home))
    with pytest.raises(MotionError, match=r"circle: points: must be from 20 to 100000, got 3"):
        time_optimal(robot, path, points=3)
    for wrong in (-1.0, [1.0, 2.0], [1.0, 0.0, 1.0], np.nan):
        with pytest.raises(MotionError, match=r"circle: acceleration: one number or 3, all > 0 m/s\^2"):
            time_optimal(robot, path, acceleration=wrong)
    with pytest.raises(MotionError, match=r"the motion is schoenflies, delta is translation"):
        time_optimal(robot, motion("circle", robot_named("h4")))

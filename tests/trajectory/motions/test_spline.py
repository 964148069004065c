"""Splines meet their via points at their times, join smoothly, and refuse what they cannot do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import parakin as pk
from parakin.errors import MotionError
from parakin.poses import matrix_from_quaternion, quaternion_from_vector
from parakin.trajectory import via_points
from tests.trajectory.helpers import robot_named, slopes_agree


@given(seed=st.integers(0, 2**31), count=st.integers(2, 7))
@settings(max_examples=20)
@pytest.mark.parametrize("name", ["planar_3rpr", "gough_stewart"])
def test_splines_meet_their_points_and_join_smoothly(name: str, seed: int, count: int) -> None:
    robot = robot_named(name)
    rng = np.random.default_rng(seed)
    poses = robot.sample(count, seed)
    if robot.motion == "spatial":
        vectors = rng.uniform(-0.6, 0.6, (count, 3))  # further than the robot could turn: what splines are tried on
        signs = np.concatenate([np.ones((count, 3)), np.repeat(rng.choice([-1.0, 1.0], (count, 1)), 4, axis=1)], axis=1)
        poses = signs * np.concatenate([poses[:, :3], quaternion_from_vector(vectors)], axis=1)
    times = np.concatenate([[0.0], np.cumsum(rng.uniform(0.5, 1.5, count - 1))])
    motion = via_points(robot, poses, times)
    states = motion.at(times)
    np.testing.assert_allclose(frame(states.pose, robot), frame(poses, robot), atol=1e-12)
    inner = times[1:-1]
    before, after = motion.at(inner - 1e-9), motion.at(inner + 1e-9)
    scale = 1.0 + np.max(np.abs(motion.at(np.linspace(0, motion.duration, 301)).acceleration))
    for k in range(3):
        np.testing.assert_allclose(before[k], after[k], atol=1e-6 * scale)
    middles = (times[1:] + times[:-1]) / 2 / motion.duration
    slopes_agree(motion, middles, 1e-7)


def frame(poses: np.ndarray, robot: pk.Robot) -> np.ndarray:
    """Poses such that q and -q are the same."""
    if robot.motion != "spatial":
        return poses
    return np.concatenate([poses[:, :3], matrix_from_quaternion(poses[:, 3:]).reshape(len(poses), 9)], axis=1)


def test_splines_refuse_what_they_cannot_do() -> None:
    robot, spatial = robot_named("delta"), robot_named("gough_stewart")
    home = robot.home
    with pytest.raises(MotionError, match=r"poses: at least two are needed, got 1"):
        via_points(robot, [home])
    with pytest.raises(MotionError, match=r"times: one for each of 2 poses, got shape \(3,\)"):
        via_points(robot, [home, home], [0.0, 1.0, 2.0])
    with pytest.raises(MotionError, match=r"times: must be finite, start at 0 and increase, got \[0\.0, 0\.0\]"):
        via_points(robot, [home, home], [0.0, 0.0])
    with pytest.raises(MotionError, match=r"poses: poses of delta have shape \(N, 3\), got \(2, 7\)"):
        via_points(robot, [spatial.home, spatial.home])
    half = np.concatenate([spatial.home[:3], [0.0, 1.0, 0.0, 0.0]])
    with pytest.raises(MotionError, match=r"poses\[1\]: turns by 3\.142 rad from the one before, more than 2\.827"):
        via_points(spatial, [spatial.home, half])


def test_rotation_splines_that_do_not_converge_are_refused() -> None:
    robot = robot_named("gough_stewart")
    turns = [[1.0, -1.0, 0.2], [-0.6, -1.2, -0.5], [-0.4, 0.6, 1.2], [-1.2, -0.6, 0.3], [-0.8, 1.0, 0.6]]
    poses = np.concatenate([np.tile(robot.home[:3], (5, 1)), quaternion_from_vector(turns)], axis=1)
    with pytest.raises(MotionError, match=r"poses: the rotation spline did not converge: put poses between"):
        via_points(robot, poses, [0.0, 0.06, 0.92, 1.84, 1.86])


def test_turns_up_to_the_largest_are_taken() -> None:
    robot = robot_named("gough_stewart")
    for share, good in ((0.899, True), (0.901, False)):
        turned = np.concatenate([robot.home[:3], quaternion_from_vector([0.0, 0.0, share * np.pi])])
        if good:
            via_points(robot, [robot.home, turned, turned])
        else:
            with pytest.raises(MotionError, match=r"poses\[1\]: turns by 2\.831 rad"):
                via_points(robot, [robot.home, turned, turned])


def test_unless_told_splines_leave_home_and_come_back_a_second_apart() -> None:
    robot = robot_named("delta")
    motion = via_points(robot)
    assert motion.duration == 6.0
    np.testing.assert_allclose(motion.at([0.0, 6.0]).pose, [robot.home] * 2, atol=1e-15)
    np.testing.assert_allclose(motion.at(np.arange(1.0, 6.0)).pose, robot.sample(5, 3), atol=1e-14)

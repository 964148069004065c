"""Offsets from a pose: rates of rotation vectors, there and back, up and the middle of the box."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parakin.errors import MotionError, QuaternionError
from parakin.motions import SPATIAL
from parakin.motions.offsets import offset_between
from parakin.poses import matrix_from_quaternion, quaternion_from_vector
from parakin.quaternions import quaternion_product
from parakin.trajectory.offsets import (
    checked_poses,
    linear_axes,
    middle,
    offset_pose,
    turning,
    upwards,
)
from parakin.trajectory.profiles import Profile
from tests.moving import STENCIL
from tests.trajectory.helpers import ROBOTS, robot_named


@given(r=st.lists(st.floats(-3.0, 3.0), min_size=3, max_size=3), scale=st.sampled_from([0.0, 1e-9, 1e-4, 1.0]))
def test_turning_is_that_of_rotation_matrices(r: list[float], scale: float) -> None:
    """R_dot = w x R along r(t), near zero rotation too."""
    h = 1e-3
    tau = h * np.arange(-4, 5)[:, None]
    rate, growth = np.array([0.7, -0.4, 0.9]), np.array([-0.5, 1.1, 0.3])
    vector = scale * np.array(r) + tau * rate + 0.5 * tau**2 * growth
    quaternion, w, w_dot = turning(Profile(vector, np.array(rate + tau * growth, float), np.tile(growth, (9, 1))))
    R = matrix_from_quaternion(quaternion)
    R_dot = np.einsum("j,jkl->kl", STENCIL, R) / h
    np.testing.assert_allclose(R_dot, np.cross(w[4], R[4].T).T, atol=1e-10)
    np.testing.assert_allclose(w_dot[4], STENCIL @ w / h, atol=1e-10)


@pytest.mark.parametrize("name", ROBOTS)
def test_offsets_between_poses_lead_from_one_to_the_other(name: str) -> None:
    robot = robot_named(name)
    offsets = np.random.default_rng(0).uniform(*robot.box, (2, 4, robot.degrees_of_freedom))
    there = offset_between(robot.motion_type, robot.home, offset_pose(robot, offsets))
    np.testing.assert_allclose(there, offsets, atol=1e-14)
    assert offset_between(robot.motion_type, robot.home, robot.home).tolist() == [0.0] * robot.degrees_of_freedom


def test_offsets_turn_the_short_way_from_start_to_goal() -> None:
    start = np.concatenate([[0.0, 0.0, 1.0], quaternion_from_vector([0.3, 0.0, 0.0])])
    goal = np.concatenate([[0.5, 0.0, 1.0], quaternion_from_vector([0.3 + 0.2, 0.0, 0.0])])
    for sign in (1.0, -1.0):
        goal[3:] *= sign
        np.testing.assert_allclose(offset_between(SPATIAL, start, goal), [0.5, 0, 0, 0.2, 0, 0], atol=1e-15)
    np.testing.assert_allclose(offset_between(SPATIAL, goal, start), [-0.5, 0, 0, -0.2, 0, 0], atol=1e-15)


def test_offsets_are_turns_after_that_of_the_start_in_base_axes() -> None:
    rng = np.random.default_rng(2)
    first, turn = rng.uniform(-1.0, 1.0, (2, 20, 3))
    position = np.zeros((20, 3))
    start = np.hstack([position, quaternion_from_vector(first)])
    goal = np.hstack([position, quaternion_product(quaternion_from_vector(turn), start[:, 3:])])
    np.testing.assert_allclose(offset_between(SPATIAL, start, goal)[:, 3:], turn, atol=1e-14)


def test_up_is_against_gravity_and_the_middle_is_that_of_positions() -> None:
    """The hexapod's z points down; the plane of the five-bar is x, y."""
    assert upwards(robot_named("delta")).tolist() == [0.0, 0.0, 1.0]
    assert upwards(robot_named("hexapod_sliding")).tolist() == [0.0, 0.0, -1.0, 0.0, 0.0, 0.0]
    assert upwards(robot_named("five_bar")).tolist() == [0.0, 1.0]
    assert [linear_axes(robot_named(name)) for name in ("five_bar", "planar_3rpr", "h4", "gough_stewart")] == [
        2,
        2,
        3,
        3,
    ]
    for name in ROBOTS:
        robot = robot_named(name)
        n = linear_axes(robot)
        np.testing.assert_array_equal(middle(robot)[:n], (robot.box[0] + robot.box[1])[:n] / 2)
        assert not middle(robot)[n:].any()


def test_poses_are_checked_and_their_quaternions_made_unit() -> None:
    robot = robot_named("gough_stewart")
    near = robot.home * np.array([1, 1, 1, *[1 + 1e-8] * 4])
    poses = checked_poses("way", "poses", robot, [robot.home, near], (-1,))
    np.testing.assert_allclose(np.linalg.norm(poses[:, 3:], axis=1), 1.0, atol=1e-15)
    np.testing.assert_allclose(poses[:, :3], [robot.home[:3]] * 2, atol=1e-15)
    with pytest.raises(QuaternionError, match=r"has length 2: normalise it"):
        checked_poses("way", "poses", robot, [robot.home, robot.home * [1, 1, 1, 2, 2, 2, 2]], (-1,))
    with pytest.raises(QuaternionError, match=r"has length 0.5: normalise it") as error:
        checked_poses("way", "poses", robot, [robot.home, robot.home * [1, 1, 1, 0.5, 0.5, 0.5, 0.5]], (-1,))
    assert error.value.pose == (*robot.home[:3], 0.5, 0.0, 0.0, 0.0)
    with pytest.raises(MotionError, match=r"way: poses: must be finite"):
        checked_poses("way", "poses", robot, [robot.home, np.full(7, np.nan)], (-1,))
    with pytest.raises(MotionError, match=r"poses of gough_stewart have shape \(N, 7\), got \(7,\)"):
        checked_poses("way", "poses", robot, robot.home, (-1,))

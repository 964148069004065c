"""Pose helpers: round trips, and against scipy, which shares no code with them."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from parakin import poses

ORDERS = ["".join(letters) for letters in product("xyz", repeat=3) if letters[0] != letters[1] != letters[2]]


NEAR_LOCK = 2e-8
"""So close to gimbal lock the third angle is dropped, which costs as much as it was off."""


def drawn(count: int = 200) -> Rotation:
    """Random rotations, and those where formulas are delicate: half turns, none, and nearly so."""
    special = np.concatenate([np.pi * np.eye(3), -np.pi * np.eye(3), 1e-9 * np.eye(3), np.zeros((1, 3))])
    special = np.concatenate([special, special + 1e-7, np.full((1, 3), np.pi / np.sqrt(3))])
    return Rotation.concatenate([Rotation.random(count, rng=np.random.default_rng(0)), Rotation.from_rotvec(special)])


def test_quaternions_and_matrices_are_those_of_scipy() -> None:
    rotations = drawn()
    q = rotations.as_quat(scalar_first=True)
    np.testing.assert_allclose(poses.matrix_from_quaternion(q), rotations.as_matrix(), atol=1e-15)
    back = poses.quaternion_from_matrix(rotations.as_matrix())
    assert (back[:, 0] >= 0).all()
    np.testing.assert_allclose(np.abs(np.sum(back * q, axis=1)), 1, atol=1e-15)
    np.testing.assert_allclose(poses.matrix_from_quaternion(back), rotations.as_matrix(), atol=1e-15)
    vectors = poses.quaternion_from_vector(rotations.as_rotvec())
    np.testing.assert_allclose(np.abs(np.sum(vectors * q, axis=1)), 1, atol=1e-15)


@pytest.mark.parametrize("order", ORDERS)
def test_euler_angles_are_those_of_scipy_and_come_back(order: str) -> None:
    angles = np.random.default_rng(0).uniform(-3, 3, (100, 3))
    q = poses.quaternion_from_euler(order, angles)
    want = Rotation.from_euler(order.upper(), angles).as_matrix()
    np.testing.assert_allclose(poses.matrix_from_quaternion(q), want, atol=1e-14)
    for rotations in (Rotation.from_matrix(want), drawn()):
        found = poses.euler_from_quaternion(order, rotations.as_quat(scalar_first=True))
        again = poses.matrix_from_quaternion(poses.quaternion_from_euler(order, found))
        np.testing.assert_allclose(again, rotations.as_matrix(), atol=NEAR_LOCK)
    lower, upper = (0, np.pi) if order[0] == order[2] else (-np.pi / 2, np.pi / 2)
    middle = poses.euler_from_quaternion(order, q)[:, 1]
    assert (middle >= lower - 1e-12).all()
    assert (middle <= upper + 1e-12).all()


@pytest.mark.parametrize("order", ORDERS)
def test_gimbal_lock_still_gives_the_rotation(order: str) -> None:
    for middle in (0.0, np.pi) if order[0] == order[2] else (-np.pi / 2, np.pi / 2):
        q = poses.quaternion_from_euler(order, [0.4, middle, -0.9])
        found = poses.euler_from_quaternion(order, q)
        assert found[2] == 0.0
        again = poses.matrix_from_quaternion(poses.quaternion_from_euler(order, found))
        np.testing.assert_allclose(again, poses.matrix_from_quaternion(q), atol=1e-8)


@pytest.mark.parametrize("order", ["xx", "xxy", "xyw", "zyxz", ""])
def test_orders_that_are_none_are_refused(order: str) -> None:
    with pytest.raises(ValueError, match="an order of Euler angles is three of x, y, z"):
        poses.quaternion_from_euler(order, [0, 0, 0])


@given(seed=st.integers(0, 2**32 - 1))
def test_tool_poses_come_back(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pose = poses.pose_from_euler(rng.normal(size=(4, 3)), "zyx", rng.normal(size=(4, 3)))
    tool = rng.normal(size=3), poses.quaternion_from_vector(rng.normal(size=3))
    seen = poses.tool_pose(pose, *tool)
    np.testing.assert_allclose(poses.pose_of_tool(seen, *tool), pose, atol=1e-13)
    R = poses.matrix_from_quaternion(pose[0, 3:])
    np.testing.assert_allclose(seen[0, :3], pose[0, :3] + R @ tool[0], atol=1e-14)


def test_poses_from_matrices_broadcast() -> None:
    found = poses.pose_from_matrix(np.zeros((5, 3)), np.eye(3))
    np.testing.assert_array_equal(found, np.tile([0, 0, 0, 1, 0, 0, 0], (5, 1)))

"""Pose helpers against the definitions of what they convert, written here once more, and round trips."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import expm

from parakin import poses

ORDERS = ["".join(letters) for letters in product("xyz", repeat=3) if letters[0] != letters[1] != letters[2]]
NEAR_LOCK = 2e-7
"""[rad] Within 1e-7 of gimbal lock the third angle is dropped, and first and third are nearly the same."""


def vectors(count: int = 200) -> np.ndarray:
    """Random rotation vectors, and those where formulas are delicate: half turns, none, and nearly so."""
    special = np.concatenate([np.pi * np.eye(3), -np.pi * np.eye(3), 1e-9 * np.eye(3), np.zeros((1, 3))])
    special = np.concatenate([special, special + 1e-7, np.full((1, 3), np.pi / np.sqrt(3))])
    axes = np.random.default_rng(0).normal(size=(count, 3))
    turns = np.random.default_rng(1).uniform(0.0, np.pi, (count, 1))
    return np.concatenate([turns * axes / np.linalg.norm(axes, axis=1, keepdims=True), special])


def rodrigues(vector: np.ndarray) -> np.ndarray:
    """R = exp(r~), by the series of the matrix exponential."""
    x, y, z = vector
    return expm(np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]))


def about(letter: str, angle: float) -> np.ndarray:
    """R_x, R_y or R_z: the next axis turns towards the one after it."""
    i = "xyz".index(letter)
    j, k = (i + 1) % 3, (i + 2) % 3
    R = np.eye(3)
    R[j, j] = R[k, k] = np.cos(angle)
    R[k, j], R[j, k] = np.sin(angle), -np.sin(angle)
    return R


def test_quaternions_vectors_and_matrices_are_the_same_rotations() -> None:
    matrices = np.array([rodrigues(vector) for vector in vectors()])
    q = poses.quaternion_from_vector(vectors())
    np.testing.assert_allclose(np.linalg.norm(q, axis=1), 1, atol=1e-15)
    np.testing.assert_allclose(poses.matrix_from_quaternion(q), matrices, atol=3e-15)
    np.testing.assert_allclose(poses.matrix_from_quaternion(-3 * q), matrices, atol=3e-15)
    back = poses.quaternion_from_matrix(matrices)
    assert (back[:, 0] >= 0).all()
    np.testing.assert_allclose(np.linalg.norm(back, axis=1), 1, atol=1e-15)
    np.testing.assert_allclose(poses.matrix_from_quaternion(back), matrices, atol=3e-15)


def test_products_of_quaternions_are_products_of_matrices() -> None:
    a, b = poses.quaternion_from_vector(vectors()), poses.quaternion_from_vector(vectors()[::-1])
    want = poses.matrix_from_quaternion(a) @ poses.matrix_from_quaternion(b)
    np.testing.assert_allclose(poses.matrix_from_quaternion(poses.quaternion_product(a, b)), want, atol=3e-15)
    i, j, k = np.eye(4)[1:]
    np.testing.assert_array_equal(poses.quaternion_product(i, j), k)
    np.testing.assert_array_equal(poses.quaternion_product(j, i), -k)
    np.testing.assert_array_equal(poses.quaternion_product(2 * i, 3 * i), [-6, 0, 0, 0])


@pytest.mark.parametrize("order", ORDERS)
def test_euler_angles_turn_about_new_axes_and_come_back(order: str) -> None:
    angles = np.random.default_rng(0).uniform(-3, 3, (100, 3))
    q = poses.quaternion_from_euler(order, angles)
    want = [about(order[0], a) @ about(order[1], b) @ about(order[2], c) for a, b, c in angles]
    np.testing.assert_allclose(poses.matrix_from_quaternion(q), want, atol=1e-14)
    for quaternions, tolerance in ((q, 1e-14), (poses.quaternion_from_vector(vectors()), NEAR_LOCK)):
        again = poses.quaternion_from_euler(order, poses.euler_from_quaternion(order, quaternions))
        matrices = poses.matrix_from_quaternion(quaternions)
        np.testing.assert_allclose(poses.matrix_from_quaternion(again), matrices, atol=tolerance)
    lower, upper = (0, np.pi) if order[0] == order[2] else (-np.pi / 2, np.pi / 2)
    middle = poses.euler_from_quaternion(order, q)[:, 1]
    assert (middle >= lower - 1e-12).all()
    assert (middle <= upper + 1e-12).all()
    inside = np.linspace(lower, upper, 12)[1:-1]
    known = np.stack([np.linspace(-3, 3, 10), inside, np.linspace(2, -2, 10)], axis=1)
    back = poses.euler_from_quaternion(order, poses.quaternion_from_euler(order, known))
    np.testing.assert_allclose(back, known, atol=1e-14)


@pytest.mark.parametrize("order", ORDERS)
def test_gimbal_lock_still_gives_the_rotation(order: str) -> None:
    for middle in (0.0, np.pi) if order[0] == order[2] else (-np.pi / 2, np.pi / 2):
        q = poses.quaternion_from_euler(order, [0.4, middle, -0.9])
        angles = poses.euler_from_quaternion(order, q)
        assert angles[2] == 0.0
        again = poses.matrix_from_quaternion(poses.quaternion_from_euler(order, angles))
        np.testing.assert_allclose(again, poses.matrix_from_quaternion(q), atol=1e-8)


@pytest.mark.parametrize("order", ["xx", "xxy", "xyy", "xyw", "zyxz", "ZYX", ""])
def test_orders_that_are_none_are_refused(order: str) -> None:
    with pytest.raises(ValueError, match="an order of Euler angles is three of x, y, z"):
        poses.quaternion_from_euler(order, [0, 0, 0])
    with pytest.raises(ValueError, match="an order of Euler angles is three of x, y, z"):
        poses.euler_from_quaternion(order, [1, 0, 0, 0])


@pytest.mark.parametrize("lead", [(), (1,), (4,), (2, 3), (0,), (2, 0)])
def test_batches_of_any_shape(lead: tuple[int, ...]) -> None:
    angles = np.random.default_rng(0).uniform(-1, 1, (*lead, 3))
    q = poses.quaternion_from_euler("zyx", angles)
    R = poses.matrix_from_quaternion(q)
    assert q.shape == (*lead, 4)
    assert R.shape == (*lead, 3, 3)
    assert poses.quaternion_from_vector(angles).shape == (*lead, 4)
    np.testing.assert_allclose(poses.quaternion_from_matrix(R), q, atol=1e-15)
    np.testing.assert_allclose(poses.euler_from_quaternion("zyx", q), angles, atol=1e-14)
    assert poses.tool_pose(poses.pose_from_matrix(angles, R), [0, 0, 1], [1, 0, 0, 0]).shape == (*lead, 7)


@pytest.mark.parametrize("bad", [np.zeros(4), np.full(4, np.nan), [np.inf, 0, 0, 0], [np.nan, 1, 0, 0]])
def test_a_quaternion_without_direction_spoils_only_its_own_row(bad: np.ndarray) -> None:
    q = np.array([[1.0, 0, 0, 0], bad])
    R, angles = poses.matrix_from_quaternion(q), poses.euler_from_quaternion("zyx", q)
    np.testing.assert_array_equal(R[0], np.eye(3))
    np.testing.assert_array_equal(angles[0], np.zeros(3))
    assert np.isnan(R[1]).all()
    assert np.isnan(angles[1]).all()
    matrices = np.array([np.eye(3), np.full((3, 3), np.nan)])
    assert np.isnan(poses.quaternion_from_matrix(matrices)).all(axis=1).tolist() == [False, True]


@given(seed=st.integers(0, 2**32 - 1))
def test_tool_poses_come_back(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pose = poses.pose_from_euler(rng.normal(size=(4, 3)), "zyx", rng.normal(size=(4, 3)))
    tool = rng.normal(size=3), poses.quaternion_from_vector(rng.normal(size=3))
    seen = poses.tool_pose(pose, *tool)
    np.testing.assert_allclose(poses.pose_of_tool(seen, *tool), pose, atol=1e-13)
    R_OE, R_ET, R_OT = (poses.matrix_from_quaternion(q) for q in (pose[0, 3:], tool[1], seen[0, 3:]))
    np.testing.assert_allclose(seen[0, :3], pose[0, :3] + R_OE @ tool[0], atol=1e-14)
    np.testing.assert_allclose(R_OT, R_OE @ R_ET, atol=1e-14)


def test_poses_from_matrices_broadcast() -> None:
    pose = poses.pose_from_matrix(np.zeros((5, 3)), np.eye(3))
    np.testing.assert_array_equal(pose, np.tile([0, 0, 0, 1, 0, 0, 0], (5, 1)))

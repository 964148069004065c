"""Between samples of a motion: rotation vectors go there and back, errors fall with the sixth power of the step."""

from __future__ import annotations

import functools

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import parakin as pk
from parakin import trajectory
from parakin.errors import MotionError, UnsupportedRobotError
from parakin.export.onboard.motion_table import motion_table
from parakin.kernels import Kernel
from parakin.trajectory.onboard.between import (
    Turn,
    angular_acceleration,
    angular_velocity,
    quaternion_of,
    turn_of,
    vector_of,
)
from tests.ball_platform import ball_platform

ROUNDING = 1e-14
"""Sums of sixteen terms below 5, and an arc tangent."""
BACK_AND_FORTH = 1e-11
"""Accelerations of 30 rad/s^2 there and back, whose map has entries of up to 4 at half a turn."""


@functools.cache
def rotations() -> Kernel:
    r, w, w_dot = (ca.SX.sym(name, 3) for name in ("r", "w", "w_dot"))
    turn = turn_of(r, w, w_dot)
    back = [angular_velocity(r, turn.rate), angular_acceleration(Turn(*turn))]
    outputs = [quaternion_of(r), vector_of(quaternion_of(r)), *back]
    return Kernel(
        ca.Function("turns", [r, w, w_dot], outputs, ["r", "w", "w_dot"], ["quat", "r_again", "w_again", "w_dot_again"])
    )


vectors = st.lists(st.floats(-1.0, 1.0), min_size=3, max_size=3).map(np.array)


@settings(max_examples=60, deadline=None)
@given(axis=vectors, angle=st.one_of(st.floats(0.0, 3.14159), st.floats(0.0, 1e-3)), w=vectors, w_dot=vectors)
def test_rotation_vectors_are_those_of_scipy_and_go_back(
    axis: np.ndarray, angle: float, w: np.ndarray, w_dot: np.ndarray
) -> None:
    length = np.linalg.norm(axis)
    r = angle * axis / length if length > 1e-6 else np.zeros(3)
    said = rotations().evaluate({"r": r, "w": 3 * w, "w_dot": 30 * w_dot})
    expected = Rotation.from_rotvec(r).as_quat(scalar_first=True)
    np.testing.assert_allclose(said["quat"], expected, atol=ROUNDING)
    np.testing.assert_allclose(said["r_again"], r, atol=10 * ROUNDING)
    np.testing.assert_allclose(said["w_again"], 3 * w, atol=BACK_AND_FORTH)
    np.testing.assert_allclose(said["w_dot_again"], 30 * w_dot, atol=BACK_AND_FORTH)


@pytest.mark.parametrize("name", ["five_bar", "gough_stewart"])
def test_the_error_falls_with_the_sixth_power_of_the_step(name: str) -> None:
    """By 64 for the pose, and by 32 and 16 for velocity and acceleration, where rounding is not near."""
    robot = pk.load(name)
    motion = trajectory.fourier(robot)
    coarse, fine = (motion_table(robot, motion, rate) for rate in (25.0, 50.0))
    assert len(fine.rows) == 2 * len(coarse.rows) - 1
    ratios = np.array(coarse.error) / np.array(fine.error)
    assert (ratios[:1] > 40).all()
    assert ratios[1] > 20
    assert ratios[2] > 10
    assert fine.error[0] < 1e-10


def test_samples_of_a_file_are_thinned_and_compared_with_what_was_left_out() -> None:
    robot = pk.load("gough_stewart")
    motion = trajectory.fourier(robot)
    samples = motion.sampled(1000.0)
    table = motion_table(robot, samples, 100.0)
    exact = motion_table(robot, motion, 100.0)
    assert table.step == pytest.approx(0.01)
    assert table.looked == 9 * (len(table.rows) - 1)
    np.testing.assert_allclose(table.rows[: len(exact.rows)], exact.rows, atol=1e-12)
    assert table.error[0] == pytest.approx(exact.error[0], rel=1.0)
    whole = motion_table(robot, samples, 1000.0)
    assert (whole.looked, whole.error) == (0, (0.0, 0.0, 0.0))


def test_quaternions_of_a_table_keep_their_sign() -> None:
    robot = pk.load("gough_stewart")
    samples = trajectory.fourier(robot).sampled(100.0)
    pose = samples.pose.copy()
    pose[50:120, 3:] *= -1
    turned = trajectory.Samples(samples.kind, samples.t, pose, samples.velocity, samples.acceleration)
    rows = motion_table(robot, turned, 100.0).rows
    np.testing.assert_array_equal(rows, motion_table(robot, samples, 100.0).rows)


def test_motions_that_cannot_be_played_are_refused() -> None:
    robot = pk.load("five_bar")
    periodic = trajectory.fourier(robot, blend=0.0)
    with pytest.raises(MotionError, match=r"fourier: velocity: begins with velocity \S+, not at rest: blend it in"):
        motion_table(robot, periodic)
    with pytest.raises(MotionError, match="the motion is planar-translation, delta is translation"):
        motion_table(pk.load("delta"), trajectory.fourier(robot))
    with pytest.raises(MotionError, match="rate: must be finite and > 0 Hz, got 0"):
        motion_table(robot, trajectory.fourier(robot), 0.0)
    uneven = trajectory.fourier(robot).sampled(100.0)
    uneven = trajectory.Samples(uneven.kind, uneven.t**2, uneven.pose, uneven.velocity, uneven.acceleration)
    with pytest.raises(MotionError, match="must be at least two times at equal distances"):
        motion_table(robot, uneven)
    with pytest.raises(UnsupportedRobotError, match="not made for coordinates that are turns of a ball"):
        motion_table(ball_platform(), trajectory.fourier(robot))

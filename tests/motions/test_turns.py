"""Turns of a ball in a pose: rates, steps and offsets against quaternions and differences."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from parakin.motions import joints
from parakin.motions.offsets import displaced, offset_between, pose_rates, pose_slopes, squared_errors
from parakin.motions.turns import angular_motion, balls_among, quaternion_of_turns, turns_of_quaternion
from parakin.quaternions import CONJUGATE, quaternion_from_vector, quaternion_product
from parakin.units import ANGLE, LENGTH

KIND = joints(("rail.travel", "ball.wx", "ball.wy", "ball.wz"), (LENGTH, ANGLE, ANGLE, ANGLE))
ROUNDING = 1e-13
"""Products and inverse tangents of numbers near one."""
DIFFERENCES = 1e-8
"""Central differences with steps of 1e-5: rounding 1e-11, and what a third derivative adds."""


def poses(count: int = 50, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    turns = turns_of_quaternion(quaternion_from_vector(rng.uniform(-1.5, 1.5, (count, 3))))
    return np.concatenate([rng.uniform(-1, 1, (count, 1)), turns], axis=1)


def symbolic(name: str, *sizes: int) -> ca.Function:
    x = [ca.SX.sym(f"x{k}", size) for k, size in enumerate(sizes)]
    return ca.Function(name, x, [getattr(KIND, name)(*x)])


def test_balls_are_three_components_in_a_row() -> None:
    assert KIND.balls == (1,)
    assert balls_among(("a.wx", "a.wy", "b.wz")) == ()
    assert balls_among(("a.wy", "a.wx", "a.wz")) == ()
    assert balls_among(("a.wx", "a.wy", "a.wz", "b.angle", "b.wx", "b.wy", "b.wz")) == (0, 4)


def test_turns_are_those_of_their_quaternion_on_either_side() -> None:
    q = np.random.default_rng(1).normal(size=(200, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    assert (q[:, 0] < 0).any()
    assert np.max(np.abs(quaternion_of_turns(turns_of_quaternion(q)) - q)) < ROUNDING


def test_offsets_turn_in_the_ball_s_own_axes() -> None:
    reference, offset = poses(1)[0], np.random.default_rng(2).uniform(-1, 1, (50, 4))
    there = displaced(KIND, reference, offset)
    turn = quaternion_product(quaternion_of_turns(reference[1:]) * CONJUGATE, quaternion_of_turns(there[:, 1:]))
    assert np.max(np.abs(turn - quaternion_from_vector(offset[:, 1:]))) < ROUNDING
    assert np.max(np.abs(offset_between(KIND, reference, there) - offset)) < ROUNDING
    far = squared_errors(KIND, np.tile(reference, (50, 1)), there)
    angle = np.linalg.norm(offset[:, 1:], axis=1)
    assert far == pytest.approx(np.stack([offset[:, 0] ** 2, (2 * np.sin(angle / 2)) ** 2], axis=1), abs=ROUNDING)


def test_rates_slopes_and_symbols_agree_with_differences_of_offsets() -> None:
    h, v = 1e-5, np.random.default_rng(3).uniform(-1, 1, (50, 4))
    for pose, velocity in zip(poses(), v, strict=True):
        ahead, behind = (displaced(KIND, pose, sign * h * velocity) for sign in (1, -1))
        rate = (ahead - behind) / (2 * h)
        assert pose_rates(KIND, pose[None], velocity[None])[0] == pytest.approx(rate, abs=DIFFERENCES)
        assert pose_slopes(KIND, pose) @ velocity == pytest.approx(rate, abs=DIFFERENCES)
        assert symbolic("pose_rate", 4, 4)(pose, velocity).full().ravel() == pytest.approx(rate, abs=DIFFERENCES)


def test_a_small_step_is_an_offset_and_its_displacement_is_the_step() -> None:
    step = 1e-4 * np.random.default_rng(4).uniform(-1, 1, 4)
    cube = 1e-12  # a step's quaternion is (1, r/2), and a displacement 2 sin(a/2): both leave out the cube of the angle
    for pose in poses(10):
        there = symbolic("stepped", 4, 4)(pose, step).full().ravel()
        assert there == pytest.approx(displaced(KIND, pose, step), abs=cube)
        assert symbolic("displacement", 4, 4)(pose, there).full().ravel() == pytest.approx(step, abs=cube)


def test_an_angular_velocity_seen_from_another_orientation() -> None:
    here, there = poses(2)
    w = np.array([0.2, 0.3, -0.4, 0.5])
    seen = symbolic("seen_from", 4, 4, 4)(here, there, w).full().ravel()
    q_h, q_t = (quaternion_of_turns(pose[1:]) for pose in (here, there))
    turn = quaternion_product(q_h * CONJUGATE, q_t)
    pure = quaternion_product(quaternion_product(turn, [0.0, *w[1:]]), turn * CONJUGATE)
    assert seen == pytest.approx([0.2, *pure[1:]], abs=ROUNDING)


def test_offsets_drift_against_the_turning() -> None:
    """The offset between two motions with the same angular velocity in their own axes: delta_dot = -w x delta."""
    w, delta = np.array([0.0, 0.7, -0.4, 0.9]), np.array([0.0, 1e-5, 2e-5, -1e-5])
    pose, h = poses(1)[0], 1e-3
    both = pose, displaced(KIND, pose, delta)
    moved = [displaced(KIND, one, sign * h * w) for one in both for sign in (1, -1)]
    rate = (offset_between(KIND, moved[0], moved[2]) - offset_between(KIND, moved[1], moved[3])) / (2 * h)
    assert symbolic("offset_drift", 4)(w).full() @ delta == pytest.approx(rate, abs=1e-9)


def test_angular_motion_of_turns_that_follow_a_curve() -> None:
    def turns(t: float) -> np.ndarray:
        return np.array([0.8 * np.sin(2 * t), 0.5 * np.cos(3 * t), 0.4 + 0.3 * t])

    t, h = 0.3, 1e-4
    rates = np.array([1.6 * np.cos(2 * t), -1.5 * np.sin(3 * t), 0.3])
    accelerations = np.array([-3.2 * np.sin(2 * t), -4.5 * np.cos(3 * t), 0.0])
    w, w_dot = angular_motion(turns(t), rates, accelerations)
    back = pose_rates(KIND, np.array([[0.0, *turns(t)]]), np.array([[0.0, *w]]))[0, 1:]
    assert back == pytest.approx(rates, abs=ROUNDING * 10)

    def velocity(at: float) -> np.ndarray:
        slope = np.array([1.6 * np.cos(2 * at), -1.5 * np.sin(3 * at), 0.3])
        return angular_motion(turns(at), slope, np.zeros(3))[0]

    assert w_dot == pytest.approx((velocity(t + h) - velocity(t - h)) / (2 * h), abs=1e-6)

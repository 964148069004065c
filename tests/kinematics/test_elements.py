"""Lines and frames of elements as functions of time: every rate is the derivative of what it is the rate of."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from parakin.kinematics.elements import ElementMotion, Line, Spin, free_frame, revolute_frame, universal_frame

T = ca.SX.sym("t")
MOMENTS = (0.0, 0.7, 1.9)


def rate(expression: ca.SX) -> ca.SX:
    """The derivative by time, in the same shape."""
    return ca.reshape(ca.jacobian(ca.vec(expression), T), *expression.shape)


def value(expression: ca.SX, t: float) -> np.ndarray:
    return np.array(ca.Function("f", [T], [expression])(t))


def same(one: ca.SX, other: ca.SX) -> None:
    for t in MOMENTS:
        assert value(one, t) == pytest.approx(value(other, t), abs=1e-12)


def turned(axis: int, angle: ca.SX) -> ca.SX:
    """Rotation about a base axis."""
    c, s = ca.cos(angle), ca.sin(angle)
    j, k = (axis + 1) % 3, (axis + 2) % 3
    R = ca.SX.eye(3)
    R[j, j], R[j, k], R[k, j], R[k, k] = c, -s, s, c
    return R


def spin_of(R: ca.SX) -> Spin:
    """A frame with its angular velocity and acceleration, all from R."""
    W = rate(R) @ R.T
    w = ca.vertcat(W[2, 1], W[0, 2], W[1, 0])
    return Spin(R, w, rate(w))


CARRIER = spin_of(turned(2, 0.4 * ca.sin(1.3 * T)) @ turned(0, 0.3 + 0.5 * ca.cos(T)))


def line_along(x: ca.SX) -> Line:
    A = ca.vertcat(ca.sin(T), 0.2 * T**2, ca.cos(2 * T))
    d = 0.8 + 0.3 * ca.sin(1.7 * T)
    return Line(A, rate(A), rate(rate(A)), x, rate(x), rate(rate(x)), d, rate(d), rate(rate(d)))


def wandering() -> Line:
    x = ca.vertcat(1.0 + 0.2 * ca.sin(T), 0.5 * ca.cos(1.1 * T), 0.4 + 0.3 * ca.sin(0.9 * T))
    return line_along(x / ca.norm_2(x))


def holds(spin: Spin) -> None:
    """R is a rotation, turns with w, and w grows with w_dot."""
    same(spin.R.T @ spin.R, ca.SX.eye(3))
    same(ca.det(spin.R), ca.SX(1))
    same(rate(spin.R), ca.skew(spin.w) @ spin.R)
    same(spin.w_dot, rate(spin.w))


def test_the_tip_moves_as_it_lies() -> None:
    line = wandering()
    same(line.B, line.A + line.d * line.x)
    same(line.B_dot, rate(line.B))
    same(line.B_ddot, rate(rate(line.B)))


def test_a_revolute_root_turns_about_its_axis_alone() -> None:
    axis = ca.SX([0.0, 0.6, 0.8])
    across = ca.SX([1.0, 0.0, 0.0])
    angle = 0.3 + ca.sin(1.4 * T)
    x = CARRIER.R @ (ca.cos(angle) * across + ca.sin(angle) * ca.cross(axis, across))
    motion = revolute_frame(line_along(x), CARRIER, axis)
    holds(motion.frame)
    same(motion.frame.R[:, 0], x)
    same(motion.frame.w - CARRIER.w, rate(angle) * (CARRIER.R @ axis))


def test_a_universal_root_turns_about_its_two_axes_and_the_ring_about_the_first() -> None:
    axis = ca.SX([0.0, 0.8, 0.6])
    motion = universal_frame(wandering(), CARRIER, axis)
    ring = motion.ring
    assert ring is not None
    holds(motion.frame)
    holds(ring)
    first, second = CARRIER.R @ axis, motion.frame.R[:, 1]
    same(ring.R[:, :2], ca.horzcat(first, second))
    same(ca.dot(motion.frame.w - CARRIER.w, ca.cross(first, second)), ca.SX(0))
    same(ca.cross(ring.w - CARRIER.w, first), ca.SX.zeros(3))
    same(motion.pivot, ca.sumsqr(ca.cross(first, motion.frame.R[:, 0])))


def free(direction: list[float]) -> ElementMotion:
    x = ca.SX(direction) / np.linalg.norm(direction)
    still = ca.SX.zeros(3)
    return free_frame(Line(still, still, still, x, still, still, ca.SX(1), ca.SX(0), ca.SX(0)), CARRIER)


@pytest.mark.parametrize("off", [0.0, 1e-150, 1e-12, 1e-8, 1e-5, 0.1, 1.0])
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_free_frame_is_the_base_turned_the_short_way(off: float, side: float) -> None:
    """To the last digits towards both ends of the base's x axis: the frame is a rotation about an axis across it."""
    R = value(free([side, 0.6 * off, -0.8 * off]).frame.R, 0.0)
    assert pytest.approx(np.eye(3), abs=1e-14) == R.T @ R
    assert np.linalg.det(R) == pytest.approx(1.0, abs=1e-14)
    assert R[:, 0] == pytest.approx(np.array([side, 0.6 * off, -0.8 * off]) / np.hypot(1.0, off), abs=1e-15)
    across = [0.0, 0.8, 0.6] if off else [0.0, 0.0, 1.0]
    assert R @ across == pytest.approx(across, abs=1e-14)


def test_a_free_frame_does_not_spin() -> None:
    frame = free_frame(wandering(), CARRIER).frame
    same(ca.dot(frame.w, frame.R[:, 0]), ca.SX(0))
    same(rate(frame.R[:, 0]), ca.cross(frame.w, frame.R[:, 0]))
    same(frame.w_dot, rate(frame.w))

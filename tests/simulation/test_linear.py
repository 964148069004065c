"""The linearised loop against matrices worked out by hand, and against differences."""

from __future__ import annotations

import numpy as np
import pytest

from parakin.control.tuning.linear_loop import LinearLoop
from parakin.motions import SPATIAL
from parakin.simulation.linear import _noise, _of_displacements

PERIOD = 0.1


def loop_of(*, delay: float = 0.0, exact: bool = True, K_p: float = 0.0, K_d: float = 0.0) -> LinearLoop:
    """A unit mass on one actuator under tau = -K_p q - K_d q_dot, without state."""
    A, B = np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([[0.0], [1.0]])
    law = np.array([[-K_p, -K_d]])
    return LinearLoop(PERIOD, A, B, np.eye(1), law, 0, False, 0.25, exact, delay, np.array([0.5]))


def plant_rows(loop: LinearLoop, **options: float) -> np.ndarray:
    return loop.step(**options)[0][:2]


def test_a_force_at_once_is_held_for_the_whole_tick() -> None:
    """x + T v + T^2/2 tau, v + T tau; z = [x, v, last q, rate, last force]."""
    rows = plant_rows(loop_of(K_p=2.0, K_d=3.0))
    assert rows[0, :2] == pytest.approx([1 - 2 * PERIOD**2 / 2, PERIOD - 3 * PERIOD**2 / 2])
    assert rows[1, :2] == pytest.approx([-2 * PERIOD, 1 - 3 * PERIOD])
    assert rows[:, 2:] == pytest.approx(np.zeros((2, 3)))


def test_a_delay_puts_the_last_force_in_the_place_of_this_one() -> None:
    rows = plant_rows(loop_of(K_p=2.0, delay=1.0))
    assert rows[:, :2] == pytest.approx(np.array([[1.0, PERIOD], [0.0, 1.0]]))
    assert rows[:, 4] == pytest.approx([PERIOD**2 / 2, PERIOD])
    assert rows[:, 5] == pytest.approx([0.0, 0.0])
    part = plant_rows(loop_of(K_p=2.0), extra_delay=0.3 * PERIOD)
    assert part[1, 4] == pytest.approx(0.3 * PERIOD)  # the last force acts for three tenths
    assert part[1, 0] == pytest.approx(-2.0 * 0.7 * PERIOD)
    assert part[0, 0] == pytest.approx(1 - 2.0 * (0.7 * PERIOD) ** 2 / 2)
    assert part[0, 4] == pytest.approx(0.3 * PERIOD * (0.3 * PERIOD / 2 + 0.7 * PERIOD))


def test_a_gain_multiplies_forces_on_the_plant_only() -> None:
    F, _, tau = loop_of(K_p=2.0).step(gain=5.0)
    assert F[1, 0] == pytest.approx(-10.0 * PERIOD)
    assert tau[0, 0] == pytest.approx(-2.0)


def test_rates_pass_the_filter() -> None:
    F, G, tau = loop_of(K_d=1.0, exact=False).step()
    rate = [0.25 / PERIOD, 0.0, -0.25 / PERIOD, 0.75, 0.0]
    assert F[3] == pytest.approx(rate)
    assert G[2:4, 0] == pytest.approx([1.0, 0.25 / PERIOD])
    assert tau[0, :5] == pytest.approx(-np.array(rate))
    assert tau[0, 5] == pytest.approx(-0.25 / PERIOD)


def test_a_measured_pose_has_a_filter_of_its_own() -> None:
    """z = [x, v, last q, rate, last pose, its rate, last force]; the encoders' memory stays as it is."""
    A, B = np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([[0.0], [1.0]])
    law = np.array([[-2.0, -3.0]])
    F, G, tau = LinearLoop(PERIOD, A, B, np.eye(1), law, 0, True, 0.25, False, 0.0, np.array([0.5])).step()
    rate = np.array([0.25 / PERIOD, 0.0, 0.0, 0.0, -0.25 / PERIOD, 0.75, 0.0])
    assert np.array_equal(F[2:4], np.eye(7)[2:4])
    assert np.array_equal(F[4], np.eye(7)[0])
    assert F[5] == pytest.approx(rate)
    assert G[2:6, 0] == pytest.approx([0.0, 0.0, 1.0, 0.25 / PERIOD])
    assert tau[0, :7] == pytest.approx(-2.0 * np.eye(7)[0] - 3.0 * rate)


def test_counting_adds_an_even_spread_to_the_noise() -> None:
    stacked = {"noise_q": np.array([3e-3]), "quantum": np.array([[0.0, 4e-3 * np.sqrt(12)]])}
    stacked["noise_pose"] = np.array([[1.0, 2.0]])
    assert _noise(stacked, False) == pytest.approx([3e-3, 5e-3])
    assert _noise(stacked, True).tolist() == [1.0, 2.0]


def test_force_noise_is_the_sum_over_all_ticks() -> None:
    loop = loop_of(K_p=2.0, K_d=3.0)
    F, G, tau = loop.step()
    H, D = tau[:, :5], tau[:, 5:]
    squares = [float(D[0, 0]) ** 2]
    for _ in range(2000):
        squares.append(float((H @ G)[0, 0]) ** 2)
        G = F @ G
    assert loop.force_noise() == pytest.approx([0.5 * np.sqrt(np.sum(squares))])
    assert loop.radius() == pytest.approx(np.abs(np.linalg.eigvals(F)).max())


def test_a_measured_quaternion_is_a_small_rotation() -> None:
    """d(quat) = 1/2 (0, w) quat, against the product of quaternions; columns of state and velocity stay."""
    quaternion = np.array([0.5, -0.5, 0.1, 0.7])
    pose = np.array([1.0, 2.0, 3.0, *(quaternion / np.linalg.norm(quaternion))])
    turned = _of_displacements(np.eye(2 + 7 + 6), 2, SPATIAL, pose)
    assert turned.shape == (15, 14)
    assert np.array_equal(turned[:5, :5], np.eye(5))
    assert np.array_equal(turned[9:, 8:], np.eye(6))
    w, v = pose[3], pose[4:]
    for k, axis in enumerate(np.eye(3)):
        product = np.array([-axis @ v, *(w * axis + np.cross(axis, v))]) / 2
        assert turned[5:9, 5 + k] == pytest.approx(product)

"""Rates from fitted cubics, and torques from observed bars."""

from __future__ import annotations

import numpy as np
import pytest

import parakin as pk
from parakin.studies.ozgur.measuring import _eq_10, _longer
from parakin.studies.ozgur.noise import RATE, WINDOW, _derived, angles_of, encoder_torque, observed_torque
from parakin.trajectory import circle


def test_cubics_have_the_derivatives_of_their_fit() -> None:
    t = np.arange(100) / RATE
    derived = _derived((1 + 2 * t - 300 * t**2 + 4000 * t**3)[:, None])
    inner = slice(WINDOW, -WINDOW)
    assert derived.angle[inner, 0] == pytest.approx((1 + 2 * t - 300 * t**2 + 4000 * t**3)[inner])
    assert derived.rate[inner, 0] == pytest.approx((2 - 600 * t + 12000 * t**2)[inner], abs=1e-8)
    assert derived.acceleration[inner, 0] == pytest.approx((-600 + 24000 * t)[inner], rel=1e-6, abs=1e-4)


def test_exact_angles_give_exact_torques_both_ways() -> None:
    robot = pk.load("five_bar")
    samples = circle(robot).sampled(50.0)
    state = samples.pose, samples.velocity, samples.acceleration
    tau = robot.inverse_dynamics(*state)
    bars, motors = angles_of(robot, *state)
    assert observed_torque(robot, bars) == pytest.approx(tau, rel=1e-9, abs=1e-9)
    assert encoder_torque(robot, motors) == pytest.approx(tau, rel=1e-6, abs=1e-6)


def test_eq_10_has_no_frame_at_rest_and_follows_the_sign_of_the_rate() -> None:
    robot = pk.load("five_bar")
    pose, velocity = robot.home[None], np.array([[0.3, 0.1]])
    assert np.isnan(_eq_10(robot, pose, 0 * velocity)).all()
    rates = angles_of(robot, pose, velocity, 0 * velocity)[0].rate[:, 0::2]
    assert _eq_10(robot, pose, velocity) == pytest.approx(np.sign(rates))
    assert _eq_10(robot, pose, -velocity) == pytest.approx(-np.sign(rates))


def test_robots_that_save_more_than_the_five_bar_are_listed() -> None:
    assert _longer({"five_bar": 2.0, "delta": 3.0, "quattro": 2.0}) == "delta"
    assert _longer({"five_bar": 2.0, "delta": 1.0}) == "none"

"""What every law relies on: forces cut at their limits, integrals that do not wind up."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import parakin as pk
from parakin.control import ControlModel, next_integral


def numbers(expression: ca.SX) -> list[float]:
    return np.asarray(ca.DM(expression)).ravel().tolist()


def test_forces_are_cut_on_both_sides_and_nan_stays() -> None:
    model = ControlModel(pk.load("five_bar"))  # limits of 20 N m
    assert numbers(model.saturated(ca.SX([25.0, -25.0]))) == [20.0, -20.0]
    assert numbers(model.saturated(ca.SX([20.0, -19.5]))) == [20.0, -19.5]
    assert np.isnan(numbers(model.saturated(ca.SX([np.nan, 1.0])))[0])


@pytest.mark.parametrize(
    ("error", "excess", "expected"),
    [(1.0, 2.0, 5.0), (-1.0, -2.0, 5.0), (1.0, -2.0, 6.0), (-1.0, 2.0, 6.0), (1.0, 0.0, 6.0)],
)
def test_an_integral_rests_while_its_error_pushes_into_the_limit(error: float, excess: float, expected: float) -> None:
    assert numbers(next_integral(ca.SX(5.0), ca.SX(6.0), ca.SX(error), ca.SX(excess))) == [expected]


def test_newton_steps_close_in_on_the_pose() -> None:
    robot = pk.load("five_bar")
    model, q = ControlModel(robot), robot.inverse_kinematics(robot.home)
    near = ca.SX(ca.DM(robot.home + 1e-3))
    off = [np.abs(numbers(model.place(near, ca.SX(ca.DM(q)), steps)) - robot.home).max() for steps in (0, 1, 2)]
    assert off[0] == pytest.approx(1e-3)
    assert off[1] < 2e-5
    assert off[2] < 1e-8


def test_rates_and_drive_friction_are_those_of_the_robot() -> None:
    robot = pk.load("five_bar")
    model = ControlModel(robot)
    pose, v, a = ca.SX(ca.DM(robot.home)), np.array([0.3, -0.2]), np.array([1.0, 2.0])
    q_dot = robot.actuator_velocity(robot.home, v)
    q_ddot = robot.actuator_acceleration(robot.home, v, a)
    assert numbers(model.velocity(pose, ca.SX(ca.DM(q_dot)))) == pytest.approx(v)
    assert numbers(model.acceleration(pose, ca.SX(ca.DM(v)), ca.SX(ca.DM(q_ddot)))) == pytest.approx(a)
    values = dict(zip(robot.parameter_names, robot.parameters, strict=True))
    smooth = q_dot / np.hypot(q_dot, 0.01)
    drives = robot.actuator_names
    expected = [
        values[f"{name}.viscous"] * rate + values[f"{name}.coulomb"] * sign
        for name, rate, sign in zip(drives, q_dot, smooth, strict=True)
    ]
    assert numbers(model.drive_friction(ca.SX(ca.DM(q_dot)))) == pytest.approx(expected)

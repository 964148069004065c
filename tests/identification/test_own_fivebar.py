"""The independent five-bar and parakin's have the same dynamics."""

from __future__ import annotations

import numpy as np
import pytest

from tests.identification import own_fivebar
from tests.identification.own_fivebar import Conditions
from tests.robots import robot_named

AGREEMENT = 1e-10
"""Between torques of both, relative to the accelerations: a few hundred roundings."""


def test_parakin_and_the_own_five_bar_agree() -> None:
    robot, count = robot_named("five_bar"), 50
    truth = own_fivebar.machines(count, seed=3)
    run = own_fivebar.Run(np.zeros(0), np.zeros(0), (), truth)
    plant = own_fivebar.Plant(truth, [Conditions()] * count)
    pose, velocity, _ = robot.sample_states(count)
    velocity = 100 * velocity  # no joint as slow as its stiction
    q, rate = robot.inverse_kinematics(pose), robot.actuator_velocity(pose, velocity)
    assert pytest.approx(pose, abs=1e-12) == own_fivebar.tool_of(q.T).T
    tau = np.random.default_rng(0).normal(size=(count, 2))
    q_ddot = plant.accelerations(q.T, rate.T, tau.T, plant.gravity(0.0)).T
    acceleration = robot.platform_acceleration(pose, velocity, q_ddot)
    names = [p.name for p in robot.parameter_table]
    for k in range(count):
        p = run.parameters(names, robot.parameters, k)
        expected = robot.regressor(pose[k], velocity[k], acceleration[k]) @ p
        assert expected == pytest.approx(tau[k], abs=AGREEMENT * (1 + np.abs(q_ddot).max()))

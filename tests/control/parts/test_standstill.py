"""A drive that sticks beside its set point is pushed towards it, and a moving one is left alone."""

from __future__ import annotations

import numpy as np
import pytest

import parakin as pk
from parakin import control, simulation
from parakin.errors import ControlError
from parakin.simulation import Scenario
from tests.control.parts.bare import repeater, stepped, still
from tests.variants import frictionless

ERROR = 5e-4


def test_the_force_is_the_equation() -> None:
    robot = pk.load("five_bar")
    plain = repeater(robot)
    for moving in (False, True):
        law = control.with_standstill_friction(plain, ERROR, (0.2, 0.3), moving=moving)
        told = still(np.zeros(2)) | {"desired_q": np.array([2e-4, -1e-3]), "desired_q_dot": np.array([0.0, 0.02])}
        _, tau = stepped(law, np.zeros(0), told)
        _, alone = stepped(plain, np.zeros(0), told)
        y, along = told["desired_q"] / ERROR + told["desired_q_dot"] / 0.01, told["desired_q_dot"] / 0.01
        s = y / np.sqrt(1 + y**2) - (0.0 if moving else along / np.sqrt(1 + along**2))
        assert tau - alone == pytest.approx(np.array([0.2, 0.3]) * s, rel=1e-12)


def test_a_drive_that_sticks_is_pushed_nearer() -> None:
    """Without an integral; the plant's friction is nearly dry."""
    robot = pk.load("five_bar")
    plain = control.law("computed_torque", robot).with_gains(K_p=900.0, K_d=60.0, K_i=0.0)
    law = control.with_standstill_friction(plain, ERROR)
    reference = control.hold(robot, robot.home, 0.6, 1e-3)
    q = robot.inverse_kinematics(robot.home) + 5e-3
    beside = Scenario(pose=robot.forward_kinematics(q), smoothing=1e-4)
    left = [
        np.abs(log["q"][-1] - log["desired_q"][-1]).max()
        for log in (simulation.simulate(robot, one, reference, beside) for one in (plain, law))
    ]
    assert left[1] < 0.3 * left[0]
    assert simulation.margins(robot, law).stable
    assert simulation.margins(robot, law).delay < simulation.margins(robot, plain).delay, "its slope is counted"


def test_a_robot_without_dry_friction_has_to_be_told_the_force() -> None:
    robot = frictionless(pk.load("five_bar"))
    with pytest.raises(ControlError, match="five_bar has no Coulomb friction in its drives: give the force"):
        control.with_standstill_friction(control.law("pid", robot), ERROR)

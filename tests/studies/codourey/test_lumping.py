"""The linear form of eq. (45) and its fit."""

from __future__ import annotations

import numpy as np
import pytest

import parakin as pk
from parakin.studies.codourey.adapting import FREQUENCY, PERIOD, Adaptation, _by_period
from parakin.studies.codourey.lumping import eq_45, fitted, typical_states
from parakin.studies.common import without_friction


def test_the_form_written_out_has_gravity_and_inertia_in_each_arms_own_row() -> None:
    robot = without_friction(pk.load("delta"))
    state = typical_states(robot)
    Psi = eq_45(robot, state)
    q = robot.inverse_kinematics(state.pose)
    assert Psi.shape == (500, 3, 7)
    assert Psi[:, 1, 2] == pytest.approx(9.81 * np.cos(q[:, 1]), rel=1e-3)
    assert np.count_nonzero(Psi[:, 0, :6].any(axis=0)) == 2
    # power of the last column: tau q_dot = (a - G) v with J v = q_dot
    q_dot = robot.actuator_velocity(state.pose, state.velocity)
    power = np.sum((state.acceleration - np.array(robot.description.gravity)) * state.velocity, axis=1)
    assert np.sum(Psi[:, :, 6] * q_dot, axis=1) == pytest.approx(power, rel=1e-9, abs=1e-9)


def test_a_fit_recovers_the_parameters_of_its_own_torques() -> None:
    rng = np.random.default_rng(0)
    Psi, p = rng.normal(size=(20, 3, 7)), np.arange(1.0, 8.0)
    assert fitted(Psi, Psi @ p) == pytest.approx(p)


def test_periods_are_averaged_and_a_broken_one_is_left_out() -> None:
    length = round(1 / FREQUENCY / PERIOD)
    values = np.concatenate([np.full(length, 1.0), np.full(length, 3.0), np.full(length // 2, 9.0)])[:, None]
    assert _by_period(values)[:, 0].tolist() == [1.0, 3.0]


def test_an_adaptation_is_as_wrong_as_its_worst_parameter() -> None:
    wrong = np.array([[30.0, 20.0], [8.0, 9.0], [1.0, 2.0]])
    adaptation = Adaptation(("a", "b"), np.zeros(2), wrong, np.zeros(2), np.zeros(2))
    assert (adaptation.beginning, adaptation.end) == (30.0, 2.0)

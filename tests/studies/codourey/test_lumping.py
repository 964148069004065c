"""The linear form of eq. (45) and its fit."""

from __future__ import annotations

import numpy as np
import pytest

import parakin as pk
from parakin.studies.codourey.adapting import FREQUENCY, PERIOD, ROUNDS, Adaptation, _by_period
from parakin.studies.codourey.lumping import (
    CYCLES,
    FOREARMS,
    Losses,
    _telescopic,
    _with_points,
    eq_41,
    eq_45,
    fitted,
    gravity_column,
    omega_tilde,
    rate_of,
    typical_states,
    with_forearms,
)
from parakin.studies.codourey.measuring import CYCLE, MOVING, REST, _cycle
from parakin.studies.common import without_friction
from parakin.trajectory.motions.fourier import BLEND_TIME


def test_the_table_prints_the_loss_that_decides_about_pick_and_place() -> None:
    """The verdict rests on the worst cycle; the rms of another one beside it would mislead."""
    rms = np.linspace(3.0, 4.8, len(CYCLES))
    cycles = {name: Losses(10 * rms, factor * rms, 3 * rms) for name, factor in FOREARMS.items()}
    losses: dict[str, dict[str, Losses]] = {
        name: dict.fromkeys((REST, MOVING, CYCLE), each) for name, each in cycles.items()
    }
    finding = _cycle(losses)
    assert finding.cases["forearms of half"][0].value == pytest.approx(2.4)
    assert finding.measured_in("forearms of half") == "rms 1.5 to 2.4 %, single torques up to 14 %"


def test_eq_41_turns_the_other_way_than_eq_38() -> None:
    """A rotation about y by +q is [[c, 0, s], [0, 1, 0], [-s, 0, c]]: it has eq. (38), lowers x and so has eq. (43)."""
    c, s = np.cos(0.3), np.sin(0.3)
    about_y = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    assert pytest.approx(about_y) == eq_41(0.3).T
    assert rate_of(eq_41, 0.3) == pytest.approx([0.0, -1.0, 0.0], abs=1e-12)
    assert rate_of(lambda q: eq_41(q).T, 0.3) == pytest.approx([0.0, 1.0, 0.0], abs=1e-12)
    assert gravity_column(lambda q: eq_41(q).T, 0.3) == pytest.approx(-c)
    assert gravity_column(eq_41, 0.3) == pytest.approx(c)


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


def test_undisturbed_periods_are_averaged_and_both_blends_left_out() -> None:
    length, blend = round(1 / FREQUENCY / PERIOD), round(BLEND_TIME / PERIOD)
    parts = [np.full(blend, 9.0), *(np.full(length, float(k)) for k in range(ROUNDS)), np.full(blend + 1, 9.0)]
    assert _by_period(np.concatenate(parts)[:, None])[:, 0].tolist() == list(range(ROUNDS))


def test_what_is_left_of_the_path_and_of_the_worst_parameter() -> None:
    wrong = np.array([[30.0, 20.0], [8.0, 9.0], [1.0, 3.0]])
    adaptation = Adaptation(("a", "b"), np.zeros(2), wrong, np.array([2.0, 0.1]), np.array([4.0, 5.0]))
    assert adaptation.left == pytest.approx((2.0, 10.0))


def test_eq_31_as_printed_is_right_but_for_its_second_row() -> None:
    omega = np.array([[1.0, 2.0, 3.0]])
    I_p = np.array([11.0, 12.0, 13.0, 22.0, 23.0, 33.0])  # xx, xy, xz, yy, zy, zz
    inertia = np.array([[11.0, 12.0, 13.0], [12.0, 22.0, 23.0], [13.0, 23.0, 33.0]])
    printed, meant = omega_tilde(omega)[0] @ I_p, inertia @ omega[0]
    assert printed[[0, 2]] == pytest.approx(meant[[0, 2]])
    assert printed[1] != pytest.approx(meant[1])


def test_legs_as_points_have_no_inertia_about_their_ends() -> None:
    assert not _telescopic(pk.load("delta"))
    robot = pk.load("planar_3rpr")
    assert _telescopic(robot)
    lumped = dict(zip(robot.parameter_names, _with_points(robot).parameters, strict=True))
    of_legs = {name: value for name, value in lumped.items() if ".barrel." in name or ".rod." in name}
    assert all((value > 0.0) == name.endswith(".m") for name, value in of_legs.items())


def test_heavier_forearms_weigh_more_and_nothing_else_does() -> None:
    robot = pk.load("delta")
    ratio = with_forearms(robot, 2.0).parameters / np.where(robot.parameters == 0.0, 1.0, robot.parameters)
    changed = {name for name, each in zip(robot.parameter_names, ratio, strict=True) if each == pytest.approx(2.0)}
    assert changed
    assert all(".forearm.rod" in name for name in changed)

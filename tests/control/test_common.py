"""Gains and units that laws share."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import parakin as pk
from parakin import control
from parakin.control import common
from parakin.control.common import default_tuning, drive_gains, force_units, pole_gains
from parakin.control.tuning.inertia import effective_inertia, least_inertia
from parakin.control.units import unit_of
from parakin.errors import ControlError


@pytest.mark.parametrize(("damping", "share"), [(1.0, 0.1), (0.7, 0.0), (1.3, 0.4)])
def test_pole_gains_are_the_coefficients_of_the_polynomial(damping: float, share: float) -> None:
    w = 30.0
    K_p, K_d, K_i = pole_gains(w, damping, share)
    assert [1.0, K_d, K_p, K_i] == pytest.approx(np.polymul([1.0, 2 * damping * w, w**2], [1.0, share * w]))


def test_units_follow_from_the_robot() -> None:
    turning, lengths = pk.load("five_bar"), pk.load("gough_stewart")
    assert force_units(turning) == ("N m/rad", "N m s/rad", "N m/(rad s)")
    assert force_units(lengths) == ("N/m", "N s/m", "N/(m s)")
    assert unit_of(turning, "tau") == "N m"
    assert unit_of(lengths, "tau") == "N"
    assert unit_of(turning, "q_ddot") == "rad/s^2"
    assert unit_of(lengths, "q_dot") == "m/s"
    assert unit_of(lengths, "pose") == "m, m, m, 1, 1, 1, 1"
    assert unit_of(lengths, "velocity") == "m/s, m/s, m/s, rad/s, rad/s, rad/s"
    assert unit_of(turning, "acceleration") == "m/s^2"
    assert unit_of(pk.load("h4"), "pose") == "m, m, m, rad"


def test_drives_of_both_kinds_have_units_of_both_kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(common, "limits_of", lambda _: SimpleNamespace(lengths=(True, False, True)))
    assert force_units(pk.load("five_bar"))[0] == "N/m or N m/rad"


def test_default_gains_of_drives_say_what_they_are() -> None:
    robot = pk.load("five_bar")
    K_p, K_d, K_i = drive_gains(robot, 1e-3)
    assert [gain.name for gain in (K_p, K_d, K_i)] == ["K_p", "K_d", "K_i"]
    assert [gain.unit for gain in (K_p, K_d, K_i)] == list(force_units(robot))
    inertia = effective_inertia(robot)
    assert [gain.values for gain in (K_p, K_d, K_i)] == [
        tuple((value * inertia).tolist())
        for value in pole_gains(default_tuning(1e-3, least_inertia(robot)).bandwidth, 1.0, 0.1)
    ]


def test_inertia_is_that_at_the_pose() -> None:
    robot = pk.load("five_bar")
    elsewhere = robot.home + np.array([0.05, 0.0])
    expected = np.diag(robot.mass_matrix(elsewhere, space="actuator"))
    assert effective_inertia(robot, elsewhere) == pytest.approx(expected)
    assert effective_inertia(robot) != pytest.approx(expected, rel=1e-3)
    tuned = control.gains_for(control.law("pid", robot), 10.0, pose=elsewhere)
    assert tuned["K_p"] == pytest.approx(pole_gains(10.0)[0] * expected)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"damping": 0.0}, "damping: must be finite and > 0, got 0"),
        ({"integral": -0.1}, "integral: must be finite and >= 0, got -0.1"),
        ({"integral": np.inf}, "integral: must be finite and >= 0, got inf"),
        ({"bandwidth": np.nan}, "bandwidth: must be finite and > 0 rad/s, got nan"),
    ],
)
def test_tunings_that_make_no_loop_are_refused(options: dict[str, float], message: str) -> None:
    law = control.law("pid", pk.load("five_bar"))
    with pytest.raises(ControlError, match=message):
        control.gains_for(law, **({"bandwidth": 10.0} | options))

"""Logs and summaries of a handful of rows, written by hand."""

from __future__ import annotations

import numpy as np
import pytest

import parakin as pk
from parakin import control
from parakin.motions import SPATIAL
from parakin.motions.offsets import squared_errors
from parakin.robot.limits import NO_BOUNDS
from parakin.simulation import Ending, StepCheck, Summary
from parakin.simulation.log import columns_of, state_columns
from tests.simulation.small_log import log_of


def test_figures_of_merit() -> None:
    summary = log_of().summary()
    assert summary.actuators == ("a",)
    assert summary.error_rms == pytest.approx([np.sqrt(5 / 3)])
    assert summary.error_peak == pytest.approx([2.0])
    assert summary.distance_rms == pytest.approx(np.sqrt((25 + 144) / 3))
    assert summary.distance_peak == pytest.approx(12.0)
    assert np.isnan(summary.angle_rms)
    assert np.isnan(summary.angle_peak)
    assert summary.force_rms == pytest.approx([np.sqrt(10)])
    assert summary.force_peak == pytest.approx([5.0])
    assert summary.saturation == pytest.approx([2 / 3])
    assert np.isnan(summary.stopped_at)
    assert (summary.failure, "FAILED" in str(summary)) == ("", False)
    assert "rad" not in str(summary)
    assert log_of().platform_errors[:, 0] == pytest.approx([0.0, 5.0, 12.0])


def test_a_run_that_stopped_counts_until_then() -> None:
    log = log_of((0.0, 0.0, 2.0))
    summary = log.summary()
    assert log.status == summary.status == Ending.SINGULAR
    assert summary.stopped_at == pytest.approx(0.02)
    assert summary.error_rms == pytest.approx([np.sqrt(4 / 2)])
    assert summary.distance_peak == pytest.approx(5.0)
    assert summary.saturation == pytest.approx([1 / 2])
    assert str(summary).startswith("FAILED at 0.02 s: singular (the platform came to a singular pose")
    assert log.ran == 2


def test_a_run_that_never_began_has_zeros() -> None:
    summary = log_of((1.0, 1.0, 1.0)).summary()
    assert summary.status == Ending.UNREACHABLE
    assert summary.stopped_at == 0.0
    assert summary.error_peak.tolist() == summary.force_peak.tolist() == [0.0]
    assert log_of((np.nan,) * 3).status == Ending.UNUSABLE


def test_many_runs_are_told_by_percentiles() -> None:
    one = log_of().summary()
    spread = np.arange(101.0)
    flat = np.ones((101, 1))
    nothing = np.full(101, np.nan)
    ended = np.zeros(101, np.int32)
    free = NO_BOUNDS, np.zeros((101, 0))
    many = Summary(("a",), flat, flat, spread, 2 * spread, nothing, nothing, flat, flat, flat, ended, nothing, *free)
    lines = str(many).splitlines()
    assert lines[0].split() == ["101", "scenarios", "5", "%", "median", "95", "%"]
    assert lines[3].split()[-3:] == ["5", "50", "95"]
    assert lines[4].split()[-3:] == ["10", "100", "190"]
    assert lines[-1] == "all completed"
    ended[:2] = 1
    assert str(many).splitlines()[0] == f"FAILED: 2 of {len(many)} scenarios stopped early"
    assert len(many) == 101
    assert many[7].distance_rms == 7.0
    assert many[5:9].distance_peak.tolist() == [10.0, 12.0, 14.0, 16.0]
    assert many[7].actuators == one.actuators


def test_columns_are_found_by_name_and_by_quantity() -> None:
    log = log_of()
    assert log["q"].tolist() == [[1.0], [3.0], [0.0]]
    assert log["q.a"].tolist() == [1.0, 3.0, 0.0]
    assert log["pose"].shape == (3, 2)
    assert not log.turns
    assert len(log) == 3


@pytest.mark.parametrize("angle", [1e-3, -2e-3])
def test_the_angle_between_quaternions(angle: float) -> None:
    axis = np.array([0.6, 0.0, 0.8])
    turned = np.array([[1.0, 2.0, 3.0, np.cos(angle / 2), *(np.sin(angle / 2) * axis)]])
    level = np.array([[1.0, 2.0, 1.0, 1.0, 0.0, 0.0, 0.0]])
    assert squared_errors(SPATIAL, turned, level) == pytest.approx(np.array([[4.0, angle**2]]), rel=1e-6)
    assert squared_errors(SPATIAL, turned, turned)[0] == pytest.approx([0.0, 0.0], abs=1e-30)


def test_columns_have_the_units_of_the_robot() -> None:
    columns = columns_of(pk.load("gough_stewart"))
    units = {name: [column.unit for column in group] for name, group in columns.items()}
    assert units["pose"] == ["m"] * 3 + ["1"] * 4
    assert units["velocity"] == ["m/s"] * 3 + ["rad/s"] * 3
    assert [column.part for column in columns["velocity"]] == ["vx", "vy", "vz", "wx", "wy", "wz"]
    assert units["q_dot"] == ["m/s"] * 6
    assert units["tau"] == units["command"] == ["N"] * 6
    turning = columns_of(pk.load("five_bar"))
    assert turning["measured_q_dot"][0].header == "measured_q_dot.side1.arm [rad/s]"
    assert turning["tau"][0].header == "tau.side1.arm [N m]"
    assert turning["t"][0].header == "t [s]"


def test_states_of_laws_are_named_as_far_as_they_can_be() -> None:
    headers = [column.header for column in state_columns(control.law("predictive_functional", pk.load("five_bar")))]
    assert headers[:11] == [
        "state.model.1 [m or rad]",
        "state.model.2 [m or rad]",
        "state.model.3 [m/s or rad/s]",
        "state.model.4 [m/s or rad/s]",
        "state.held [1]",
        "state.offset.1 [m or rad]",
        "state.offset.2 [m or rad]",
        "state.offset.3 [m/s or rad/s]",
        "state.offset.4 [m/s or rad/s]",
        "state.pose.x [m]",
        "state.pose.y [m]",
    ]
    assert headers[11] == "state.errors.1 [m or rad]"
    integral = state_columns(control.law("pid", pk.load("five_bar")))
    assert [column.header for column in integral] == [
        "state.integral.side1.arm [N or N m]",
        "state.integral.side2.arm [N or N m]",
    ]


def test_a_step_check_tells_angles_where_there_are_any() -> None:
    told = "4 steps a tick against 8: platform 1e-07 m, 2e-06 rad, actuators 3e-05, forces 0.0004"
    assert str(StepCheck(4, 1e-7, 2e-6, 3e-5, 4e-4)) == told
    assert "rad" not in str(StepCheck(4, 1e-7, np.nan, 3e-5, 4e-4))

"""Sensors, drives and sums of one tick, evaluated as expressions: nothing is compiled."""

from __future__ import annotations

import numpy as np
import pytest

import parakin as pk
from parakin import control
from parakin.simulation import Ending
from parakin.simulation.loop import _drive_stage, _sum_stage
from parakin.simulation.sensors import LARGEST_SPEED, sensor_stage

PERIOD = 1e-3


@pytest.fixture(scope="module")
def robot() -> pk.Robot:
    return pk.load("five_bar")


@pytest.fixture(scope="module")
def seen_before(robot: pk.Robot) -> dict[str, np.ndarray]:
    """At home and moving, with encoders of 0.01 rad, noise and a filter that goes half of the way."""
    side = np.sign(np.linalg.det(robot.jacobian(robot.home)))
    return {
        "place": robot.home,
        "velocity": np.array([0.3, -0.1]),
        "held_place": robot.home + 0.5,
        "status": np.array(0.0),
        "side": side,
        "q": np.array([7.0, 8.0]),
        "measured_q": np.array([1.0, 2.0]),
        "rate": np.array([3.0, 4.0]),
        "quantum": np.array([0.01, 0.0]),
        "noise": np.array([2.0, -1.0]),
        "noise_q": np.array(0.1),
        "share": np.array(0.5),
        "exact_rate": np.array(0.0),
        "measured_pose": robot.home - 0.02,
        "platform_rate": np.array([1.0, 2.0]),
        "pose_noise": np.array([1.0, -2.0]),
        "noise_pose": np.array([0.01, 0.01]),
    }


def told(function, given: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {name: np.asarray(value).ravel() for name, value in function(**given).items()}


def test_encoders_and_filters(robot: pk.Robot, seen_before: dict[str, np.ndarray]) -> None:
    out = told(sensor_stage(robot, PERIOD, True), seen_before)
    q = robot.inverse_kinematics(robot.home)
    measured = [0.01 * np.floor((q[0] + 0.2) / 0.01 + 0.5), q[1] - 0.1]
    assert out["next_q"] == pytest.approx(q)
    assert out["next_measured_q"] == pytest.approx(measured)
    rate = (np.array([3.0, 4.0]) + (np.array(measured) - [1.0, 2.0]) / PERIOD) / 2
    assert out["next_rate"] == pytest.approx(rate)
    assert out["next_measured_q_dot"] == pytest.approx(rate)
    assert out["next_measured_pose"] == pytest.approx(robot.home + np.array([0.01, -0.02]))
    platform = (np.array([1.0, 2.0]) + np.array([0.03, 0.0]) / PERIOD) / 2
    assert out["next_measured_velocity"] == pytest.approx(platform)
    assert out["next_platform_rate"] == pytest.approx(platform)
    assert out["next_status"] == Ending.COMPLETED
    exact = told(sensor_stage(robot, PERIOD, True), seen_before | {"exact_rate": np.array(1.0)})
    assert exact["next_measured_q_dot"] == pytest.approx(robot.actuator_velocity(robot.home, [0.3, -0.1]))
    assert exact["next_measured_velocity"] == pytest.approx([0.3, -0.1])
    assert exact["next_rate"] == pytest.approx(rate)


def test_a_plant_that_has_stopped_is_seen_where_it_was(robot: pk.Robot, seen_before: dict[str, np.ndarray]) -> None:
    out = told(sensor_stage(robot, PERIOD, True), seen_before | {"status": np.array(2.0)})
    assert out["next_status"] == Ending.SINGULAR
    assert out["next_q"].tolist() == [7.0, 8.0]
    assert out["next_measured_q"].tolist() == [1.0, 2.0]
    assert out["next_pose"] == pytest.approx(robot.home + 0.5)
    for name in ("next_velocity", "next_q_dot", "next_measured_q_dot", "next_measured_velocity"):
        assert not out[name].any()


@pytest.mark.parametrize(
    ("changed", "ending"),
    [
        ({"velocity": np.array([1.01 * LARGEST_SPEED, 0.0])}, Ending.DIVERGED),
        ({"velocity": np.array([0.99 * LARGEST_SPEED, 0.0])}, Ending.COMPLETED),
        ({"place": np.array([50.0, 0.0])}, Ending.UNREACHABLE),
        ({"place": np.array([np.nan, 0.0])}, Ending.UNREACHABLE),
    ],
)
def test_how_a_plant_ends(
    changed: dict[str, np.ndarray], ending: Ending, robot: pk.Robot, seen_before: dict[str, np.ndarray]
) -> None:
    assert told(sensor_stage(robot, PERIOD, True), seen_before | changed)["next_status"] == ending


def test_the_other_side_of_a_singularity_is_singular(robot: pk.Robot, seen_before: dict[str, np.ndarray]) -> None:
    other = seen_before | {"side": -seen_before["side"]}
    assert told(sensor_stage(robot, PERIOD, True), other)["next_status"] == Ending.SINGULAR


DRIVES = {
    "status": np.array(0.0),
    "command": np.array([5.0, -7.0]),
    "pending": np.array([-3.0, 6.0]),
    "limits": np.array([4.0, 6.0]),
    "delayed": np.array(0.0),
    "law_state": np.array([1.0, 2.0]),
    "law_next": np.array([3.0, 4.0]),
}


@pytest.fixture(scope="module")
def law(robot: pk.Robot) -> control.Law:
    return control.law("pid", robot)


def test_drives_give_what_they_can(robot: pk.Robot, law: control.Law) -> None:
    at_once = told(_drive_stage(robot, law), DRIVES)
    assert at_once["next_tau"].tolist() == [4.0, -6.0]
    assert at_once["next_at_limit"].tolist() == [1.0, 1.0]
    assert at_once["next_command"].tolist() == at_once["next_pending"].tolist() == [5.0, -7.0]
    assert at_once["next_law_state"].tolist() == [3.0, 4.0]
    late = told(_drive_stage(robot, law), DRIVES | {"delayed": np.array(1.0)})
    assert late["next_tau"].tolist() == [-3.0, 6.0]
    assert late["next_at_limit"].tolist() == [0.0, 1.0]
    assert late["next_pending"].tolist() == [5.0, -7.0]


@pytest.mark.parametrize("changed", [{"command": np.array([np.nan, 0.0])}, {"law_next": np.array([0.0, np.inf])}])
def test_a_law_that_is_not_finite_stops_the_drives(
    changed: dict[str, np.ndarray], robot: pk.Robot, law: control.Law
) -> None:
    out = told(_drive_stage(robot, law), DRIVES | changed)
    assert out["next_status"] == Ending.SINGULAR
    assert out["next_law_state"].tolist() == [1.0, 2.0]
    for name in ("next_tau", "next_command", "next_pending", "next_at_limit"):
        assert not out[name].any()
    assert told(_drive_stage(robot, law), DRIVES | {"status": np.array(3.0)})["next_status"] == Ending.DIVERGED


def test_sums_grow_only_while_the_plant_runs(robot: pk.Robot) -> None:
    given = {
        "status": np.array(0.0),
        "pose": np.array([0.0, 0.0]),
        "desired_pose": np.array([3.0, 4.0]),
        "ticks_run": np.array(7.0),
        "q": np.array([1.0, 1.0]),
        "desired_q": np.array([0.5, 3.0]),
        "tau": np.array([-2.0, 1.0]),
        "at_limit": np.array([1.0, 0.0]),
        "saturated": np.array([2.0, 2.0]),
        "error_sum": np.array([1.0, 1.0]),
        "error_peak": np.array([1.0, 1.0]),
        "force_sum": np.array([1.0, 1.0]),
        "force_peak": np.array([1.5, 1.5]),
        "platform_sum": np.array([1.0, 0.0]),
        "platform_peak": np.array([30.0, 0.0]),
    }
    out = told(_sum_stage(robot), given)
    expected = {
        "ticks_run": [8.0],
        "error_sum": [1.25, 5.0],
        "error_peak": [1.0, 2.0],
        "force_sum": [5.0, 2.0],
        "force_peak": [2.0, 1.5],
        "saturated": [3.0, 2.0],
        "platform_sum": [26.0, 0.0],
        "platform_peak": [30.0, 0.0],
    }
    assert {name: out[f"next_{name}"].tolist() for name in expected} == expected
    stopped = told(_sum_stage(robot), given | {"status": np.array(1.0)})
    assert all((stopped[f"next_{name}"] == given[name]).all() for name in expected)

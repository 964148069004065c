"""Scenarios stacked for the loop: what each number of them becomes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import parakin as pk
from parakin import control, simulation
from parakin.errors import SimulationError
from parakin.simulation import Scenario
from parakin.simulation.scenario import constants_of

PERIOD = 1e-3


@pytest.fixture(scope="module")
def robot() -> pk.Robot:
    return pk.load("five_bar")


@pytest.fixture(scope="module")
def law(robot: pk.Robot) -> control.Law:
    return control.law("pid", robot, PERIOD)


def test_every_number_gets_where_the_loop_looks_for_it(robot: pk.Robot, law: control.Law) -> None:
    plain = Scenario()
    real = Scenario(
        payload=pk.Payload(mass=0.5),
        payload_time=0.0105,
        counts=[100.0, 200.0],
        noise=1e-5,
        pose_noise=2e-5,
        velocity_filter=50.0,
        delay=True,
        smoothing=0.02,
        gains={"K_p": 3.0},
    )
    stacked = constants_of(robot, law, (plain, real))
    assert stacked["parameters"].tolist() == [robot.parameters.tolist()] * 2
    assert stacked["payload"][:, 0].tolist() == [0.0, 0.5]
    assert stacked["payload_tick"].tolist() == [0.0, 11.0]
    assert stacked["quantum"].tolist() == [[0.0, 0.0], [0.01, 0.005]]
    assert stacked["noise_q"].tolist() == [0.0, 1e-5]
    assert stacked["noise_pose"].tolist() == [[0.0, 0.0], [2e-5, 2e-5]]
    assert stacked["share"] == pytest.approx([1.0, 1 - np.exp(-2 * np.pi * 50.0 * PERIOD)])
    assert stacked["exact_rate"].tolist() == [1.0, 0.0]
    assert stacked["delayed"].tolist() == [0.0, 1.0]
    assert stacked["smoothing"].tolist() == [0.01, 0.02]
    assert stacked["limits"].tolist() == [[20.0, 20.0]] * 2
    assert stacked["gains"][0].tolist() == law.gains.tolist()
    assert stacked["gains"][1].tolist() == [3.0, 3.0, *law.gains[2:].tolist()]


@pytest.mark.parametrize(("time", "tick"), [(0.0, 0), (0.0100000000001, 10), (0.010001, 11), (3 * PERIOD, 3)])
def test_a_payload_comes_at_the_first_tick_not_before_its_time(
    time: float, tick: int, robot: pk.Robot, law: control.Law
) -> None:
    assert constants_of(robot, law, (Scenario(payload_time=time),))["payload_tick"].tolist() == [tick]


def test_what_makes_forces_noisy() -> None:
    assert not Scenario().noisy
    assert not Scenario(velocity_filter=10.0, delay=True).noisy
    for scenario in (Scenario(noise=1e-6), Scenario(counts=100.0), Scenario(pose_noise=[0.0, 1e-6])):
        assert scenario.noisy


def test_members_of_a_family_have_streams_of_their_own() -> None:
    assert [member.stream for member in simulation.family(Scenario(seed=4), 3)] == [0, 1, 2]
    assert [member.seed for member in simulation.family(Scenario(seed=4), 3)] == [4, 4, 4]
    assert [member.stream for member in simulation.family(Scenario(), 2, stream=[7, 7])] == [7, 7]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"stream": 2**64}, "stream: must be at least 0 and below 2.64, got 1.8"),
        ({"seed": -1}, "seed: must be at least 0 and below 2.64, got -1"),
        ({"velocity_filter": np.nan}, "velocity_filter: must be > 0 Hz, got nan"),
        ({"velocity_filter": 0.0}, "velocity_filter: must be > 0 Hz, got 0"),
        ({"velocity_filter": -1.0}, "velocity_filter: must be > 0 Hz, got -1"),
        ({"counts": [100.0, 0.0]}, r"counts: must be finite and > 0 per rad or m, got \[100.0, 0.0\]"),
        ({"counts": np.inf}, "counts: must be finite and > 0 per rad or m, got inf"),
        ({"counts": -1.0}, "counts: must be finite and > 0 per rad or m, got -1"),
        ({"pose_noise": [0.0, -1.0]}, "pose_noise: must be finite and >= 0"),
        ({"noise": np.inf}, "noise: must be finite and >= 0, got inf"),
        ({"noise": -1.0}, "noise: must be finite and >= 0, got -1"),
        ({"smoothing": 0.0}, "smoothing: must be finite and > 0, got 0"),
        ({"payload_time": np.nan}, "payload_time: must be finite and a time in s, got nan"),
        ({"reset_time": np.inf}, "reset_time: must be finite and a time in s, got inf"),
    ],
)
def test_what_no_robot_could_take_is_refused_at_birth(given: dict[str, Any], message: str) -> None:
    with pytest.raises(SimulationError, match=message):
        Scenario(**given)
    with pytest.raises(SimulationError, match=message):
        replace(Scenario(), **given)


def test_edges_are_taken(robot: pk.Robot, law: control.Law) -> None:
    constants_of(robot, law, (Scenario(stream=2**64 - 1, velocity_filter=np.inf, noise=0.0),))


def test_a_pose_with_noise_of_another_shape_is_refused(robot: pk.Robot, law: control.Law) -> None:
    with pytest.raises(SimulationError, match=r"pose_noise: must have shape \(2,\), got \(3,\)"):
        constants_of(robot, law, (Scenario(), Scenario(pose_noise=[1.0, 1.0, 1.0])))

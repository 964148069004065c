"""Sensors of the platform that others write: the loop is the same with them, for one run and for many."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import parakin as pk
from parakin import control, simulation
from parakin.errors import SimulationError, UnknownNameError
from parakin.simulation import Scenario
from tests.simulation.sensors import counting_sensor, following_sensor

PERIOD = 2e-3
BETWEEN = 1e-7
"""How far a cubic through two ticks may be off between them [m]: T^4/384 times v^4/r^3 of the circle is 1e-8, and
forces that are held bend it more; from one look to the next the platform goes 3e-4 m."""
SAME = 1e-12
"""How far runs may be apart that differ in the order of their operations alone [m]: rounding over 50 ticks."""


@pytest.fixture(scope="module")
def robot() -> pk.Robot:
    return pk.load("five_bar")


@pytest.fixture(scope="module")
def law(robot: pk.Robot) -> control.Law:
    return control.law("computed_torque_platform", robot, PERIOD)


@pytest.fixture(scope="module")
def reference(robot: pk.Robot) -> control.Reference:
    return control.reference(robot, pk.trajectory.circle(robot, diameter=0.04, speed=1.2), PERIOD)


def test_a_sensor_that_tells_the_truth_changes_nothing(
    robot: pk.Robot, law: control.Law, reference: control.Reference
) -> None:
    plain = simulation.simulate(robot, law, reference)
    for looks in (1, 4):
        seen = simulation.simulate(robot, law, reference, Scenario(sensor=following_sensor(robot, looks)))
        assert [column.name for column in seen.columns] == [column.name for column in plain.columns]
        assert np.abs(seen["pose"] - plain["pose"]).max() < SAME


def test_a_sensor_looks_several_times_a_tick_and_its_state_is_logged(
    robot: pk.Robot, law: control.Law, reference: control.Reference
) -> None:
    looks = 8
    scenario = Scenario(sensor=counting_sensor(robot, looks))
    log = simulation.simulate(robot, law, reference, scenario, record_state=True, substeps=4)
    assert log["sensor.looks"].tolist() == [looks * k for k in range(len(log))]
    assert np.allclose(np.diff(log["sensor.push"], axis=0), looks * log["tau"][:-1], atol=1e-9)
    s = np.arange(1, looks + 1)[:, None, None] / looks
    blend = s**2 * (3 - 2 * s)
    p, v = log["pose"], PERIOD * log["velocity"]
    between = (1 - blend) * p[:-1] + blend * p[1:] + s * (1 - s) * ((1 - s) * v[:-1] - s * v[1:])
    assert np.abs(np.diff(log["sensor.path"], axis=0) - between.sum(axis=0)).max() < looks * BETWEEN
    finer = simulation.simulate(robot, law, reference, substeps=8)
    assert np.abs(log["pose"] - finer["pose"]).max() < SAME  # 4 steps that were asked for became the 8 of the looks


def test_noise_of_a_sensor_depends_on_seed_and_scenario_alone(
    robot: pk.Robot, law: control.Law, reference: control.Reference
) -> None:
    sensor = following_sensor(robot, 2, 1e-4)
    deviations = (1e-4, 0.0, 3e-4)
    sensors = [sensor.with_numbers(deviation=value) for value in deviations]
    scenarios = (*simulation.family(Scenario(seed=5), 3, sensor=sensors), Scenario(), Scenario(sensor=sensors[0]))
    many = simulation.simulate_many(robot, law, reference, scenarios, keep=range(5), block=7)
    for k, scenario in enumerate(scenarios):
        alone = simulation.simulate(robot, law, reference, scenario)
        assert (many.logs[k].table == alone.table).all()
    noise = [log["measured_pose"] - log["pose"] for log in many.logs.values()]
    assert np.std(noise[0][1:]) == pytest.approx(1e-4, rel=0.3)
    assert np.std(noise[2][1:]) == pytest.approx(3e-4, rel=0.3)
    assert not noise[1].any()


def test_mechanisms_and_jitter_have_sensors_too() -> None:
    robot = pk.load("four_bar")
    law = control.law("computed_torque_platform", robot, 1e-3)
    still = control.hold(robot, robot.home, 0.02, 1e-3)
    log = simulation.simulate(robot, law, still, Scenario(sensor=following_sensor(robot, 2), jitter=2e-5))
    assert log.status is simulation.Ending.COMPLETED
    assert np.abs(log["measured_pose"] - log["pose"]).max() == 0.0


def test_a_plant_that_stops_keeps_its_sensor(robot: pk.Robot, law: control.Law) -> None:
    still = control.hold(robot, robot.home, 0.2, PERIOD)
    wild = Scenario(sensor=following_sensor(robot, 2), wrench=[0.0, 1e3])
    log = simulation.simulate(robot, law, still, wild)
    assert log.status is not simulation.Ending.COMPLETED
    assert np.isfinite(log.table).all()
    assert not log["measured_velocity"][log.ran :].any()


def test_what_does_not_fit_is_refused(robot: pk.Robot, law: control.Law, reference: control.Reference) -> None:
    sensor = following_sensor(robot, 1, 1e-4)
    with pytest.raises(SimulationError, match="sensor: following measures the platform, but pid is told q, q_dot"):
        simulation.simulate(robot, control.law("pid", robot, PERIOD), reference, Scenario(sensor=sensor))
    with pytest.raises(SimulationError, match="sensor: following is for delta, whose actuators or motion differ"):
        simulation.simulate(robot, law, reference, Scenario(sensor=following_sensor(pk.load("delta"))))
    with pytest.raises(SimulationError, match="sensor: following is not linearised: leave it out for margins"):
        simulation.margins(robot, law, Scenario(sensor=sensor))
    with pytest.raises(UnknownNameError, match="no number of following 'bias'"):
        sensor.with_numbers(bias=1.0)
    with pytest.raises(SimulationError, match="sensor: following takes 1 finite numbers"):
        replace(sensor, numbers=np.array([np.inf]))
    with pytest.raises(SimulationError, match="must look at least once a tick"):
        following_sensor(robot, 0)

"""Before the first tick: drives hold the robot, and filters are settled."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import parakin as pk
from parakin import control
from parakin.simulation import Scenario
from parakin.simulation.imperfections import NO_EFFECTS, Effects
from parakin.simulation.loop import _Asked
from parakin.simulation.plant import Pattern
from parakin.simulation.scenario import constants_of
from parakin.simulation.start import initial_signals
from tests.reference import planar_rpr
from tests.simulation.sensors import counting_sensor, following_sensor

PERIOD = 1e-3


@pytest.fixture(scope="module")
def robot() -> pk.Robot:
    return pk.load("delta")


def test_a_robot_that_moves_is_seen_to_move(robot: pk.Robot) -> None:
    """The first difference of positions is the rate, but for the steps of the encoder."""
    law = control.law("computed_torque_platform", robot, PERIOD)
    reference = control.hold(robot, robot.home, PERIOD, PERIOD)
    v = np.array([0.1, -0.2, 0.3])
    scenarios = (Scenario(velocity=v), Scenario(velocity=v, counts=1000.0))
    signals = initial_signals(robot, law, reference, scenarios, constants_of(robot, law, scenarios))
    q, q_dot = robot.inverse_kinematics(robot.home), robot.actuator_velocity(robot.home, v)
    assert signals["rate"] == pytest.approx(np.array([q_dot, q_dot]))
    assert signals["measured_q"][0] == pytest.approx(q - PERIOD * q_dot)
    counted = np.floor(1000.0 * q + 0.5) / 1000.0
    assert signals["measured_q"][1] == pytest.approx(counted - PERIOD * q_dot)
    assert signals["platform_rate"] == pytest.approx(np.array([v, v]))
    assert signals["side"].tolist() == [np.sign(np.linalg.det(robot.jacobian(robot.home)))] * 2
    assert not any(signals[name].any() for name in ("tick", "status", "ticks_run", "error_sum", "saturated"))


def test_the_drives_hold_what_the_robot_carries_at_first(robot: pk.Robot) -> None:
    law = control.law("pid", robot, PERIOD)
    reference = control.hold(robot, robot.home, PERIOD, PERIOD)
    load = pk.Payload(mass=0.5)
    scenarios = (Scenario(), Scenario(payload=load), Scenario(payload=load, payload_time=PERIOD))
    signals = initial_signals(robot, law, reference, scenarios, constants_of(robot, law, scenarios))
    bare, loaded = robot.static_forces(robot.home), robot.with_payload(0.5).static_forces(robot.home)
    assert signals["pending"] == pytest.approx(np.array([bare, loaded, bare]))
    assert signals["law_state"] == pytest.approx(signals["pending"])  # pid takes over what the drives held


def test_a_redundant_robot_has_no_side() -> None:
    redundant = planar_rpr(4)
    law = control.law("pid", redundant, PERIOD)
    reference = control.hold(redundant, redundant.home, PERIOD, PERIOD)
    signals = initial_signals(redundant, law, reference, (Scenario(),), constants_of(redundant, law, (Scenario(),)))
    assert signals["side"].tolist() == [[1.0]]


def test_a_loop_is_derived_anew_only_where_it_differs() -> None:
    robot = pk.load("five_bar")
    law = control.law("computed_torque", robot)
    pattern = Pattern((True,) * len(robot.parameters), (False,) * 10)
    first = _Asked(robot, law, pattern, 4, (), (), NO_EFFECTS, None)
    same = [
        replace(first, law=control.law("computed_torque", robot)),
        replace(first, law=law.with_gains(**{law.interface.gains[0].name: 1.0})),
    ]
    other = [
        replace(first, robot=robot.replace(gravity=(0, 0, 0))),
        replace(first, robot=robot.with_payload(1.0)),
        replace(first, law=control.law("pid", robot)),
        replace(first, law=control.law("computed_torque", robot.replace(gravity=(0, 0, 0)))),
        replace(first, law=control.law("computed_torque", robot, 2e-3)),
        replace(first, pattern=Pattern(pattern.parameters, (True,) * 10)),
        replace(first, substeps=5),
        replace(first, recorded=("q",)),
        replace(first, noisy=("noise",)),
        replace(first, effects=Effects(elastic=True)),
        replace(first, effects=Effects(elastic=True, finer=2)),
        replace(first, sensing=following_sensor(robot, 1).stage),
        replace(first, sensing=following_sensor(robot, 2).stage),
        replace(first, sensing=counting_sensor(robot, 2).stage),
    ]
    assert {asked.content for asked in same} == {first.content}
    assert len({asked.content for asked in [first, *other]}) == 1 + len(other)

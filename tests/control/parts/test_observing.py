"""The residual is the wrench that acts: exactly at rest, with its time constant in motion; and it weighs a payload."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import parakin as pk
from parakin import control, simulation
from parakin.errors import ControlError
from parakin.simulation import Scenario
from tests.variants import frictionless

RATE = 40.0
PUSH = np.array([1.5, -2.0])
FOLLOWED = 2e-3
"""How far the estimate may be from a filter of first order, as a part of the push: (K T)^2 and less."""


@pytest.fixture(scope="module")
def robot() -> pk.Robot:
    return pk.load("five_bar")


@pytest.mark.parametrize(
    "name", ["five_bar", "planar_3rrr", "four_bar", pytest.param("gough_stewart", marks=pytest.mark.slow)]
)
def test_momentum_is_that_of_the_equations_of_motion(name: str) -> None:
    """p = M v, and what changes it is C^T v - g with M_dot - 2 C skew; of a mechanism v . (M_dot v/2 - h) = 0."""
    robot = frictionless(pk.load(name)) if name != "four_bar" else pk.load(name)
    model, n = control.ControlModel(robot), robot.degrees_of_freedom
    place, v = ca.SX.sym("place", len(robot.place_names)), ca.SX.sym("v", n)
    function = ca.Function("momentum", [place, v], list(model.momentum(place, v)))
    velocity = np.random.default_rng(5).normal(size=n)
    p, own = (np.asarray(each).ravel() for each in function(robot.places(robot.home), velocity))
    assert p == pytest.approx(robot.mass_matrix(robot.home) @ velocity, rel=1e-12)
    if name != "four_bar":
        C = robot.coriolis_matrix(robot.home, velocity)
        assert own == pytest.approx(C.T @ velocity - robot.gravity(robot.home), rel=1e-9, abs=1e-9)


def test_the_residual_is_the_wrench_on_a_moving_robot(robot: pk.Robot) -> None:
    """A push along a motion: the estimate is the push behind a filter of first order, whatever the robot does."""
    law = control.with_disturbance_observer(control.law("computed_torque", robot), RATE, share=0.0)
    reference = control.reference(robot, pk.trajectory.motion("fourier", robot), 1e-3)
    push = np.zeros((reference.ticks, 2))
    push[500:] = PUSH
    log = simulation.simulate(robot, law, reference, Scenario(wrench=push), record_state=True)
    t = log.t[:, None] - 0.501  # the log has the state that a tick finds: the estimate of the tick before
    expected = np.where(t > 0, PUSH * (1 - np.exp(-RATE * np.maximum(t, 0.0))), 0.0)
    assert np.abs(log["state.observer_wrench"] - expected).max() < FOLLOWED * np.abs(PUSH).max()


def test_a_law_that_works_against_the_estimate_leaves_no_error(robot: pk.Robot) -> None:
    """At rest the estimate is exact, and the law needs no feedback for it."""
    plain = control.law("computed_torque", robot).with_gains(K_i=0.0)
    law = control.guarded(control.with_disturbance_observer(plain, RATE))
    reference = control.hold(robot, robot.home, 1.0, 1e-3)
    pushed = [
        simulation.simulate(robot, one, reference, Scenario(wrench=PUSH), record_state=True) for one in (law, plain)
    ]
    assert pushed[0]["state.observer_wrench"][-1] == pytest.approx(PUSH, rel=1e-9)
    left = [np.abs(log["q"][-1] - log["desired_q"][-1]).max() for log in pushed]
    assert left[0] < 1e-9 < left[1]


def test_margins_count_the_observer(robot: pk.Robot) -> None:
    law = control.law("computed_torque", robot)
    delays = [
        simulation.margins(robot, control.with_disturbance_observer(law, rate)).delay for rate in (10.0, 40.0, 80.0)
    ]
    assert sorted(delays, reverse=True) == delays
    assert delays[0] < simulation.margins(robot, law).delay
    alone = simulation.margins(robot, control.with_disturbance_observer(law, RATE, share=0.0))
    assert alone.delay == pytest.approx(simulation.margins(robot, law).delay, rel=1e-6)


def test_a_payload_is_weighed_while_the_robot_moves() -> None:
    robot = pk.load("five_bar")
    law = control.with_disturbance_observer(control.law("computed_torque", robot), RATE)
    law = control.guarded(control.with_payload_estimate(law))
    reference = control.reference(robot, pk.trajectory.motion("pick_and_place", robot), 1e-3, settle=0.5)
    taken = Scenario(payload=pk.Payload(mass=0.3), payload_time=0.2)
    log = simulation.simulate(robot, law, reference, taken, record_state=True)
    found = control.payload_of(log["state.payload"][-1])
    assert np.abs(log["state.payload"][:200, 0]).max() < 1e-3
    assert found.mass == pytest.approx(0.3, abs=1e-3)
    assert found.centre == (0.0, 0.0, 0.0), "a platform that does not turn shows no centre"


@pytest.mark.slow
def test_the_centre_of_a_payload_is_found_where_the_platform_turns() -> None:
    robot = pk.load("gough_stewart")
    law = control.with_disturbance_observer(control.law("computed_torque", robot), RATE)
    law = control.with_payload_estimate(law)
    reference = control.reference(robot, pk.trajectory.fourier(robot), 1e-3)
    carried = pk.Payload(mass=10.0, centre=(0.1, 0.05, 0.2))
    log = simulation.simulate(robot, law, reference, Scenario(payload=carried), record_state=True)
    found = control.payload_of(log["state.payload"][-1000:].mean(axis=0))
    assert found.mass == pytest.approx(10.0, rel=2e-3)
    assert found.centre == pytest.approx(carried.centre, abs=0.01)


def test_observers_that_cannot_be_are_refused(robot: pk.Robot) -> None:
    law = control.law("pid", robot)
    watched = control.with_disturbance_observer(law, RATE)
    with pytest.raises(ControlError, match="the law wears one already"):
        control.with_disturbance_observer(watched, RATE)
    with pytest.raises(ControlError, match="put observer on after it"):
        control.with_notch(watched, 60.0)
    with pytest.raises(ControlError, match="with_disturbance_observer first"):
        control.with_payload_estimate(law)
    with pytest.raises(ControlError, match="observer_bandwidth: must be one number >= 0"):
        control.with_disturbance_observer(law, -1.0)
    with pytest.raises(ControlError, match="payload_noise: must be finite and >= 0 N, one number or 2"):
        control.with_payload_estimate(watched, noise=-1.0)

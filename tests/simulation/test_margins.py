"""Margins and force noise of the linearised loop against theory and against simulation."""

from __future__ import annotations

import functools
from dataclasses import replace

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import parakin as pk
from parakin import control, simulation
from parakin.control.tuning.margins import delay_margin
from parakin.errors import ControlError, SimulationError
from parakin.simulation import Scenario
from parakin.simulation.linear import linear_loop
from tests.variants import frictionless

PERIOD = 1e-3


@pytest.fixture(scope="module")
def h4() -> pk.Robot:
    return frictionless(pk.load("h4"))


@pytest.fixture(scope="module")
def weightless(h4: pk.Robot) -> pk.Robot:
    return h4.replace(gravity=(0.0, 0.0, 0.0))


@functools.cache
def law_of(name: str, robot: pk.Robot) -> control.Law:
    """With the default period; adaptive laws take a second to make."""
    return control.law(name, robot)


def test_computed_torque_has_the_delay_margin_of_a_double_integrator(h4: pk.Robot) -> None:
    """Phase margin over crossover frequency of (K_d s + K_p)/s^2, less the half tick that holding a force costs."""
    K_p, K_d = 10_000.0, 90.0
    crossover = np.sqrt((K_d**2 + np.sqrt(K_d**4 + 4 * K_p**2)) / 2)
    expected = np.arctan(K_d * crossover / K_p) / crossover - PERIOD / 2
    found = simulation.margins(h4, law_of("computed_torque", h4).with_gains(K_p=K_p, K_d=K_d, K_i=0.0))
    assert found.delay == pytest.approx(expected, rel=0.01)
    assert found.gain == pytest.approx(2 / (K_d * PERIOD), rel=0.01)
    assert found.gain_low == 0.0


def poles(robot: pk.Robot, law: control.Law, bandwidth: float, **options: float) -> np.ndarray:
    """Of the linearised loop in continuous time [1/s], slow ones first; without those of memories that stand still."""
    tuned = law.with_gains(**control.gains_for(law, bandwidth, **options))
    z = np.linalg.eigvals(linear_loop(robot, tuned).step()[0]).astype(complex)
    s = np.log(z[(np.abs(z) > 1e-3) & (np.abs(z - 1) > 1e-9)]) / law.period
    return s[np.argsort(np.abs(s))]


@pytest.mark.parametrize("name", [name for name in control.LAWS if name != "predictive_functional"])
def test_every_law_has_the_poles_its_bandwidth_promises(name: str, weightless: pk.Robot) -> None:
    """Of the robot's own mass matrix: decentralised gains promise them for each actuator with the others held."""
    robot = weightless
    law = control.law(name, robot, 1e-5)
    w, damping = 40.0, 1.2
    M_q = robot.mass_matrix(robot.home, space="actuator")
    alone = np.linalg.solve(M_q, np.diag(np.diag(M_q))) if name in DECENTRALISED else np.eye(4)
    zero, one = np.zeros((4, 4)), np.eye(4)
    if name == "adaptive":
        rates = w * (damping + np.array([-1, 1]) * np.sqrt(damping**2 - 1))
        expected = np.concatenate([[-rates[0]] * 4, np.linalg.eigvals(-rates[1] * alone)])
    else:
        expected = np.linalg.eigvals(np.block([[zero, one], [-(w**2) * alone, -2 * damping * w * alone]]))
    found = poles(robot, law, w, damping=damping, integral=0.0)
    assert np.sort(np.abs(found)) == pytest.approx(np.sort(np.abs(expected)), rel=0.01)
    assert np.sum(found).real == pytest.approx(np.sum(expected).real, rel=0.01)


DECENTRALISED = ("pid", "feedforward", "adaptive", "adaptive_feedforward")


@pytest.mark.parametrize("bandwidth", [20.0, 40.0])
def test_predictive_control_goes_back_to_its_set_point_with_the_bandwidth(bandwidth: float, h4: pk.Robot) -> None:
    """Besides the slow pole of its inner loop: both poles of that are no choice of the bandwidth.

    With the points of [Vivas2003]; a set point that is farther away than they are is approached faster.
    """
    law = control.predictive_functional(h4, PERIOD, control.PredictiveDesign())
    slow = np.sort(np.roots([1.0, 68.0, 50.0]))[1]
    found = poles(h4, law, bandwidth)
    assert np.real(found[:4]) == pytest.approx(4 * [slow], rel=0.02)
    assert np.real(found[4:8]) == pytest.approx(4 * [-bandwidth], rel=0.05)
    assert (np.real(found) < 0).all()


def test_a_bandwidth_slows_learning_down_with_everything_else(h4: pk.Robot) -> None:
    for name in ("adaptive", "adaptive_feedforward"):
        law = law_of(name, h4)
        slow, fast = control.gains_for(law, 30.0), control.gains_for(law, 60.0)
        default = next(gain.values[0] for gain in law.interface.gains if gain.name == "fastest")  # the bandwidth
        own = control.gains_for(law, default)
        assert law.with_gains(**fast).with_gains(**own).gains == pytest.approx(law.gains, rel=1e-12)
        assert (slow["Gamma"] < fast["Gamma"]).all()
        assert slow["fastest"] == 30.0
        assert not control.gains_for(law, 30.0, integral=0.0)["Gamma"].any()
    with pytest.raises(ControlError, match=r"adaptive: damping: its poles are real, which needs at least 1, got 0\.7"):
        control.gains_for(law_of("adaptive", h4), 30.0, damping=0.7)
    unknown = replace(control.law("pid", h4), proposal=None)
    with pytest.raises(ControlError, match="pid: gains: this law says nothing of bandwidths: set K_p, K_d, K_i"):
        control.gains_for(unknown, 30.0)


@pytest.mark.parametrize("name", ["pid", "computed_torque"])
def test_the_loop_is_unstable_just_beyond_its_gain_margin(name: str, h4: pk.Robot) -> None:
    """Feedback multiplied in a simulation with delay and differentiated encoders; the plant is the nonlinear one."""
    scenario = Scenario(velocity_filter=200.0, delay=True, pose=h4.home + np.array([1e-7, 0.0, 0.0, 0.0]))
    law = law_of(name, h4)
    law = law.with_gains(**control.gains_for(law, 60.0, integral=0.0))
    limit = simulation.margins(h4, law, replace(scenario, pose=None)).gain
    reference = control.hold(h4, h4.home, 1.0, PERIOD)
    spread: list[float] = []
    for factor in (0.97, 1.03):
        gains = {gain.name: factor * limit * np.array(gain.values) for gain in law.interface.gains}
        log = simulation.simulate(h4, law, reference, replace(scenario, gains=gains))
        error = np.abs(log["desired_q"] - log["q"]).max(axis=1)
        spread.append(float(error[-100:].max() / error[400:500].max()))
    assert spread[0] < 1.0 < spread[1]


@pytest.mark.parametrize("name", ["feedforward", "computed_torque", "computed_torque_platform"])
def test_force_noise_is_what_simulation_shows(name: str, h4: pk.Robot) -> None:
    law = law_of(name, h4)
    scenario = Scenario(noise=1e-6, pose_noise=1e-6, velocity_filter=150.0, delay=True, seed=3)
    expected = simulation.margins(h4, law, scenario).force_noise
    log = simulation.simulate(h4, law, control.hold(h4, h4.home, 6.0, PERIOD), scenario)
    assert log["command"][500:].std(axis=0) == pytest.approx(expected, rel=0.1)


def test_a_spatial_robot_measured_by_its_pose(h4: pk.Robot) -> None:
    """In both coordinates the same double integrators, whatever the quaternion's numbers."""
    robot = pk.load("gough_stewart")
    turned = trajectory_pose(robot)
    by_pose, by_q, of_h4 = (
        linear_loop(one, control.law(name, one).with_gains(K_i=0.0), None, pose)
        for one, name, pose in (
            (robot, "computed_torque_platform", turned),
            (robot, "computed_torque", turned),
            (h4, "computed_torque", h4.home),
        )
    )
    with threadpool_limits(1, "blas"):
        assert by_pose.radius() == pytest.approx(1.0, abs=1e-9)  # the integral without gain
        assert by_q.radius() == pytest.approx(by_pose.radius(), abs=1e-9)
        assert delay_margin(by_pose) == pytest.approx(delay_margin(of_h4), rel=0.03)


def trajectory_pose(robot: pk.Robot) -> np.ndarray:
    """Somewhere in the box, turned."""
    return robot.sample(3, seed=2)[1]


def test_laws_can_be_given_the_same_margin_or_the_same_noise(h4: pk.Robot) -> None:
    scenario = Scenario(noise=1e-6, velocity_filter=200.0, delay=True)
    for name in ("feedforward", "decoupling"):
        law = control.law(name, h4)
        slow = simulation.matched(h4, law, "delay", 4e-3, scenario)
        assert simulation.margins(h4, slow, scenario).delay == pytest.approx(4e-3, rel=1e-3)
        quiet = simulation.matched(h4, law, "noise", 0.02, scenario)
        assert simulation.margins(h4, quiet, scenario).force_noise.max() == pytest.approx(0.02, rel=1e-3)
    law = control.law("decoupling", h4)
    with pytest.raises(
        SimulationError, match="decoupling: cannot be given a force noise of 1e-09 N or N m rms: it reaches"
    ):
        simulation.matched(h4, law, "noise", 1e-9, scenario)
    with pytest.raises(SimulationError, match="delay: must be > 0 and at most 64 ticks, got 10 s"):
        simulation.matched(h4, law, "delay", 10.0, scenario)


def test_an_unstable_loop_has_no_margin(h4: pk.Robot) -> None:
    law = control.law("computed_torque", h4).with_gains(K_d=4000.0)
    found = simulation.margins(h4, law)
    assert not found.stable
    assert found.delay == 0.0

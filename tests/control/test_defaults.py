"""Default gains: every law bears the delay that is stated, for the robot at hand and for its sample time."""

from __future__ import annotations

import numpy as np
import pytest

import parakin as pk
from parakin import control, simulation
from parakin.control.tuning.delay import bandwidth_for, delay_margin_of, filtered_rate, frequencies
from parakin.control.tuning.inertia import POSES, effective_inertia, least_inertia
from parakin.control.tuning.predictive_margin import default_design, feedback_of
from parakin.errors import ControlError, UnsupportedRobotError
from parakin.simulation import Scenario
from tests.variants import frictionless, with_light_drives

REAL = Scenario(velocity_filter=200.0, delay=True)
PERIODS = [2e-5, 2.5e-4, 1e-3, 5e-3]
SAMPLED = 0.01
"""Relative difference of a margin from that of its frequency response: the delay is continuous, the loop is sampled."""
WITH_ROBOT = 0.02
"""What weight and the linearised model change of a margin in addition, without friction."""
EVERY_LAW = [*control.LAWS]


@pytest.fixture(scope="module")
def five_bar() -> pk.Robot:
    return frictionless(pk.load("five_bar")).replace(gravity=(0.0, 0.0, 0.0))


@pytest.fixture(scope="module")
def light() -> pk.Robot:
    """A 3-UPU whose drives feel each other more than themselves: lambda is 0.065."""
    return with_light_drives(pk.load("upu_3"))


def worst_pose(robot: pk.Robot) -> np.ndarray:
    """The pose with the smallest eigenvalue of D^-1/2 M_q D^-1/2, or with the same of the platform's loop."""
    D = effective_inertia(robot)
    poses = [robot.home, *robot.sample(POSES)]

    def least(pose: np.ndarray) -> float:
        J, M = robot.jacobian(pose), robot.mass_matrix(pose)
        return float(np.linalg.eigvals(np.linalg.solve(J.T @ (D[:, None] * J), M)).real.min())

    return min(poses, key=least)


@pytest.mark.parametrize(("period", "margin"), [(1e-5, 4e-4), (1e-4, 4e-3), (1e-3, 4e-3), (0.02, 0.08)])
def test_the_margin_is_4_ms_within_4_and_40_ticks(period: float, margin: float) -> None:
    assert control.default_delay_margin(period) == pytest.approx(margin)


@pytest.mark.parametrize("period", [0.0, -1e-3, np.nan, np.inf])
def test_what_is_no_period_is_refused(period: float) -> None:
    with pytest.raises(ControlError, match="default gains: period: must be finite and > 0 s, got"):
        control.default_delay_margin(period)


def test_the_margin_of_a_loop_is_that_of_its_crossover() -> None:
    """A loop with damping alone, by hand: it crosses over near K_d, a quarter of a turn less what all delays take."""
    period, K_d = 1e-4, 100.0
    _, z = frequencies(period)
    filtering = np.arctan(K_d / (2 * np.pi * 200.0)) / K_d
    by_hand = np.pi / 2 / K_d - filtering - 2 * period  # of holding and differences half a tick each, and a tick
    assert delay_margin_of(K_d * filtered_rate(z, period), period) == pytest.approx(by_hand, rel=0.01)


def test_a_loop_beyond_its_limit_has_a_negative_margin_and_a_weak_one_any() -> None:
    _, z = frequencies(1e-3)
    rate = filtered_rate(z, 1e-3)
    assert delay_margin_of(5000.0 * rate, 1e-3) < 0.0
    assert delay_margin_of(1e-6 * rate, 1e-3) == np.inf


@pytest.mark.parametrize("period", PERIODS)
def test_the_bandwidth_asked_for_gives_the_margin(period: float) -> None:
    def gains(w: float) -> tuple[float, float, float]:
        return 1.2 * w**2, 2.1 * w, 0.1 * w**3

    _, z = frequencies(period)
    K_p, K_d, K_i = gains(bandwidth_for(period, gains))
    feedback = K_p + K_d * filtered_rate(z, period) + K_i * period * z / (z - 1)
    assert delay_margin_of(feedback, period) == pytest.approx(control.default_delay_margin(period), rel=1e-9)


@pytest.mark.parametrize("period", PERIODS)
def test_predictive_control_has_a_design_with_the_margin(period: float) -> None:
    design = default_design(period)
    margin = delay_margin_of(feedback_of(design, period), period)
    assert margin == pytest.approx(control.default_delay_margin(period), rel=1e-4)
    assert design.coincidence[-1] == design.error_window


def test_the_design_of_the_paper_bears_less_than_half_of_it() -> None:
    """What `margins` found of it on every robot: 1.83 to 1.88 ms."""
    margin = delay_margin_of(feedback_of(control.PredictiveDesign(), 1e-3), 1e-3)
    assert margin == pytest.approx(1.84e-3, rel=SAMPLED)


@pytest.mark.parametrize(
    ("name", "period"),
    [
        ("pid", 1e-3),
        ("pid", 5e-3),
        ("decoupling", 1e-3),
        ("computed_torque", 2.5e-4),
        ("computed_torque", 5e-3),
        ("predictive_functional", 1e-3),
        ("predictive_functional", 5e-3),
    ],
)
def test_the_sampled_loop_bears_the_margin(name: str, period: float, five_bar: pk.Robot) -> None:
    """`margins` goes through the robot, the law as it is and every pole of the sampled loop."""
    found = simulation.margins(five_bar, control.law(name, five_bar, period), REAL, worst_pose(five_bar))
    assert found.delay == pytest.approx(control.default_delay_margin(period), rel=SAMPLED + WITH_ROBOT)


@pytest.mark.parametrize("name", ["adaptive", "adaptive_feedforward"])
def test_adaptive_laws_bear_it_too(name: str, five_bar: pk.Robot) -> None:
    """Where the model goes through M_q and the rest does not, the equation has both."""
    found = simulation.margins(five_bar, control.law(name, five_bar), REAL, worst_pose(five_bar))
    assert found.delay == pytest.approx(4e-3, rel=SAMPLED + WITH_ROBOT)


@pytest.mark.parametrize("name", ["pid", "feedforward", "computed_torque"])
def test_drives_that_feel_each_other_are_slower_not_unstable(name: str, light: pk.Robot) -> None:
    """With gains for 60 rad/s the first two are unstable, errors doubling every 2.6 ms."""
    found = simulation.margins(light, control.law(name, light), REAL, worst_pose(light))
    assert found.delay == pytest.approx(4e-3, rel=SAMPLED + WITH_ROBOT)
    assert found.gain > 2.0


def test_the_least_inertia_is_an_eigenvalue_of_either_mass_matrix(light: pk.Robot) -> None:
    """Of D^-1/2 M_q D^-1/2, and of M_v against J^T D J."""
    pose, D = worst_pose(light), effective_inertia(light)
    scaled = light.mass_matrix(pose, space="actuator") / np.sqrt(np.outer(D, D))
    J, M = light.jacobian(pose), light.mass_matrix(pose)
    of_platform = np.linalg.eigvals(np.linalg.solve(J.T @ (D[:, None] * J), M)).real.min()
    assert least_inertia(light) == pytest.approx(np.linalg.eigvalsh(scaled)[0], rel=1e-9)
    assert least_inertia(light) == pytest.approx(of_platform, rel=1e-9)


def test_margins_are_those_of_the_pose_at_which_a_scenario_begins() -> None:
    """As its own set point: a law is not linearised while it pulls the robot somewhere else."""
    robot = pk.load("five_bar")
    law, pose = control.law("computed_torque", robot), robot.home + np.array([0.02, -0.03])
    begun = simulation.margins(robot, law, Scenario(velocity_filter=200.0, delay=True, pose=pose))
    given = simulation.margins(robot, law, REAL, pose)
    assert (begun.delay, begun.gain) == (given.delay, given.gain)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["h4", "redundant_4rrr", "slider_crank"])
def test_library_robots_bear_the_margin_where_they_bear_the_least(name: str) -> None:
    """Friction is damping: margins are not less than the equation promises, and may be more."""
    robot = pk.load(name)
    pose = worst_pose(robot)
    for law_name in EVERY_LAW:
        if law_name.startswith("adaptive") and name != "slider_crank":
            continue  # regressors of large robots take long
        try:
            law = control.law(law_name, robot)
        except UnsupportedRobotError:
            assert (name, law_name) == ("redundant_4rrr", "decoupling")
            continue
        found = simulation.margins(robot, law, REAL, pose)
        assert found.stable, law_name
        assert found.delay > (1 - SAMPLED) * 4e-3, law_name


def test_a_guard_damps_no_faster_than_the_robot_bears(light: pk.Robot) -> None:
    """60 1/s would be 920 1/s where the light robot has the least inertia, and unstable."""
    _, z = frequencies(1e-3)
    for robot, rate in ((light, 16.4), (pk.load("five_bar"), 60.0)):
        share = np.array(control.Guard.of(robot, 1e-3).damping) / effective_inertia(robot)
        assert share == pytest.approx(rate, rel=0.01)
        feedback = share[0] / least_inertia(robot) * filtered_rate(z, 1e-3)
        assert delay_margin_of(feedback, 1e-3) > 0.999 * 4e-3
    assert delay_margin_of(60.0 / least_inertia(light) * filtered_rate(z, 1e-3), 1e-3) < 0.0

"""Hand guiding: the robot floats, moves where it is pushed, and stops before the ends of its strokes."""

from __future__ import annotations

import numpy as np
import pytest

import parakin as pk
from parakin import control, simulation
from parakin.control.drive_friction import coulomb_of, viscous_of
from parakin.simulation import Ending, Scenario
from tests.variants import frictionless

REALISTIC = Scenario(counts=20_000, velocity_filter=200.0, delay=True)


@pytest.fixture(scope="module")
def robot() -> pk.Robot:
    return pk.load("five_bar")


@pytest.fixture(scope="module")
def law(robot: pk.Robot) -> control.Law:
    return control.guarded(control.law("hand_guiding", robot))


def test_the_force_at_rest_is_the_weight(robot: pk.Robot) -> None:
    law = control.law("hand_guiding", robot)
    q = robot.inverse_kinematics(robot.home)
    told = {"desired_pose": robot.home, "measured_q": q, "measured_q_dot": np.zeros(2)}
    out = law.step(**told, state=robot.home, gains=law.gains)
    assert np.asarray(out["tau"]).ravel() == pytest.approx(robot.static_forces(robot.home), rel=1e-9)


def test_what_is_given_back_is_less_than_what_is_taken(robot: pk.Robot) -> None:
    """The law alone takes energy out of any motion that its viscous friction does not cover."""
    gains = {gain.name: np.array(gain.values) for gain in control.law("hand_guiding", robot).interface.gains}
    assert (gains["F"] / gains["u"] < gains["D"]).all()
    assert (gains["V"] < viscous_of(robot) + 1e-12).all()
    assert (gains["F"] < coulomb_of(robot)).all()


def test_a_robot_that_is_let_go_stays(robot: pk.Robot, law: control.Law) -> None:
    reference = control.hold(robot, robot.home, 0.5, 1e-3)
    log = simulation.simulate(robot, law, reference, REALISTIC)
    assert log.status == Ending.COMPLETED
    assert np.abs(log["pose"] - robot.home).max() < 1e-3


def test_a_hand_moves_the_robot_and_the_guard_lets_it(robot: pk.Robot, law: control.Law) -> None:
    """A push of 5 N for half a second; far from where the set points are, and at rest soon after."""
    reference = control.hold(robot, robot.home, 1.5, 1e-3)
    push = np.zeros((reference.ticks, 2))
    push[100:600, 0] = 5.0
    log = simulation.simulate(robot, law, reference, Scenario(wrench=push), record_state=True)
    assert log.status == Ending.COMPLETED
    assert log["state.guard_status"].max() == 0.0
    assert log["pose"][-1, 0] - robot.home[0] > 0.02
    assert np.abs(log["q_dot"][-1]).max() < 0.1 * np.abs(log["q_dot"]).max()


@pytest.mark.slow
def test_the_ends_of_the_strokes_hold(robot: pk.Robot) -> None:
    """However long a hand pushes."""
    law, lower, upper = control.law("hand_guiding", robot), robot.strokes.lower, robot.strokes.upper
    reference = control.hold(robot, robot.home, 3.0, 1e-3)
    for direction in ([3.0, 0.0], [-3.0, 0.0]):
        log = simulation.simulate(robot, law, reference, Scenario(wrench=direction))
        assert (log["q"] > lower).all()
        assert (log["q"] < upper).all()


@pytest.mark.parametrize(
    "name", ["five_bar", *(pytest.param(name, marks=pytest.mark.slow) for name in ("delta", "four_bar"))]
)
def test_robots_float_stably(name: str) -> None:
    """A pole at 1 for every freedom, and none beyond, even without the plant's friction and with delay and filters."""
    robot = pk.load(name)
    bare = robot if name == "four_bar" else frictionless(robot)
    law = control.law("hand_guiding", robot).with_gains(V=0.0)
    assert simulation.margins(bare, law, Scenario(velocity_filter=200.0, delay=True)).stable
    assert law.interface.lag == np.inf

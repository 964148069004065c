"""Stiffness against equilibria that are searched for and a model written by hand; eigenfrequencies; accuracy."""

from __future__ import annotations

import numpy as np
import pytest

import parakin as pk
from parakin.analysis import QUANTITIES, Options, Reason
from parakin.analysis.accuracy import actuator_errors
from parakin.analysis.quantity import GoodPoses
from parakin.analysis.stiffness import platform_compliance
from parakin.arrays import Array
from parakin.description import describe
from parakin.errors import DescriptionError, UnsupportedRobotError
from parakin.motions.offsets import displaced, offset_between
from tests.analysis.five_bar_by_hand import by_hand
from tests.robots import robot_named

DIFFERENCES = 2e-5
"""Central differences of equilibria for forces that move the platform by some micrometres are this exact."""
ROUNDING = 1e-9
"""What is the same formula twice, in two ways."""
POSE = np.array([0.07, 0.31])
"""A pose of the five-bar off its line of symmetry."""


def compliance(robot: pk.Robot, pose: Array, options: Options) -> Array:
    near = None if robot.place_is_pose else robot.configurations(pose[None])
    return platform_compliance(GoodPoses(robot, pose[None], near, options))[0]


def equilibrium(robot: pk.Robot, pose: Array, stiffness: float, force: Array) -> Array:
    """Where the platform comes to rest under a force, found by steps with a compliance that need not be exact."""
    motion, C = robot.motion_type, compliance(robot, pose, Options(drive_stiffness=stiffness))
    motor = robot.inverse_kinematics(pose) + robot.static_forces(pose) / stiffness
    place = pose
    for _ in range(60):
        tau = stiffness * (motor - robot.inverse_kinematics(place))
        missing = robot.jacobian(place).T @ (tau - robot.static_forces(place)) + force
        place = displaced(motion, place, 0.9 * C @ missing)
    return place


@pytest.mark.parametrize(
    ("name", "stiffness", "sizes"),
    [
        ("delta", 60.0, 0.01),
        ("five_bar", 90.0, 0.01),
        pytest.param("gough_stewart", 2e5, 0.05, marks=pytest.mark.slow),
        pytest.param("tripod_3rps", 1e4, 0.05, marks=pytest.mark.slow),
    ],
)
def test_compliance_is_the_difference_of_two_equilibria(name: str, stiffness: float, sizes: float) -> None:
    """Drives so soft that gravity and the turning of loaded legs count."""
    robot = robot_named(name)
    pose = robot.sample(1, seed=8)[0]
    C = compliance(robot, pose, Options(drive_stiffness=stiffness))
    found = np.zeros_like(C)
    for k, force in enumerate(sizes * np.eye(len(C))):
        ends = [equilibrium(robot, pose, stiffness, side * force) for side in (1, -1)]
        found[:, k] = offset_between(robot.motion_type, ends[1], ends[0]) / (2 * sizes)
    assert found == pytest.approx(C, abs=DIFFERENCES * np.abs(C).max())


def five_bar(gravity: float, forearm: float | None) -> pk.Robot:
    tables = robot_named("five_bar").description.model_dump()
    tables["gravity"] = (0.0, -gravity, 0.0)
    tables["legs"][0]["elements"][1]["stiffness"] = forearm
    return pk.Robot(describe(tables, "five_bar"))


@pytest.mark.parametrize(("gravity", "forearm"), [(9.81, None), (0.0, 4e4)])
def test_stiffness_and_frequency_are_those_of_a_model_by_hand(gravity: float, forearm: float | None) -> None:
    """Frequencies with elastic forearms, whose elongations have inertia, are compared with MuJoCo's instead."""
    robot, options = five_bar(gravity, forearm), Options(drive_stiffness=300.0)
    M, K = by_hand(POSE, 300.0, forearm or 1e30, gravity)
    assert np.linalg.inv(compliance(robot, POSE, options)) == pytest.approx(K, abs=ROUNDING * np.abs(K).max())
    if forearm is None:
        squares = np.linalg.eigvals(np.linalg.solve(M, K))
        lowest = np.sqrt(squares.real.min()) / (2 * np.pi)
        assert QUANTITIES["frequency"].evaluate(robot, POSE, options).values == pytest.approx(lowest, rel=ROUNDING)
    softest = np.linalg.eigvalsh(K)[0]
    assert QUANTITIES["stiffness"].evaluate(robot, POSE, options).values == pytest.approx(softest, rel=ROUNDING)


def test_stiffness_along_a_direction_lets_the_rest_yield() -> None:
    robot = five_bar(9.81, 4e4)
    C = compliance(robot, POSE, Options(drive_stiffness=300.0))
    along = Options(drive_stiffness=300.0, direction=(0.0, 2.0))
    assert QUANTITIES["stiffness"].evaluate(robot, POSE, along).values == pytest.approx(1 / C[1, 1])


def test_rigid_drives_leave_what_elements_yield() -> None:
    """Struts with rigid drives and elastic tubes are as stiff as elastic drives with rigid tubes."""
    tables = robot_named("planar_3rpr").description.model_dump()
    for leg in tables["legs"]:
        leg["elements"][0]["stiffness"] = 5e6
    elastic, rigid = pk.Robot(describe(tables, "struts")), robot_named("planar_3rpr")
    pose = rigid.sample(1, seed=1)[0]
    one = compliance(elastic, pose, Options())
    assert one == pytest.approx(compliance(rigid, pose, Options(drive_stiffness=5e6)), rel=1e-6, abs=1e-12)


def test_what_soft_drives_let_fall_is_unstable() -> None:
    """The load of a five-bar is above its motors, and tips over where drives are softer than gravity."""
    robot = five_bar(9.81, None).with_payload(30.0)
    upright = robot.home
    soft, stiff = (QUANTITIES["stiffness"].evaluate(robot, upright, Options(drive_stiffness=k)) for k in (1.0, 1e4))
    assert soft.reasons == Reason.UNSTABLE
    assert np.isnan(soft.values)
    assert stiff.values > 0


def test_accuracy_is_the_worst_that_forward_kinematics_finds() -> None:
    robot, options = robot_named("delta"), Options(resolution=1e-4)
    poses = robot.sample(5, seed=6)
    found = QUANTITIES["accuracy"].evaluate(robot, poses, options)
    rng = np.random.default_rng(0)
    for pose, value in zip(poses, found.values, strict=True):
        q = robot.inverse_kinematics(pose)
        errors = 0.5e-4 * np.concatenate([rng.uniform(-1, 1, (300, 3)), rng.choice([-1.0, 1.0], (40, 3))])
        away = np.linalg.norm(robot.poses_with(q + errors, np.tile(pose, (340, 1))).pose - pose, axis=1)
        assert away.max() == pytest.approx(value, rel=1e-3)


def test_play_of_a_rod_is_play_along_its_line() -> None:
    """A Delta whose forearms are longer by the play of both their ends: the actuators are off by as much."""
    robot, play = robot_named("delta"), 1e-6
    tables = robot.description.model_dump()
    length = tables["legs"][0]["elements"][1]["length"]
    tables["legs"][0]["elements"][1]["joint"]["clearance"] = play
    loose = pk.Robot(describe(tables, "loose"))
    pose = np.array([0.1, 0.05, -0.45])
    bound = actuator_errors(GoodPoses(loose, pose[None], None, Options()))[0]
    tables["legs"][0]["elements"][1].update(length=length + play)
    longer = pk.Robot(describe(tables, "longer"))
    off = np.abs(longer.inverse_kinematics(pose) - robot.inverse_kinematics(pose))
    assert bound == pytest.approx(off, rel=1e-4)


def test_coarse_encoders_say_that_linearisation_fails() -> None:
    robot = robot_named("five_bar")
    coarse = QUANTITIES["accuracy"].evaluate(robot, robot.home, Options(resolution=0.8))
    assert coarse.reasons == Reason.NOT_LINEAR
    assert np.isnan(coarse.values)


def test_what_nothing_says_is_refused_with_a_remedy() -> None:
    robot = robot_named("delta")
    with pytest.raises(UnsupportedRobotError, match="give `stiffness` of actuators or elements"):
        QUANTITIES["stiffness"].evaluate(robot, robot.home)
    with pytest.raises(UnsupportedRobotError, match="give `resolution` of actuators or `clearance` of joints"):
        QUANTITIES["accuracy"].evaluate(robot, robot.home)
    tables = robot_named("upu_3").description.model_dump()
    tables["legs"][0]["elements"][0].update(actuator=None, stiffness=1e6)
    with pytest.raises(DescriptionError, match="carries no axial force"):
        describe(tables, "slack")

"""Quantities of mechanisms in their own coordinates: against legs, against other coordinates, and what they refuse."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.optimize import least_squares

from parakin.analysis import QUANTITIES, Options, Reason, Slice, performance_map
from parakin.analysis.accuracy import balanced_poses
from parakin.analysis.options import Space, directions_of
from parakin.analysis.quantity import GoodPoses
from parakin.analysis.slices import lattice_of
from parakin.arrays import Array
from parakin.errors import DataError, UnknownNameError, UnsupportedRobotError
from parakin.mechanism import MechanismDescription, describe_mechanism
from parakin.motions.turns import quaternion_of_turns, turns_of_quaternion
from parakin.plots import map_figure
from parakin.quaternions import quaternion_from_vector, quaternion_product
from parakin.robot import Robot
from tests.ball_platform import ball_platform
from tests.mechanism.test_platform_coordinates import with_platform_pose
from tests.mechanisms import described, from_platform
from tests.robots import robot_named

ROUNDING = 1e-9
"""The same number by two models that share no formula but virtual work; differences seen are below 1e-11."""
SEARCHED = 1e-4
"""A displacement that a minimiser finds, beside the linearised one: encoder steps of 1e-4 rad leave as much."""
MINIMISED = 1e-7
"""Exactness of a pose that a minimiser of squares finds [m, rad]: the root of what doubles tell of a sum of squares."""
SAME_FOR_ALL = ("condition", "dexterity", "isotropy", "payload", "inertia", "inertia_free", "frequency")
"""Quantities that do not depend on what a pose is: of the output frame, of motors, or of the whole machine."""


def with_drives(description: MechanismDescription, **numbers: dict[str, float]) -> Robot:
    """A mechanism whose every motor has limits, and numbers of its own that are given by joint_freedom."""
    tables: dict[str, Any] = description.model_dump()
    for joint in tables["joints"]:
        for name, freedom in joint["freedoms"].items():
            if freedom["drive"] is not None:
                own = numbers.get(f"{joint['name']}.{name}".replace(".", "_"), {})
                freedom["drive"] |= {"force": 500.0, "speed": 1.0} | own
    return Robot(describe_mechanism(tables, description.name))


@cache
def three_poses() -> tuple[Robot, Robot]:
    """A 3-RPS by its motors, and by height and two tilts, which are turns of a ball whose third follows."""
    by_motors, by_platform = Robot(described("3rps")), with_platform_pose("3rps", "z", "wx", "wy")
    return with_drives(by_motors.graph_description), with_drives(by_platform.graph_description)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["planar_3rpr", "gough_stewart"])
def test_a_robot_of_legs_and_its_graph_have_the_same_of_everything(name: str) -> None:
    """All twelve in the platform's coordinates: of a Gough-Stewart platform as a graph its three turns are a ball's."""
    legs = robot_named(name)
    graph = Robot(from_platform(legs))
    pose = same = legs.sample(3, seed=4)
    if legs.motion_type.quaternion is not None:
        same = np.concatenate([pose[:, :3], turns_of_quaternion(pose[:, 3:])], axis=1)
    spaces: tuple[Space, ...] = ("translation", "rotation", "all")
    for space in spaces:
        options = Options(drive_stiffness=1e5, resolution=1e-4, length=0.3, space=space, acceleration=1.0)
        for quantity in QUANTITIES.values():
            values = quantity.evaluate(legs, pose, options)
            again = quantity.evaluate(graph, same, options)
            assert values.good.all()
            assert again.values == pytest.approx(values.values, rel=ROUNDING), (quantity.name, space)
            assert again.unit == values.unit


@pytest.mark.slow
def test_output_motors_and_frequencies_do_not_depend_on_what_a_pose_is() -> None:
    by_motors, by_platform = three_poses()
    options = Options(drive_stiffness=1e5)
    poses = by_platform.sample(4, seed=2)
    motors = by_platform.inverse_kinematics(poses)
    for name in SAME_FOR_ALL:
        mine, other = (
            QUANTITIES[name].evaluate(robot, at, options).values
            for robot, at in ((by_platform, poses), (by_motors, motors))
        )
        assert mine == pytest.approx(other, rel=ROUNDING), name


@pytest.mark.slow
def test_stiffness_along_a_platforms_height_is_that_of_the_motors_seen_from_there() -> None:
    """C_x = J C J^T between the coordinates of motors and those of a pose with two turns of a ball."""
    by_motors, by_platform = three_poses()
    pose = by_platform.sample(1, seed=5)[0]
    q, J = by_platform.inverse_kinematics(pose), np.linalg.inv(by_platform.jacobian(pose))
    yields = np.zeros((3, 3))
    for a in range(3):
        for b in range(a + 1):
            along = np.eye(3)[a] + np.eye(3)[b]
            along = along / np.linalg.norm(along)
            options = Options(drive_stiffness=1e4, direction=tuple(along))
            yields[a, b] = yields[b, a] = 1 / float(QUANTITIES["stiffness"].evaluate(by_motors, q, options).values)
    # u^T C u along (e_a + e_b)/sqrt(2) is (C_aa + C_bb)/2 + C_ab.
    diagonal = np.diag(yields)
    C = np.where(np.eye(3, dtype=bool), yields, yields - 0.5 * (diagonal[:, None] + diagonal))
    found = QUANTITIES["stiffness"].evaluate(by_platform, pose, Options(drive_stiffness=1e4)).values
    assert found == pytest.approx(1 / (J @ C @ J.T)[0, 0], rel=ROUNDING)


@pytest.mark.parametrize("name", ["four_bar_leg", pytest.param("tricept", marks=pytest.mark.slow)])
def test_dexterity_counts_metres_and_radians_by_the_stated_length(name: str) -> None:
    """A Tricept's pose is two tilts and a travel, moved by three lengths; the output of a leg moves and turns."""
    robot = robot_named(name)
    poses = robot.sample(3, seed=1)
    n = robot.degrees_of_freedom
    J_qv = robot.jacobian(poses)
    twists = np.stack([robot.output(poses, np.tile(u, (3, 1)), np.zeros((3, n))).twist for u in np.eye(n)], axis=2)
    for length in (0.2, 1.5):
        scale = np.array([length if unit == "rad" else 1.0 for unit in robot.pose_units])
        pose = QUANTITIES["dexterity"].evaluate(robot, poses, Options(at="pose", length=length))
        assert pose.values == pytest.approx(1 / np.linalg.cond(J_qv / scale), rel=ROUNDING)
        J_Ev = twists / np.array([length, length, length, 1.0, 1.0, 1.0])[:, None]
        values = np.linalg.svd(J_Ev @ np.linalg.inv(J_qv), compute_uv=False)[:, :n]
        output = QUANTITIES["dexterity"].evaluate(robot, poses, Options(length=length))
        assert output.values == pytest.approx(values[:, -1] / values[:, 0], rel=ROUNDING)
    same = QUANTITIES["dexterity"].evaluate(robot, poses, Options(length=robot.length))
    assert same.values == pytest.approx(1 / robot.condition(poses), rel=ROUNDING)


@pytest.mark.slow
def test_motors_that_slide_and_turn_are_compared_by_the_length() -> None:
    """A Tricept's pose as motors, two of which turn and one slides: they move it evenly, whatever the length is."""
    tables = robot_named("tricept").graph_description.model_dump()
    for joint in tables["joints"]:
        for name in joint["freedoms"]:
            joint["freedoms"][name]["drive"] = None
        if joint["name"] == "sleeve":
            joint["freedoms"] |= {"first": {"drive": {}}, "second": {"drive": {}}}
        if joint["name"] == "tube":
            joint["freedoms"] |= {"travel": {"drive": {}}}
    robot = Robot(describe_mechanism(tables, "direct"))
    for length in (0.1, 2.0):
        found = QUANTITIES["condition"].evaluate(robot, robot.home, Options(at="pose", length=length))
        assert found.values == pytest.approx(1.0)
    with pytest.raises(UnknownNameError, match="no end of the motors' map 'platform'"):
        Options(at="platform")  # pyright: ignore[reportArgumentType]


def balanced(robot: Robot, pose: Array, goal: Array, stiffness: Array) -> Array:
    """Where springs between motors at `goal` and the mechanism have least energy, by SciPy's minimiser."""
    roots = np.sqrt(stiffness)
    return least_squares(lambda x: roots * (robot.inverse_kinematics(x) - goal), pose, xtol=1e-15, ftol=1e-15).x


@pytest.mark.slow
def test_accuracy_of_redundant_motors_is_where_their_drives_balance() -> None:
    robot = robot_named("redundant_4rrr")
    stiffness = np.array([1e3, 2e3, 4e3, 8e3])
    own = {f"motor{k + 1}_angle": {"stiffness": float(one)} for k, one in enumerate(stiffness)}
    uneven = with_drives(robot.graph_description, **own)
    pose = robot.sample(1, seed=3)[0]
    q = robot.inverse_kinematics(pose)
    signs = np.array(np.meshgrid(*[[-1.0, 1.0]] * 4)).reshape(4, -1).T
    for one, k in ((robot, np.ones(4)), (uneven, stiffness)):
        away = [np.linalg.norm((balanced(one, pose, q + 0.5e-4 * sign, k) - pose)[:2]) for sign in signs]
        found = QUANTITIES["accuracy"].evaluate(one, pose, Options(resolution=1e-4))
        assert found.values == pytest.approx(max(away), rel=SEARCHED)
    # The search itself, for errors far beyond those of encoders.
    far = q + 0.05 * signs
    options = Options(drive_stiffness=1.0)
    poses = GoodPoses(robot, np.tile(pose, (16, 1)), robot.configurations(np.tile(pose, (16, 1))), options)
    exact = np.array([balanced(robot, pose, goal, np.ones(4)) for goal in far])
    assert balanced_poses(poses, far) == pytest.approx(exact, abs=MINIMISED)
    coarse = QUANTITIES["accuracy"].evaluate(robot, pose, Options(resolution=1.6))
    assert coarse.reasons == Reason.NOT_LINEAR
    some = with_drives(robot.graph_description, motor1_angle={"stiffness": 1e3})
    with pytest.raises(UnsupportedRobotError, match="give `stiffness` of every drive"):
        QUANTITIES["accuracy"].evaluate(some, pose, Options(resolution=1e-4))


@pytest.mark.parametrize("name", ["slider_crank", pytest.param("agile_eye", marks=pytest.mark.slow), "planar_3rrr"])
def test_a_payload_whose_weight_costs_no_force_is_infinite(name: str) -> None:
    """Across a plane, along a slide, or at the centre about which a wrist turns: not 1e16 kg, which rounding is."""
    robot = robot_named(name)
    assert np.isposinf(QUANTITIES["payload"].evaluate(robot, robot.sample(4)).values).all()


def test_slices_of_a_ball_turn_it_from_home() -> None:
    robot = ball_platform()
    turned = quaternion_from_vector(np.array([0.1, 0.2, -0.1]))
    tables = robot.graph_description.model_dump()
    next(joint for joint in tables["joints"] if joint["name"] == "ball")["home"] = turned.tolist()
    one = Robot(describe_mechanism(tables, "turned"))
    lattice = lattice_of(one, Slice({"ball.wz": 0.1}, ("ball.wx",), {"ball.wx": (0.0, 0.3)}, grid=3))
    assert lattice.axes[0].home == 0.0
    assert lattice.units == {"ball.wy": "rad", "ball.wz": "rad"}
    for pose, angle in zip(lattice.poses, (0.0, 0.15, 0.3), strict=True):
        want = quaternion_product(quaternion_of_turns(one.home), quaternion_from_vector(np.array([angle, 0.0, 0.1])))
        assert quaternion_of_turns(pose) == pytest.approx(want)


def test_what_has_no_meaning_is_refused_with_what_would_be_accepted() -> None:
    leg = robot_named("four_bar_leg")
    tables = leg.graph_description.model_dump()
    next(joint for joint in tables["joints"] if joint["name"] == "crank")["freedoms"]["angle"]["drive"] = None
    loose = Robot(describe_mechanism(tables, "loose_knee"))
    options = Options(drive_stiffness=1e3, resolution=1e-4)
    for name, quantity in QUANTITIES.items():
        obstacle = quantity.obstacle(loose, options)
        if name == "inertia_free":
            assert obstacle is None
        else:
            assert obstacle is not None
            assert "drive more joints" in obstacle or "use inertia_free" in obstacle
    # The motor's rate is that of the hip, J_i = (1, 0).
    M = loose.mass_matrix(loose.home)
    assert QUANTITIES["inertia_free"].evaluate(loose, loose.home).values == pytest.approx(1 / np.linalg.inv(M)[0, 0])
    still = leg.graph_description.model_dump() | {"output": {"body": "world"}}
    assert "at = 'pose'" in str(QUANTITIES["condition"].obstacle(Robot(describe_mechanism(still, "s")), options))
    with pytest.raises(UnsupportedRobotError, match="choose at = 'output'"):
        QUANTITIES["accuracy"].evaluate(leg, leg.home, Options(clearance=1e-5))
    with pytest.raises(DataError, match=r"no coordinate of four_bar_leg is a length: hip\.angle, crank\.angle"):
        QUANTITIES["velocity"].evaluate(leg, leg.home, Options(space="translation"))


@pytest.mark.slow
def test_turns_of_which_others_follow_have_no_accuracy() -> None:
    _, by_platform = three_poses()
    obstacle = QUANTITIES["accuracy"].obstacle(by_platform, Options(resolution=1e-5))
    assert obstacle is not None
    assert "pf.wx, pf.wy are components of an angular velocity" in obstacle


def test_directions_name_coordinates() -> None:
    robot = robot_named("tricept")
    assert directions_of(robot, Options()).words == "tube.travel"
    assert directions_of(robot, Options(space="rotation")).words == "sleeve.first, sleeve.second"
    along = directions_of(robot, Options(direction=(3.0, 4.0, 0.0)))
    assert along.words == "along 0.6 sleeve.first, 0.8 sleeve.second"


@pytest.mark.slow
def test_figures_name_coordinates_and_units() -> None:
    robot, where = robot_named("tricept"), Slice({"tube.travel": 0.02}, grid=3)
    result = performance_map(robot, ["velocity", "condition", "payload", "inertia"], where)
    assert result.subjects == {
        "velocity": "tube.travel",
        "condition": "output frame on head",
        "payload": "output frame on head",
        "inertia": "the largest of 3 actuators",
    }
    assert result.held_units == {"tube.travel": "m"}
    figure = map_figure(result)
    assert (figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()) == ("sleeve.first [rad]", "sleeve.second [rad]")
    assert "largest speed in the worst direction\ntube.travel [m/s]" in {axes.get_ylabel() for axes in figure.axes}
    title = figure.get_suptitle()
    assert "tube.travel = 0.02 m; characteristic length 0.75 m" in " ".join(title.split())

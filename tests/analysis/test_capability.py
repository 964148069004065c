"""What limited motors can do, against linear programs, sampled directions and the definitions themselves."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

import parakin as pk
from parakin.analysis import QUANTITIES, Options, Reason, evaluate_all
from parakin.analysis.capability import faces
from parakin.analysis.options import Space, directions_of
from parakin.arrays import Array
from parakin.errors import UnsupportedRobotError
from parakin.mechanism import MechanismDescription
from parakin.robot import Robot
from tests.reference import planar_rpr
from tests.robots import robot_named

PROGRAM = 1e-7
"""HiGHS solves linear programs to this share of the value."""
CASES = (
    ("five_bar", "translation"),
    ("delta", "all"),
    ("planar_4rpr", "translation"),
    pytest.param("redundant_4rrr", "all", marks=pytest.mark.slow),
    pytest.param("redundant_4rrr", "rotation", marks=pytest.mark.slow),
)
"""Robots with as many motors as freedoms, and with more."""


def furthest(J: Array, limits: Array, load: Array, way: Array) -> float:
    """The largest a with J^T tau = load + a way for some |tau| <= limits, by a linear program."""
    motors = len(limits)
    cost = np.zeros(motors + 1)
    cost[-1] = -1.0
    equal = np.hstack([J.T, -way[:, None]])
    bounds = [*((-limit, limit) for limit in limits), (None, None)]
    result = linprog(cost, A_eq=equal, b_eq=load, bounds=bounds, method="highs")
    assert result.success, result.message
    return float(result.x[-1])


def unit_directions(size: int, count: int) -> Array:
    drawn = np.random.default_rng(5).normal(size=(count, size))
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


@pytest.mark.parametrize(("motors", "freedoms"), [(3, 3), (5, 3), (6, 2), (3, 1), (8, 6)])
def test_faces_hold_what_a_linear_program_reaches(motors: int, freedoms: int) -> None:
    rng = np.random.default_rng(motors)
    J, limits = rng.normal(size=(motors, freedoms)), rng.uniform(0.5, 2.0, motors)
    edges = faces(J[None], limits)
    for way in unit_directions(freedoms, 25):
        with np.errstate(divide="ignore"):
            reached = (edges.reach[0] / np.abs(edges.normals[0] @ way)).min()
        assert reached == pytest.approx(furthest(J, limits, np.zeros(freedoms), way), rel=PROGRAM)


@pytest.mark.parametrize(("name", "space"), CASES)
def test_force_and_acceleration_are_the_least_that_programs_find(name: str, space: Space) -> None:
    """No direction gives less than the value, and the direction of the nearest face gives just that."""
    robot, options = planar_rpr(4) if name == "planar_4rpr" else robot_named(name), Options(space=space, limits=False)
    poses = robot.sample(2, seed=3)
    found = evaluate_all((QUANTITIES["force"], QUANTITIES["acceleration"]), robot, poses, options)
    limits = np.array([actuator.force for actuator in robot.actuators], float)
    ways = directions_of(robot, options)
    for k, pose in enumerate(poses):
        J = robot.jacobian(pose)
        load, mass = J.T @ robot.static_forces(pose), robot.mass_matrix(pose)
        for kind, columns in (("force", ways.pushes), ("acceleration", mass @ ways.moves)):
            value = float(found[kind].values[k])
            edges = faces(J[None], limits)
            across = edges.normals[0] @ columns
            room = edges.room(load[None])[0][0]
            nearest = int(np.argmin(room / np.linalg.norm(across, axis=1)))
            worst = across[nearest] / np.linalg.norm(across[nearest])
            sides = [furthest(J, limits, load, columns @ (side * worst)) for side in (1, -1)]
            assert min(sides) == pytest.approx(value, rel=PROGRAM)
            for u in unit_directions(columns.shape[1], 12):
                assert furthest(J, limits, load, columns @ u) >= value * (1 - PROGRAM)


@pytest.mark.parametrize(
    ("name", "acceleration"),
    [
        ("five_bar", 0.0),
        ("five_bar", 5.0),
        pytest.param("redundant_4rrr", 0.0, marks=pytest.mark.slow),
        pytest.param("redundant_4rrr", 5.0, marks=pytest.mark.slow),
    ],
)
def test_payload_is_the_largest_mass_that_programs_move(name: str, acceleration: float) -> None:
    """With that mass the least acceleration over all directions is the one asked for."""
    robot = robot_named(name)
    options = Options(acceleration=acceleration, space="translation")
    pose = robot.sample(1, seed=4)
    mass = float(QUANTITIES["payload"].evaluate(robot, pose, options).values[0])
    if acceleration:
        reached = QUANTITIES["acceleration"].evaluate(robot.with_payload(mass), pose, options)
        assert reached.values[0] == pytest.approx(acceleration, rel=1e-8)
        return
    limits = np.array([actuator.force for actuator in robot.actuators], float)
    J = robot.jacobian(pose[0])
    empty, laden = (J.T @ one.static_forces(pose[0]) for one in (robot, robot.with_payload(1.0)))
    if np.abs(laden - empty).max() < 1e-12:  # weight across a horizontal plane: nothing to hold
        assert np.isinf(mass)
        return
    assert mass == pytest.approx(furthest(J, limits, empty, laden - empty), rel=PROGRAM)


def test_velocity_is_where_the_first_motor_is_at_its_limit() -> None:
    robot = robot_named("delta")
    poses = robot.sample(20, seed=2)
    values = QUANTITIES["velocity"].evaluate(robot, poses).values
    ways = unit_directions(3, 4000)
    rates = np.abs(np.einsum("kmn,un->kum", robot.jacobian(poses), ways))
    limits = np.array([actuator.speed for actuator in robot.actuators], float)
    sampled = (limits / rates).min(axis=(1, 2))
    assert (sampled >= values * (1 - 1e-12)).all()
    assert sampled == pytest.approx(values, rel=5e-3)  # 4000 directions are some 2 degrees apart


def test_a_robot_that_cannot_hold_itself_says_so() -> None:
    robot = robot_named("delta").with_payload(500.0)
    found = QUANTITIES["force"].evaluate(robot, [robot.home, [0.9, 0, -0.43]])
    assert found.reasons.tolist() == [Reason.OVERLOADED, Reason.UNREACHABLE]
    assert np.isnan(found.values).all()


def test_beyond_a_stroke_there_is_no_value_unless_limits_are_not_looked_at() -> None:
    robot = robot_named("gough_stewart")
    far = np.array([*robot.home[:2], robot.home[2] + 0.5, *robot.home[3:]])
    assert robot.check(far) == pk.Status.OUT_OF_STROKE
    assert QUANTITIES["velocity"].evaluate(robot, far).reasons == Reason.OUT_OF_STROKE
    assert QUANTITIES["velocity"].evaluate(robot, far, Options(limits=False)).values > 0


def test_too_few_motors_are_refused_with_a_reason() -> None:
    tables = robot_named("four_bar_leg").graph_description.model_dump()
    driven = [freedom for joint in tables["joints"] for freedom in joint["freedoms"].values() if freedom["drive"]]
    driven[0]["drive"] = None
    leg = Robot(MechanismDescription.model_validate(tables))
    with pytest.raises(UnsupportedRobotError, match="1 motors do not hold 2 freedoms"):
        QUANTITIES["force"].evaluate(leg, leg.home)

"""Robots of legs and mechanisms are one type: every method of Robot works for both, or says what to use instead."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest

import parakin as pk
from parakin.errors import LegsOnlyError, ParakinError, UnsupportedRobotError
from parakin.robot import Mechanism, Robot

ROUNDING = 1e-9
"""Largest error of an identity between results, relative to their size."""
LEGS = "delta"
BODIES = "tricept"  # its pose is not its motors', so that Jacobians are no unit matrices


def close(a: object, b: object) -> None:
    np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=ROUNDING, atol=ROUNDING)


def public(kind: type) -> dict[str, object]:
    return {name: value for name, value in vars(kind).items() if not name.startswith("_") and callable(value)}


def test_a_mechanism_says_no_signature_again() -> None:
    """What Mechanism and its core define in public is theirs alone: all that Robot has is written once, there."""
    of_robot = {name for kind in Robot.__mro__ for name in public(kind)}
    own = {name for kind in Mechanism.__mro__[: Mechanism.__mro__.index(Robot)] for name in public(kind)}
    assert own == {"pose_of", "body_frames", "frame", "frame_motion", "led_from_home", "limited"}
    assert not own & of_robot


@pytest.mark.parametrize("name", [LEGS, BODIES])
def test_what_both_kinds_have(name: str, tmp_path: Path) -> None:
    """One state each of every method that both kinds fulfil, held together by the laws between them."""
    robot = pk.load(name)
    pose, v, a = (part[0] for part in robot.sample_states(3, seed=1))
    near = robot.configuration(robot.home)
    assert robot.check(pose) == pk.Status.GOOD
    close(robot.forward_kinematics(robot.inverse_kinematics(pose, near=near), near=near), pose)
    J, q_dot = robot.jacobian(pose), robot.actuator_velocity(pose, v)
    close(q_dot, J @ v)
    close(robot.platform_velocity(pose, q_dot), v)
    q_ddot = robot.actuator_acceleration(pose, v, a)
    close(q_ddot, J @ a + robot.jacobian_rate(pose, v) @ v)
    close(robot.platform_acceleration(pose, v, q_ddot), a)
    tau = robot.inverse_dynamics(pose, v, a)
    close(robot.forward_dynamics(pose, v, tau), a)
    close(robot.actuator_power(pose, v, a), tau * q_dot)
    close(robot.static_forces(pose), robot.inverse_dynamics(pose, 0 * v, 0 * a))
    close(robot.regressor(pose, v, a) @ robot.parameters, tau)
    close(robot.energy(pose, v).kinetic, v @ robot.mass_matrix(pose) @ v / 2)
    assert robot.bias(pose, v).shape == robot.gravity(pose).shape == (robot.degrees_of_freedom,)
    frame, moving = robot.platform_frame(pose), robot.output(pose, v, a)
    close(frame.p, moving.p)
    close(frame.R @ frame.R.T, np.eye(3))
    joints, bodies = robot.joints(pose, v, a), robot.bodies(pose, v, a)
    assert joints.coordinate.shape == (len(robot.coordinate_names),)
    assert joints.rate.shape == joints.acceleration.shape == (len(robot.joint_names),)
    assert bodies.R.shape == (len(robot.body_names), 3, 3)
    assert robot.joint_wrenches(pose, v, a).wrench.shape == (len(robot.wrench_names), 6)
    assert robot.graph.graph_description == robot.graph_description
    assert len(robot.pose_names) == len(robot.pose_units) == len(pose)
    assert robot.regressor_triangle(*robot.sample_states(40), robot.inverse_dynamics(*robot.sample_states(40))).rows
    assert robot.replace(gravity=(0.0, 0.0, 0.0)).gravity(pose) == pytest.approx(0.0, abs=ROUNDING)
    for same in (copy.deepcopy(robot), pickle.loads(pickle.dumps(robot))):
        assert type(same) is type(robot)
        close(same.inverse_dynamics(pose, v, a), tau)
    assert robot.to_c("inverse_kinematics", tmp_path).source.exists()


@pytest.mark.parametrize("name", [LEGS, BODIES])
def test_twists_and_bodies_are_derivatives_of_places(name: str) -> None:
    """Central differences along a straight motion of the pose; their error is of the step's square."""
    robot, step = pk.load(name), 1e-5
    pose, v, _ = (part[0] for part in robot.sample_states(3, seed=2))
    v, still = v / np.linalg.norm(v), np.zeros(robot.degrees_of_freedom)
    before, after = (robot.output(pose + side * step * v, v, still) for side in (-1, 1))
    moving = robot.output(pose, v, still)
    np.testing.assert_allclose((after.p - before.p) / (2 * step), moving.twist[:3], atol=1e-8)
    np.testing.assert_allclose((after.twist - before.twist) / (2 * step), moving.twist_dot, atol=1e-8)
    before, after = (robot.bodies(pose + side * step * v, v, still) for side in (-1, 1))
    bodies = robot.bodies(pose, v, still)
    np.testing.assert_allclose((after.p - before.p) / (2 * step), bodies.v, atol=1e-8)
    np.testing.assert_allclose((after.v - before.v) / (2 * step), bodies.a, atol=1e-8)
    np.testing.assert_allclose((after.w - before.w) / (2 * step), bodies.w_dot, atol=1e-8)


def test_centres_of_mass_are_where_the_frames_of_bodies_carry_them() -> None:
    tricept = pk.load(BODIES).graph
    pose = tricept.sample(5)
    frames, still = tricept.body_frames(pose), np.zeros((5, 3))
    com = np.array([body.com for body in tricept.graph_description.bodies])
    close(tricept.bodies(pose, still, still).p, frames.p + np.einsum("sbij,bj->sbi", frames.R, com))


def test_what_needs_legs_says_what_to_use() -> None:
    linkage = pk.load("four_bar")
    pose = linkage.home
    calls = {
        "joints, bodies or body_frames": lambda: linkage.elements(pose, pose, pose),
        "body_frames": lambda: linkage.points(pose),
        "some_assembly_modes": lambda: linkage.assembly_modes(pose),
        "use inverse_dynamics": lambda: linkage.inverse_dynamics_observed({}),
        "forward_kinematics, and then": lambda: linkage.inverse_dynamics_from_encoders(pose, pose, pose),
        "use bias": lambda: linkage.coriolis_matrix(pose, pose),
        "regressor without": lambda: linkage.regressor(pose, pose, pose, reference_velocity=pose),
        "its motors as independent": lambda: linkage.bias(pose, pose, "actuator"),
        "'virtual-work'": lambda: linkage.inverse_dynamics(pose, pose, pose, formulation="simplified"),
        "graph_description": lambda: linkage.description,
        "joint_names": lambda: linkage.joint_table,
    }
    for words, call in calls.items():
        with pytest.raises(LegsOnlyError, match=f"four_bar: is a mechanism .*{words}"):
            call()
    assert not hasattr(linkage, "description")
    assert linkage.legs == linkage.element_names == ()
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        getattr(linkage, "nothing")  # noqa: B009
    with pytest.raises(UnsupportedRobotError, match="leave configuration out"):
        pk.load("delta").kernel("inverse_dynamics", configuration=True)


def test_a_platform_frame_refuses_what_is_no_pose() -> None:
    robot = pk.load("gough_stewart")
    frames = robot.platform_frame(robot.sample(4))
    assert frames.p.shape == (4, 3)
    close(frames.R[2], pk.poses.matrix_from_quaternion(robot.sample(4)[2, 3:]))
    with pytest.raises(ParakinError, match="quaternion"):
        robot.platform_frame([0.0, 0.0, 0.8, 1.1, 0.0, 0.0, 0.0])
    with pytest.raises(ParakinError, match="shape"):
        robot.platform_frame([0.0, 0.0, 0.8])


def test_a_mechanism_keeps_the_coordinates_that_were_chosen() -> None:
    tricept = pk.load(BODIES).graph
    chosen = Mechanism(tricept.graph_description, independent=tricept.actuator_names)
    for one in (chosen.with_payload(1.0), chosen.replace(gravity=(0.0, 0.0, 0.0)), pickle.loads(pickle.dumps(chosen))):
        assert one.pose_names == tricept.actuator_names

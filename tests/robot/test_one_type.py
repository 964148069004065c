"""Robots of legs and mechanisms are one type: every method of Robot works for both, or says what to use instead."""

from __future__ import annotations

import copy
import inspect
import pickle
import re
from pathlib import Path

import numpy as np
import pytest

import parakin
import parakin as pk
from parakin.dynamics.mechanics import Acting
from parakin.errors import CapabilityError, ParakinError, UnsupportedRobotError
from parakin.robot import Robot

ROUNDING = 1e-9
"""Largest error of an identity between results, relative to their size."""
LEGS = "delta"
BODIES = "tricept"  # its pose is not its motors', so that Jacobians are no unit matrices


def close(a: object, b: object) -> None:
    np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=ROUNDING, atol=ROUNDING)


ABOVE = (
    "trajectory",
    "control",
    "simulation",
    "identification",
    "analysis",
    "vision",
    "design",
    "plots",
    "viewer",
    "export",
    "studies",
    "cli",
)
"""Packages that use robots."""
REFUSED = {
    "delta": {"body_frames", "plan", "inverse_dynamics_from_encoders"},
    "four_bar": {
        *("assembly_modes", "elements", "points", "inverse_dynamics_observed"),
        *("inverse_dynamics_from_encoders", "description", "joint_table", "geometry_table", "geometry"),
        *("geometry_names", "direction_names", "directions"),
    },
}
"""Methods and attributes that need what a machine lacks."""


def arguments(robot: Robot, folder: Path) -> dict[str, object]:
    """What the required parameters of methods are given, by their names."""
    pose, velocity, acceleration = (part[:5] for part in robot.sample_states(5, seed=3))
    configurations, motors = robot.configurations(pose), len(robot.actuator_names)
    return {
        "pose": pose,
        "poses": pose,
        "velocity": velocity,
        "acceleration": acceleration,
        "configurations": configurations,
        "configuration": configurations,
        "near": configurations,
        "q": robot.inverse_kinematics(pose),
        **{name: np.ones((5, motors)) for name in ("q_dot", "q_ddot", "tau")},
        "model": "mass_matrix",
        "formulation": "virtual-work",
        "use": "test",
        "directory": folder,
        "source": "test",
        "estimated": "payload",
        "kernel": robot.linear_kernels("payload").residual,
        "acting": Acting(),
        "owner": "leg1.forearm.rod_a",
        "count": 3,
        "mass": 0.2,
        "parameters": robot.parameters,
        "elements": robot.elements(pose, velocity, acceleration) if robot.legs else {},
        "p": np.ones((5, 10)),
    }


NAMES = {"frame": "output", "frame_motion": "output"}
"""What methods are given for `name`, where it is not a model."""
INPUTS = {
    **dict.fromkeys(("evaluate", "derivatives"), ("pose",)),
    "run_at": ("velocity", "acceleration", "tau", "p"),
}
"""Inputs that methods take by any name."""


@pytest.mark.parametrize("name", REFUSED)
def test_every_method_runs_or_says_what_is_missing(name: str, tmp_path: Path) -> None:
    """Nobody needs to know what a robot is made of: what it lacks raises one error."""
    robot = pk.load(name)
    known, refused = arguments(robot, tmp_path), set[str]()
    for method, kind in inspect.getmembers(Robot):
        if method.startswith("_"):
            continue
        try:
            member = getattr(robot, method)
            if callable(kind):
                parameters = list(inspect.signature(kind).parameters.values())[1:]
                needed = [one.name for one in parameters if one.default is one.empty and one.kind != one.VAR_KEYWORD]
                given = known | {"name": NAMES.get(method, "mass_matrix")}
                member(**{one: given[one] for one in (*needed, *INPUTS.get(method, ()))})
        except UnsupportedRobotError:
            refused.add(method)
    assert refused == REFUSED[name]


@pytest.mark.parametrize("name", ["delta", "hexa_offset", "four_bar"])
def test_robots_are_equal_if_their_files_payloads_and_poses_are(name: str) -> None:
    robot, same = pk.load(name), pk.load(name)
    assert robot == same
    assert len({robot, same, robot.with_payload(0.0)}) == 1
    carrying = robot.with_payload(0.3)
    assert carrying != robot
    assert robot.replace(payload=carrying.payload) == carrying
    assert robot.replace(gravity=(0.0, 0.0, 0.0)) != robot
    assert carrying.replace(gravity=(0.0, 0.0, 0.0)).payload == carrying.payload
    assert robot != name


def test_no_package_above_robots_knows_what_computes_with_them() -> None:
    """Which engine a robot has is known in `parakin.robot` alone."""
    source = Path(parakin.__file__).parent
    above = [file for file in source.rglob("*.py") if file.relative_to(source).parts[0] in ABOVE]
    assert len(above) > 300
    told = re.compile(r"\.engine\b|_engine\b|isinstance\(\w*\.?robot, ")
    assert [str(file) for file in above if told.search(file.read_text(encoding="utf-8"))] == []


def test_strokes_bound_q() -> None:
    """The file of a tricept limits coordinates of its struts, from which q differs by an offset."""
    tricept = pk.load("tricept")
    q = tricept.inverse_kinematics(tricept.sample(200))
    assert tricept.strokes.names == tricept.actuator_names
    assert (tricept.strokes.lower <= q).all()
    assert (q <= tricept.strokes.upper).all()


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
        "'virtual-work'": lambda: linkage.inverse_dynamics(pose, pose, pose, formulation="simplified"),
        "graph_description": lambda: linkage.description,
        "joint_names": lambda: linkage.joint_table,
    }
    for words, call in calls.items():
        with pytest.raises(CapabilityError, match=f"four_bar: is described by bodies and joints.*{words}"):
            call()
    assert not hasattr(linkage, "description")
    assert linkage.legs == linkage.element_names == ()
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
    chosen = Robot(tricept.graph_description, independent=tricept.actuator_names)
    for one in (chosen.with_payload(1.0), chosen.replace(gravity=(0.0, 0.0, 0.0)), pickle.loads(pickle.dumps(chosen))):
        assert one.pose_names == tricept.actuator_names

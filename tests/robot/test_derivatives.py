"""Derivatives of models: against central differences whose order shows, laws of mechanics, linearize and Pinocchio."""

from __future__ import annotations

import functools
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

import parakin as pk
from parakin.arrays import Array
from parakin.errors import LoopClosureError, UnknownNameError, UnreachablePoseError, UnsupportedRobotError
from parakin.mechanism import describe_mechanism
from parakin.motions.offsets import displaced
from parakin.robot import Robot, Status
from tests.c_code import selftest
from tests.mechanism.test_platform_coordinates import with_platform_pose
from tests.robots import robot_named

STEP = 1e-3
"""First step of central differences, in units of what is stepped; the second is half of it."""
ORDER = 0.3
"""Half the step must leave at most this part of the error: a quarter, if differences are of second order."""
ROUNDING = 1e-9
"""Error of differences that rounding explains, relative to the largest derivative."""
EXTRAPOLATED = 1e-6
"""Largest error of the two differences extrapolated, whose error is of fourth order, relative likewise."""
EQUAL = 1e-10
"""Two ways to the same derivative, relative to the largest entry."""
SLOW = pytest.mark.slow
MODELS = {
    "inverse_dynamics": ("velocity", "acceleration"),
    "forward_dynamics": ("velocity", "tau"),
    "joints": ("velocity", "acceleration"),
    "output": ("velocity", "acceleration"),
    "bodies": ("velocity", "acceleration"),
    "frames": (),
    "energy": ("velocity",),
    "inverse_kinematics": (),
}
"""Models that are derived, and what they take besides a pose."""
SMALL = ("four_bar", "five_bar")
"""Robots of which all models are asked in `make test`."""
LARGE = ("tripod_3rps", "balls", "gough_stewart")
"""Robots of which inverse dynamics is asked there: closed by Newton; poses with turns of a ball; quaternions."""
MORE = ("agile_eye", "dymo_3uru", "redundant_4rrr", "tricept", "tripod_3prs", "h4", "hexa", "hexaglide", "delta")
"""The other mechanisms of the library, and robots with other legs, of which all is asked in `make slow`."""
CASES = [
    pytest.param(name, model, marks=[] if name in SMALL or (name in LARGE and model == "inverse_dynamics") else SLOW)
    for name in (*SMALL, *LARGE, *MORE)
    for model in MODELS
]
LAWFUL = [*SMALL, *(pytest.param(name, marks=SLOW) for name in ("tripod_3rps", "gough_stewart"))]


@functools.cache
def robot_of(name: str) -> pk.Robot:
    return with_platform_pose("3rps", "z", "wx", "wy") if name == "balls" else robot_named(name)


@functools.cache
def function(robot: pk.Robot, model: str, by: tuple[str, ...] = ()) -> ca.Function:
    return robot.casadi(model, by=by)


def call(robot: pk.Robot, model: str, inputs: dict[str, Array], by: tuple[str, ...] = ()) -> dict[str, Array]:
    made = function(robot, model, by)
    return {name: value.full() for name, value in made(**{key: inputs[key] for key in made.name_in()}).items()}


def state_of(robot: pk.Robot, seed: int) -> dict[str, Array]:
    """A state, its velocity of the size of the box, and forces."""
    rng, span = np.random.default_rng(seed), np.subtract(*robot.box[::-1])
    velocity, acceleration = rng.normal(size=(2, len(span))) * span * np.array([[1.0], [10.0]])
    pose = robot.sample(1, seed)[0]
    tau = rng.normal(size=len(robot.actuator_names))
    return {"pose": pose, "velocity": velocity, "acceleration": acceleration, "tau": tau} | placed(robot, pose)


def placed(robot: pk.Robot, pose: Array) -> dict[str, Array]:
    return {"configuration": robot.configuration(pose)} if robot.searches_from_near else {"pose": pose}


def moved(robot: pk.Robot, state: dict[str, Array], by: str, step: Array) -> dict[str, Array]:
    """The state with one input changed; a pose by a displacement, through Newton or formulas for the other joints."""
    if by != "pose":
        return state | {by: state[by] + step}
    if not robot.searches_from_near:
        return state | {"pose": displaced(robot.motion_type, state["pose"], step)}
    here = state["configuration"]
    rate = call(robot, "configuration_rate", {"configuration": here, "velocity": step})["configuration_dot"]
    pose = call(robot, "pose", {"configuration": here + rate[:, 0]})["pose_found"][:, 0]
    return state | {"configuration": robot.configuration(pose, near=here)}


def differences(robot: pk.Robot, model: str, state: dict[str, Array], by: str, size: float) -> dict[str, Array]:
    """Central differences: rows are entries of an output, row by row; columns are numbers of the input."""
    count = robot.degrees_of_freedom if by == "pose" else len(state[by])
    columns: dict[str, list[Array]] = {}
    for k in range(count):
        step = size * np.eye(count)[k]
        after, before = (call(robot, model, moved(robot, state, by, sign * step)) for sign in (1, -1))
        for name, value in after.items():
            columns.setdefault(name, []).append((value - before[name]).ravel() / (2 * size))
    return {name: np.stack(values, axis=1) for name, values in columns.items()}


@pytest.mark.parametrize(("name", "model"), CASES)
def test_derivatives_equal_differences_of_second_order(name: str, model: str) -> None:
    robot = robot_of(name)
    state, by = state_of(robot, seed=3), ("pose", *MODELS[model])
    exact = call(robot, model, state, by)
    for one in by:
        coarse, fine = (differences(robot, model, state, one, size) for size in (STEP, STEP / 2))
        for output in coarse:
            found = exact[f"{output}_by_{one}"]
            assert found.shape == coarse[output].shape
            scale = max(float(np.max(np.abs(found), initial=0.0)), 1.0)
            errors = [float(np.max(np.abs(found - value), initial=0.0)) for value in (coarse[output], fine[output])]
            assert errors[1] <= ORDER * errors[0] + ROUNDING * scale, (output, one, errors, scale)
            better = (4 * fine[output] - coarse[output]) / 3
            assert np.max(np.abs(found - better), initial=0.0) < EXTRAPOLATED * scale, (output, one)


def relative(found: Array, expected: Array) -> float:
    assert found.shape == expected.shape
    assert np.isfinite(found).all()
    return float(np.max(np.abs(found - expected)) / np.max(np.abs(expected)))


@pytest.mark.parametrize("name", LAWFUL)
def test_laws_that_derivatives_keep(name: str) -> None:
    """Forces are linear in acceleration and parameters; work is force times displacement."""
    robot = robot_of(name)
    pose, velocity, acceleration = robot.sample_states(6, seed=2)
    by = ("pose", "velocity", "acceleration", "parameters")
    out = robot.derivatives("inverse_dynamics", by=by, pose=pose, velocity=velocity, acceleration=acceleration)
    assert relative(out["tau"], robot.inverse_dynamics(pose, velocity, acceleration)) < EQUAL
    W = np.swapaxes(robot.jacobian(pose), -1, -2)
    assert relative(W @ out["tau", "acceleration"], robot.mass_matrix(pose)) < EQUAL
    assert relative(out["tau", "parameters"], robot.regressor(pose, velocity, acceleration)) < EQUAL
    energy = robot.derivatives("energy", pose=pose, velocity=velocity)
    momentum = (robot.mass_matrix(pose) @ velocity[..., None])[..., 0]
    assert relative(energy["kinetic", "velocity"], momentum) < EQUAL
    assert relative(energy["potential", "pose"], robot.gravity(pose)) < EQUAL
    assert relative(robot.derivatives("inverse_kinematics", pose=pose)["q", "pose"], robot.jacobian(pose)) < EQUAL
    # A kernel's derivatives are those of the CasADi function at the same configuration.
    first = {"pose": pose[0], "velocity": velocity[0], "acceleration": acceleration[0]} | placed(robot, pose[0])
    plain = call(robot, "inverse_dynamics", first, ("pose",))
    assert relative(out["tau", "pose"][0], plain["tau_by_pose"]) < EQUAL


@pytest.mark.parametrize("name", LAWFUL)
def test_forward_dynamics_has_the_derivatives_of_linearize(name: str) -> None:
    """`linearize` derives the equation of motion implicitly, and solves with the mass matrix: another way."""
    robot = robot_of(name)
    pose, velocity, _ = robot.sample_states(6, seed=5)
    tau = np.random.default_rng(1).normal(size=(6, len(robot.actuator_names)))
    n = robot.degrees_of_freedom
    linear = robot.linearize(pose, velocity, tau)
    for k in range(2):
        state = {"pose": pose[k], "velocity": velocity[k], "tau": tau[k]} | placed(robot, pose[k])
        out = call(robot, "forward_dynamics", state, ("pose", "velocity", "tau"))
        assert relative(out["acceleration_by_pose"], linear.A[k, n:, :n]) < EQUAL
        assert relative(out["acceleration_by_velocity"], linear.A[k, n:, n:]) < EQUAL
        assert relative(out["acceleration_by_tau"], linear.B[k, n:]) < EQUAL


def test_numeric_legs_follow_by_the_implicit_function_theorem() -> None:
    """Coordinates of legs that Newton closes: J_qv is the derivative of what Newton found."""
    from tests.kinematics.test_closing import numeric_robots

    robot = pk.Robot(numeric_robots()["stubbed"])
    pose, velocity, _ = robot.sample_states(4, seed=1)
    q = robot.derivatives("inverse_kinematics", pose=pose)
    assert relative(q["q", "pose"], robot.jacobian(pose)) < EQUAL
    rates = robot.derivatives("actuator_velocity", pose=pose, velocity=velocity)
    along, turning = rates["q_dot", "pose"], robot.jacobian_rate(pose, velocity)
    assert relative(*((matrix @ velocity[..., None])[..., 0] for matrix in (along, turning))) < EQUAL
    with pytest.raises(UnsupportedRobotError, match=r"no closed form, and casadi needs .*: use graph\.casadi"):
        robot.casadi("inverse_kinematics")


@SLOW
def test_forces_of_numeric_legs() -> None:
    """The same by differences of forces, for arms with offset universal joints."""
    robot = robot_of("hexa_offset")
    pose, velocity, acceleration = (part[0] for part in robot.sample_states(1, seed=3))
    out = robot.derivatives("inverse_dynamics", by=("pose",), pose=pose, velocity=velocity, acceleration=acceleration)
    found, n = out["tau", "pose"], robot.degrees_of_freedom
    sides: list[Array] = []
    for size in (STEP, STEP / 2):
        ends = [displaced(robot.motion_type, pose, sign * size * np.eye(n)) for sign in (1, -1)]
        forces = [robot.inverse_dynamics(end, velocity, acceleration) for end in ends]
        sides.append((forces[0] - forces[1]).T / (2 * size))
    errors = [np.max(np.abs(found - side)) for side in sides]
    scale = np.max(np.abs(found))
    assert errors[1] < ORDER * errors[0] + ROUNDING * scale
    assert np.max(np.abs(found - (4 * sides[1] - sides[0]) / 3)) < EXTRAPOLATED * scale


def test_geometry_of_legs() -> None:
    """For design: derivatives by the dimensions of a robot file, against differences."""
    robot = robot_of("five_bar")
    pose = robot.sample(1, seed=7)[0]
    found = robot.derivatives("inverse_kinematics", by=("geometry",), pose=pose)["q", "geometry"]
    kernel = robot.kernel("inverse_kinematics", free=("geometry",))
    assert found.shape == (2, len(robot.geometry))
    for k in range(len(robot.geometry)):
        step = 1e-5 * np.eye(len(robot.geometry))[k]
        ends = [kernel(pose=pose, geometry=robot.geometry + sign * step)["q"] for sign in (1, -1)]
        assert found[:, k] == pytest.approx((ends[0] - ends[1]) / 2e-5, abs=1e-8)


def _arm() -> Robot:
    """Three hinges in a row, no two axes parallel: a tree, whose derivatives Pinocchio has too."""
    bodies = [
        {"name": f"link{k}", "mass": 1.0 + 0.3 * k, "com": [0.1, 0.02 * k, 0.05], "inertia": inertia}
        for k, inertia in enumerate(
            [[[0.02, 0.001, 0], [0.001, 0.03, 0.002], [0, 0.002, 0.025]], np.diag([0.01, 0.02, 0.015]).tolist(),
             np.diag([0.004, 0.005, 0.006]).tolist()]
        )
    ]  # fmt: skip
    axes = [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.3]]
    joints = [
        {
            "name": f"hinge{k}",
            "type": "revolute",
            "parent": "world" if k == 0 else f"link{k - 1}",
            "child": f"link{k}",
            "parent_frame": {"position": [0.2 * k, 0.0, 0.1 * k], "z": axis},
            "freedoms": {"angle": {"drive": {}}},
        }
        for k, axis in enumerate(axes)
    ]
    tables = {
        "name": "arm", "title": "three hinges", "source": "assumed", "bodies": bodies, "joints": joints,
        "output": {"body": "link2"}, "independent": [f"hinge{k}.angle" for k in range(3)],
    }  # fmt: skip
    return Robot(describe_mechanism(tables, "arm"))


def test_pinocchio_has_the_same_derivatives_of_a_tree() -> None:
    pin = pytest.importorskip("pinocchio")
    arm = _arm()
    model, parent = pin.Model(), 0
    before = np.zeros(3)
    for joint, body in zip(arm.graph_description.joints, arm.graph_description.bodies, strict=True):
        at = np.array(joint.parent_frame.position)
        axis = np.array(joint.parent_frame.z) / np.linalg.norm(joint.parent_frame.z)
        placement = pin.SE3(np.eye(3), at - before)
        parent = model.addJoint(parent, pin.JointModelRevoluteUnaligned(axis), placement, joint.name)
        inertia = pin.Inertia(body.mass, np.array(body.com) - at, np.array(body.inertia))
        model.appendBodyToJoint(parent, inertia, pin.SE3.Identity())
        before = at
    data = model.createData()
    model.gravity.linear = np.array(arm.graph_description.gravity)
    pose, velocity, acceleration = arm.sample_states(5, seed=2)
    for k in range(5):
        state = {"pose": pose[k], "velocity": velocity[k], "acceleration": acceleration[k]} | placed(arm, pose[k])
        out = call(arm, "inverse_dynamics", state, ("pose", "velocity", "acceleration"))
        pin.computeRNEADerivatives(model, data, pose[k], velocity[k], acceleration[k])
        mass = np.triu(data.M) + np.triu(data.M, 1).T
        assert relative(out["tau_by_pose"], data.dtau_dq) < EQUAL
        assert relative(out["tau_by_velocity"], data.dtau_dv) < EQUAL
        assert relative(out["tau_by_acceleration"], mass) < EQUAL


def test_rows_that_are_no_good_are_flagged() -> None:
    five_bar, tripod = robot_of("five_bar"), robot_of("tripod_3rps")
    poses = np.stack([five_bar.home, [5.0, 5.0], [np.nan, 0.0]])
    out = five_bar.derivatives("inverse_kinematics", pose=poses)
    assert out.status.tolist() == [Status.GOOD, Status.UNREACHABLE, Status.UNUSABLE]
    assert np.isfinite(out["q", "pose"]).all(axis=(1, 2)).tolist() == [True, False, False]
    with pytest.raises(UnreachablePoseError):
        five_bar.derivatives("inverse_kinematics", pose=poses[1])
    far = np.stack([tripod.home, tripod.home + np.array([2.0, -0.3, 0.0])])
    out = tripod.derivatives("inverse_kinematics", pose=far)
    assert out.status[0] == Status.GOOD
    assert out.status[1] in (Status.NOT_CONVERGED, Status.SINGULAR)
    assert np.isnan(out["q", "pose"][1]).all()
    with pytest.raises(LoopClosureError):
        tripod.derivatives("inverse_kinematics", pose=far[1])


def test_derivatives_near_singular_legs_are_those_of_the_exact_jacobian_or_flagged() -> None:
    """Towards a stretched leg: every row is flagged as the model's own is, and what is GOOD stays exact."""
    robot = robot_of("five_bar")
    rng = np.random.default_rng(8)
    poses = robot.home + rng.normal(size=(2000, 2)) * 0.25
    edge = robot.kernel("check")(pose=poses)["status"] == int(Status.GOOD)
    inside, outside = poses[edge][:150], poses[~edge][:150]
    for _ in range(30):  # pairs of poses, halved towards the edge of reach: the last are a micrometre apart or less
        middle = (inside + outside) / 2
        good = (robot.kernel("check")(pose=middle)["status"] == int(Status.GOOD))[:, None]
        inside, outside = np.where(good, middle, inside), np.where(good, outside, middle)
    rows = np.concatenate([inside, outside])
    out, plain = (
        robot.derivatives("actuator_velocity", pose=rows, velocity=np.ones_like(rows)),
        robot.evaluate("actuator_velocity", pose=rows, velocity=np.ones_like(rows)),
    )
    assert np.array_equal(np.isfinite(out["q_dot", "velocity"]).all(axis=(1, 2)), plain.has_values)
    assert set(np.unique(out.status)) >= {int(Status.GOOD), int(Status.SINGULAR)}
    good = out.status == int(Status.GOOD)
    assert relative(out["q_dot", "velocity"][good], robot.jacobian(rows[good])) < EQUAL
    rate = robot.jacobian_rate(rows[good], np.ones((good.sum(), 2))) @ np.ones(2)
    assert relative(out["q_dot", "pose"][good] @ np.ones(2), rate) < EQUAL


def test_derivatives_leave_as_c(tmp_path: Path) -> None:
    files = robot_of("five_bar").to_c("inverse_kinematics", tmp_path, "slopes", by=("pose",))
    assert "q_by_pose" in files.header.read_text()
    run = selftest(tmp_path, "slopes")
    assert run.returncode == 0, run.stdout


def test_wrong_names_are_told() -> None:
    five_bar = robot_of("five_bar")
    assert list(five_bar.derivatives("inverse_kinematics", by="pose", pose=five_bar.home).slopes) == [("q", "pose")]
    with pytest.raises(UnknownNameError, match="no input to derive by 'tau'; choose one of pose"):
        five_bar.derivatives("inverse_kinematics", by=("tau",), pose=five_bar.home)
    with pytest.raises(UnknownNameError, match="no output or derivative 'q, velocity'"):
        _ = five_bar.derivatives("inverse_kinematics", pose=five_bar.home)["q", "velocity"]
    with pytest.raises(UnsupportedRobotError, match="forward kinematics is a search: derive inverse_kinematics"):
        five_bar.kernel("forward_kinematics", by=("q",))
    with pytest.raises(UnsupportedRobotError, match="forward kinematics is a search: constrain q"):
        five_bar.casadi("forward_kinematics")
    with pytest.raises(UnknownNameError, match="no model 'closures'"):
        robot_of("four_bar").casadi("closures")


def test_a_configuration_in_place_of_a_pose() -> None:
    linkage = robot_of("four_bar")
    pose = linkage.sample(3, seed=1)
    by_pose = linkage.derivatives("inverse_kinematics", pose=pose)
    at = linkage.derivatives("inverse_kinematics", configuration=linkage.configuration(pose))
    assert relative(at["q", "pose"], by_pose["q", "pose"]) < EQUAL


@pytest.mark.parametrize("name", ["four_bar", "tripod_3rps"])
def test_closure_determines_the_configuration(name: str) -> None:
    robot = robot_of(name)
    pose = robot.sample(1, seed=4)[0]
    closure = function(robot, "closure")
    c = robot.configuration(pose)
    assert closure.size1_out(0) == len(c)
    assert np.max(np.abs(closure(c, pose).full())) < 1e-12
    J = ca.Function("J", [x := ca.MX.sym("c", len(c))], [ca.jacobian(closure(x, pose), x)])(c).full()
    assert np.linalg.cond(J) < 1e4

"""Exact kinematics: independent engines, derivatives of positions, symmetry, frames, and what is out of reach."""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import parakin as pk
from parakin.description import describe, library
from parakin.errors import (
    ForwardKinematicsError,
    QuaternionError,
    SingularPoseError,
    UnknownNameError,
    UnreachablePoseError,
)
from parakin.poses import matrix_from_quaternion, quaternion_from_vector, quaternion_product
from tests.moving import slope, smooth_motion, times
from tests.reference import (
    DATA,
    OF_EACH_TYPE,
    REFERENCE,
    ROBOTS,
    close,
    moved_base,
    oracle_pose,
    planar_rpr,
    turned_pose,
)
from tests.robots import twins_later

ORACLE = 1e-10
"""Relative; the engines agree with each other to 1e-12 or better."""
SLOPE = 2e-8
"""Relative; an order-8 difference with a step of 2 ms leaves less than 1e-9."""


@pytest.mark.parametrize("name", REFERENCE)
def test_independent_engines_agree(name: str) -> None:
    robot = ROBOTS[f"reference {name}"]
    reference = json.loads((DATA / f"{name}.json").read_text())
    for state in reference["states"]:
        pose, v, a = oracle_pose(robot, state), state["twist"], state["accel"]
        close(robot.inverse_kinematics(pose), state["q_act"], ORACLE)
        close(robot.actuator_velocity(pose, v), state["qd_act"], ORACLE)
        close(robot.actuator_acceleration(pose, v, a), state["qdd_act"], ORACLE)
        close(robot.jacobian(pose), state["Jinv"], ORACLE)
        near = robot.sample(1, seed=1)[0]
        close(robot.inverse_kinematics(robot.forward_kinematics(state["q_act"], near=near)), state["q_act"], ORACLE)


@pytest.mark.parametrize("name", REFERENCE)
def test_kinetic_energy_of_the_bodies_is_that_of_independent_engines(name: str) -> None:
    """One number that every body's velocity, spin and orientation goes into."""
    robot = ROBOTS[f"reference {name}"]
    bodies = [body for leg in robot.legs for element in leg.elements for body in element.bodies]
    bodies += list(robot.description.platform.bodies)
    for state in json.loads((DATA / f"{name}.json").read_text())["states"]:
        moving = robot.bodies(oracle_pose(robot, state), state["twist"], np.zeros(robot.degrees_of_freedom))
        energy = 0.0
        for body, v, w, R in zip(bodies, moving.v, moving.w, moving.R, strict=True):
            energy += 0.5 * body.mass * v @ v + 0.5 * w @ R @ np.array(body.inertia) @ R.T @ w
        assert energy == pytest.approx(state["kinetic_energy"], rel=ORACLE, abs=1e-14)


@pytest.mark.parametrize("name", OF_EACH_TYPE)
def test_legs_reach_from_their_roots_to_their_attachments(name: str) -> None:
    """Elements hang together, have their lengths, and end where p_OC = p_OE + R_OE b + c says."""
    robot = ROBOTS[name]
    for pose in robot.sample(20):
        points = robot.points(pose)
        used = 0
        p, R = platform_frame(robot, pose)
        for leg in robot.legs:
            root = np.array(leg.root)
            for element in leg.elements:
                close(points.root[used], root, 1e-13)
                root = points.tip[used]
                if element.length is not None:
                    close(np.array(np.linalg.norm(root - points.root[used])), element.length, 1e-13)
                used += 1
            close(root, p + R @ np.array(leg.attachment.b) + np.array(leg.attachment.c), 1e-13)


def platform_frame(robot: pk.Robot, pose: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """p_OE and R_OE."""
    if robot.motion == "spatial":
        return pose[:3], matrix_from_quaternion(pose[3:])
    linear = 2 if robot.motion.startswith("planar") else 3
    p = np.zeros(3)
    p[:linear] = pose[:linear]
    angle = pose[linear:] if len(pose) > linear else [0.0]
    return p, matrix_from_quaternion(quaternion_from_vector(np.array([0.0, 0.0, angle[0]])))


@pytest.mark.parametrize("name", OF_EACH_TYPE)
def test_rates_are_derivatives_of_positions(name: str) -> None:
    """Law 2, for actuators, elements and bodies, along a smooth motion."""
    robot = ROBOTS[name]
    for seed, centre in ((0, 0.3), (1, 2.1)):
        t = times(centre)
        path = smooth_motion(robot, t, seed)
        args = path.pose, path.velocity, path.acceleration
        q, q_dot = robot.inverse_kinematics(path.pose), robot.actuator_velocity(path.pose, path.velocity)
        close(q_dot[4], slope(q), SLOPE)
        close(robot.actuator_acceleration(*args)[4], slope(q_dot), SLOPE)
        close(robot.jacobian_rate(path.pose, path.velocity)[4], slope(robot.jacobian(path.pose)), SLOPE)
        elements, bodies = robot.elements(*args), robot.bodies(*args)
        for letter in ("A", "x", "d"):
            close(getattr(elements, f"{letter}_dot")[4], slope(getattr(elements, letter)), SLOPE)
            close(getattr(elements, f"{letter}_ddot")[4], slope(getattr(elements, f"{letter}_dot")), SLOPE)
        close(bodies.v[4], slope(bodies.p), SLOPE)
        close(bodies.a[4], slope(bodies.v), SLOPE)
        close(bodies.w_dot[4], slope(bodies.w), SLOPE)


@pytest.mark.parametrize("name", OF_EACH_TYPE)
def test_bodies_turn_with_their_angular_velocity(name: str) -> None:
    """R_dot = w x R, for bodies whose spin the mechanism determines."""
    robot = ROBOTS[name]
    path = smooth_motion(robot, times(0.7), 3)
    bodies = robot.bodies(path.pose, path.velocity, path.acceleration)
    free = [
        f"{leg.name}.{element.name}.{body.name}"
        for leg in robot.legs
        for element in leg.elements
        for body in element.bodies
        if element.joint.type in ("spherical", "parallelogram") and body.part != "ring"
    ]
    for k, body in enumerate(robot.body_names):
        if body not in free:
            w, R = bodies.w[4, k], bodies.R[:, k]
            close(slope(R), np.cross(w, R[4].T).T, SLOPE)
            close(R[4] @ R[4].T, np.eye(3), 1e-14)


@pytest.mark.parametrize("name", OF_EACH_TYPE)
def test_platform_rates_invert_actuator_rates(name: str) -> None:
    robot = ROBOTS[name]
    poses = robot.sample(50)
    rng = np.random.default_rng(0)
    v, a = rng.normal(size=(2, 50, robot.degrees_of_freedom))
    close(robot.platform_velocity(poses, robot.actuator_velocity(poses, v)), v, 1e-12)
    close(robot.platform_acceleration(poses, v, robot.actuator_acceleration(poses, v, a)), a, 1e-11)


@settings(max_examples=30)
@given(name=st.sampled_from(sorted(ROBOTS)), seed=st.integers(0, 2**32 - 1))
def test_forward_inverts_inverse(name: str, seed: int) -> None:
    """Law 1, from another pose of the box."""
    robot = ROBOTS[name]
    pose, near = robot.sample(2, seed)
    found = robot.forward_kinematics(robot.inverse_kinematics(pose), near=near)
    close(found, pose if robot.motion != "spatial" or found[3:] @ pose[3:] > 0 else pose * ([1] * 3 + [-1] * 4), 1e-12)


# Symmetry and frames --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [n for n in library() if len(pk.load(n).description.symmetries) == 1])
def test_turning_a_symmetric_robot_permutes_its_actuators(name: str) -> None:
    """Law 8."""
    robot = ROBOTS[name]
    (symmetry,) = robot.description.symmetries.values()
    group = sum(leg.symmetry is not None for leg in robot.description.legs)
    if any(leg.symmetry is None for leg in robot.description.legs) or symmetry.axis[:2] != (0.0, 0.0):
        pytest.skip("not all legs go round together about z")
    turn = quaternion_from_vector(np.array([0.0, 0.0, symmetry.axis[2] * 2 * np.pi / symmetry.count]))
    for pose in robot.sample(10):
        seen = turned_pose(robot, pose, turn)
        if robot.motion == "spatial":  # the platform's own axes turn back
            back = turn * np.array([1, -1, -1, -1])
            seen[3:] = quaternion_product(seen[3:], back)
        q = robot.inverse_kinematics(pose)
        close(robot.inverse_kinematics(seen), np.roll(q, group), 1e-12)


@pytest.mark.parametrize(
    "name", twins_later(n for n in ROBOTS if not ROBOTS[n].motion.startswith("planar") and n != "delta_shaft")
)
def test_another_base_frame_changes_nothing(name: str) -> None:
    """Law 9; about z for robots that turn about z only."""
    robot = ROBOTS[name]
    spatial = robot.motion == "spatial"
    quaternion = quaternion_from_vector(np.array([0.4, -0.7, 1.1]) if spatial else np.array([0.0, 0.0, 1.1]))
    shift = np.array([0.3, -0.2, 0.5])
    tables = robot.description.model_dump()
    tables["legs"] = [leg.model_dump() for leg in robot.legs]
    tables["symmetries"] = {}
    tables["workspace"]["home"] = turned_pose(robot, robot.home, quaternion).tolist()
    tables["workspace"]["home"][:3] = (np.array(tables["workspace"]["home"][:3]) + shift).tolist()
    elsewhere = pk.Robot(describe(moved_base(tables, quaternion, shift, spatial), "moved"))
    for pose in robot.sample(5):
        seen = turned_pose(robot, pose, quaternion)
        seen[:3] += shift
        close(elsewhere.inverse_kinematics(seen), robot.inverse_kinematics(pose), 1e-11)


def test_a_universal_joint_allows_no_spin_of_its_own() -> None:
    """w of a strut lies in the span of its joint's two axes."""
    robot = ROBOTS["palida"]
    path = smooth_motion(robot, np.linspace(0, 3, 20))
    bodies = robot.bodies(path.pose, path.velocity, path.acceleration)
    for k, name in enumerate(robot.body_names):
        if name.endswith("ring"):
            R, w = bodies.R[:, k], bodies.w[:, k + 1]
            assert np.abs(np.einsum("ti,ti->t", w, R[:, :, 2])).max() < 1e-13


# Out of reach -------------------------------------------------------------------------------------------------------


def test_a_pose_out_of_reach_names_the_leg_and_what_is_missing() -> None:
    delta = ROBOTS["delta"]
    with pytest.raises(
        UnreachablePoseError, match=r"leg\d cannot close at pose \[0.9, 0, -0.43\]: 425 mm missing"
    ) as e:
        delta.inverse_kinematics([0.9, 0.0, -0.43])
    assert e.value.excess == pytest.approx(np.max(delta.evaluate("inverse_kinematics", pose=[[0.9, 0, -0.43]]).excess))
    for method in (delta.jacobian, delta.points):
        with pytest.raises(UnreachablePoseError):
            method([0.9, 0.0, -0.43])


def test_bad_rows_of_a_batch_are_nan_and_flagged() -> None:
    delta = ROBOTS["delta"]
    poses = delta.sample(6)
    good = delta.inverse_kinematics(poses)
    poses[1, 0], poses[4, 2] = 0.9, np.nan
    found = delta.evaluate("inverse_kinematics", pose=poses)
    assert found.status.tolist() == [0, 1, 0, 0, -1, 0]
    assert np.isnan(found["q"][[1, 4]]).all()
    np.testing.assert_array_equal(found["q"][[0, 2, 3, 5]], good[[0, 2, 3, 5]])
    assert delta.check(poses).tolist() == [0, 1, 0, 0, -1, 0]
    assert np.isinf(delta.condition(poses)[[1, 4]]).all()


def test_the_excess_is_the_distance_that_is_missing() -> None:
    """Lengthening the forearm by it makes the pose just reachable."""
    five_bar = ROBOTS["five_bar"]
    pose = np.array([0.0, 0.9])
    excess = np.max(five_bar.evaluate("inverse_kinematics", pose=[pose]).excess)

    def with_forearms(change: float) -> pk.Robot:
        legs = []
        for leg in five_bar.description.legs:
            arm, forearm = leg.elements
            longer = forearm.model_copy(update={"length": (forearm.length or 0.0) + change})
            legs.append(leg.model_copy(update={"elements": (arm, longer)}))
        return pk.Robot(five_bar.description.model_copy(update={"legs": tuple(legs)}))

    assert with_forearms(excess + 1e-9).check([pose]).tolist() == [pk.Status.SINGULAR], "it reaches, stretched"
    assert with_forearms(excess + 1e-4).check([pose]).tolist() == [pk.Status.GOOD]
    assert with_forearms(excess - 1e-9).check([pose]).tolist() == [pk.Status.UNREACHABLE]


def test_a_stretched_leg_is_singular() -> None:
    """Towards the other leg's side, so that only this one is at the end of its reach."""
    five_bar = ROBOTS["five_bar"]
    leg = five_bar.legs[0]
    reach = (leg.elements[0].length or 0) + (leg.elements[1].length or 0)
    pose = np.array(leg.root[:2]) + (reach - 2e-14) * np.array([-0.6, 0.8])
    assert five_bar.check([pose]).tolist() == [pk.Status.SINGULAR]
    with pytest.raises(
        SingularPoseError, match=r"is singular \(leg\): \w+ is stretched or folded, .* condition number inf"
    ):
        five_bar.inverse_kinematics(pose)


def test_quaternions_off_unit_length_are_refused() -> None:
    robot = ROBOTS["gough_stewart"]
    off = robot.home * np.array([1, 1, 1, 1.001, 1, 1, 1])
    with pytest.raises(QuaternionError, match=r"has length 1\.001: normalise it"):
        robot.inverse_kinematics(off)
    assert robot.check([off, robot.home]).tolist() == [-1, 0]


def test_forward_kinematics_never_returns_what_did_not_converge() -> None:
    delta = ROBOTS["delta"]
    impossible = [3.0, 3.0, 3.0]
    with pytest.raises(ForwardKinematicsError, match=r"no pose found for q \[3, 3, 3\]"):
        delta.forward_kinematics(impossible)
    found = delta.evaluate("forward_kinematics", q=np.array([impossible, delta.inverse_kinematics(delta.home)]))
    assert found.status[0] != 0
    assert np.isnan(found["pose"][0]).all()
    np.testing.assert_allclose(found["pose"][1], delta.home, atol=1e-13)


@pytest.mark.parametrize("name", OF_EACH_TYPE)
def test_forward_kinematics_stays_on_its_side_of_singularities(name: str) -> None:
    """From anywhere in the box to anywhere, also with random actuator positions: a good pose has the side of `near`."""
    robot = ROBOTS[name]
    if len(robot.actuator_names) != robot.degrees_of_freedom:
        pytest.skip("the sign of a determinant needs a square matrix")
    q = robot.inverse_kinematics(robot.sample(300))
    q = q + np.random.default_rng(0).normal(scale=0.3 * np.ptp(q, axis=0), size=q.shape)
    found = robot.evaluate("forward_kinematics", q=q)
    good = found.has_values
    side = np.linalg.det(robot.jacobian(robot.home))
    assert good.any()
    assert (np.linalg.det(robot.jacobian(found["pose"][good])) * side > 0).all()
    assert np.isnan(found["pose"][~good]).all()


def test_unknown_models_and_robots_list_what_there_is() -> None:
    with pytest.raises(
        UnknownNameError, match="no model 'inverse'; choose one of inverse_dynamics, inverse_kinematics, "
    ):
        ROBOTS["delta"].kernel("inverse")
    with pytest.raises(UnknownNameError, match="no robot 'dleta'; choose one of delta, "):
        pk.load("dleta")


# Robots of one's own ------------------------------------------------------------------------------------------------


def test_redundant_robots_take_the_best_pose() -> None:
    robot = planar_rpr(4)
    poses = robot.sample(20)
    q = robot.inverse_kinematics(poses)
    close(robot.forward_kinematics(q), poses, 1e-12)
    v = np.random.default_rng(0).normal(size=(20, 4))
    want = [np.linalg.lstsq(J, row, rcond=None)[0] for J, row in zip(robot.jacobian(poses), v, strict=True)]
    close(robot.platform_velocity(poses, v), want, 1e-12)
    noisy = q + 1e-5 * np.random.default_rng(1).normal(size=q.shape)
    found = robot.evaluate("forward_kinematics", q=noisy)
    assert found.has_values.all()
    misfit = noisy - robot.inverse_kinematics(found["pose"])
    assert np.abs(np.einsum("nij,ni->nj", robot.jacobian(found["pose"]), misfit)).max() < 1e-12, "the best in squares"
    assert found.residual.max() > 1e-7


def test_redundant_robots_do_not_cross_singularities() -> None:
    """Thirteen of these starts lead least squares across; the others stay on their side, or find its own best pose."""
    tables = planar_rpr(4).description.model_dump()
    for k, leg in enumerate(tables["legs"]):
        size, angle = 0.08 + 0.03 * k, 2 * np.pi * k / 4 + 1.0 + 0.2 * k
        leg["attachment"]["b"] = [size * np.cos(angle), size * np.sin(angle), 0.0]
    robot = pk.Robot(describe(tables, "uneven"))
    rng = np.random.default_rng(0)
    near = np.column_stack([0.05 * rng.normal(size=(3000, 2)), rng.uniform(-3.1, 3.1, 3000)])
    goal = np.array([0.02, 0.01, 0.3])
    found = robot.evaluate("forward_kinematics", q=robot.inverse_kinematics(goal), near=near)
    good = found.status == pk.Status.GOOD
    start, end = robot.jacobian(near[good]), robot.jacobian(found["pose"][good])
    assert (np.linalg.det(np.swapaxes(start, 1, 2) @ end) > 0).all()
    assert np.isnan(found["pose"][~good]).all()
    assert 5 < (found.status == pk.Status.SINGULAR).sum() < 30
    there = found["pose"][good & (found.residual < 1e-9)]
    close(there, np.tile(goal, (len(there), 1)), 1e-12)
    assert len(there) > 1500


def test_a_singular_platform_is_flagged() -> None:
    """Legs of a planar robot that all point at its centre cannot hold its angle; redundant or not."""
    for count in (3, 4):
        tables = planar_rpr(count).description.model_dump()
        for k, leg in enumerate(tables["legs"]):
            a = 2 * np.pi * k / count
            leg["attachment"]["b"] = [0.1 * np.cos(a), 0.1 * np.sin(a), 0.0]
        robot = pk.Robot(describe(tables, "singular"))
        assert robot.check(np.zeros((1, 3))).tolist() == [pk.Status.SINGULAR]
        with pytest.raises(SingularPoseError, match=r"is singular \(platform\): no drive resists the motion v_x"):
            robot.platform_velocity(np.zeros(3), np.zeros(count))


def test_a_universal_joint_along_its_axis_is_singular() -> None:
    tables = pk.load("gough_stewart").description.model_dump()
    robot = pk.load("gough_stewart")
    x = robot.elements(robot.home, np.zeros(6), np.zeros(6)).x[0]
    tables["legs"][0]["elements"][0]["joint"]["axis"] = x.tolist()
    odd = pk.Robot(describe(tables, "odd"))
    assert odd.check(robot.home[None]).tolist() == [pk.Status.SINGULAR]
    with pytest.raises(SingularPoseError, match=r"\(universal\): \w+\.strut lies along axis 1") as caught:
        odd.inverse_dynamics(robot.home, np.zeros(6), np.zeros(6))
    assert caught.value.kind == "universal"


def test_forward_kinematics_starts_only_where_there_is_a_pose() -> None:
    gs, delta = ROBOTS["gough_stewart"], ROBOTS["delta"]
    q = gs.inverse_kinematics(gs.home)
    for quaternion in ([0.0, 0, 0, 0], [2.0, 0, 0, 0]):
        with pytest.raises(QuaternionError):
            gs.forward_kinematics(q, near=[0, 0, 0.86, *quaternion])
    far = delta.evaluate("forward_kinematics", q=delta.inverse_kinematics(delta.home)[None], near=[5.0, 0, 0])
    assert far.status.tolist() == [pk.Status.UNREACHABLE]


def test_planar_legs_without_a_closed_form() -> None:
    """A telescopic leg with a fixed stub before it: the same robot as 3-RPR from the stub's end."""
    robot = planar_rpr(3)
    tables = robot.description.model_dump()
    for leg in tables["legs"]:
        strut = leg["elements"][0]
        root = np.array(leg["root"])
        stub = copy.deepcopy(strut) | {"name": "stub", "type": "bar", "length": 0.05, "actuator": None, "bodies": []}
        stub["joint"] = {"type": "fixed"}
        stub["direction"] = (-root / np.linalg.norm(root)).tolist()
        strut["direction"] = stub["direction"]
        leg["root"] = (root + 0.05 * root / np.linalg.norm(root)).tolist()
        leg["elements"] = [stub, strut]
    stubbed = pk.Robot(describe(tables, "stubbed"))
    poses = robot.sample(20)
    close(stubbed.inverse_kinematics(poses), robot.inverse_kinematics(poses), 1e-12)
    close(stubbed.jacobian(poses), robot.jacobian(poses), 1e-11)
    close(stubbed.forward_kinematics(robot.inverse_kinematics(poses)), poses, 1e-12)


def test_rails_without_an_axis_are_symmetric_too() -> None:
    tables = pk.load("orthoglide").description.model_dump()
    for leg in tables["legs"]:
        leg["elements"][0]["joint"]["axis"] = None
    legs = pk.Robot(describe(tables, "rails")).legs
    axes = np.array([leg.elements[0].joint.axis for leg in legs])
    directions = np.array([leg.elements[0].direction for leg in legs])
    assert np.ptp(np.einsum("ki,ki->k", axes, directions)) < 1e-12

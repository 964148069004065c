"""Freedoms that move no motor, beside few motors and beside too many: forces against Pinocchio's trees and projection.

Closed loops are projected in numpy: with Z a basis of what the loops allow and z_ddot = Z a + n,

    Z^T B tau = Z^T (M z_ddot + h),        of all tau the shortest
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from parakin.errors import UnsupportedRobotError
from parakin.kinematics.status import Status
from parakin.mechanism.model import MechanismDescription
from parakin.robot import Robot

pytest.importorskip("pinocchio", reason="install parakin[peers] for the peer tests: pin is missing")
import pinocchio as pin  # pyright: ignore[reportMissingModuleSource] cmeel installs it out of sight

Array = np.ndarray
AGREEMENT = 1e-10
"""Largest relative difference of forces between two computations of one number."""
GRAVITY = np.array([0.0, -9.81, 0.0])
DRIVE: dict[str, Any] = {"drive": {}}


@dataclass(frozen=True)
class Part:
    """A body with the joint that carries it: a hinge about z or a slide along x, at a place of the body before."""

    name: str
    parent: str
    type: str
    at: tuple[float, float, float]
    mass: float
    com: tuple[float, float, float]
    inertia: float
    driven: bool = False


def pinocchio_model(parts: list[Part]) -> pin.Model:
    model = pin.Model()
    model.gravity.linear = GRAVITY
    for part in parts:
        moving = pin.JointModelRZ() if part.type == "revolute" else pin.JointModelPX()  # pyright: ignore[reportAttributeAccessIssue]
        parent = 0 if part.parent == "world" else model.getJointId(part.parent)
        joint = model.addJoint(parent, moving, pin.SE3(np.eye(3), np.array(part.at)), part.name)
        tensor = part.inertia * np.eye(3)
        model.appendBodyToJoint(joint, pin.Inertia(part.mass, np.array(part.com), tensor), pin.SE3.Identity())
    return model


def mechanism_of(parts: list[Part], closing: list[dict[str, Any]], home: dict[str, float], **more: Any) -> Robot:
    along_x = {"z": [1.0, 0.0, 0.0], "x": [0.0, 1.0, 0.0]}
    joints: list[dict[str, Any]] = []
    for part in parts:
        turns = part.type == "revolute"
        frame = {"position": list(part.at)} | ({} if turns else along_x)
        joint = {"name": part.name, "type": part.type, "parent": part.parent, "child": part.name}
        joint |= {"parent_frame": frame, "child_frame": {} if turns else along_x, "home": [home.get(part.name, 0.0)]}
        joints.append(joint | ({"freedoms": {"angle": DRIVE}} if part.driven else {}))
    bodies = [
        {"name": p.name, "mass": p.mass, "com": list(p.com), "inertia": (p.inertia * np.eye(3)).tolist()} for p in parts
    ]
    file = {"name": "machine", "title": "Machine", "source": "assumed", "gravity": GRAVITY.tolist()}
    tables = file | {"bodies": bodies, "joints": joints + closing} | more
    return Robot(MechanismDescription.model_validate(tables))


def tree_state(mechanism: Robot, model: pin.Model, pose: Array, velocity: Array) -> tuple[Array, Array]:
    """Coordinates and rates of the tree's joints in Pinocchio's order."""
    state = mechanism.evaluate("joints", pose=pose, velocity=velocity, acceleration=np.zeros(len(pose)))
    names = [name.partition(".")[0] for name in mechanism.joint_names]
    order = [names.index(name) for name in list(model.names)[1:]]
    return state["coordinate"][order], state["rate"][order]


def _null_space(A: Array) -> Array:
    """An orthonormal basis of what a matrix of full rank maps to zero."""
    return np.linalg.svd(A)[2][len(A) :].T


def full_mass_matrix(model: pin.Model, data: pin.Data, z: Array) -> Array:
    upper = np.triu(pin.crba(model, data, z))
    return upper + np.triu(upper, 1).T


# Light beside heavy -------------------------------------------------------------------------------------------------

LIGHT_AND_HEAVY = [
    Part("arm", "world", "revolute", (0.0, 0.0, 0.0), 2.0, (0.3, 0.0, 0.0), 0.05, driven=True),
    Part("sled", "arm", "prismatic", (0.6, 0.0, 0.0), 33.0, (0.1, 0.02, 0.0), 0.4),
    Part("tab", "sled", "revolute", (0.1, 0.0, 0.0), 1e-3, (0.02, 0.0, 0.0), 3.4e-6),
]
"""A driven arm, a sled of 33 kg that slides along it, and a tab of 3.8e-6 kg m^2 that swings on the sled."""


@pytest.mark.parametrize("lightness", [1.0, 1e-3])
def test_a_light_freedom_beside_a_heavy_one_is_no_singularity(lightness: float) -> None:
    *heavy, tab = LIGHT_AND_HEAVY
    light = Part(tab.name, tab.parent, tab.type, tab.at, tab.mass * lightness, tab.com, tab.inertia * lightness)
    parts = [*heavy, light]
    mechanism, model = mechanism_of(parts, [], {}, output={"body": "sled"}), pinocchio_model(parts)
    data, rng = model.createData(), np.random.default_rng(1)
    order = [mechanism.pose_names.index(name) for name in ("arm.angle", "sled.travel", "tab.angle")]
    for _ in range(5):
        z, rates, given = rng.uniform(-1, 1, 3), rng.normal(size=3), rng.normal(size=3)
        M, h = full_mass_matrix(model, data, z), pin.nonLinearEffects(model, data, z, rates)
        passive = np.linalg.solve(M[1:, 1:], -h[1:] - M[1:, 0] * given[0])
        expected = M[0] @ [given[0], *passive] + h[0]
        pose, velocity, acceleration = np.zeros((3, 3))
        pose[order], velocity[order], acceleration[order] = z, rates, given
        tau = mechanism.inverse_dynamics(pose, velocity, acceleration)
        assert tau == pytest.approx([expected], rel=AGREEMENT)


def test_a_freedom_without_inertia_is_singular_beside_heavy_ones() -> None:
    *heavy, tab = LIGHT_AND_HEAVY
    point = Part(tab.name, tab.parent, tab.type, tab.at, 0.7, (0.0, 0.0, 0.0), 0.0)
    mechanism = mechanism_of([*heavy, point], [], {}, output={"body": "sled"})
    state = {"pose": np.full(3, 0.3), "velocity": np.ones(3), "acceleration": np.ones(3)}
    assert mechanism.evaluate("inverse_dynamics", **state).status == Status.SINGULAR


# Gears -------------------------------------------------------------------------------------------------------------


def test_a_fine_screw_beside_a_direct_drive_is_no_singularity() -> None:
    """A nut that moves 0.1 um for a radian of its motor: rates of the motors differ by seven orders of magnitude."""
    lead = 1e-7
    parts = [
        Part("motor", "world", "revolute", (0.0, 0.0, 0.0), 0.1, (0.0, 0.0, 0.0), 1e-6, driven=True),
        Part("nut", "world", "prismatic", (0.0, 0.2, 0.0), 2.0, (0.0, 0.0, 0.0), 1e-3),
        Part("arm", "nut", "revolute", (0.1, 0.0, 0.0), 0.5, (0.2, 0.0, 0.0), 1e-2, driven=True),
    ]
    terms = [{"coordinate": "motor.angle", "factor": lead}, {"coordinate": "nut.travel", "factor": -1.0}]
    more = {"output": {"body": "arm"}, "independent": ["nut.travel", "arm.angle"], "couplings": [{"terms": terms}]}
    mechanism, model = mechanism_of(parts, [], {}, **more), pinocchio_model(parts)
    data, rng = model.createData(), np.random.default_rng(3)
    S = np.array([[1 / lead, 0.0], [1.0, 0.0], [0.0, 1.0]])
    for _ in range(3):
        pose, u, u_dot = rng.uniform(-0.5, 0.5, (3, 2)) * [1e-3, 1.0]
        M, h = full_mass_matrix(model, data, S @ pose), pin.nonLinearEffects(model, data, S @ pose, S @ u)
        on_nut, on_arm = S.T @ (M @ S @ u_dot + h)
        tau = mechanism.inverse_dynamics(pose, u, u_dot)
        assert tau == pytest.approx([on_nut * lead, on_arm], rel=AGREEMENT)
        assert mechanism.platform_velocity(pose, S[[0, 2]] @ u) == pytest.approx(u, rel=AGREEMENT)


# More motors than freedoms, one of them idle -----------------------------------------------------------------------

BARS = [
    Part("crank", "world", "revolute", (0.0, 0.0, 0.0), 0.4, (0.05, 0.0, 0.0), 1e-3, driven=True),
    Part("coupler", "crank", "revolute", (0.1, 0.0, 0.0), 0.8, (0.15, 0.01, 0.0), 5e-3, driven=True),
    Part("rocker", "coupler", "revolute", (0.3, 0.0, 0.0), 0.6, (0.12, 0.0, 0.0), 4e-3, driven=True),
    Part("pendulum", "coupler", "revolute", (0.2, 0.05, 0.0), 0.3, (0.08, 0.0, 0.0), 1e-3),
]
"""A four-bar with a motor at three of its hinges, and a pendulum on its coupler."""
GROUND, END = np.array([0.3, 0.0, 0.0]), np.array([0.26, 0.0, 0.0])


def four_bar_with_pendulum() -> Robot:
    last = {"name": "last", "type": "revolute", "parent": "world", "child": "rocker"}
    last |= {"parent_frame": {"position": GROUND.tolist()}, "child_frame": {"position": END.tolist()}}
    home = {"crank": 0.9, "coupler": -0.3, "rocker": -2.2, "pendulum": -1.0}
    return mechanism_of(BARS, [last], home, output={"body": "coupler"})


def test_more_motors_than_freedoms_with_an_idle_one_have_inverse_dynamics() -> None:
    mechanism, model = four_bar_with_pendulum(), pinocchio_model(BARS)
    assert (len(mechanism.actuator_names), mechanism.degrees_of_freedom, mechanism.plan.idle) == (3, 2, 1)
    tip = model.addFrame(pin.Frame("tip", 3, pin.SE3(np.eye(3), END), pin.FrameType.OP_FRAME))
    data, rng = model.createData(), np.random.default_rng(2)
    driven_first = [mechanism.pose_names.index("pendulum.angle") != k for k in range(2)]
    (lead,) = (name.partition(".")[0] for name in mechanism.pose_names if name != "pendulum.angle")
    for _ in range(5):
        pose = mechanism.home + rng.uniform(-0.3, 0.3, 2)
        velocity, acceleration = rng.normal(size=(2, 2))
        z, rates = tree_state(mechanism, model, pose, velocity)
        M, h = full_mass_matrix(model, data, z), pin.nonLinearEffects(model, data, z, rates)
        J = pin.computeFrameJacobian(model, data, z, tip, pin.LOCAL_WORLD_ALIGNED)[:2]  # pyright: ignore
        pin.forwardKinematics(model, data, z, rates, np.zeros(4))
        pin.updateFramePlacements(model, data)
        assert data.oMf[tip].translation == pytest.approx(GROUND, abs=1e-9)
        assert J @ rates == pytest.approx(np.zeros(2), abs=1e-9)
        drift = pin.getFrameClassicalAcceleration(model, data, tip, pin.LOCAL_WORLD_ALIGNED).linear[:2]
        asked = model.getJointId(lead) - 1, float(acceleration[driven_first][0])
        expected = _shortest(M, h, J, drift, asked)
        assert mechanism.inverse_dynamics(pose, velocity, acceleration) == pytest.approx(expected, rel=AGREEMENT)


def _shortest(M: Array, h: Array, J: Array, drift: Array, asked: tuple[int, float]) -> Array:
    """The shortest tau of the first three joints that gives one joint an acceleration, whatever the pendulum does."""
    lead, wanted = asked
    Z, B = _null_space(J), np.eye(4)[:, :3]
    n = -np.linalg.pinv(J) @ drift
    free = _null_space(Z[lead : lead + 1])
    first = np.linalg.pinv(Z[lead : lead + 1]) @ [wanted - n[lead]]
    # Z^T B tau = Z^T (M (Z (first + free s) + n) + h) with s unknown: only what is across Z^T M Z free counts.
    across = _null_space((Z.T @ M @ Z @ free).T).T
    right = Z.T @ (M @ (Z @ first + n) + h)
    return np.linalg.pinv(across @ Z.T @ B) @ (across @ right)


def test_motors_that_leave_an_idle_freedom_hold_nothing_still() -> None:
    mechanism = four_bar_with_pendulum()
    with pytest.raises(UnsupportedRobotError, match="motors that do not hold it still: ask inverse_dynamics"):
        mechanism.static_forces(mechanism.home)


def test_a_pendulum_falls_as_it_does_while_the_motors_hold() -> None:
    """Forces of inverse dynamics given back to forward dynamics: the driven freedom does what was asked."""
    mechanism = four_bar_with_pendulum()
    velocity, acceleration = np.array([0.4, -0.7]), np.array([1.3, 0.0])
    tau = mechanism.inverse_dynamics(mechanism.home, velocity, acceleration)
    found = mechanism.forward_dynamics(mechanism.home, velocity, tau)
    assert mechanism.pose_names[1] == "pendulum.angle"
    assert found[0] == pytest.approx(acceleration[0], rel=AGREEMENT)

"""What MuJoCo and Pinocchio say about an imported robot, from the file that it was imported from.

Each engine reads the file itself. parakin's coordinates, rates and accelerations are given to it; its own constraint
rows must hold there, and the force of its own open tree must be motor forces and constraint forces alone:

    M a + c - passive = S^T tau + J^T lambda
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from parakin.mechanism.model import MechanismDescription
from parakin.mechanism.readers import Choices, import_robot
from parakin.robot import Robot


@dataclass(frozen=True)
class Seen:
    """What an engine says of one state."""

    tau: np.ndarray
    """Motor forces, by the robot's motors."""
    open: float
    """How far its constraints are from holding at the robot's coordinates."""
    slip: float
    """How far they are from holding for the robot's rates."""
    left: float
    """What no motor and no constraint explains of the force, relative to its size."""


@dataclass(frozen=True)
class Case:
    """A state of a robot: the motor forces that parakin finds, and how all joints move under them."""

    tau: np.ndarray
    """Motor forces."""
    where: dict[str, float]
    """Coordinates of all joints by name."""
    rates: dict[str, float]
    """Their rates."""
    accelerations: dict[str, float]
    """Their accelerations."""


def described(path: Path, choices: Choices | None = None) -> MechanismDescription:
    """Return the mechanism of a file."""
    description = import_robot(path, choices).description
    assert isinstance(description, MechanismDescription)
    return description


def cases_of(robot: Robot, count: int) -> list[Case]:
    """Return random states; freedoms without a motor accelerate as they must."""
    pose, velocity, acceleration = robot.sample_states(count, seed=5)
    tau = robot.inverse_dynamics(pose, velocity, acceleration)
    joints = robot.joints(pose, velocity, robot.forward_dynamics(pose, velocity, tau))
    return [
        Case(
            tau[k],
            dict(zip(robot.coordinate_names, joints.coordinate[k].tolist(), strict=True)),
            dict(zip(robot.joint_names, joints.rate[k].tolist(), strict=True)),
            dict(zip(robot.joint_names, joints.acceleration[k].tolist(), strict=True)),
        )
        for k in range(count)
    ]


def explained(force: np.ndarray, drives: np.ndarray, J: np.ndarray) -> tuple[np.ndarray, float]:
    """Return tau of force = drives^T tau + J^T lambda, and what is left of the force."""
    columns = np.column_stack([drives.T, J.T])
    solution = np.linalg.lstsq(columns, force, rcond=1e-10)[0]
    left = np.max(np.abs(columns @ solution - force)) / max(1.0, float(np.max(np.abs(force))))
    return solution[: len(drives)], float(left)


def mujoco_sees(robot: Robot, path: Path, case: Case) -> Seen:
    """Return what MuJoCo says of a state."""
    mujoco: Any = importlib.import_module("mujoco")
    where, rates, accelerations = case.where, case.rates, case.accelerations
    m = mujoco.MjModel.from_xml_path(str(path))
    m.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_LIMIT) | int(mujoco.mjtDisableBit.mjDSBL_FRICTIONLOSS)
    d = mujoco.MjData(m)
    a = np.zeros(m.nv)
    coulomb = np.zeros(m.nv)
    drives = np.zeros((len(robot.actuator_names), m.nv))
    for j in range(m.njnt):
        name, at, dof = m.joint(j).name, int(m.jnt_qposadr[j]), int(m.jnt_dofadr[j])
        ball = m.jnt_type[j] == mujoco.mjtJoint.mjJNT_BALL
        freedoms = ("wx", "wy", "wz") if ball else ("angle", "travel")
        mine = [f"{name}.{freedom}" for freedom in freedoms if f"{name}.{freedom}" in rates]
        coordinates = [key for key in where if key.startswith(f"{name}.")]
        if not mine:
            d.qpos[at] = HELD[name]
            continue
        d.qpos[at : at + len(coordinates)] = [where[key] for key in coordinates]
        d.qvel[dof : dof + len(mine)] = [rates[key] for key in mine]
        a[dof : dof + len(mine)] = [accelerations[key] for key in mine]
        span = slice(dof, dof + len(mine))
        coulomb[span] = m.dof_frictionloss[span] * np.sign(d.qvel[span])
    for k in range(len(m.actuator_trnid)):
        joint = m.joint(int(m.actuator_trnid[k, 0]))
        freedom = "travel" if joint.type[0] == mujoco.mjtJoint.mjJNT_SLIDE else "angle"
        motor = robot.actuator_names.index(f"{joint.name}.{freedom}")
        drives[motor, int(joint.dofadr[0])] = np.sign(m.actuator_gear[k, 0])
    mujoco.mj_fwdPosition(m, d)
    mujoco.mj_fwdVelocity(m, d)
    inertial = np.zeros(m.nv)
    mujoco.mj_mulM(m, d, inertial, a)
    rows = d.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY
    J = d.efc_J.reshape(-1, m.nv)[rows]
    force = inertial + d.qfrc_bias - d.qfrc_passive + coulomb
    tau, left = explained(force, drives, J)
    return Seen(
        tau, float(np.max(np.abs(d.efc_pos[rows]), initial=0.0)), float(np.max(np.abs(J @ d.qvel), initial=0.0)), left
    )


HELD = {"stuck": 0.3}
"""Coordinates of joints that an equality holds."""


def pinocchio_sees(robot: Robot, urdf: str, pair: tuple[str, str], case: Case) -> Seen:
    """Return what Pinocchio says of a state of a URDF file that is closed at a point of two frames."""
    pin: Any = importlib.import_module("pinocchio")
    where, rates, accelerations = case.where, case.rates, case.accelerations
    model = pin.buildModelFromXML(urdf)
    data = model.createData()
    q, v, a = pin.neutral(model), np.zeros(model.nv), np.zeros(model.nv)
    drives = np.zeros((len(robot.actuator_names), model.nv))
    friction = np.zeros(model.nv)
    for j, name in enumerate(model.names):
        if j == 0:
            continue
        key, joint = f"{name}.angle", model.joints[j]
        angle = where[key]
        q[joint.idx_q : joint.idx_q + joint.nq] = [angle] if joint.nq == 1 else [np.cos(angle), np.sin(angle)]
        v[joint.idx_v], a[joint.idx_v] = rates[key], accelerations[key]
        friction[joint.idx_v] = FRICTION.get(name, (0.0, 0.0)) @ np.array([rates[key], np.sign(rates[key])])
        if key in robot.actuator_names:
            drives[robot.actuator_names.index(key), joint.idx_v] = 1.0
    force = pin.rnea(model, data, q, v, a) + friction
    pin.computeJointJacobians(model, data, q)
    pin.updateFramePlacements(model, data)
    first, second = (model.getFrameId(name) for name in pair)
    gap = data.oMf[first].translation - data.oMf[second].translation
    world = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    J = (pin.getFrameJacobian(model, data, first, world) - pin.getFrameJacobian(model, data, second, world))[:3]
    tau, left = explained(force, drives, J)
    return Seen(tau, float(np.max(np.abs(gap))), float(np.max(np.abs(J @ v))), left)


FRICTION = {"crank": (0.03, 0.1)}
"""Viscous and Coulomb friction of the joints of the URDF file, which Pinocchio's rnea leaves out."""

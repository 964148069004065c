"""Exported files read by other engines, and forces of closed chains by projection, written without parakin's models.

An engine gives rows that vanish where loops are closed, their Jacobian J_c and drift, and the forces f of the open
tree. With N a basis of the null space of J_c and S the rows that pick motors, N^T f = N^T S^T tau.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol
from xml.etree import ElementTree

import mujoco
import numpy as np
import pinocchio as pin
import yaml
from scipy.spatial.transform import Rotation

from parakin.arrays import Array

STEPS = 12
"""On the way from home to a pose; each starts Newton's method from the one before."""
CLOSED = 1e-13
"""Largest row [m or rad] with which loops count as closed."""
WEAK = 1e-9
"""Singular values of J_c, beside the largest, below which rows are redundant."""


class Engine(Protocol):
    """An open tree of another engine, with the rows that close its loops."""

    home: Array
    motors: list[int]
    """Velocities of the driven joints."""

    def step(self, q: Array, change: Array) -> Array: ...

    def rows(self, q: Array) -> tuple[Array, Array]:
        """What vanishes, and its Jacobian."""
        ...

    def drift(self, q: Array, v: Array) -> Array:
        """Second derivative of the rows without acceleration."""
        ...

    def motor_coordinates(self, q: Array) -> Array: ...

    def forces(self, q: Array, v: Array, a: Array) -> Array:
        """What the open tree takes, with friction, springs and rotors."""
        ...


@dataclass
class Mujoco:
    """MuJoCo reading MJCF; its constraints are read from the file, not solved by it."""

    path: Path

    def __post_init__(self) -> None:
        self.model = mujoco.MjModel.from_xml_path(str(self.path))
        self.data = mujoco.MjData(self.model)
        self.home = self.model.key("home").qpos.copy()
        joints = self.model.actuator_trnid[:, 0]
        self.motors = [int(self.model.jnt_dofadr[joint]) for joint in joints]
        self.places = [int(self.model.jnt_qposadr[joint]) for joint in joints]
        self.signs = self.model.actuator_gear[:, 0].copy()
        self.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT

    def step(self, q: Array, change: Array) -> Array:
        result = q.copy()
        mujoco.mj_integratePos(self.model, result, change, 1.0)
        return result

    def _at(self, q: Array, v: Array | None = None) -> None:
        self.data.qpos[:] = q
        self.data.qvel[:] = 0.0 if v is None else v
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)
        mujoco.mj_comVel(self.model, self.data)

    def _ends(self) -> list[tuple[int, int, bool]]:
        found = []
        for k in range(self.model.neq):
            kind = mujoco.mjtEq(int(self.model.eq_type[k]))
            assert kind in (mujoco.mjtEq.mjEQ_CONNECT, mujoco.mjtEq.mjEQ_WELD)
            assert int(self.model.eq_objtype[k]) == int(mujoco.mjtObj.mjOBJ_SITE)
            found.append((self.model.eq_obj1id[k], self.model.eq_obj2id[k], kind == mujoco.mjtEq.mjEQ_WELD))
        return found

    def rows(self, q: Array) -> tuple[Array, Array]:
        self._at(q)
        values, lines = [], []
        for a, b, weld in self._ends():
            jacobians = np.zeros((2, 2, 3, self.model.nv))
            for k, site in enumerate((a, b)):
                mujoco.mj_jacSite(self.model, self.data, jacobians[k, 0], jacobians[k, 1], site)
            values.append(self.data.site_xpos[a] - self.data.site_xpos[b])
            lines.append(jacobians[0, 0] - jacobians[1, 0])
            if weld:
                R_a, R_b = (self.data.site_xmat[site].reshape(3, 3) for site in (a, b))
                values.append(Rotation.from_matrix(R_a @ R_b.T).as_rotvec())
                lines.append(jacobians[0, 1] - jacobians[1, 1])
        return np.concatenate(values), np.concatenate(lines)

    def drift(self, q: Array, v: Array) -> Array:
        self._at(q, v)
        found = []
        for a, b, weld in self._ends():
            rates = np.zeros((2, 2, 3, self.model.nv))
            for k, site in enumerate((a, b)):
                body = self.model.site_bodyid[site]
                mujoco.mj_jacDot(
                    self.model, self.data, rates[k, 0], rates[k, 1], self.data.site_xpos[site].copy(), body
                )
            found.append((rates[0, 0] - rates[1, 0]) @ v)
            if weld:
                found.append((rates[0, 1] - rates[1, 1]) @ v)
        return np.concatenate(found)

    def motor_coordinates(self, q: Array) -> Array:
        return q[self.places]

    def forces(self, q: Array, v: Array, a: Array) -> Array:
        self.data.qpos[:], self.data.qvel[:], self.data.qacc[:] = q, v, a
        mujoco.mj_inverse(self.model, self.data)
        return self.data.qfrc_inverse + self.model.dof_frictionloss * np.sign(v)


class Pinocchio:
    """Pinocchio reading URDF and the YAML of the Gepetto tools."""

    def __init__(self, path: Path) -> None:
        self.said = yaml.safe_load(path.with_suffix(".yaml").read_text(encoding="utf-8"))
        self.model = self._with_balls(pin.buildModelFromUrdf(str(path)))
        self.model.gravity.linear = np.array(self.said["gravity"])
        self.data = self.model.createData()
        self.home = np.concatenate(
            [np.zeros(0), *(self._coordinates(k, self.said["home"][self.model.names[k]]) for k in self._joints())]
        )
        ids = [self.model.getJointId(name) for name in self.said["name_mot"]]
        self.motors = [self.model.joints[k].idx_v for k in ids]
        self.motor_joints = ids
        self.viscous, self.coulomb = np.zeros(self.model.nv), np.zeros(self.model.nv)
        for joint in ElementTree.parse(path).iter("joint"):
            rubs = joint.find("dynamics")
            if rubs is not None:
                k = self.model.joints[self.model.getJointId(joint.attrib["name"])]
                self.viscous[k.idx_v : k.idx_v + k.nv] = float(rubs.attrib["damping"])
                self.coulomb[k.idx_v : k.idx_v + k.nv] = float(rubs.attrib["friction"])

    def _joints(self) -> range:
        return range(1, self.model.njoints)

    def _with_balls(self, read: Any) -> Any:
        """The model with a ball for each joint that the YAML calls one."""
        balls = dict(zip(self.said["joint_name"], self.said["joint_type"], strict=True))
        model = pin.Model()
        for k in range(1, read.njoints):
            name = read.names[k]
            kind = pin.JointModelSpherical() if balls.get(name) == "SPHERICAL" else read.joints[k]
            parent = model.getJointId(read.names[read.parents[k]]) if read.parents[k] else 0
            number = model.addJoint(parent, kind, read.jointPlacements[k], name)
            model.appendBodyToJoint(number, read.inertias[k], pin.SE3.Identity())
        for frame in list(read.frames)[1:]:
            parent = model.getJointId(read.names[frame.parentJoint]) if frame.parentJoint else 0
            model.addFrame(pin.Frame(frame.name, parent, frame.placement, frame.type), False)
        return model

    def _coordinates(self, k: int, value: list[float]) -> Array:
        if len(value) == 4:
            return np.array([*value[1:], value[0]])
        return np.array([np.cos(value[0]), np.sin(value[0])] if self.model.joints[k].nq == 2 else value)

    def step(self, q: Array, change: Array) -> Array:
        return pin.integrate(self.model, q, change)

    def _ends(self) -> list[tuple[int, int, bool]]:
        kinds = {"3d": False, "6d": True}
        pairs = zip(self.said["closed_loop"], self.said["type"], strict=True)
        return [(self._frame(a), self._frame(b), kinds[kind]) for (a, b), kind in pairs]

    def _frame(self, name: str) -> int:
        return self.model.getFrameId(name, pin.FrameType.BODY)

    def rows(self, q: Array) -> tuple[Array, Array]:
        pin.computeJointJacobians(self.model, self.data, q)
        pin.updateFramePlacements(self.model, self.data)
        values, lines = [], []
        for a, b, weld in self._ends():
            A, B = self.data.oMf[a], self.data.oMf[b]
            J = [pin.getFrameJacobian(self.model, self.data, frame, pin.LOCAL_WORLD_ALIGNED) for frame in (a, b)]
            values.append(A.translation - B.translation)
            lines.append((J[0] - J[1])[:3])
            if weld:
                values.append(Rotation.from_matrix(A.rotation @ B.rotation.T).as_rotvec())
                lines.append((J[0] - J[1])[3:])
        return np.concatenate(values), np.concatenate(lines)

    def drift(self, q: Array, v: Array) -> Array:
        pin.forwardKinematics(self.model, self.data, q, v, np.zeros(self.model.nv))
        pin.updateFramePlacements(self.model, self.data)
        found = []
        for a, b, weld in self._ends():
            A, B = (
                pin.getFrameClassicalAcceleration(self.model, self.data, frame, pin.LOCAL_WORLD_ALIGNED)
                for frame in (a, b)
            )
            found.append(A.linear - B.linear)
            if weld:
                found.append(A.angular - B.angular)
        return np.concatenate(found)

    def motor_coordinates(self, q: Array) -> Array:
        found = []
        for k in self.motor_joints:
            joint = self.model.joints[k]
            value = q[joint.idx_q : joint.idx_q + joint.nq]
            found.append(np.arctan2(value[1], value[0]) if joint.nq == 2 else value[0])
        return np.array(found)

    def forces(self, q: Array, v: Array, a: Array) -> Array:
        f = pin.rnea(self.model, self.data, q, v, a) + self.viscous * v + self.coulomb * np.sign(v)
        f[self.motors] += np.array(self.said["rotor_inertia"]) * a[self.motors]
        springs = zip(self.said["spring_joint"], self.said["spring_stiffness"], self.said["spring_rest"], strict=True)
        for name, stiffness, rest in springs:
            joint = self.model.joints[self.model.getJointId(name)]
            value = q[joint.idx_q : joint.idx_q + joint.nq]
            angle = np.arctan2(value[1], value[0]) if joint.nq == 2 else value[0]
            f[joint.idx_v] += stiffness * (angle - rest)
        return f


def _solved(engine: Engine, q: Array, motors: Array) -> Array:
    """Newton's method: loops closed, motors at given coordinates."""
    S = np.eye(engine.rows(q)[1].shape[1])[engine.motors]
    for _ in range(30):
        values, J = engine.rows(q)
        wrong = np.concatenate([values, engine.motor_coordinates(q) - motors])
        if np.max(np.abs(wrong)) < CLOSED:
            return q
        q = engine.step(q, -np.linalg.lstsq(np.vstack([J, S]), wrong, rcond=WEAK)[0])
    raise AssertionError(f"loops stay open by {np.max(np.abs(wrong)):.2g}")


def motor_forces(engine: Engine, start: Array, motion: tuple[Array, Array, Array]) -> Array:
    """Forces on the coordinates of driven joints that a motion of these takes, from their values at home."""
    c, c_dot, c_ddot = motion
    q = engine.home
    for share in np.linspace(0.0, 1.0, STEPS + 1)[1:]:
        q = _solved(engine, q, start + share * (c - start))
    _, J = engine.rows(q)
    S = np.eye(J.shape[1])[engine.motors]
    both = np.vstack([J, S])
    v = np.linalg.lstsq(both, np.concatenate([np.zeros(len(J)), c_dot]), rcond=WEAK)[0]
    a = np.linalg.lstsq(both, np.concatenate([-engine.drift(q, v), c_ddot]), rcond=WEAK)[0]
    f = engine.forces(q, v, a)
    _, sizes, V = np.linalg.svd(J)
    N = V[int(np.sum(sizes > WEAK * sizes[0])) :].T
    return np.linalg.lstsq(N.T @ S.T, N.T @ f, rcond=WEAK)[0]

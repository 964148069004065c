"""Exported files read by other engines, and forces of closed chains by projection, written without parakin's models.

An engine gives rows that vanish where loops are closed, their Jacobian J_c and drift, and the forces f of the open
tree. With N a basis of the null space of J_c and S the rows that pick motors, N^T f = N^T S^T tau.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from xml.etree import ElementTree

import mujoco
import numpy as np
import pinocchio as pin
import yaml
from scipy.spatial.transform import Rotation

from parakin.arrays import Array

CLOSED = 1e-13
"""Largest row [m or rad] with which loops count as closed."""
WEAK = 1e-9
"""Singular values of J_c, beside the largest, below which rows are redundant."""


class Engine(Protocol):
    """An open tree of another engine, with the rows that close its loops."""

    home: Array
    motors: list[str]
    """Names of the driven joints."""

    def step(self, q: Array, change: Array) -> Array: ...

    def rows(self, q: Array) -> tuple[Array, Array]:
        """What vanishes, and its Jacobian."""
        ...

    def drift(self, q: Array, v: Array) -> Array:
        """Second derivative of the rows without acceleration."""
        ...

    def coordinates(self, names: Sequence[str], q: Array) -> Array:
        """Coordinates of hinges and slides."""
        ...

    def velocities(self, names: Sequence[str]) -> list[int]:
        """Places of their velocities."""
        ...

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
        self.motors = [self.model.joint(int(joint)).name for joint in joints]
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

    def ends(self) -> list[tuple[int, int, bool]]:
        found = []
        for k in range(self.model.neq):
            kind = mujoco.mjtEq(int(self.model.eq_type[k]))
            if kind == mujoco.mjtEq.mjEQ_JOINT:
                continue
            assert kind in (mujoco.mjtEq.mjEQ_CONNECT, mujoco.mjtEq.mjEQ_WELD)
            assert int(self.model.eq_objtype[k]) == int(mujoco.mjtObj.mjOBJ_SITE)
            found.append((self.model.eq_obj1id[k], self.model.eq_obj2id[k], kind == mujoco.mjtEq.mjEQ_WELD))
        return found

    def rows(self, q: Array) -> tuple[Array, Array]:
        self._at(q)
        values, lines = [], []
        for a, b, weld in self.ends():
            jacobians = np.zeros((2, 2, 3, self.model.nv))
            for k, site in enumerate((a, b)):
                mujoco.mj_jacSite(self.model, self.data, jacobians[k, 0], jacobians[k, 1], site)
            values.append(self.data.site_xpos[a] - self.data.site_xpos[b])
            lines.append(jacobians[0, 0] - jacobians[1, 0])
            if weld:
                R_a, R_b = (self.data.site_xmat[site].reshape(3, 3) for site in (a, b))
                values.append(Rotation.from_matrix(R_a @ R_b.T).as_rotvec())
                lines.append(jacobians[0, 1] - jacobians[1, 1])
        for value, line in self._couplings(q):
            values.append(np.array([value]))
            lines.append(line[None])
        return np.concatenate(values), np.concatenate(lines)

    def _couplings(self, q: Array) -> list[tuple[float, Array]]:
        found = []
        for k in np.flatnonzero(self.model.eq_type == int(mujoco.mjtEq.mjEQ_JOINT)):
            joints = self.model.eq_obj1id[k], self.model.eq_obj2id[k]
            offset, ratio = self.model.eq_data[k, :2]
            first, second = (q[self.model.jnt_qposadr[joint]] for joint in joints)
            line = np.zeros(self.model.nv)
            line[self.model.jnt_dofadr[list(joints)]] = 1.0, -ratio
            found.append((first - offset - ratio * second, line))
        return found

    def drift(self, q: Array, v: Array) -> Array:
        self._at(q, v)
        found = []
        for a, b, weld in self.ends():
            rates = np.zeros((2, 2, 3, self.model.nv))
            for k, site in enumerate((a, b)):
                body = self.model.site_bodyid[site]
                mujoco.mj_jacDot(
                    self.model, self.data, rates[k, 0], rates[k, 1], self.data.site_xpos[site].copy(), body
                )
            found.append((rates[0, 0] - rates[1, 0]) @ v)
            if weld:
                found.append((rates[0, 1] - rates[1, 1]) @ v)
        return np.concatenate([*found, np.zeros(len(self._couplings(q)))])

    def coordinates(self, names: Sequence[str], q: Array) -> Array:
        return q[[int(self.model.joint(name).qposadr[0]) for name in names]]

    def velocities(self, names: Sequence[str]) -> list[int]:
        return [int(self.model.joint(name).dofadr[0]) for name in names]

    def forces(self, q: Array, v: Array, a: Array) -> Array:
        self.data.qpos[:], self.data.qvel[:], self.data.qacc[:] = q, v, a
        mujoco.mj_inverse(self.model, self.data)
        return self.data.qfrc_inverse + self.model.dof_frictionloss * np.sign(v)


class Pinocchio:
    """Pinocchio reading URDF and the YAML of the Gepetto tools."""

    def __init__(self, path: Path) -> None:
        self.said = yaml.safe_load(path.with_suffix(".yaml").read_text(encoding="utf-8"))
        at_home = dict(zip(self.said["home_joint"], self.said["home"], strict=True))
        self.model = self._with_balls(pin.buildModelFromUrdf(str(path)))
        self.model.gravity.linear = np.array(self.said["gravity"])
        self.data = self.model.createData()
        self.home = np.concatenate(
            [np.zeros(0), *(self._coordinates(k, at_home[self.model.names[k]]) for k in self._joints())]
        )
        self.motors = self.said["name_mot"]
        self.viscous, self.coulomb = np.zeros(self.model.nv), np.zeros(self.model.nv)
        self.mimics = []
        for joint in ElementTree.parse(path).iter("joint"):
            mimic = joint.find("mimic")
            if mimic is not None:
                names = joint.attrib["name"], mimic.attrib["joint"]
                ids = tuple(self.model.getJointId(name) for name in names)
                self.mimics.append((ids, float(mimic.attrib["multiplier"]), float(mimic.attrib["offset"])))
            rubs = joint.find("dynamics")
            if rubs is not None:
                k = self.model.joints[self.model.getJointId(joint.attrib["name"])]
                self.viscous[k.idx_v : k.idx_v + k.nv] = float(rubs.attrib["damping"])
                self.coulomb[k.idx_v : k.idx_v + k.nv] = float(rubs.attrib["friction"])

    def _joints(self) -> range:
        return range(1, self.model.njoints)

    def _with_balls(self, read: pin.Model) -> pin.Model:
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

    def ends(self) -> list[tuple[int, int, bool]]:
        kinds = {"3d": False, "6d": True}
        pairs = zip(self.said["closed_loop"], self.said["type"], strict=True)
        return [(self._frame(a), self._frame(b), kinds[kind]) for (a, b), kind in pairs]

    def _frame(self, name: str) -> int:
        return self.model.getFrameId(name, pin.FrameType.BODY)

    def rows(self, q: Array) -> tuple[Array, Array]:
        pin.computeJointJacobians(self.model, self.data, q)
        pin.updateFramePlacements(self.model, self.data)
        values, lines = [], []
        for a, b, weld in self.ends():
            A, B = self.data.oMf[a], self.data.oMf[b]
            J = [pin.getFrameJacobian(self.model, self.data, frame, pin.LOCAL_WORLD_ALIGNED) for frame in (a, b)]
            values.append(A.translation - B.translation)
            lines.append((J[0] - J[1])[:3])
            if weld:
                values.append(Rotation.from_matrix(A.rotation @ B.rotation.T).as_rotvec())
                lines.append((J[0] - J[1])[3:])
        for (first, second), ratio, offset in self.mimics:
            line = np.zeros((1, self.model.nv))
            line[0, [self.model.joints[first].idx_v, self.model.joints[second].idx_v]] = 1.0, -ratio
            values.append(np.array([self._scalar(first, q) - offset - ratio * self._scalar(second, q)]))
            lines.append(line)
        return np.concatenate(values), np.concatenate(lines)

    def _scalar(self, k: int, q: Array) -> float:
        """The coordinate of a hinge or slide; Pinocchio keeps cosine and sine of a hinge without limits."""
        joint = self.model.joints[k]
        value = q[joint.idx_q : joint.idx_q + joint.nq]
        return float(np.arctan2(value[1], value[0]) if joint.nq == 2 else value[0])

    def drift(self, q: Array, v: Array) -> Array:
        pin.forwardKinematics(self.model, self.data, q, v, np.zeros(self.model.nv))
        pin.updateFramePlacements(self.model, self.data)
        found = []
        for a, b, weld in self.ends():
            A, B = (
                pin.getFrameClassicalAcceleration(self.model, self.data, frame, pin.LOCAL_WORLD_ALIGNED)
                for frame in (a, b)
            )
            found.append(A.linear - B.linear)
            if weld:
                found.append(A.angular - B.angular)
        return np.concatenate([*found, np.zeros(len(self.mimics))])

    def coordinates(self, names: Sequence[str], q: Array) -> Array:
        return np.array([self._scalar(self.model.getJointId(name), q) for name in names])

    def velocities(self, names: Sequence[str]) -> list[int]:
        return [self.model.joints[self.model.getJointId(name)].idx_v for name in names]

    def forces(self, q: Array, v: Array, a: Array) -> Array:
        f = pin.rnea(self.model, self.data, q, v, a) + self.viscous * v + self.coulomb * np.sign(v)
        driven = self.velocities(self.motors)
        f[driven] += np.array(self.said["rotor_inertia"]) * a[driven]
        springs = zip(self.said["spring_joint"], self.said["spring_stiffness"], self.said["spring_rest"], strict=True)
        for name, stiffness, rest in springs:
            k = self.model.getJointId(name)
            f[self.model.joints[k].idx_v] += stiffness * (self._scalar(k, q) - rest)
        return f


def _least_squares(A: Array, b: Array) -> Array:
    return np.asarray(np.linalg.lstsq(A, b, rcond=WEAK)[0], float)


def _solved(engine: Engine, q: Array, lead: Sequence[str], values: Array) -> Array:
    """Newton's method: loops closed, the joints that lead at given coordinates."""
    S = np.eye(engine.rows(q)[1].shape[1])[engine.velocities(lead)]
    wrong = np.zeros(0)
    for _ in range(30):
        rows, J = engine.rows(q)
        wrong = np.concatenate([rows, engine.coordinates(lead, q) - values])
        if np.max(np.abs(wrong)) < CLOSED:
            return q
        q = engine.step(q, -_least_squares(np.vstack([J, S]), wrong))
    raise AssertionError(f"loops stay open by {np.max(np.abs(wrong)):.2g}")


@dataclass(frozen=True)
class Way:
    """A way from home, by joints whose coordinates determine all others."""

    lead: Sequence[str]
    """Their names."""
    coordinates: Array
    """Their coordinates at points of the way (points, joints)."""
    rates: Array
    """Their rates at its end (joints,)."""
    accelerations: Array
    """Their accelerations there (joints,)."""


def motor_forces(engine: Engine, way: Way) -> Array:
    """Forces of the driven joints that the motion at the end of a way takes."""
    q = engine.home
    for values in way.coordinates:
        q = _solved(engine, q, way.lead, values)
    _, J = engine.rows(q)
    both = np.vstack([J, np.eye(J.shape[1])[engine.velocities(way.lead)]])
    v = _least_squares(both, np.concatenate([np.zeros(len(J)), way.rates]))
    a = _least_squares(both, np.concatenate([-engine.drift(q, v), way.accelerations]))
    f = engine.forces(q, v, a)
    _, sizes, V = np.linalg.svd(J)
    N = V[int(np.sum(sizes > WEAK * sizes[0])) :].T
    S = np.eye(J.shape[1])[engine.velocities(engine.motors)]
    return _least_squares(N.T @ S.T, N.T @ f)

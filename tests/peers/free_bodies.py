"""Inverse dynamics of a mechanism file with another engine: every body floats freely, joints are rows of our own here.

The engine gives what each free body's motion takes, in its own coordinates V = (v, w) of each body, along its own axes.
With all joints as rows C V = 0 and the rates of the independent freedoms A V = u:

    V = S u,    V_dot = S u_dot + drift,    Q = S^T force(V, V_dot),    W^T tau = Q

Nothing of parakin's kinematics or dynamics is used but the poses of the bodies, whose closure is checked here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array
from parakin.mechanism import Joint, MechanismDescription
from parakin.mechanism.kinds import Move

Engine = Callable[[Array, Array, Array, Array], Array]
"""From p (bodies, 3), R (bodies, 3, 3), V and V_dot (6 bodies), V in body axes, to the force of each entry of V."""


@dataclass(frozen=True)
class Side:
    """A joint's frame on one of its bodies, in base axes."""

    p: Array
    R: Array
    J: Array
    """Velocity and angular velocity of the frame by V (6, 6 bodies)."""
    drift: Array
    """Acceleration and angular acceleration of the frame where V_dot = 0 (6,)."""


@dataclass(frozen=True)
class Poses:
    """Where all bodies are, and how they move."""

    names: tuple[str, ...]
    p: Array
    R: Array
    V: Array

    def side(self, body: str, position: Array, rotation: Array) -> Side:
        count = len(self.names)
        if body == "world":
            return Side(position, rotation, np.zeros((6, 6 * count)), np.zeros(6))
        k = self.names.index(body)
        R, r = self.R[k], self.R[k] @ position
        J = np.zeros((6, 6 * count))
        J[:3, 6 * k : 6 * k + 3], J[3:, 6 * k + 3 : 6 * k + 6] = R, R
        J[:3, 6 * k + 3 : 6 * k + 6] = -_cross(r) @ R
        v, w = R @ self.V[6 * k : 6 * k + 3], R @ self.V[6 * k + 3 : 6 * k + 6]
        drift = np.concatenate([np.cross(w, v) + np.cross(w, np.cross(w, r)), np.zeros(3)])
        return Side(self.p[k] + r, R @ rotation, J, drift)


def _cross(r: Array) -> Array:
    return np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])


def _relative(P: Side, C: Side, V: Array) -> tuple[Array, Array, Array]:
    """Relative twist of C as P sees it by V (6, n), its drift (6,), and the place of C beside P."""
    r = C.p - P.p
    J = np.vstack([C.J[:3] - P.J[:3] + _cross(r) @ P.J[3:], C.J[3:] - P.J[3:]])
    w_P, w_C = P.J[3:] @ V, C.J[3:] @ V
    v = J[:3] @ V
    linear = (
        C.drift[:3] - P.drift[:3] - np.cross(P.drift[3:], r) - np.cross(w_P, np.cross(w_P, r)) - 2 * np.cross(w_P, v)
    )
    angular = C.drift[3:] - P.drift[3:] - np.cross(w_P, w_C)
    return J, np.concatenate([linear, angular]), r


def _joint_rows(joint: Joint, P: Side, C: Side, V: Array) -> tuple[list[float], list[Array], list[float]]:
    """Values, rows by V and drifts of what a joint holds."""
    J, drift, r = _relative(P, C, V)
    w = J[3:] @ V
    values, rows, drifts = [], [], []
    lead = (joint.pitch or 0.0) / (2 * math.pi)
    for i in joint.position_rows:
        e = P.R[:, i]
        along = lead if i == 2 else 0.0  # a screw goes along z as it turns about it
        D = P.R.T @ C.R
        values.append(float(e @ r) - along * math.atan2(D[1, 0], D[0, 0]))
        rows.append(e @ J[:3] - along * (e @ J[3:]))
        drifts.append(float(e @ drift[:3]) - along * float(e @ drift[3:]))
    if joint.length is not None:
        v = J[:3] @ V
        values.append(float(r @ r - joint.length**2) / (2 * joint.length))
        rows.append(r @ J[:3] / joint.length)
        drifts.append(float(r @ drift[:3] + v @ v) / joint.length)
    for i, j in joint.kind.orientation_rows:
        e, f = P.R[:, i], C.R[:, j]
        values.append(float(e @ f))
        rows.append(np.cross(f, e) @ J[3:])
        drifts.append(float(e @ (np.cross(drift[3:], f) + np.cross(w, np.cross(w, f)))))
    return values, rows, drifts


def _rates(joint: Joint, P: Side, C: Side, V: Array) -> tuple[list[Array], list[float]]:
    """Rows by V and drifts of a joint's rates."""
    J, drift, _ = _relative(P, C, V)
    rows, drifts = [], []
    for freedom in joint.kind.freedoms:
        on_child = freedom.move is Move.BALL or (joint.type == "universal" and freedom.axis == 1)
        e = (C if on_child else P).R[:, freedom.axis]
        part = slice(0, 3) if freedom.move is Move.SLIDE else slice(3, 6)
        rows.append(e @ J[part])
        drifts.append(float(e @ drift[part]))
    return rows, drifts


@dataclass(frozen=True)
class Solved:
    """A motion of all bodies that fulfils the rows of all joints."""

    V: Array
    V_dot: Array
    S: Array
    """V for unit independent velocities."""
    rates: dict[str, Array]
    """Rows by V of every joint's rates."""
    drifts: dict[str, float]
    """What the derivatives of these rates are where V_dot = 0."""
    opened: float
    """How far the joints are open."""


def _solved(
    description: MechanismDescription,
    independent: tuple[str, ...],
    places: tuple[Array, Array],
    motion: tuple[Array, Array],
) -> Solved:
    names = tuple(body.name for body in description.bodies)
    u, u_dot = motion
    at_rest = _rows(description, independent, Poses(names, *places, np.zeros(6 * len(names))))
    wanted = np.vstack([np.zeros((len(at_rest.drifts), len(u))), np.eye(len(u))])
    S = np.asarray(np.linalg.lstsq(at_rest.whole, wanted, rcond=1e-10)[0], float)
    moving = _rows(description, independent, Poses(names, *places, S @ u))
    right = np.concatenate([-moving.drifts, u_dot - moving.rate_drifts])
    V_dot = np.asarray(np.linalg.lstsq(moving.whole, right, rcond=1e-10)[0], float)
    return Solved(S @ u, V_dot, S, moving.rates, moving.drifts_of_rates, moving.opened)


@dataclass(frozen=True)
class Rows:
    """All joints' rows by V, those of the independent rates below them."""

    whole: Array
    values: Array
    drifts: Array
    rate_drifts: Array
    rates: dict[str, Array]
    drifts_of_rates: dict[str, float]

    @property
    def opened(self) -> float:
        return float(np.max(np.abs(self.values)))


def _rows(description: MechanismDescription, independent: tuple[str, ...], at: Poses) -> Rows:
    values, rows, drifts = list[float](), list[Array](), list[float]()
    rates: dict[str, tuple[Array, float]] = {}
    for joint in description.joints:
        P = at.side(joint.parent, np.array(joint.parent_frame.position), joint.parent_frame.rotation)
        C = at.side(joint.child, np.array(joint.frame_on_child.position), joint.frame_on_child.rotation)
        of_joint = _joint_rows(joint, P, C, at.V)
        values += of_joint[0]
        rows += of_joint[1]
        drifts += of_joint[2]
        for freedom, row, drift in zip(joint.kind.freedoms, *_rates(joint, P, C, at.V), strict=True):
            rates[f"{joint.name}.{freedom.name}"] = row, drift
    A = np.array([rates[name][0] for name in independent]).reshape(len(independent), len(at.V))
    A_drift = np.array([rates[name][1] for name in independent])
    kept = {name: row for name, (row, _) in rates.items()}
    left = {name: drift for name, (_, drift) in rates.items()}
    return Rows(np.vstack([np.array(rows), A]), np.array(values), np.array(drifts), A_drift, kept, left)


@dataclass(frozen=True)
class ClosedJoints:
    """What all joints hold of free bodies in motion."""

    values: Array
    """How far each row is open [m, or 1]."""
    rows: Array
    """Rows by V."""
    drifts: Array
    """Their second derivatives where V_dot = 0."""
    rates: dict[str, Array]
    """Rows by V of every joint's rates, by joint.freedom."""


def closed_joints(description: MechanismDescription, p: Array, R: Array, V: Array) -> ClosedJoints:
    """Rows of all joints, where bodies are at p and R and move with V."""
    names = tuple(body.name for body in description.bodies)
    found = _rows(description, (), Poses(names, p, R, V))
    return ClosedJoints(found.values, found.whole, found.drifts, found.rates)


def body_motion(
    description: MechanismDescription,
    independent: tuple[str, ...],
    places: tuple[Array, Array],
    motion: tuple[Array, Array],
) -> tuple[Array, Array]:
    """V and V_dot of all bodies for a motion (u, u_dot) at given poses."""
    solved = _solved(description, independent, places, motion)
    return solved.V, solved.V_dot


def inverse_dynamics(
    description: MechanismDescription,
    independent: tuple[str, ...],
    places: tuple[Array, Array],
    motion: tuple[Array, Array],
    engine: Engine,
) -> tuple[Array, float]:
    """Motor forces of a motion (u, u_dot) at given body poses, and how far the joints are open there."""
    solved = _solved(description, independent, places, motion)
    Q = solved.S.T @ engine(*places, solved.V, solved.V_dot) + _by_joints(description, solved)
    driven = [
        f"{joint.name}.{name}" for joint in description.joints for name, one in joint.freedoms.items() if one.drive
    ]
    W = np.array([solved.rates[name] @ solved.S for name in driven])
    return np.asarray(np.linalg.lstsq(W.T, Q, rcond=None)[0], float), solved.opened


def _by_joints(description: MechanismDescription, solved: Solved) -> Array:
    """What friction and rotors take of the independent velocities."""
    Q = np.zeros(solved.S.shape[1])
    for joint in description.joints:
        for name, freedom in joint.freedoms.items():
            row = solved.rates[f"{joint.name}.{name}"]
            rate, growth = row @ solved.V, row @ solved.V_dot + solved.drifts[f"{joint.name}.{name}"]
            force = freedom.friction.viscous * rate + freedom.friction.coulomb * np.sign(rate)
            if freedom.drive is not None:
                force += freedom.drive.gear_ratio**2 * freedom.drive.rotor_inertia * growth
            Q += (row @ solved.S) * force
    return Q


def pinocchio_engine(description: MechanismDescription) -> Engine:
    """What free bodies' motion takes, by Pinocchio's recursive Newton-Euler algorithm."""
    import pinocchio as pin  # pyright: ignore[reportMissingModuleSource] an optional peer

    model = pin.Model()
    model.gravity.linear = np.array(description.gravity)
    for body in description.bodies:
        joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), body.name)
        inertia = pin.Inertia(body.mass, np.array(body.com), np.array(body.inertia))
        model.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
    data = model.createData()

    def force(p: Array, R: Array, V: Array, V_dot: Array) -> Array:
        q = np.concatenate([np.concatenate([a, pin.Quaternion(B).coeffs()]) for a, B in zip(p, R, strict=True)])
        return np.array(pin.rnea(model, data, q, V, V_dot))

    return force


def mujoco_engine(description: MechanismDescription) -> Engine:
    """What free bodies' motion takes, by MuJoCo's mass matrix and bias; its linear velocities are in base axes."""
    import mujoco

    g = " ".join(map(repr, description.gravity))
    bodies = []
    for body in description.bodies:
        I = np.array(body.inertia)  # noqa: E741
        full = " ".join(repr(float(I[a, b])) for a, b in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
        com = " ".join(map(repr, body.com))
        bodies.append(f'<body><freejoint/><inertial pos="{com}" mass="{body.mass!r}" fullinertia="{full}"/></body>')
    text = f'<mujoco><option gravity="{g}"/><worldbody>{"".join(bodies)}</worldbody></mujoco>'
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)

    def force(p: Array, R: Array, V: Array, V_dot: Array) -> Array:
        qpos, qvel, qacc = [], [], []
        for k in range(len(p)):
            quaternion = np.zeros(4)
            mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(R[k]).ravel())
            v, w = V[6 * k : 6 * k + 3], V[6 * k + 3 : 6 * k + 6]
            v_dot, w_dot = V_dot[6 * k : 6 * k + 3], V_dot[6 * k + 3 : 6 * k + 6]
            qpos += [*p[k], *quaternion]
            qvel += [*(R[k] @ v), *w]
            qacc += [*(R[k] @ (v_dot + np.cross(w, v))), *w_dot]
        data.qpos[:], data.qvel[:], data.qacc[:] = qpos, qvel, qacc
        mujoco.mj_inverse(model, data)
        force = np.array(data.qfrc_inverse)
        for k in range(len(p)):
            force[6 * k : 6 * k + 3] = R[k].T @ force[6 * k : 6 * k + 3]
        return force

    return force

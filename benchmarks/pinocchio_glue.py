"""Inverse dynamics of a 6-UPS around Pinocchio, as a good user would write it: the peer of PaLiDA.

One tree holds the platform on a translation and a ball, and six legs of ring, stator and slider with open tips. The
legs' joint states follow from the tips' motion in closed form: axis 1 is x of the frame at a leg's root, and with z
along the line where both angles are zero

    p_AC = d u,   u = (s2, -s1 c2, c1 c2),   e1 = (0, -c1, -s1),   e2 = (c2, s1 s2, -c1 s2),

in which angle 1 moves the tip along e1 by d c2 and angle 2 along e2 by d. rnea gives what all joints need; what the
legs' passive joints cannot give, their tips ask of the platform, and six forces along u balance it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio as pin  # pyright: ignore[reportMissingModuleSource] cmeel installs it out of pyright's sight
from scipy.linalg.lapack import dgesv

from tests.peers.tree import Place, Tree

BLOCKS = (400, 2000)
"""States at a time: few stay in cache, many keep threads from waiting for each other. Which is faster is measured."""
Array = np.ndarray


def _placement(place: Place) -> pin.SE3:
    return pin.SE3(place.R, place.p)


def model_of(tree: Tree) -> pin.Model:
    """With joints along coordinate axes, which Pinocchio is fastest with: x, y, x in every leg."""
    model = pin.Model()
    model.gravity.linear = tree.gravity
    still = model.addJoint(0, pin.JointModelTranslation(), pin.SE3.Identity(), "platform.slide")
    turning = model.addJoint(still, pin.JointModelSpherical(), pin.SE3.Identity(), "platform.turn")
    ids = {-1: 0, tree.turn: turning}
    for k, joint in enumerate(tree.joints):
        if k < tree.platform_joints:
            continue
        axis = "XYZ"[int(np.argmax(joint.axis))]
        moving = getattr(pin, f"JointModel{'P' if joint.kind == 'prismatic' else 'R'}{axis}")()
        ids[k] = model.addJoint(ids[joint.place.link], moving, _placement(joint.place), joint.name)
    for mass in tree.masses:
        model.appendBodyToJoint(ids[mass.link], pin.Inertia(mass.mass, mass.com, mass.inertia), pin.SE3.Identity())
    return model


def constraints_of(tree: Tree, model: pin.Model) -> list[pin.RigidConstraintModel]:
    """The tips on their attachments."""
    found: list[pin.RigidConstraintModel] = []
    for loop in tree.loops:
        tip, attachment = model.getJointId(tree.joints[loop.tip.link].name), model.getJointId("platform.turn")
        ends = (tip, _placement(loop.tip), attachment, _placement(loop.attachment))
        found.append(pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, model, *ends, pin.LOCAL))
    return found


@dataclass(frozen=True)
class LegStates:
    """Angles, lengths and their derivatives (6, ...), and what projects forces; values[k]: k-th derivative."""

    values: tuple[tuple[Array, Array, Array], ...]
    s1: Array
    c1: Array
    s2: Array
    c2: Array
    h: Array
    """d c2: the distance of the tip from axis 1."""

    @property
    def d(self) -> Array:
        return self.values[0][2]


def leg_states(tips: Array) -> LegStates:
    """From the motion of the tips in the frames of the roots: (xyz, derivative, leg, ...)."""
    rx, ry, rz = tips[:, 0]
    h_squared = ry * ry + rz * rz
    h = np.sqrt(h_squared)
    d = np.sqrt(h_squared + rx * rx)
    s1, c1, s2, c2 = -ry / h, rz / h, rx / d, h / d
    (v1, a1), (v2, a2), (d_dot, a3) = _along(tips[:, 1:], s1, c1, s2, c2)
    rate1, rate2 = v1 / h, v2 / d
    across = rate1 * rate1 * c2
    twice = d_dot + d_dot
    return LegStates(
        (
            (np.arctan2(-ry, rz), np.arctan2(rx, h), d),
            (rate1, rate2, d_dot),
            (
                (a1 + rate1 * (2 * v2 * s2 - twice * c2)) / h,
                (a2 - twice * rate2) / d - s2 * across,
                a3 + rate2 * v2 + rate1 * v1 * c2,
            ),
        ),
        s1,
        c1,
        s2,
        c2,
        h,
    )


def _along(vector: Array, s1: Array, c1: Array, s2: Array, c2: Array) -> tuple[Array, Array, Array]:
    """Components along e1, e2 and u."""
    x, y, z = vector
    t = s1 * y - c1 * z
    return -c1 * y - s1 * z, c2 * x + s2 * t, s2 * x - c2 * t


def tip_forces(legs: LegStates, tau1: Array, tau2: Array, tau3: Array) -> tuple[Array, Array, Array]:
    """What the joints of a leg need, as forces on its tip in the frame of its root: e1 tau1/h + e2 tau2/d + u tau3."""
    f1, f2 = tau1 / legs.h, tau2 / legs.d
    t = legs.s2 * f2 - legs.c2 * tau3
    return legs.c2 * f2 + legs.s2 * tau3, legs.s1 * t - legs.c1 * f1, -legs.s1 * f1 - legs.c1 * t


class Glue:
    """Everything about a robot that does not depend on its state.

    tips: position of the tips in their roots' frames (x of all, then y, z) = tips [p_OE; R_OE row by row] - roots.
    """

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.model = model_of(tree)
        self.data = self.model.createData()
        self.pool = pin.ModelPool(self.model, os.cpu_count() or 1)
        roots = [tree.joints[loop.joints.start].place for loop in tree.loops]
        self.p_OA = np.array([root.p for root in roots]).T
        self.p_EC = np.array([loop.attachment.p for loop in tree.loops]).T
        axes = np.array([root.R for root in roots])
        turning = np.einsum("kji,lk->ikjl", axes, self.p_EC).reshape(18, 9)
        self.tips = np.hstack([axes.transpose(2, 0, 1).reshape(18, 3), turning])
        self.tips_T = np.ascontiguousarray(self.tips.T)
        self.roots = np.einsum("kji,jk->ik", axes, self.p_OA).ravel()
        self.q, self.z_dot, self.z_ddot = np.empty(25), np.empty(24), np.empty(24)
        self.legs = tuple(
            tuple(array[len(array) - 18 + k :: 3] for k in range(3)) for array in (self.q, self.z_dot, self.z_ddot)
        )
        self.motion = np.empty((3, 12))
        self.W = np.zeros((3, 3))
        self.W_dot = np.zeros((3, 3))
        self.A = np.empty((6, 6), order="F")
        self.twice = np.empty((2, 5, 6))
        self.N = np.zeros((24, 6))
        self.N[:3, :3] = np.eye(3)

    def forces(self, pose: Array, velocity: Array, acceleration: Array) -> Array:
        """tau (6,) of one state."""
        R, legs = self.enter(pose, velocity, acceleration)
        needed = pin.rnea(self.model, self.data, self.q, self.z_dot, self.z_ddot)
        return self.solved(pose, R, legs, needed)

    def enter(self, pose: Array, velocity: Array, acceleration: Array) -> tuple[Array, LegStates]:
        """R_OE and the legs; the state of the tree into q, z_dot, z_ddot."""
        R = np.array(_entries(*pose[3:].tolist())).reshape(3, 3)
        W, W_dot, motion = self.W, self.W_dot, self.motion
        for cross, turn in ((W, velocity[3:].tolist()), (W_dot, acceleration[3:].tolist())):
            cross[:] = (0.0, -turn[2], turn[1]), (turn[2], 0.0, -turn[0]), (-turn[1], turn[0], 0.0)
        R_dot = W @ R
        motion[0, :3], motion[1, :3], motion[2, :3] = pose[:3], velocity[:3], acceleration[:3]
        motion[0, 3:], motion[1, 3:], motion[2, 3:] = R.ravel(), R_dot.ravel(), (W_dot @ R + W @ R_dot).ravel()
        tips = motion @ self.tips_T
        tips[0] -= self.roots
        legs = leg_states(tips.reshape(3, 3, 6).swapaxes(0, 1))
        q, z_dot, z_ddot = self.q, self.z_dot, self.z_ddot
        q[:3], q[3:6], q[6] = pose[:3], pose[4:], pose[3]
        z_dot[:3], z_dot[3:6] = velocity[:3], velocity[3:] @ R
        z_ddot[:3], z_ddot[3:6] = acceleration[:3], acceleration[3:] @ R
        for places, values in zip(self.legs, legs.values, strict=True):
            for place, value in zip(places, values, strict=True):
                place[:] = value
        return R, legs

    def solved(self, pose: Array, R: Array, legs: LegStates, needed: Array) -> Array:
        """J_qv^T tau = what the platform needs and the tips ask for; columns of J_qv^T: u, p_EC × u."""
        asked = needed[6:].reshape(6, 3).T
        wrench = self.wrench(R, needed[:6], np.concatenate(tip_forces(legs, *asked)))
        self.columns(pose, R, legs.d)
        return dgesv(self.A, wrench, overwrite_a=True, overwrite_b=True)[2]

    def wrench(self, R: Array, platform: Array, tips: Array) -> Array:
        """Of the tips' forces: [f; axial vector of H R^T], where f and H are what p_OE and R_OE are multiplied by."""
        total = tips @ self.tips
        K = (total[3:].reshape(3, 3) @ R.T).tolist()
        total[:3] += platform[:3]
        total[3:6] = R @ platform[3:6]
        total[3] += K[2][1] - K[1][2]
        total[4] += K[0][2] - K[2][0]
        total[5] += K[1][0] - K[0][1]
        return total[:6]

    def columns(self, pose: Array, R: Array, d: Array) -> None:
        """J_qv^T into A; c and u twice over, so that a cross product is two slices."""
        c, u = self.twice
        c[:3] = p_EC = R @ self.p_EC
        u[:3] = (pose[:3, None] + p_EC - self.p_OA) / d
        c[3:], u[3:] = c[:2], u[:2]
        self.A[:3] = u[:3]
        np.subtract(c[1:4] * u[2:5], c[2:5] * u[1:4], out=self.A[3:])

    def mass_matrix(self, pose: Array) -> Array:
        """N^T M N, the joints' rates being N v."""
        still = np.zeros(6)
        R, legs = self.enter(pose, still, still)
        upper = pin.crba(self.model, self.data, self.q)
        s1, c1, s2, c2, d = legs.s1, legs.c1, legs.s2, legs.c2, legs.d
        E = np.array(
            [
                (still, c2 / d, s2),
                (-c1 / legs.h, s1 * s2 / d, -s1 * c2),
                (-s1 / legs.h, -c1 * s2 / d, c1 * c2),
            ]
        )
        # (joint, leg): the row of N that multiplies p_OE's rate and R_OE's.
        rows = (E[..., None] * self.tips.reshape(3, 1, 6, 12)).sum(axis=0)
        K = rows[..., 3:].reshape(3, 6, 3, 3) @ R.T
        N = self.N
        N[3:6, 3:] = R.T
        by_leg = N[6:].reshape(6, 3, 6).swapaxes(0, 1)
        by_leg[..., :3] = rows[..., :3]
        for k, (i, j) in enumerate(((2, 1), (0, 2), (1, 0))):
            np.subtract(K[..., i, j], K[..., j, i], out=by_leg[..., 3 + k])
        M = np.triu(upper)
        half = N.T @ M @ N
        # diagonal entries of M would count twice
        return half + half.T - (N.T * M.diagonal()) @ N

    def batch(self, pose: Array, velocity: Array, acceleration: Array, *, threads: int, block: int) -> Array:
        """tau (count, 6), block by block."""
        out = np.empty((len(pose), 6))
        for first in range(0, len(pose), block):
            some = slice(first, first + block)
            out[some] = self._block(pose[some], velocity[some], acceleration[some], threads)
        return out

    def _block(self, pose: Array, velocity: Array, acceleration: Array, threads: int) -> Array:
        count = len(pose)
        p, quaternion = pose.T[:3], pose.T[3:]
        R = _rotations(np.ascontiguousarray(quaternion))
        w, w_dot = np.ascontiguousarray(velocity.T[3:]), np.ascontiguousarray(acceleration.T[3:])
        R_dot = _turned(w, R)
        R_ddot = _turned(w_dot, R) + _turned(w, R_dot)
        motion = np.empty((12, 3, count))
        for k, (linear, turning) in enumerate(((p, R), (velocity.T[:3], R_dot), (acceleration.T[:3], R_ddot))):
            motion[:3, k], motion[3:, k] = linear, turning.reshape(9, count)
        tips = (self.tips @ motion.reshape(12, -1)).reshape(3, 6, 3, count)
        tips[:, :, 0] -= self.roots.reshape(3, 6, 1)
        legs = leg_states(tips.swapaxes(1, 2))

        q, z_dot, z_ddot = np.empty((count, 25)), np.empty((count, 24)), np.empty((count, 24))
        q[:, :3], q[:, 3:6], q[:, 6] = pose[:, :3], pose[:, 4:], pose[:, 3]
        z_dot[:, :3], z_dot[:, 3:6] = velocity[:, :3], _applied(R.swapaxes(0, 1), w).T
        z_ddot[:, :3], z_ddot[:, 3:6] = acceleration[:, :3], _applied(R.swapaxes(0, 1), w_dot).T
        for array, values in zip((q, z_dot, z_ddot), legs.values, strict=True):
            for k, value in enumerate(values):
                array[:, array.shape[1] - 18 + k :: 3] = value.T
        needed = np.empty((count, 24))
        pin.rneaInParallel(threads, self.pool, q.T, z_dot.T, z_ddot.T, needed.T)

        joints = np.ascontiguousarray(needed.T)
        forces = np.concatenate(tip_forces(legs, joints[6::3], joints[7::3], joints[8::3]))
        total = self.tips_T @ forces
        moment = _applied(R, joints[3:6])
        H = total[3:].reshape(3, 3, count)
        for k, (i, j) in enumerate(((2, 1), (0, 2), (1, 0))):
            moment[k] += (H[i] * R[j] - H[j] * R[i]).sum(axis=0)
        A = np.empty((6, 6, count))
        p_EC = (R[:, :, None] * self.p_EC[None, :, :, None]).sum(axis=1)
        u = (p[:, None] + p_EC - self.p_OA[:, :, None]) / legs.d
        A[:3] = u
        for k, (i, j) in enumerate(((1, 2), (2, 0), (0, 1))):
            A[3 + k] = p_EC[i] * u[j] - p_EC[j] * u[i]
        wrench = np.concatenate([total[:3] + joints[:3], moment])
        return np.linalg.solve(A.transpose(2, 0, 1), wrench.T[:, :, None])[:, :, 0]


def _rotations(quaternion: Array) -> Array:
    """R (3, 3, count)."""
    return np.stack(_entries(*quaternion)).reshape(3, 3, -1)


def _entries(w: Any, x: Any, y: Any, z: Any) -> tuple[Any, ...]:
    """Of R_OE row by row, from a quaternion that begins with w."""
    a, b, c = x + x, y + y, z + z
    xx, yy, zz, xy, xz, yz, wx, wy, wz = a * x, b * y, c * z, a * y, a * z, b * z, a * w, b * w, c * w
    return 1 - yy - zz, xy - wz, xz + wy, xy + wz, 1 - xx - zz, yz - wx, xz - wy, yz + wx, 1 - xx - yy


def _turned(w: Array, R: Array) -> Array:
    """w × each column of R."""
    return np.stack([w[1] * R[2] - w[2] * R[1], w[2] * R[0] - w[0] * R[2], w[0] * R[1] - w[1] * R[0]])


def _applied(R: Array, v: Array) -> Array:
    return np.einsum("ijn,jn->in", R, v)

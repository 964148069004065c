"""A mechanism that owes nothing to parakin's dynamics: free bodies in MuJoCo, all joints closed by a KKT system.

    [ M  A^T ] [ V_dot  ]   [ motors - bias                           ]
    [ A   0  ] [ forces ] = [ -drift - 2 s A V - s^2 (how far it is open) ]

V are velocities of all bodies in their own axes, in which M is constant. Rows that say the same twice are dropped by
least squares.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array
from parakin.control import Law, Reference
from parakin.quaternions import quaternion_from_vector, rotation_matrix
from parakin.robot import Robot
from tests.peers.free_bodies import closed_joints, mujoco_engine

STABILISATION = 50.0
"""Rate at which joints that drift apart are pulled together [1/s]."""
SUBSTEPS = 2


@dataclass(frozen=True)
class Followed:
    """What the foreign machine did at each tick (ticks, motors)."""

    q: Array
    tau: Array


class ForeignPlant:
    """A machine in the place of the mechanism; poses of its bodies at the start are the mechanism's own."""

    def __init__(self, robot: Robot) -> None:
        self.robot, self.description = robot, robot.graph_description
        self.engine = mujoco_engine(self.description)
        n = 6 * len(self.description.bodies)
        still, p = np.zeros(n), np.zeros((n // 6, 3))
        R = np.broadcast_to(np.eye(3), (n // 6, 3, 3))
        weight = self.engine(p, R, still, still)
        self.M = np.stack([self.engine(p, R, still, row) - weight for row in np.eye(n)], axis=1)
        for k in range(n):
            assert self.M[k, k] > 0.0, "every body of these mechanisms has mass"

    def follow(self, law: Law, reference: Reference) -> Followed:
        """Run the law's own function with this machine in the loop, exact sensors, forces at once."""
        robot = self.robot
        frames = robot.body_frames(reference.pose[0])
        p, R, V = frames.p, frames.R, np.zeros(6 * len(self.description.bodies))
        desired = {w.port: reference.ahead(w.quantity, w.ahead) for w in law.interface.reference}
        q, rate = reference.q[0], reference.q_dot[0]
        told = {name: rows[0] for name, rows in desired.items()} | {"measured_q": q, "measured_q_dot": rate}
        holding, place = robot.static_forces(reference.pose[0]), robot.places(reference.pose[0])
        state = law.start(**told, gains=law.gains, holding=holding, first_place=place)["state"]
        positions, forces = [], []
        for tick in range(reference.ticks):
            at = closed_joints(self.description, p, R, V)
            rate = np.array([at.rates[name] @ V for name in robot.actuator_names])
            told = {name: rows[tick] for name, rows in desired.items()} | {"measured_q": q, "measured_q_dot": rate}
            out = law.step(state=state, gains=law.gains, **told)
            state, tau = out["next_state"], np.array(out["tau"]).ravel()
            positions.append(q)
            forces.append(tau)
            for _ in range(SUBSTEPS):
                p, R, V, q = self._stepped((p, R, V, q), tau, law.period / SUBSTEPS)
        return Followed(np.array(positions), np.array(forces))

    def _stepped(self, state: tuple[Array, Array, Array, Array], tau: Array, h: float) -> tuple[Array, ...]:
        """RK4 on places and velocities; turns of a step are rotation vectors about its beginning, which is exact to
        the order of RK4 for steps this short, and motors count what they turn."""
        p, R, V, q = state
        k = [self._rates(p, R, V, tau)]
        for share, before in ((0.5, 0), (0.5, 1), (1.0, 2)):
            there = _moved(p, R, share * h, k[before][0])
            k.append(self._rates(*there, V + share * h * k[before][1], tau))
        mean = [(a + 2 * b + 2 * c + d) / 6 for a, b, c, d in zip(*k, strict=True)]
        p, R = _moved(p, R, h, mean[0])
        return p, R, V + h * mean[1], q + h * mean[2]

    def _rates(self, p: Array, R: Array, V: Array, tau: Array) -> tuple[Array, Array, Array]:
        """Twists of the bodies in base axes (bodies, 6), V_dot, and rates of the motors."""
        at = closed_joints(self.description, p, R, V)
        driven = np.array([at.rates[name] for name in self.robot.actuator_names])
        free = driven.T @ tau - self.engine(p, R, V, np.zeros_like(V))
        A = at.rows
        right = -at.drifts - 2 * STABILISATION * (A @ V) - STABILISATION**2 * at.values
        eased = np.linalg.solve(self.M, np.column_stack([free, A.T]))
        pull = np.linalg.lstsq(A @ eased[:, 1:], right - A @ eased[:, 0], rcond=1e-11)[0]
        V_dot = eased[:, 0] + eased[:, 1:] @ pull
        twists = np.concatenate(
            [np.stack([R[k] @ V[6 * k + o : 6 * k + o + 3] for k in range(len(p))]) for o in (0, 3)], 1
        )
        return twists, V_dot, driven @ V


def _moved(p: Array, R: Array, h: float, twists: Array) -> tuple[Array, Array]:
    turned = []
    for rotation, w in zip(R, twists[:, 3:], strict=True):
        turned.append(rotation_matrix(quaternion_from_vector(h * w)) @ rotation)
    return p + h * twists[:, :3], np.stack(turned)

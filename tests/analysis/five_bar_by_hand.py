"""The library's five-bar written down by hand: energies of its four links, of its drives and of elastic forearms.

It shares nothing with parakin but the numbers of the robot file; CasADi derives it.
"""

from __future__ import annotations

import casadi as ca
import numpy as np

from parakin.arrays import Array

ARM, FOREARM, ROOT = 0.25, 0.32, 0.1
"""Lengths and half the distance of the motors [m]."""
ARM_MASS, ARM_CENTRE, ARM_INERTIA = 0.6, 0.11, 3.6e-3
FOREARM_MASS, FOREARM_CENTRE, FOREARM_INERTIA = 0.3, 0.16, 2.56e-3


def _leg(x: ca.SX, side: int, elongation: ca.SX) -> tuple[ca.SX, ca.SX, ca.SX]:
    """Angle of the arm from the x axis, elbow, and angle of the forearm; the elbow is outwards."""
    root = ca.vertcat(side * ROOT, 0)
    r = x - root
    length = FOREARM + elongation
    bend = ca.acos((ARM**2 + ca.dot(r, r) - length**2) / (2 * ARM * ca.norm_2(r)))
    angle = ca.atan2(r[1], r[0]) - side * bend
    elbow = root + ARM * ca.vertcat(ca.cos(angle), ca.sin(angle))
    return angle, elbow, ca.atan2(x[1] - elbow[1], x[0] - elbow[0])


def by_hand(pose: Array, drive: float, forearm: float, gravity: float) -> tuple[Array, Array]:
    """Mass matrix without rotors and stiffness matrix at a pose at which the motors hold the robot at rest."""
    x, e = ca.SX.sym("x", 2), ca.SX.sym("e", 2)
    angles, energy, M = [], ca.SX(0), ca.SX.zeros(2, 2)
    for k, side in enumerate((1, -1)):
        angle, elbow, turn = _leg(x, side, e[k])
        angles.append(angle)
        arm = ca.vertcat(side * ROOT, 0) + ARM_CENTRE * ca.vertcat(ca.cos(angle), ca.sin(angle))
        rod = elbow + FOREARM_CENTRE * ca.vertcat(ca.cos(turn), ca.sin(turn))
        for mass, centre, inertia, about in (
            (ARM_MASS, arm, ARM_INERTIA, angle),
            (FOREARM_MASS, rod, FOREARM_INERTIA, turn),
        ):
            J, w = ca.jacobian(centre, x), ca.jacobian(about, x)
            M += mass * J.T @ J + inertia * w.T @ w
            energy += mass * gravity * centre[1]
    q = ca.vertcat(*angles)
    start = ca.Function("start", [x, e], [q, ca.jacobian(q, x), ca.gradient(energy, x)])
    q_0, J_0, load = (np.array(part) for part in start(pose, np.zeros(2)))
    command = q_0 + np.linalg.solve(J_0.T, load) / drive
    energy += 0.5 * drive * ca.sumsqr(q - command) + 0.5 * forearm * ca.sumsqr(e)
    both = ca.vertcat(x, e)
    H, mass = (np.array(part) for part in ca.Function("H", [x, e], [ca.hessian(energy, both)[0], M])(pose, np.zeros(2)))
    return mass, H[:2, :2] - H[:2, 2:] @ np.linalg.solve(H[2:, 2:], H[2:, :2])

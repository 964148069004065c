"""The inertia that actuators move: each on its own, and at least when all of them move together."""

from __future__ import annotations

import functools

import numpy as np

from parakin.arrays import Array
from parakin.errors import PoseError
from parakin.robot import Robot

POSES = 64
"""Poses of the box at which the coupling of a robot is looked at, besides home."""
MASSLESS = 1e-9
"""Share of inertia that stands for none: no gain suits a direction in which nothing has mass."""


def effective_inertia(robot: Robot, pose: Array | None = None) -> Array:
    """Return the inertia that each actuator moves at a pose (home by default): the diagonal of M_q [kg or kg m^2].

    A redundant robot has no M_q: there it is the inertia that each actuator moves while the others are free,
    1/(J_qv M^-1 J_qv^T)_kk.
    """
    place = robot.home if pose is None else pose
    if square(robot):
        M_q: Array = robot.mass_matrix(place, space="actuator")
        return np.diag(M_q)
    J: Array = robot.jacobian(place)
    M: Array = robot.mass_matrix(place)
    return np.reciprocal(np.sum(J * np.linalg.solve(M, J.T).T, axis=1, dtype=np.float64))


@functools.lru_cache(maxsize=32)
def least_inertia(robot: Robot) -> float:
    """Return the smallest inertia that feedback by drives meets, as a share of what its gains were made for [1].

        (M_v - lambda J_qv^T D J_qv) x = 0,    D: `effective_inertia` at home

    Forces -D a J_qv delta, one gain for each drive, push the platform with J_qv^T D J_qv, and what they push is M_v: in
    the directions x a drive's loop is that of an inertia lambda D. It is the smallest lambda at home and at poses of
    the box. With as many motors as freedoms these are the eigenvalues of D^-1/2 M_q D^-1/2.
    """
    D = effective_inertia(robot)
    if not (D > 0).all():
        return MASSLESS
    return max(MASSLESS, min(_least(robot, pose, D) for pose in (robot.home, *robot.sample(POSES))))


def _least(robot: Robot, pose: Array, D: Array) -> float:
    """Return the smallest lambda at a pose; infinite at one where the robot cannot be."""
    try:
        if square(robot):
            M_q: Array = robot.mass_matrix(pose, space="actuator")
            return float(np.linalg.eigvalsh(M_q / np.sqrt(np.outer(D, D)))[0])
        J: Array = robot.jacobian(pose)
        M: Array = robot.mass_matrix(pose)
    except PoseError:
        return np.inf
    root = np.linalg.cholesky(J.T @ (D[:, None] * J))
    half = np.linalg.solve(root, M)
    return float(np.linalg.eigvalsh(np.linalg.solve(root, half.T))[0])


def square(robot: Robot) -> bool:
    """Whether a robot has as many actuators as degrees of freedom."""
    return len(robot.actuator_names) == robot.degrees_of_freedom

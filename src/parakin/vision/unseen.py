"""Which motions of the platform observations determine, and how well: a matrix of information, and it in words.

Rotations count as the way of a point at the robot's length, as in `robot.condition`.
"""

from __future__ import annotations

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.mechanism.twists import SAME, twist_words
from parakin.motions.offsets import in_space
from parakin.robot import Robot
from parakin.robot.screws import joints_in_words, screw_of

WORST_DEVIATION = 0.1
"""Standard deviation, in lengths of the robot, beyond which a motion is not seen: over such ways slopes are not
constant, so that a covariance from slopes means nothing."""


SMALLEST_SHARE = 1e-13
"""What is added to scaled information about unknowns that are solved for, so that those of which nothing is known do
not stop the others: below all that rounding leaves."""


@frozen_arrays
class Knowledge:
    """What is known of the platform's displacement."""

    covariance: Array
    """Covariance (n, n) of its displacement [m, rad]; NaN where a motion is not seen."""
    unseen: Array
    """An orthonormal basis of the motions that are not seen (n, unseen), rotations at the robot's length."""


def marginal(information: Array, count: int) -> Array:
    """Return the information (count, count) about the first unknowns when nothing more is known of the others.

    N_11 - N_12 N_22^-1 N_21, what is left after the others have been solved for [Schur's complement].
    """
    N11, N12, N22 = information[:count, :count], information[:count, count:], information[count:, count:]
    diagonal = np.diagonal(N22)
    S = 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    scaled = S[:, None] * N22 * S + SMALLEST_SHARE * np.eye(len(N22))
    return N11 - (N12 * S) @ np.linalg.solve(scaled, (N12 * S).T)


def knowledge(robot: Robot, information: Array) -> Knowledge:
    """Return covariance and unseen motions from the information (n, n) about a displacement of the platform."""
    scale = np.array(robot.motion_type.scale(robot.length))
    values, vectors = np.linalg.eigh(information / np.outer(scale, scale))
    seen = values > (WORST_DEVIATION * robot.length) ** -2
    if not seen.all():
        return Knowledge(np.full(information.shape, np.nan), vectors[:, ~seen])
    covariance = (vectors / values) @ vectors.T
    return Knowledge(covariance / np.outer(scale, scale), vectors[:, :0])


def motion_words(robot: Robot, pose: Array, motions: Array) -> str:
    """Return motions (n, count) of the platform at a pose, orthonormal and rotations at its length, in words.

    One motion that is none of the six along and about the base's axes is said as a screw; those of a mechanism are
    said as its coordinates move.
    """
    if robot.motion_type.of_joints:
        scale = np.array(robot.motion_type.scale(robot.length))
        return "; ".join(f"move ({joints_in_words(robot, motion / scale)})" for motion in motions.T)
    single = motions[:, 0] if motions.shape[1] == 1 else np.zeros(len(motions))
    if np.linalg.norm(single) > 0 and np.max(np.abs(single)) < np.sqrt(1.0 - SAME**2):
        return str(screw_of(robot, pose, single / np.array(robot.motion_type.scale(robot.length))))
    return twist_words(in_space(robot.motion_type, motions.T).T)

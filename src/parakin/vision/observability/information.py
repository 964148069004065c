"""Which motions of the platform observations determine, and how well: a matrix of information, and it in words.

Rotations count as the way of a point at the robot's length, as in `robot.condition`.

How well a picture would show a pose is known before it is taken, by the covariance that an estimate from it would have.
From contours, all that their points tell counts. From directions x = n1 x n2/|n1 x n2| alone, where a rod is does not
count: that is as if every axis could be shifted at will, and the two shifts of each rod were solved for as well.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array, frozen_arrays
from parakin.mechanism.twists import SAME, twist_words
from parakin.motions.offsets import in_space
from parakin.robot import Robot
from parakin.robot.screws import joints_in_words, screw_of
from parakin.vision.rigs.rig import Rig, radii_of
from parakin.vision.rigs.rods import rod_lines
from parakin.vision.rigs.sightings import Sightings, offsets_of

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


Observable = Literal["contours", "directions"]
"""What counts of rods: points of both contours, or the directions that follow from both contours of a rod."""


def expected_covariance(
    rig: Rig, pose: ArrayLike, seen: Sightings, *, observe: Observable = "contours", radii_known: bool = False
) -> Array:
    """Return the covariance (n, n) of the displacement of a pose from sightings of it; NaN where a motion is not seen.

    radii_known: whether the radii of the rig are exact. It is the bound of Cramér and Rao for normal noise: sightings
    without noise but with their deviations, those of `sightings_at`, are enough.

    >>> seen = pk.vision.sightings_at(rig, robot.sample(1)[0], points=96, deviation=0.04)
    >>> spread = lambda observe: pk.vision.expected_covariance(rig, robot.sample(1)[0], seen, observe=observe)
    >>> contours, directions = (np.sqrt(np.trace(spread(o)[:3, :3])) for o in ("contours", "directions"))
    >>> bool(directions > 10 * contours)
    True
    """
    robot, rods = rig.robot, len(rig.rods)
    lines = rod_lines(rig, np.asarray(pose, float))
    offsets = offsets_of(rig, lines, seen)
    own = np.eye(rods)[seen.rod]
    columns = [offsets.by_pose]
    known = np.zeros(0)
    if not radii_known:
        columns.append(own * (radii_of(rig)[1][seen.rod] * offsets.by_radius)[:, None])
        known = np.ones(rods)
    if observe == "directions":
        shifts = np.einsum("pi,pij->pj", _by_root(rig, seen, offsets.by_camera), bases_across(lines.x)[seen.rod])
        columns.append((own[:, :, None] * shifts[:, None, :]).reshape(len(seen), -1))
        known = np.concatenate([known, np.full(2 * rods, SHIFT_DEVIATION**-2)])
    rows = np.concatenate(columns, axis=1) / seen.deviation[:, None]
    J = rows[np.isfinite(rows).all(axis=1)]
    n = robot.degrees_of_freedom
    information = J.T @ J + np.diag(np.concatenate([np.zeros(n), known]))
    return knowledge(robot, marginal(information, n)).covariance


SHIFT_DEVIATION = 100.0
"""How far axes may be shifted where their places do not count [m]: far enough to be nothing, and never singular."""


def _by_root(rig: Rig, seen: Sightings, by_camera: Array) -> Array:
    """Return derivatives of distances by the roots of their own rods, in base axes (points, 3)."""
    R_OK = np.array([camera.R_OK for camera in rig.cameras])[seen.camera]
    return -np.einsum("pij,pj->pi", R_OK, by_camera[:, :3])


def bases_across(x: Array) -> Array:
    """Return right-handed bases (..., 3, 2) across unit directions (..., 3): first x second = x."""
    beside = np.eye(3)[np.argmin(np.abs(x), axis=-1)]
    first: Array = np.asarray(np.cross(x, beside), float)
    first = first / np.linalg.norm(first, axis=-1, keepdims=True)
    return np.stack([first, np.asarray(np.cross(x, first), float)], axis=-1)

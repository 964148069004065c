"""How well a picture would show a pose before it is taken: the covariance that an estimate from it would have.

From contours, all that their points tell counts. From directions x = n1 x n2/|n1 x n2| alone, where a rod is does not
count: that is as if every axis could be shifted at will, and the two shifts of each rod were solved for as well.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array
from parakin.vision.image_problems import radii_of
from parakin.vision.rig import Rig
from parakin.vision.rods import rod_lines
from parakin.vision.sightings import Sightings, offsets_of
from parakin.vision.unseen import knowledge, marginal

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

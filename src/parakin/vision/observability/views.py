"""Which motions of the platform cameras can see at all: rank and condition of what is observed of rods.

    directions      d E^T J_x v                     two rows a rod: how its tip moves across it, beside its root
    contours        n·(J_A + t J_x) v               four rows a rod and camera: both contours, at both ends of the rod

E (3, 2) is a right-handed basis across x, so that the determinant of a square matrix has a sign that means something:
it changes where a motion is lost. Rows are ways of points [m/m], rotations count at the robot's length. A robot that is
driven by what is observed behaves as the hidden robot whose actuators these rows are, with singularities of its own
[Briot2014]. Where pictures end and what hides rods is not looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parakin.arrays import Array, frozen_arrays
from parakin.errors import UnknownNameError
from parakin.vision.observability.information import Observable, bases_across
from parakin.vision.rigs.contours import contour_kernel
from parakin.vision.rigs.rig import Rig
from parakin.vision.rigs.rods import RodLines, rod_lines

RANK = 1e-9
"""Singular values, beside the largest, that count towards the rank: rounding is a million times smaller."""


@frozen_arrays
class Views:
    """What is seen of the platform's motion at some poses.

    >>> views = pk.vision.views_at(rig, robot.sample(5), observe="directions")
    >>> views.rank.tolist(), views.condition.shape
    ([4, 4, 4, 4, 4], (5,))
    """

    condition: Array
    """Condition number of the rows (...): infinite where a motion is not seen, NaN where a pose cannot be reached."""
    margin: Array
    """Smallest singular value of the rows (...), with the sign of their determinant where they are square; NaN where a
    pose cannot be reached."""
    rank: NDArray[np.int64]
    """How many motions are seen (...); -1 where a pose cannot be reached."""
    weakest: Array
    """The motion (..., n) that is seen least: a unit vector with rotations at the robot's length."""
    signed: bool
    """Whether rows are as many as freedoms, so that margins have signs."""


def views_at(
    rig: Rig, pose: ArrayLike, *, observe: Observable = "contours", rods: Sequence[str] | None = None
) -> Views:
    """Return what is seen of the platform's motion at poses (..., coordinates), those of a slice for instance.

    observe: "contours" or "directions"; rods: names or patterns of those that count, all by default.

    >>> beside = pk.vision.Rig(robot, (camera.placed([0.3, 0, 0], camera.R_OK),), rig.rods)
    >>> for view in (rig, beside):  # from the axis, and from beside it, at home
    ...     print(float(pk.vision.views_at(view, robot.home).condition.round()))
    26.0
    6.0
    """
    poses = np.asarray(pose, float)
    chosen = chosen_rods(rig, rods)
    n = rig.robot.degrees_of_freedom
    rows = observed_rows(rig, rod_lines(rig, poses.reshape(-1, poses.shape[-1])), observe, chosen)
    reached = np.asarray(np.isfinite(rows).all(axis=(-2, -1)))
    scaled = np.where(reached[:, None, None], rows, 0.0) / np.array(rig.robot.motion_type.scale(rig.robot.length))
    _, sizes, V = np.linalg.svd(scaled, full_matrices=True)
    every = np.zeros((len(scaled), n))
    every[:, : sizes.shape[-1]] = sizes
    largest, least = every[:, 0], every[:, -1]
    signed = scaled.shape[-2] == n
    signs = np.where(np.linalg.det(scaled) < 0, -1.0, 1.0) if signed else np.ones(len(scaled))
    with np.errstate(divide="ignore", invalid="ignore"):
        condition = np.where(least > RANK * largest, largest / least, np.inf)
    lead = poses.shape[:-1]
    return Views(
        np.where(reached, condition, np.nan).reshape(lead),
        np.where(reached, signs * least, np.nan).reshape(lead),
        np.where(reached, np.sum(every > RANK * largest[:, None], axis=1), -1).reshape(lead),
        np.where(reached[:, None], V[:, -1], np.nan).reshape(*lead, n),
        signed,
    )


def chosen_rods(rig: Rig, patterns: Sequence[str] | None) -> list[int]:
    """Return the numbers of the rods whose names fit some patterns; each pattern has to fit one."""
    if patterns is None:
        return list(range(len(rig.rods)))
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in rig.rod_names):
            raise UnknownNameError("rod", pattern, rig.rod_names)
    return [k for k, name in enumerate(rig.rod_names) if any(fnmatchcase(name, pattern) for pattern in patterns)]


def observed_rows(rig: Rig, lines: RodLines, observe: Observable, rods: Sequence[int]) -> Array:
    """Return the rows (poses, rows, n) of what is observed of some rods, whose axes are given for all (poses, rods)."""
    chosen = list(rods)
    x, d, J_A, J_x = lines.x[:, chosen], lines.d[:, chosen], lines.J_A[:, chosen], lines.J_x[:, chosen]
    poses, n = len(x), J_x.shape[-1]
    if observe == "directions":
        return np.einsum("pk,pkia,pkij->pkaj", d, bases_across(x), J_x).reshape(poses, 2 * len(chosen), n)
    start, end = (np.array([getattr(rig.rods[k], name) for k in chosen]) for name in ("start", "end"))
    radius = np.array([rig.rods[k].radius for k in chosen])
    rows: list[Array] = []
    for camera in rig.cameras:
        A, seen_x = camera.seen(lines.A[:, chosen]), x @ camera.R_OK
        normals = contour_kernel()(A=A, x=seen_x, radius=np.broadcast_to(radius, A.shape[:-1]))["n"] @ camera.R_OK.T
        reached = np.asarray(np.isfinite(A).all(axis=(-2, -1)))[:, None, None, None]
        # A rod that the camera touches has no contours, and tells nothing; poses out of reach stay NaN.
        normals = np.where(np.isnan(normals) & reached, 0.0, normals)
        for t in (np.broadcast_to(start, d.shape), d - end):
            moved = J_A + t[:, :, None, None] * J_x
            rows.append(np.einsum("pksi,pkij->pksj", normals, moved).reshape(poses, 2 * len(chosen), n))
    return np.concatenate(rows, axis=1)

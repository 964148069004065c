"""Regions of interest as an ideal camera shows them: both contours of a rod around a place, as two points each.

A straight edge of N points off by sigma each is as good as two points, those one standard deviation of the points from
their middle, each with the variance 2 sigma^2/N (docs/vision.md): so a region is four points, whatever found them.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from parakin.arrays import Array, frozen_arrays
from parakin.errors import VisionError
from parakin.kernels import Derivation, Kernel, Program
from parakin.vision.observers.beliefs import SIDES
from parakin.vision.rigs.contours import contours
from parakin.vision.rigs.rig import Rig
from parakin.vision.rigs.rods import rod_lines

BEFORE_AND_BEHIND = np.array([1.0 if k % 2 else -1.0 for k in range(len(SIDES))])
"""On which side of the place along its rod each point of a region is."""


@frozen_arrays
class Region:
    """What one region of interest shows of one rod: two points of each of its contours. Any leading shape is a batch.

    >>> region = pk.vision.region_at(rig, robot.home, rod=0, place=0.5)
    >>> region.m.shape
    (4, 2)
    """

    camera: Array
    """Number of the camera (...)."""
    rod: Array
    """Number of the rod (...)."""
    m: Array
    """Points in the normalised picture (..., 4, 2): two of the first contour, two of the second."""
    deviation: Array
    """Standard deviation of each point across its contour (..., 4), in the normalised picture; 0 or NaN: not seen."""


def two_points(m: ArrayLike, deviation: float) -> tuple[Array, float]:
    """Return two points (2, 2) that are as good as many points (points, 2) of a straight edge, and their deviation.

    They lie as far on both sides of the middle, along the fitted edge, as the points' own standard deviation, and each
    has the variance 2 deviation^2/points: line and covariance of both fits are the same.

    >>> edge = np.stack([np.linspace(-0.02, 0.02, 40), np.zeros(40)], axis=-1)
    >>> points, deviation = pk.vision.two_points(edge, 1e-4)
    >>> points.round(4).tolist(), round(deviation, 7)
    ([[-0.0118, 0.0], [0.0118, 0.0]], 2.24e-05)
    """
    values = np.asarray(m, float)
    middle = values.mean(axis=0)
    _, sizes, along = np.linalg.svd(values - middle, full_matrices=False)
    direction = along[0] if along[0] @ (values[-1] - values[0]) >= 0 else -along[0]
    half = sizes[0] / math.sqrt(len(values)) * direction
    return np.stack([middle - half, middle + half]), deviation * math.sqrt(2 / len(values))


def contour_points(A: ca.SX, x: ca.SX, radius: ca.SX, t: ca.SX, half: ca.SX) -> tuple[ca.SX, ca.SX]:
    """Return four points m (4, 2) of a rod's two contours, half [m] before and behind a place t [m], and directions.

    A, x: the rod in the camera's frame. The directions (4, 2), in which noise moves points, are across the contours.
    """
    touched = contours(A, x, radius)
    points: list[ca.SX] = []
    directions: list[ca.SX] = []
    for k, side in enumerate(SIDES):
        n = touched.n[side]
        P = A + (t + (half if k % 2 else -half)) * x - radius * n
        points.append((P[:2] / P[2]).T)
        directions.append(n[:2].T / ca.norm_2(n[:2]))
    return ca.vertcat(*points), ca.vertcat(*directions)


@functools.cache
def contour_point_kernel() -> Kernel:
    """Compile points of contours: A, x, radius, t, half -> m (4, 2), across (4, 2)."""

    def derive() -> Program:
        inputs = {"A": ca.SX.sym("A", 3), "x": ca.SX.sym("x", 3)}
        inputs |= {name: ca.SX.sym(name) for name in ("radius", "t", "half")}
        m, across = contour_points(*inputs.values())
        function = ca.Function(
            "contour_points", list(inputs.values()), [m, across], list(inputs), ["m", "across"], {"cse": True}
        )
        return Program(function, outputs=("m", "across"), name="contour_points")

    return Kernel(Derivation("points of contours", derive))


def region_at(
    rig: Rig,
    pose: ArrayLike,
    *,
    rod: int,
    place: float,
    camera: int = 0,
    width: float = 48.0,
    points: int = 40,
    deviation: float = 0.04,
    noise: Sequence[float] | NDArray[np.float64] | None = None,
    radii: ArrayLike | None = None,
) -> Region:
    """Return what a region around a place of a rod shows at poses (..., coordinates).

    place: share of the rod's length, from its root; width: of the region along the rod [px]; points: on each edge,
    each with a standard deviation across it [px]; noise: (..., 4) standard normal numbers, for the two points of each
    edge, none by default; radii: those of the true rods [m], of the rig by default. Points that are not before the
    camera have a deviation of 0, which says that they are not seen.

    >>> region = pk.vision.region_at(rig, robot.sample(5), rod=2, place=0.4)
    >>> region.m.shape, region.deviation.shape
    ((5, 4, 2), (5, 4))
    """
    _check(rig, camera, rod, place)
    seen_by = rig.cameras[camera]
    lines = rod_lines(rig, np.asarray(pose, float))
    A, x = seen_by.seen(lines.A[..., rod, :]), lines.x[..., rod, :] @ seen_by.R_OK
    t = place * lines.d[..., rod]
    given = np.array([each.radius for each in rig.rods]) if radii is None else np.asarray(radii, float)
    focal = math.sqrt(seen_by.focal[0] * seen_by.focal[1])
    P = A + t[..., None] * x
    # Along the picture a length of the rod appears shortened by its slope towards the camera.
    with np.errstate(divide="ignore", invalid="ignore"):
        apparent = np.linalg.norm(x[..., :2] - P[..., :2] / P[..., 2:] * x[..., 2:], axis=-1) / P[..., 2]
        half = width / math.sqrt(12) / focal / apparent
    radius = np.broadcast_to(given[..., rod], t.shape)
    out = contour_point_kernel()(A=A, x=x, radius=radius, t=t, half=half)
    m, across = out["m"], out["across"]
    slopes = np.linalg.norm(np.einsum("...ij,...j->...i", seen_by.pixel_slopes(m), across), axis=-1)
    size: Array = np.asarray(deviation * math.sqrt(2 / points) / slopes, np.float64)
    along = half * x[..., 2]
    if np.any(P[..., 2] <= np.abs(along) + radius):
        # A contour's normal is across every ray to it, n·(m, 1) = 0, which gives n_z, and that the depth of its points.
        slope = -(across * m).sum(axis=-1)
        n_z = slope / np.sqrt(1 + slope**2)
        Z = P[..., 2:] + along[..., None] * BEFORE_AND_BEHIND - radius[..., None] * n_z
        size = np.where(Z <= 0, 0.0, size)
    if noise is not None:
        m = m + (size * np.asarray(noise, float))[..., None] * across
    one = np.ones(size.shape[:-1])
    return Region(camera * one, rod * one, m, size)


def _check(rig: Rig, camera: int, rod: int, place: float) -> None:
    """Raise where a rig has no such camera or rod, or a rod no such place."""
    for name, number, count in (("camera", camera, len(rig.cameras)), ("rod", rod, len(rig.rods))):
        if not 0 <= number < count:
            raise VisionError(rig.robot.name, name, f"must be from 0 to {count - 1}, as the rig has them, got {number}")
    if not 0 <= place <= 1:
        raise VisionError(rig.robot.name, "place", f"must be a share of the rod's length from 0 to 1, got {place}")

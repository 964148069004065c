"""Points of rods' contours that were seen in pictures, and how they lie to the contours at a pose.

Everything that sees (estimates, observers, calibrations, visibility) is fed by sightings alone, whatever found them.
A straight edge of N points with deviation sigma each is as good as two points of it: those as far on both sides of the
middle as the points' own standard deviation along the edge, uncorrelated and each with the variance 2 sigma^2/N.
"""

from __future__ import annotations

from dataclasses import fields

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parakin.arrays import Array, frozen_arrays
from parakin.vision.rigs.camera import Camera
from parakin.vision.rigs.contours import contour_kernel, tangency_kernel
from parakin.vision.rigs.rig import Rig
from parakin.vision.rigs.rods import RodLines, rod_lines

Integers = NDArray[np.int64]
"""Numbers of cameras, rods and sides."""


@frozen_arrays
class Sightings:
    """Points of contours, one row each.

    >>> seen = pk.vision.sightings_at(rig, robot.home, points=5)
    >>> len(seen) == 4 * 2 * 5  # rods, sides, points
    True
    """

    camera: Integers
    """Number of the camera that saw the point (points,)."""
    rod: Integers
    """Number of the rod (points,)."""
    side: Integers
    """Which of its two contours, 0 or 1 (points,), as in `contours.Contours`."""
    m: Array
    """The point in the normalised picture, distortion taken out (points, 2)."""
    deviation: Array
    """Standard deviation of the point across the contour, in the normalised picture (points,)."""
    time: Array
    """When it was seen (points,) [s]."""

    def __len__(self) -> int:
        return len(self.rod)

    def chosen(self, which: NDArray[np.bool_] | Integers) -> Sightings:
        """Return some of the sightings.

        >>> len(seen.chosen(seen.rod == 0))
        10
        """
        return Sightings(**{entry.name: getattr(self, entry.name)[which] for entry in fields(Sightings)})


def joined(parts: list[Sightings]) -> Sightings:
    """Return all sightings of several lists as one."""
    return Sightings(
        **{entry.name: np.concatenate([getattr(part, entry.name) for part in parts]) for entry in fields(Sightings)}
    )


@frozen_arrays
class Offsets:
    """How sightings lie to the contours at a pose, and what changes that."""

    distance: Array
    """How far each point is inside the rod's silhouette, in the normalised picture (points,); NaN where it has none."""
    by_pose: Array
    """Derivative of the distance by a displacement of the platform (points, n) [1/m, 1/rad]."""
    by_radius: Array
    """Derivative of the distance by the radius of the point's own rod (points,) [1/m]."""
    by_camera: Array
    """Derivative of the distance by a twist of the point's own camera, in its frame: [v; w] (points, 6)."""
    t: Array
    """Where along its rod each point is, from the element's root (points,) [m]."""
    Z: Array
    """Depth of the rod there (points,) [m]."""


def offsets_at(rig: Rig, pose: ArrayLike, seen: Sightings, radii: ArrayLike | None = None) -> Offsets:
    """Return how sightings lie to the contours of a rig's rods at one pose; radii [m] in place of those of the rig.

    A camera that moves by a twist [v; w] of its own frame sees A move by -v - w x A and x by -w x x.

    >>> float(np.abs(pk.vision.offsets_at(rig, robot.home, seen).distance).max()) < 1e-14
    True
    """
    return offsets_of(rig, rod_lines(rig, np.asarray(pose, float)), seen, radii)


def offsets_of(rig: Rig, lines: RodLines, seen: Sightings, radii: ArrayLike | None = None) -> Offsets:
    """Return how sightings lie to contours of rods whose axes are known; all at one pose, or each at its own.

    lines: (rods, ...) for all points, or (points, rods, ...) for each.
    """
    given = np.array([rod.radius for rod in rig.rods]) if radii is None else np.asarray(radii, float)
    own = (np.arange(len(seen)), seen.rod) if lines.A.ndim == 3 else (seen.rod,)
    p_OK, R_OK = (np.array([getattr(camera, name) for camera in rig.cameras]) for name in ("p_OK", "R_OK"))
    R_KO = np.swapaxes(R_OK, -1, -2)[seen.camera]
    A = np.einsum("pij,pj->pi", R_KO, lines.A[own] - p_OK[seen.camera])
    x = np.einsum("pij,pj->pi", R_KO, lines.x[own])
    out = tangency_kernel()(A=A, x=x, radius=given[seen.rod], side=seen.side.astype(float), m=seen.m)
    row, t = out["row"], out["t"]
    in_base = np.einsum("pi,pij->pj", row, R_KO)
    motion = lines.J_A[own] + t[:, None, None] * lines.J_x[own]
    moment = np.asarray(np.cross(row, A + t[:, None] * x), np.float64)
    return Offsets(
        out["distance"],
        np.einsum("pi,pij->pj", in_base, motion),
        np.linalg.norm(row, axis=-1),
        np.concatenate([-row, moment], axis=-1),
        t,
        out["Z"],
    )


def sightings_at(
    rig: Rig,
    pose: ArrayLike,
    *,
    points: int = 2,
    deviation: float = 0.0,
    seed: int | None = None,
    time: float = 0.0,
    radii: ArrayLike | None = None,
) -> Sightings:
    """Return points of the contours at one pose, evenly along what each camera sees of each rod.

    deviation: standard deviation across the contour [px] of all points; with a seed the points are off by such noise,
    else exact. Rods of which a camera sees nothing give no points. radii: those of the true rods [m], of the rig by
    default. Occlusion is not looked at.

    >>> noisy = pk.vision.sightings_at(rig, robot.home, points=5, deviation=0.05, seed=1)
    >>> offsets = pk.vision.offsets_at(rig, robot.home, noisy)
    >>> bool(0.5 < np.std(offsets.distance / noisy.deviation) < 1.5)
    True
    """
    lines = rod_lines(rig, np.asarray(pose, float))
    given = np.array([rod.radius for rod in rig.rods]) if radii is None else np.asarray(radii, float)
    rng = None if seed is None else np.random.default_rng(seed)
    found: list[Sightings] = []
    for k, camera in enumerate(rig.cameras):
        A, x = camera.seen(lines.A), lines.x @ camera.R_OK
        normals = contour_kernel()(A=A, x=x, radius=given)["n"]
        for rod, table in enumerate(rig.rods):
            for side in range(2):
                n = normals[rod, side]
                edge = A[rod] - given[rod] * n
                span = visible_span(camera, edge, x[rod], (table.start, float(lines.d[rod]) - table.end))
                if span is None:
                    continue
                t = span[0] + (span[1] - span[0]) * (np.arange(points) + 0.5) / points
                P = edge + t[:, None] * x[rod]
                m = P[:, :2] / P[:, 2:]
                across = n[:2] / np.linalg.norm(n[:2])
                size = deviation / np.linalg.norm(camera.pixel_slopes(m) @ across, axis=-1)
                if rng is not None:
                    m = m + (size * rng.normal(size=points))[:, None] * across
                number = np.full(points, 1, np.int64)
                found.append(Sightings(k * number, rod * number, side * number, m, size, np.full(points, time)))
    return joined(found) if found else nothing_seen()


VISIBILITY_SAMPLES = 257
"""Places along a rod at which is looked whether a camera shows them; the ends of what it shows are then bisected."""
VISIBILITY_STEPS = 30
"""Bisections of an end of what a camera shows of a rod."""


def visible_span(camera: Camera, edge: Array, x: Array, span: tuple[float, float]) -> tuple[float, float] | None:
    """Return from where to where a line edge + t x of the camera's frame is in its picture; None for nowhere.

    span: between which t is looked. The longest stretch counts where there are several.
    """
    start, end = span

    def shown(t: Array) -> NDArray[np.bool_]:
        return camera.shows(camera.pixels(edge + t[:, None] * x))

    if not end > start or not np.isfinite(edge).all():
        return None
    t = np.linspace(start, end, VISIBILITY_SAMPLES)
    inside = np.concatenate([[False], shown(t), [False]])
    begins, ends = np.flatnonzero(inside[1:] & ~inside[:-1]), np.flatnonzero(~inside[1:] & inside[:-1]) - 1
    if not len(begins):
        return None
    longest = int(np.argmax(ends - begins))
    first, last = begins[longest], ends[longest]
    bounds: list[float] = []
    for known, beyond in ((first, first - 1), (last, last + 1)):
        good = float(t[known])
        if 0 <= beyond < len(t):
            bad = float(t[beyond])
            for _ in range(VISIBILITY_STEPS):
                middle = 0.5 * (good + bad)
                good, bad = (middle, bad) if shown(np.array([middle]))[0] else (good, middle)
        bounds.append(good)
    return (bounds[0], bounds[1]) if bounds[1] > bounds[0] else None


def nothing_seen() -> Sightings:
    """Return no sightings."""
    none = np.empty(0, np.int64)
    return Sightings(none, none, none, np.empty((0, 2)), np.empty(0), np.empty(0))


CURVE_POINTS = 33
"""Points of a contour that is drawn, for lenses bend it."""


def contour_curves(rig: Rig, pose: ArrayLike, camera: int = 0) -> list[Array]:
    """Return what a camera sees of the contours of all rods at one pose, each as pixels (points, 2).

    >>> [curve.shape for curve in pk.vision.contour_curves(rig, robot.home)][:2]
    [(33, 2), (33, 2)]
    """
    looking, lines = rig.cameras[camera], rod_lines(rig, np.asarray(pose, float))
    A, x = looking.seen(lines.A), lines.x @ looking.R_OK
    normals = contour_kernel()(A=A, x=x, radius=np.array([rod.radius for rod in rig.rods]))["n"]
    curves: list[Array] = []
    for rod, table in enumerate(rig.rods):
        for n in normals[rod]:
            edge = A[rod] - table.radius * n
            span = visible_span(looking, edge, x[rod], (table.start, float(lines.d[rod]) - table.end))
            if span is not None:
                curves.append(looking.pixels(edge + np.linspace(*span, CURVE_POINTS)[:, None] * x[rod]))
    return curves

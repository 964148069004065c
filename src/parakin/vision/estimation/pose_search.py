"""A pose from pictures far from where it was expected: the one whose contours best part bright from dark.

Around a pose many others are drawn, and each is scored by how much brighter the picture is just inside its contours
than just outside, in pictures that are blurred so much that contours near the true ones score too. The best of them
tell where to draw next (the cross-entropy method [Rubinstein1999]), first coarsely and then finely. What is found is a
start for an estimate, which judges it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array
from parakin.kinematics.status import Status
from parakin.motions.offsets import displaced
from parakin.vision.pictures.picture_files import Picture
from parakin.vision.rigs.camera import Camera
from parakin.vision.rigs.contours import contour_kernel
from parakin.vision.rigs.rig import Rig
from parakin.vision.rigs.rods import RodLines, reached, rod_lines

CANDIDATES = 1500
"""Poses that are drawn in a round."""
BEST = 20
"""The best of them, around which is drawn in the next round."""
POINTS = 16
"""Points of each contour at which pictures are looked at."""
ENOUGH = 60.0
"""Difference of grey levels across a contour that counts in full: more contrast is not more right."""
NARROWEST = 0.02
"""Share of the first spread below which a round does not draw, so that no direction is given up too soon."""
NOT_REACHED = -2.0
"""Score of a pose that the robot cannot have, less than that of any other."""


@dataclass(frozen=True)
class Round:
    """How coarsely pictures are looked at."""

    blur: float
    """Blur that is put on the picture [px]."""
    across: float
    """How far inside and outside a contour grey levels are taken [px]."""


ROUNDS = (*[Round(7.0, 12.0)] * 5, *[Round(3.0, 6.0)] * 4, *[Round(1.5, 3.0)] * 2)
"""Rounds of a search."""


def captured(
    rig: Rig, pictures: Sequence[Picture], near: Array, spread: Array, *, polarity: int = 0, seed: int = 0
) -> Array:
    """Return the pose around a pose whose contours fit the pictures of all cameras best; it has to be judged.

    It is one that the robot can have, as the pose around which is searched must be.

    spread: standard deviations of the displacements that are drawn first [m, rad]; polarity: 1 where rods are brighter
    than what is behind, -1 where darker, 0 for either.
    """
    from scipy.ndimage import gaussian_filter

    rng, motion = np.random.default_rng(seed), rig.robot.motion_type
    middle, deviation = np.zeros(len(spread)), np.asarray(spread, float)
    grey = [_finite(picture) for picture in pictures]
    blurred = {blur: [gaussian_filter(picture, blur) for picture in grey] for blur in {one.blur for one in ROUNDS}}
    for one in ROUNDS:
        offsets = middle + deviation * rng.normal(size=(CANDIDATES, len(middle)))
        offsets[0] = middle
        poses = displaced(motion, near, offsets)
        score = _scores(rig, blurred[one.blur], rod_lines(rig, poses), one.across, polarity)
        best = np.argsort(score)[-BEST:]
        best = best[score[best] > NOT_REACHED]
        middle = offsets[best].mean(axis=0)
        if not reached(rig, displaced(motion, near, middle)):
            middle = offsets[best[-1]]  # between poses that a robot can have may be one that it cannot
        deviation = np.maximum(offsets[best].std(axis=0), NARROWEST * np.asarray(spread, float))
    return displaced(motion, near, middle)


def _finite(picture: Picture) -> Array:
    """Return grey levels with the median in the place of those that are NaN or infinite, which blur would spread."""
    grey = np.asarray(picture, np.float64)
    usable = np.isfinite(grey)
    return grey if usable.all() else np.where(usable, grey, np.median(grey[usable]) if usable.any() else 0.0)


def _scores(rig: Rig, pictures: Sequence[Array], lines: RodLines, across: float, polarity: int) -> Array:
    """Return how well contours of poses part bright from dark (poses,), at most 1; NOT_REACHED where there are none."""
    sums, count = np.zeros(len(lines.d)), 0
    for camera, picture in zip(rig.cameras, pictures, strict=True):
        steps, seen = _steps(rig, camera, picture, lines, across)
        sums = sums + np.clip(steps / ENOUGH, -1.0, 1.0).sum(axis=(1, 2, 3))
        count = count + np.maximum(seen.sum(axis=(1, 2, 3)), seen[0].size / 4)
    mean = sums / count
    parted = np.abs(mean) if polarity == 0 else polarity * mean
    return np.where(lines.status == Status.GOOD, parted, NOT_REACHED)


def _steps(rig: Rig, camera: Camera, picture: Array, lines: RodLines, across: float) -> tuple[Array, Array]:
    """Return how much brighter it is inside contours (poses, rods, 2, POINTS), and which points the picture shows."""
    radius = np.array([rod.radius for rod in rig.rods])
    start, end = (np.array([getattr(rod, name) for rod in rig.rods]) for name in ("start", "end"))
    A, x = camera.seen(lines.A), lines.x @ camera.R_OK
    n = contour_kernel()(A=A, x=x, radius=np.broadcast_to(radius, A.shape[:-1]))["n"]
    shares = (np.arange(POINTS) + 0.5) / POINTS
    t = start[:, None] + (lines.d - end - start)[..., None] * shares
    P = (A[:, :, None] - radius[:, None, None] * n)[:, :, :, None] + t[:, :, None, :, None] * x[:, :, None, None]
    before = P[..., 2:] > 0
    m = np.where(before, P[..., :2], np.nan) / np.where(before, P[..., 2:], 1.0)
    aside = n[..., None, :2] / np.linalg.norm(n[..., None, :2], axis=-1, keepdims=True) * across / min(camera.focal)
    pixels = [camera.pixels_of(m + side * aside) for side in (1.0, -1.0)]
    shown = camera.shows(pixels[0]) & camera.shows(pixels[1])
    levels: list[Array] = []
    for pixel in pixels:
        column, row = (np.where(shown, pixel[..., k], 0.0).round().astype(np.int64) for k in (0, 1))
        levels.append(picture[np.clip(row, 0, camera.size[1] - 1), np.clip(column, 0, camera.size[0] - 1)])
    return np.where(shown, levels[0] - levels[1], 0.0), shown.astype(np.float64)

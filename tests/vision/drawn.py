"""Pictures of round rods by distances between rays and axes, with which nothing of parakin's renderer is shared.

A ray through a pixel touches a round rod where it passes its axis at a distance of one radius. How much of the pixel is
covered follows from how far in pixels the ray is from there; the lens blurs that as a normal distribution does.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from parakin.vision import Rig, rod_lines

BACKGROUND, ROD = 70.0, 190.0
"""Grey levels."""
BLUR = 0.85
"""Standard deviation of lens and pixel together [px]."""


def drawn(rig: Rig, pose: np.ndarray) -> np.ndarray:
    """Return the light (rows, columns) in the picture of the first camera, before noise; rods must not overlap."""
    camera = rig.cameras[0]
    columns, rows = camera.size
    v, u = np.indices((rows, columns), float)
    rays = np.stack([(u - (columns - 1) / 2) / camera.focal[0], (v - (rows - 1) / 2) / camera.focal[1], 0 * u + 1], -1)
    rays = rays @ camera.R_OK.T
    rays /= np.linalg.norm(rays, axis=-1, keepdims=True)
    lines, covered = rod_lines(rig, pose), np.zeros((rows, columns))
    for k, rod in enumerate(rig.rods):
        root, x = lines.A[k] - camera.p_OK, lines.x[k]
        along = rays @ x
        s = (along * (rays @ root) - x @ root) / np.maximum(1 - along**2, 1e-9)
        point = root + np.clip(s, rod.start, lines.d[k] - rod.end)[..., None] * x
        apart = np.linalg.norm(np.cross(rays, point), axis=-1)
        slope = np.hypot(*np.gradient(apart))
        middle = apart < 0.4 * rod.radius  # the distance has a crease at the axis
        slope[middle] = np.median(slope[(apart < rod.radius) & ~middle])
        covered = np.maximum(covered, ndtr((rod.radius - apart) / (BLUR * slope)))
    return BACKGROUND + (ROD - BACKGROUND) * covered


def noisy(light: np.ndarray, noise: float, seed: int) -> np.ndarray:
    """Return a picture of 8 bits with noise of this standard deviation [grey levels]."""
    shown = light + noise * np.random.default_rng(seed).normal(size=light.shape)
    return np.clip(np.rint(shown), 0, 255).astype(np.uint8)

"""All paths of a set followed to many ends, and what became of them."""

from __future__ import annotations

import numpy as np

from parakin.robot.assembly.result import Complex, Flags
from parakin.robot.assembly.tracker import TOLERANCE, Paths, track

CAREFUL = 1e-2
"""Factor on the tolerance for paths that are followed again."""
INFINITE = 1e-12
"""|x·x| of a solution of unit length that is at infinity, for paths that arrived."""
NEARLY_INFINITE = 1e-3
"""The same where a path stalled before a singular end: of what is left of t, a root counts."""
SAME_END = 1e-13
"""1 - |y^H y'| of two ends that are one."""


def followed(y: Complex, theta_start: Complex, theta_end: Complex) -> Paths:
    """Paths (N, K) from y (K, 8) to theta_end (N, 36).

    Sets in which two regular ends coincide, so that a path must have jumped, are followed once more in shorter steps.
    """
    paths = _tracked(y, theta_start, theta_end, TOLERANCE)
    doubtful = np.any(paths.arrived & ~first(paths), axis=-1)
    if not np.any(doubtful):
        return paths
    again = _tracked(y, theta_start, theta_end[doubtful], CAREFUL * TOLERANCE)
    paths.y[doubtful], paths.t[doubtful] = again.y, again.t
    paths.arrived[doubtful], paths.steps[doubtful] = again.arrived, again.steps
    return paths


def _tracked(y: Complex, theta_start: Complex, theta_end: Complex, tolerance: float) -> Paths:
    """Lanes side by side follow the same path to different ends, which takes them about as many steps."""
    paths = track(y[:, None, :], theta_start, theta_end[None], tolerance)
    return Paths(np.swapaxes(paths.y, 0, 1), paths.t.T, paths.arrived.T, paths.steps.T)


def at_infinity(paths: Paths) -> Flags:
    """Whether x·x vanishes at the end."""
    return np.abs(np.sum(paths.y[..., :4] ** 2, axis=-1)) < np.where(paths.arrived, INFINITE, NEARLY_INFINITE)


def first(paths: Paths) -> Flags:
    """Whether no earlier path that arrived has the same end."""
    overlap = np.abs(paths.y.conj() @ np.swapaxes(paths.y, -1, -2))
    both = paths.arrived[:, None, :] & paths.arrived[:, :, None]
    return ~np.any(np.tril((1 - overlap < SAME_END) & both, -1), axis=-1)

"""All paths of a set followed to many ends, and what became of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from parakin.robot.assembly.result import Complex, Flags
from parakin.robot.assembly.study import UNKNOWNS
from parakin.robot.assembly.system import System
from parakin.robot.assembly.tracker import TOLERANCE, Paths, track

Kind = Callable[[], System]
"""Spheres or tori."""

CAREFUL = 1e-2
"""Factor on the tolerance for paths that are followed again."""
INFINITE = 1e-12
"""|x·x| of a solution of unit length that is at infinity, for paths that arrived."""
NEARLY_INFINITE = 1e-3
"""The same where a path stalled before a singular end: of what is left of t, a root counts."""
SAME_END = 1e-13
"""1 - |y^H y'| of two ends that are one."""
NEIGHBOURS = 4
"""How many ends further on one is compared with."""


def followed(kind: Kind, y: Complex, theta_start: Complex, theta_end: Complex) -> Paths:
    """Paths (N, K) from y (K, unknowns) to theta_end (N, parameters).

    Lanes side by side follow the same path to different ends, which takes them about as many steps. Where regular ends
    coincide, so that a path must have jumped, and where Newton does not settle at the end, paths are followed once more
    in shorter steps.
    """
    paths = track(kind, y[:, None, :], theta_start, theta_end[None])
    paths = Paths(np.swapaxes(paths.y, 0, 1), paths.t.T, paths.arrived.T, paths.steps.T)
    n, k = np.nonzero(_shared(paths) | (~paths.arrived & (paths.t == 0)))
    if len(n):
        again = track(kind, y[k], theta_start, theta_end[n], CAREFUL * TOLERANCE)
        paths.y[n, k], paths.t[n, k] = again.y, again.t
        paths.arrived[n, k], paths.steps[n, k] = again.arrived, again.steps
    return paths


def at_infinity(paths: Paths) -> Flags:
    """Whether x·x vanishes at the end."""
    return np.abs(np.sum(paths.y[..., :4] ** 2, axis=-1)) < np.where(paths.arrived, INFINITE, NEARLY_INFINITE)


def first(paths: Paths) -> Flags:
    """Whether of the paths with the same end this is the one that is kept."""
    return _compared(paths)[0]


def _shared(paths: Paths) -> Flags:
    """Whether another path that arrived has the same end."""
    kept, shared = _compared(paths)
    return ~kept | shared


def _compared(paths: Paths) -> tuple[Flags, Flags]:
    """Whether no path further up, and whether any further down, has the same end.

    Equal ends have an equal |v·y| for any v, so that only neighbours in its order are compared.
    """
    y = paths.y[..., :UNKNOWNS]
    v = np.exp(1j * np.arange(UNKNOWNS) ** 2)
    order = np.argsort(np.where(paths.arrived, np.abs(y @ v), np.inf), axis=-1)
    y, arrived = np.take_along_axis(y, order[..., None], 1), np.take_along_axis(paths.arrived, order, 1)
    alone, shared = np.ones_like(arrived), np.zeros_like(arrived)
    for apart in range(1, min(NEIGHBOURS, y.shape[1] - 1) + 1):
        overlap = np.abs(np.sum(y[:, apart:].conj() * y[:, :-apart], axis=-1))
        same = (1 - overlap < SAME_END) & arrived[:, apart:] & arrived[:, :-apart]
        alone[:, apart:] &= ~same
        shared[:, :-apart] |= same
    places = np.argsort(order, axis=-1)
    return np.take_along_axis(alone, places, 1), np.take_along_axis(shared, places, 1)

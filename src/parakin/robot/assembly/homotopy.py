"""All paths of a set followed to many ends, and what became of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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
"""|x·x|/|x|^2 of a solution that is at infinity, for paths that arrived."""
NEARLY_INFINITE = 1e-3
"""|x·x| where a path stalled before a singular end: of what is left of t, a root counts."""
LATE = 1e-2
"""t up to which a path that stalled did so before its end, not on its way."""
BESIDE = 0.5 + 0.15j
"""The t of the corner, for paths that do not go straight."""
SAME_END = 1e-13
"""1 - |y^H y'| of two ends that are one."""
NEIGHBOURS = 4
"""How many ends further on one is compared with."""


def followed(kind: Kind, y: Complex, theta_start: Complex, theta_end: Complex) -> Paths:
    """Paths (N, K) from y (K, unknowns) to theta_end (N, parameters).

    A path that comes too near infinity stalls on the way. That set is followed once more by way of a point beside the
    straight line, in the plane of complex t; the better of the two is kept.
    """
    paths = _straight(kind, y[:, None, :], theta_start[None], theta_end)
    lost = np.any(~paths.arrived & (paths.t > LATE), axis=-1)
    if np.any(lost):
        ends = theta_end[lost]
        corner = ends + BESIDE * (theta_start - ends)
        halfway = _straight(kind, y[:, None, :], theta_start[None], corner)
        again = _straight(kind, np.swapaxes(halfway.y, 0, 1), corner, ends)
        again.arrived[~halfway.arrived] = False
        better = np.sum(first(again) & again.arrived, axis=-1) > np.sum(paths.arrived[lost], axis=-1)
        _replace(paths, np.nonzero(lost)[0][better], again, better)
    return paths


def _straight(kind: Kind, y: Complex, theta_start: Complex, theta_end: Complex) -> Paths:
    """Paths (N, K) from y (K, N or 1, unknowns) along straight lines.

    Lanes side by side follow the same path to different ends, which takes them about as many steps. Where regular ends
    coincide, so that a path must have jumped, and where none was reached, paths are followed once more in shorter
    steps.
    """
    paths = track(kind, y, theta_start, theta_end)
    paths = Paths(np.swapaxes(paths.y, 0, 1), paths.t.T, paths.arrived.T, paths.steps.T)
    n, k = np.nonzero(_shared(paths) | ~paths.arrived)
    if len(n):
        start = np.broadcast_to(theta_start, theta_end.shape)[n]
        own = np.broadcast_to(y, (len(y), len(theta_end), y.shape[-1]))[k, n]
        _replace(paths, (n, k), track(kind, own, start, theta_end[n], CAREFUL * TOLERANCE), ...)
    return paths


def _replace(paths: Paths, place: Any, others: Paths, chosen: Any) -> None:
    paths.y[place], paths.t[place] = others.y[chosen], others.t[chosen]
    paths.arrived[place], paths.steps[place] = others.arrived[chosen], others.steps[chosen]


def at_infinity(paths: Paths) -> Flags:
    """Whether x·x vanishes at the end."""
    x = paths.y[..., :4]
    size = np.abs(np.sum(x**2, axis=-1))
    return size < np.where(paths.arrived, INFINITE * np.sum(np.abs(x) ** 2, axis=-1), NEARLY_INFINITE)


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

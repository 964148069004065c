"""Follow all solutions of one machine to many others, and tell which paths arrived and where two ended as one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from parakin.assembly.dual_quaternions import UNKNOWNS
from parakin.assembly.result import Complex, Flags
from parakin.assembly.system import System
from parakin.assembly.tracker import TOLERANCE, Paths, track

Kind = Callable[[], System]
"""A function that gives the system to follow: `spheres` or `tori`."""

SECOND_TRY_FACTOR = 1e-2
"""Factor on the tracker's tolerance for paths that are followed a second time, in shorter steps."""
INFINITE = 1e-12
"""Value of |x·x|/|x|^2 below which the end of a path that arrived is at infinity; finite ends reach down to 1e-9."""
NEARLY_INFINITE = 1e-3
"""Value of |x·x| below which a path that stalled was on its way to infinity; it is off its end by a root of t."""
STALLED_AT_THE_END = 1e-2
"""Value of t up to which a path that stalled did so because its end is singular, not on its way."""
CORNER = 0.5 + 0.15j
"""The complex t by way of which a set is followed where a straight path came too near infinity."""
SAME_END = 1e-13
"""Value of 1 - |y^H y'| below which two ends of unit length are the same solution."""
NEIGHBOURS = 4
"""With how many of its successors in a sorted list each end is compared."""


def followed(kind: Kind, y: Complex, theta_start: Complex, theta_end: Complex) -> Paths:
    """Follow K solutions y (K, unknowns) of one machine to N others theta_end (N, parameters); paths are (N, K).

    A path that comes too near infinity stalls on the way. Its whole set is then followed once more by way of CORNER,
    beside the straight line in the plane of complex t, and the set with more distinct ends is kept.
    """
    paths = _straight(kind, y[:, None, :], theta_start[None], theta_end)
    lost = np.any(~paths.arrived & (paths.t > STALLED_AT_THE_END), axis=-1)
    if np.any(lost):
        ends = theta_end[lost]
        corner = ends + CORNER * (theta_start - ends)
        halfway = _straight(kind, y[:, None, :], theta_start[None], corner)
        again = _straight(kind, np.swapaxes(halfway.y, 0, 1), corner, ends)
        again = replace(again, arrived=again.arrived & halfway.arrived)
        better = np.sum(first_of_equal(again) & again.arrived, axis=-1) > np.sum(paths.arrived[lost], axis=-1)
        return _with_others(paths, np.nonzero(lost)[0][better], again, better)
    return paths


def _straight(kind: Kind, y: Complex, theta_start: Complex, theta_end: Complex) -> Paths:
    """Follow y (K, N or 1, unknowns) along straight lines to theta_end (N, parameters); paths are (N, K).

    Lanes side by side follow the same path to different ends, which takes them about as many steps. Where regular ends
    coincide, so that a path must have jumped, and where a path did not arrive, it is followed once more in shorter
    steps.
    """
    paths = track(kind, y, theta_start, theta_end)
    paths = Paths(np.swapaxes(paths.y, 0, 1), paths.t.T, paths.arrived.T, paths.steps.T)
    n, k = np.nonzero(_shared(paths) | ~paths.arrived)
    if len(n):
        start = np.broadcast_to(theta_start, theta_end.shape)[n]
        begin = np.broadcast_to(y, (len(y), len(theta_end), y.shape[-1]))[k, n]
        return _with_others(paths, (n, k), track(kind, begin, start, theta_end[n], SECOND_TRY_FACTOR * TOLERANCE), ...)
    return paths


def _with_others(paths: Paths, place: Any, others: Paths, chosen: Any) -> Paths:
    """Return the paths with chosen ones of `others` at `place`."""
    y, t, arrived, steps = paths.y.copy(), paths.t.copy(), paths.arrived.copy(), paths.steps.copy()
    y[place], t[place] = others.y[chosen], others.t[chosen]
    arrived[place], steps[place] = others.arrived[chosen], others.steps[chosen]
    return Paths(y, t, arrived, steps)


def at_infinity(paths: Paths) -> Flags:
    """Tell which paths end at infinity: where x·x vanishes."""
    x = paths.y[..., :4]
    size = np.abs(np.sum(x**2, axis=-1))
    return size < np.where(paths.arrived, INFINITE * np.sum(np.abs(x) ** 2, axis=-1), NEARLY_INFINITE)


def first_of_equal(paths: Paths) -> Flags:
    """Tell which paths are kept when of those with the same end only the first is."""
    return _compared(paths)[0]


def _shared(paths: Paths) -> Flags:
    """Tell which paths share their end with another that arrived."""
    kept, shared = _compared(paths)
    return ~kept | shared


def _compared(paths: Paths) -> tuple[Flags, Flags]:
    """Tell for each path whether none before it, and whether any after it, has the same end.

    Equal ends have an equal |v·y| for any v, so that only neighbours in the order of it are compared.
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

"""Bounds that hold all of a workspace, found by growing a box around home until nothing at its faces is inside."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from parakin.analysis.workspaces.lattice import Lattice, coarse
from parakin.analysis.workspaces.region import Region
from parakin.analysis.workspaces.surveying import Survey
from parakin.arrays import Array, frozen_arrays
from parakin.robot import Robot

Flags = NDArray[np.bool_]
"""One flag for each axis."""
COARSE_CELLS = {1: 64, 2: 32, 3: 16, 4: 8}
"""Cells along each axis of the lattice that is looked at while the box grows, by the number of axes."""
GROWTH = 0.5
"""How much of its span a box grows at a face that the workspace reaches."""
WIDENING = 0.1
"""How much of their span bounds are widened where a finer lattice reaches them."""
MOST_STEPS = 12
"""How often a box grows at most."""
WIDEST = 100.0
"""How wide a box grows at most, in its first spans."""


@frozen_arrays
class Bounds:
    """A box that holds a workspace, and where it may not."""

    lower: Array
    """The lower corner (d,) [m or rad]."""
    upper: Array
    """The upper corner (d,) [m or rad]."""
    clipped: tuple[str, ...]
    """Sides at which the workspace goes on, "x above", because bounds were given or never ended."""
    evaluations: int
    """How many points were judged."""


def found_bounds(survey: Survey, robot: Robot, region: Region) -> Bounds:
    """Return bounds around all that is inside: a box grows from twice the robot's own, is fitted, and grows again.

    The second time its lattice is twice as fine, so that what lies between the first one's vertices is found.
    """
    places, count = list(region.places), COARSE_CELLS.get(len(region.places), 4)
    half = np.maximum(np.abs(robot.box[0][places]), np.abs(robot.box[1][places]))
    half = np.where(half > 0, half, np.full(len(places), robot.length))
    first = _grown(survey, region, Bounds(region.origin - 2 * half, region.origin + 2 * half, (), 0), count)
    return _grown(survey, region, first, 2 * count)


def _grown(survey: Survey, region: Region, start: Bounds, count: int) -> Bounds:
    """Return a box that grew until nothing at its faces is inside, one cell around all that is."""
    least, most = _turn_limits(region)
    lower, upper = np.maximum(start.lower, least), np.minimum(start.upper, most)
    widest = WIDEST * (upper - lower)
    cells = (count,) * len(region.axes)
    lattice = coarse(survey, f"bounds-{count}-0", lower, upper, cells)
    evaluations = start.evaluations + lattice.evaluations
    for k in range(MOST_STEPS):
        low, high = reached_faces(lattice)
        narrow = upper - lower < widest
        low, high = low & (lower > least) & narrow, high & (upper < most) & narrow
        if not (low.any() or high.any()):
            break
        span = upper - lower
        lower, upper = np.maximum(lower - GROWTH * span * low, least), np.minimum(upper + GROWTH * span * high, most)
        lattice = coarse(survey, f"bounds-{count}-{k + 1}", lower, upper, cells)
        evaluations += lattice.evaluations
    return _fitted(lattice, region, evaluations)


def _turn_limits(region: Region) -> tuple[Array, Array]:
    """Half a turn either way is all that an angle of a platform has; joints may turn more often."""
    once = np.array([unit == "rad" and not region.motion.of_joints for unit in region.units])
    return np.where(once, region.origin - np.pi, -np.inf), np.where(once, region.origin + np.pi, np.inf)


def reached_faces(lattice: Lattice) -> tuple[Flags, Flags]:
    """Return at which lower and upper faces something is inside (d,)."""
    inside, d = lattice.inside, lattice.codes.ndim
    first = np.array([bool(np.take(inside, 0, axis=k).any()) for k in range(d)])
    return first, np.array([bool(np.take(inside, -1, axis=k).any()) for k in range(d)])


def reached_sides(lattice: Lattice, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the sides of a lattice at which something is inside, in words."""
    low, high = reached_faces(lattice)
    return tuple(
        f"{name} {side}"
        for name, below, above in zip(names, low, high, strict=True)
        for side, there in (("below", below), ("above", above))
        if there
    )


def _fitted(lattice: Lattice, region: Region, evaluations: int) -> Bounds:
    """Return bounds one cell around all that is inside a lattice; the lattice's own where nothing is."""
    clipped = reached_sides(lattice, region.axes)
    inside = np.argwhere(lattice.inside)
    if not len(inside):
        return Bounds(lattice.lower, lattice.upper, (), evaluations)
    low = np.maximum(inside.min(axis=0) - 1, 0)
    high = np.minimum(inside.max(axis=0) + 1, np.array(lattice.codes.shape) - 1)
    return Bounds(lattice.at(low), lattice.at(high), clipped, evaluations)


def widened(bounds: Bounds, lattice: Lattice, region: Region, given: tuple[str, ...]) -> Bounds:
    """Return wider bounds where a fine lattice reaches a side that is neither given nor an end of the search.

    The same bounds come back if there is no such side.
    """
    fixed = np.array([name in given for name in region.axes])
    ended = [np.array([f"{name} {side}" in bounds.clipped for name in region.axes]) for side in ("below", "above")]
    low, high = (faces & ~fixed & ~end for faces, end in zip(reached_faces(lattice), ended, strict=True))
    if not (low.any() or high.any()):
        return bounds
    least, most = _turn_limits(region)
    span = bounds.upper - bounds.lower
    lower = np.maximum(bounds.lower - WIDENING * span * low, least)
    upper = np.minimum(bounds.upper + WIDENING * span * high, most)
    moved = (lower < bounds.lower) | (upper > bounds.upper)
    return Bounds(lower, upper, bounds.clipped, bounds.evaluations + lattice.evaluations) if moved.any() else bounds

"""Where Coulomb friction jumps along a path, because a joint turns back: limits are looked at on both sides of it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array
from parakin.robot import Robot
from parakin.trajectory.fastest.demands import forces_along
from parakin.trajectory.fastest.grid import Grid
from parakin.trajectory.fastest.path import Path

SMALLEST_JUMP = 1e-5
"""Least part of a force limit that a jump changes to be looked at."""
_HALVINGS = 36
"""Halvings of an interval that contains a jump: what is left of it is below 1e-10 of its length."""
_ROUNDS = 4
"""Most rounds of search; each finds one jump in every interval."""
_MOVED = 0.05
"""Part of an interval within which a node is moved to a jump; further away the jump gets a node of its own."""
_MOST_NODES = 2
"""How many times the nodes may grow in number: friction of a joint that stands still jumps anywhere, by rounding."""


class _Jumps(NamedTuple):
    """Intervals in which friction jumps, and the ways [m] just before and just after each jump."""

    interval: NDArray[np.intp]
    low: Array
    high: Array


def at_jumps(robot: Robot, path: Path, grid: Grid, force: Array) -> Grid:
    """Return the grid with nodes where friction jumps; limits are looked at on both sides of such a node.

    force: largest forces of the actuators (actuators,).
    """
    most = _MOST_NODES * len(grid.s)
    for _ in range(_ROUNDS):
        found = _jumps(robot, path, grid, force)
        if not len(found.interval) or len(grid.s) + len(found.interval) > most:
            break
        grid = _with_nodes(grid, found)
    return grid


def _jumps(robot: Robot, path: Path, grid: Grid, force: Array) -> _Jumps:
    """Find jumps by halving: the half in which friction changes more is kept, until only a jump is left of it."""

    def coulomb(s: Array, piece: NDArray[np.intp]) -> Array:
        forces = forces_along(robot, path.at(s, piece), path.length)
        return (forces.G - forces.still) / force

    index = np.arange(len(grid.piece))
    low, high = grid.begin, grid.end
    before, after = coulomb(low, grid.piece), coulomb(high, grid.piece)
    for _ in range(_HALVINGS):
        keep = np.abs(after - before).max(axis=1) > SMALLEST_JUMP
        index = index[keep]
        low, high, before, after = low[keep], high[keep], before[keep], after[keep]
        if not len(index):
            break
        middle = (low + high) / 2
        value = coulomb(middle, grid.piece[index])
        first = np.abs(value - before).max(axis=1) > np.abs(after - value).max(axis=1)
        low, high = np.where(first, low, middle), np.where(first, middle, high)
        before, after = np.where(first[:, None], before, value), np.where(first[:, None], value, after)
    return _Jumps(index, low, high)


def _with_nodes(grid: Grid, jumps: _Jumps) -> Grid:
    """Return the grid with a node in each jump, instead of a node close to it where that marks nothing itself."""
    left, right = np.concatenate([grid.s[:1], grid.end]), np.concatenate([grid.begin, grid.s[-1:]])
    free = ~grid.rests & (left == right)
    k, middle, room = jumps.interval, (jumps.low + jumps.high) / 2, _MOVED * grid.h[jumps.interval]
    gone = np.zeros(len(grid.s), bool)
    gone[k] |= free[k] & (middle - grid.s[k] < room)
    gone[k + 1] |= free[k + 1] & (grid.s[k + 1] - middle < room)
    s = np.concatenate([grid.s[~gone], middle])
    order = np.argsort(s)
    left, right = np.concatenate([left[~gone], jumps.low])[order], np.concatenate([right[~gone], jumps.high])[order]
    rests = np.concatenate([grid.rests[~gone], np.zeros(len(middle), bool)])[order]
    s = s[order]
    owner = np.clip(np.searchsorted(grid.s, (s[1:] + s[:-1]) / 2) - 1, 0, len(grid.piece) - 1)
    return Grid(s, right[:-1], left[1:], grid.piece[owner], rests)

"""Where a motion moves: the intervals of time between its rests, found from its speed alone."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from parakin.arrays import Array

RESTING = 1e-6
"""Part of the largest speed below which a motion rests; the way it still goes there is some 1e-9 of the whole. Nearer
to a rest curvature, which is divided by the square of the speed, would be rounding."""
LOOKS = 4097
"""Times at which the speed is looked at for rests; two rests closer together than that are seen as one."""
_HALVINGS = 45
"""Halvings of an interval between two looks that leave nothing but rounding."""
Function = Callable[[Array], Array]
"""A function of time: numbers (N,) at times (N,) [s]."""


def moving_pieces(speed: Function, gain: Function, duration: float) -> list[tuple[float, float]]:
    """Return the intervals (begin, end) of time [s] in which a motion moves, in order; none for one that never does.

    speed: at times between 0 and the duration; gain: speed times its rate, whose sign tells whether the speed rises. A
    rest is a moment or a while in which the speed is below `RESTING` of its largest value; each interval begins and
    ends just where the speed is above.
    """
    looks = np.linspace(0.0, duration, LOOKS)
    values = speed(looks)
    limit = RESTING * float(values.max())
    if limit == 0.0:
        return []
    times = np.sort(np.concatenate([looks, _dips(speed, gain, looks, values, limit)]))
    moves = speed(times) > limit
    first = np.flatnonzero(moves & ~np.concatenate([[False], moves[:-1]]))
    last = np.flatnonzero(moves & ~np.concatenate([moves[1:], [False]]))
    resting = np.concatenate([times[np.maximum(first - 1, 0)], times[np.minimum(last + 1, len(times) - 1)]])
    begins, ends = np.split(_edges(speed, resting, np.concatenate([times[first], times[last]]), limit), 2)
    return list(zip(begins.tolist(), ends.tolist(), strict=True))


def _dips(speed: Function, gain: Function, looks: Array, values: Array, limit: float) -> Array:
    """Return the times of least speed between neighbouring looks at which the motion rests, by halving."""
    inner = values[1:-1]
    lowest = 1 + np.flatnonzero((inner <= values[:-2]) & (inner <= values[2:]) & (inner > limit))
    if not len(lowest):
        return np.zeros(0)
    falling, rising = looks[lowest - 1], looks[lowest + 1]
    for _ in range(_HALVINGS):
        middle = (falling + rising) / 2
        rises = gain(middle) > 0.0
        falling, rising = np.where(rises, falling, middle), np.where(rises, middle, rising)
    both = np.concatenate([falling, rising])
    return both[speed(both) <= limit]


def _edges(speed: Function, resting: Array, moving: Array, limit: float) -> Array:
    """Return the times between rest and motion where the speed is just above the limit, by halving."""
    for _ in range(_HALVINGS):
        middle = (resting + moving) / 2
        above = speed(middle) > limit
        resting, moving = np.where(above, resting, middle), np.where(above, middle, moving)
    return moving

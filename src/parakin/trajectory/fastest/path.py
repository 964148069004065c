"""The geometry of a motion without its time: pose, tangent and curvature over the length of the way.

The way s counts metres, rotations as the way of a point `robot.length` away. It is the integral of a polynomial p in
each of many cells of the motion's own time, which interpolates its speed |v|, so that s is known exactly:

    ds/dt = p(t),    x' = v/p,    x'' = (a - v p_dot/p)/p^2

Rests of the motion are left out: there p = 0, and what is before and after meets in one pose.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, frozen_arrays
from parakin.errors import MotionError
from parakin.robot import Robot
from parakin.trajectory.states import Motion, State

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


CELLS = 1024
"""Cells of time, in each of which the speed is a polynomial."""
DEGREE = 7
"""Degree of that polynomial; smooth speeds are met to rounding."""
_STEPS = 200
"""Most steps of Newton's method with halving; near a rest, where s goes with the cube of time, it takes some dozen."""
_FOUND = 1e-14
"""Part of a cell's way up to which s is met: some times the rounding of its polynomial."""


class Geometry(NamedTuple):
    """Poses along a path with tangent and curvature, at ways s (N,)."""

    pose: Array
    """Poses (N, coordinates)."""
    tangent: Array
    """Derivative of the pose by the way, as a velocity (N, degrees of freedom) [m/m, rad/m]."""
    curvature: Array
    """Derivative of the tangent by the way (N, degrees of freedom) [m/m^2, rad/m^2]."""


@frozen_arrays
class Path:
    """A motion's path over the way s, in pieces between which it must stop or may go straight on."""

    function: Callable[[Array], State]
    """The motion's own function of time."""
    begin: Array
    """Time at which each cell begins (cells,) [s]."""
    width: Array
    """Time that each cell takes (cells,) [s]."""
    speed: Array
    """Coefficients (cells, DEGREE + 1) of p [m/s] in powers of z, from -1 to 1 over the cell."""
    way: Array
    """Way at the beginning of each cell and at the end of the path (cells + 1,) [m]."""
    pieces: tuple[tuple[int, int], ...]
    """First cell of each piece, and the one after its last."""

    @property
    def length(self) -> float:
        """Length of the whole way [m]."""
        return float(self.way[-1])

    def moment(self, s: Array, piece: NDArray[np.intp] | None = None) -> tuple[NDArray[np.intp], Array]:
        """Return in which cell ways (N,) [m] lie, and where in it (z from -1 to 1), by Newton's method with halving.

        piece: which piece each of them belongs to; needed only where pieces meet.
        """
        cell = np.searchsorted(self.way, s, side="right") - 1
        first, last = (np.array([ends[k] for ends in self.pieces]) for k in range(2))
        low_cell, high_cell = (0, len(self.begin) - 1) if piece is None else (first[piece], last[piece] - 1)
        cell = np.clip(cell, low_cell, high_cell)
        total = self.way[cell + 1] - self.way[cell]
        goal = np.clip(s - self.way[cell], 0.0, total)
        low, high = np.full(len(s), -1.0), np.full(len(s), 1.0)
        z = np.clip(2 * goal / total - 1, -1.0, 1.0)
        half = self.width[cell] / 2
        for _ in range(_STEPS):
            missing = half * _integral(self.speed[cell], z) - goal
            if np.all(np.abs(missing) <= _FOUND * total):
                break
            low, high = np.where(missing < 0.0, z, low), np.where(missing < 0.0, high, z)
            next_z = z - missing / (half * _value(self.speed[cell], z))
            z = np.where((next_z > low) & (next_z < high), next_z, (low + high) / 2)
        return cell, z

    def time(self, s: Array) -> Array:
        """Return the times [s] at which the motion itself passes the ways (N,) [m]."""
        cell, z = self.moment(s)
        return self.begin[cell] + (z + 1) / 2 * self.width[cell]

    def at(self, s: Array, piece: NDArray[np.intp] | None = None) -> Geometry:
        """Return pose, tangent and curvature at ways (N,) [m]."""
        cell, z = self.moment(s, piece)
        pose, v, a = self.function(self.begin[cell] + (z + 1) / 2 * self.width[cell])
        p = _value(self.speed[cell], z)[:, None]
        p_dot = (2 / self.width[cell] * _slope(self.speed[cell], z))[:, None]
        return Geometry(pose, v / p, (a - v * p_dot / p) / p**2)


def path_of(motion: Motion, robot: Robot) -> Path:
    """Return the path of a motion on a robot; refuse one that does not move."""
    weights = np.array(motion.kind.scale(robot.length))

    def speed(t: Array) -> Array:
        return np.linalg.norm(motion.function(t).velocity * weights, axis=1)

    def gain(t: Array) -> Array:
        _, velocity, acceleration = motion.function(t)
        return np.sum(velocity * acceleration * weights**2, axis=1)

    found = moving_pieces(speed, gain, motion.duration)
    if not found:
        raise MotionError(motion.name, "path", "does not move: there is no way to be fast on")
    spans = np.array([end - begin for begin, end in found])
    counts = np.maximum(8, np.ceil(CELLS * spans / spans.sum())).astype(int)
    edges = [np.linspace(*ends, count + 1) for ends, count in zip(found, counts, strict=True)]
    begin, width = (np.concatenate(parts) for parts in zip(*((e[:-1], np.diff(e)) for e in edges), strict=True))
    z, _ = np.polynomial.legendre.leggauss(DEGREE + 1)
    times = begin[:, None] + (z + 1) / 2 * width[:, None]
    values = speed(times.ravel()).reshape(times.shape)
    coefficients: Array = values @ np.linalg.inv(np.vander(z, increasing=True)).T
    lengths = width / 2 * _integral(coefficients, np.ones(len(begin)))
    way = np.concatenate([[0.0], np.cumsum(lengths)])
    bounds = np.concatenate([[0], np.cumsum(counts)])
    pieces = tuple(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True))
    return Path(motion.function, begin, width, coefficients, way, pieces)


def _value(coefficients: Array, z: Array) -> Array:
    total = np.zeros_like(z)
    for k in range(coefficients.shape[1] - 1, -1, -1):
        total = coefficients[:, k] + z * total
    return total


def _slope(coefficients: Array, z: Array) -> Array:
    return _value(coefficients[:, 1:] * np.arange(1.0, coefficients.shape[1]), z)


def _integral(coefficients: Array, z: Array) -> Array:
    """Integrate the polynomial from -1 to z."""
    orders = np.arange(1.0, coefficients.shape[1] + 1.0)
    primitive = coefficients / orders
    at_begin = primitive @ (-1.0) ** orders
    return z * _value(primitive, z) - at_begin

"""The pace along a path within all demands: the scan, repeated until roots and what lies between nodes are right."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.trajectory.fastest.demands import Demands
from parakin.trajectory.fastest.grid import Grid
from parakin.trajectory.fastest.path import Path
from parakin.trajectory.fastest.scan import Rows, largest_pace, rows_of
from parakin.trajectory.states import State

ITERATIONS = 30
"""Most scans; without friction in the drives two suffice, with it four or five."""
SETTLED = 1e-9
"""Part of the largest pace by which the last scan may still change a pace."""
NEARLY = 1e-6
"""Part of the largest pace by which a scan may change a pace for what lies between nodes to be looked at."""
ALLOWED = 2e-5
"""Part of a limit by which a place between nodes may be beyond it, well below what `stretch.MARGIN` keeps unused."""


@frozen_arrays
class Pace:
    """The pace that was found, and how close it comes to every limit."""

    b: Array
    """Squares of the pace at the nodes (N + 1,) [m^2/s^2]."""
    iterations: int
    """How many scans it took."""
    shares: Array
    """Part of each limit that is used in each interval (N, names of the demands), at the place where it is most."""


class _Used(NamedTuple):
    """Which part of each limit is used in every interval, at the place where it is most."""

    below: Array
    """Of the lower ends of rows (N, rows)."""
    above: Array
    """Of the upper ends of rows (N, rows)."""
    rate: Array
    """Of speeds (N, actuators that have a limit)."""

    @property
    def most(self) -> float:
        """The largest part of any limit."""
        return max(float(part.max(initial=0.0)) for part in self)


def pace_of(demands: Demands, grid: Grid) -> Pace:
    """Return the largest pace within the demands; standing still must be within them.

    The root of viscous friction is taken as its tangent at the pace of the scan before. Rows of an interval are held at
    its two nodes; where a place between them is beyond a limit, these rows are tightened by as much for the next scan.
    """
    fastest = _at_nodes(demands.fastest, grid)
    tight = np.zeros((len(grid.piece), 2, demands.A.shape[2]))
    b, iterations = largest_pace(_linear(demands, grid, None, tight), fastest), 1
    while True:
        before, b = b, largest_pace(_linear(demands, grid, b, tight), fastest)
        iterations += 1
        used = _used(demands, grid, b)
        change = np.max(np.abs(np.sqrt(b) - np.sqrt(before))) / np.sqrt(np.max(b))
        if (change <= SETTLED and used.most <= 1.0 + ALLOWED) or iterations == ITERATIONS:
            return Pace(b, iterations, np.concatenate([np.maximum(used.below, used.above), used.rate], axis=1))
        if change <= NEARLY:
            tight = tight + np.maximum(0.0, np.stack([used.below, used.above], axis=1) - 1.0)
            slower = np.maximum(1.0, used.rate.max(axis=1, initial=0.0)) ** -2
            fastest = fastest * np.minimum(np.concatenate([slower, [1.0]]), np.concatenate([[1.0], slower]))


def _at_nodes(places: Array, grid: Grid) -> Array:
    """Return the squares of the pace (N + 1,) that both neighbours of each node allow; 0 where the motion must rest."""
    nodes = np.minimum(np.concatenate([places[:, 0], [np.inf]]), np.concatenate([[np.inf], places[:, -1]]))
    return np.where(grid.rests, 0.0, nodes)


def _linear(demands: Demands, grid: Grid, b: Array | None, tight: Array) -> Rows:
    """Return the rows with the root at the squares b (N + 1,) of the pace as a straight line.

    sqrt(y) = r/2 + y/(2 r) near y = r^2, or y/r where the former would forbid to stand still.
    """
    ends = [0, -1]
    A, B, C, lower, upper = (rows[:, ends] for rows in (demands.A, demands.B, demands.C, demands.lower, demands.upper))
    lower, upper = np.minimum(lower + tight[:, None, 0], 0.0), np.maximum(upper - tight[:, None, 1], 0.0)
    if b is None:
        return rows_of(grid.h, A, B, lower, upper)
    r = np.sqrt(np.stack([b[:-1], b[1:]], axis=1))[:, :, None]
    slope = C / np.where(r > 0.0, r, np.inf)
    half = C * r / 2
    chord = (half > upper) | (half < lower)
    half = np.where(chord, 0.0, half)
    return rows_of(grid.h, A, B + np.where(chord, slope, slope / 2), lower - half, upper - half)


def _used(demands: Demands, grid: Grid, b: Array) -> _Used:
    """Return which part of each limit a pace with squares b (N + 1,) at the nodes uses."""
    part = (grid.places - grid.s[:-1, None]) / grid.h[:, None]
    y = b[:-1, None] + part * np.diff(b)[:, None]
    u = (np.diff(b) / (2 * grid.h))[:, None, None]
    value = demands.A * u + demands.B * y[:, :, None] + demands.C * np.sqrt(y)[:, :, None]
    rate = demands.rate * np.sqrt(y)[:, :, None]
    # Weight is part of what a limit is used for: a row reads -1 to 1 around it.
    below, above = 1.0 + demands.lower - value, 1.0 + value - demands.upper
    return _Used(below.max(axis=1), above.max(axis=1), rate.max(axis=1))


@frozen_arrays
class Timed:
    """The function of a motion along a path: s = s_k + v_k (t - t_k) + u_k (t - t_k)^2/2 in interval k.

    pose = x(s),    velocity = x' s_dot,    acceleration = x' s_ddot + x'' s_dot^2
    """

    path: Path
    """The path."""
    grid: Grid
    """Its nodes s_k."""
    t: Array
    """Time of each node (N + 1,) [s]."""
    pace: Array
    """Pace v_k = s_dot at each node (N + 1,) [m/s]."""
    push: Array
    """Slope of the pace u_k = s_ddot in each interval (N,) [m/s^2]."""

    def __call__(self, t: Array) -> State:
        k = np.clip(np.searchsorted(self.t, t, side="right") - 1, 0, len(self.push) - 1)
        since, push = t - self.t[k], self.push[k]
        pace = np.maximum(0.0, self.pace[k] + push * since)
        s = np.clip(self.grid.s[k] + (self.pace[k] + pace) / 2 * since, self.grid.s[k], self.grid.s[k + 1])
        pose, tangent, curvature = self.path.at(s, self.grid.piece[k])
        pace, push = pace[:, None], push[:, None]
        return State(pose, tangent * pace, tangent * push + curvature * pace**2)


def timed(path: Path, grid: Grid, b: Array) -> Timed:
    """Return the function of the motion with squares b (N + 1,) of the pace at the nodes: s_dot^2 is linear in s.

    An interval takes the time 2 h/(v_k + v_(k+1)).
    """
    pace, h = np.sqrt(b), grid.h
    times = np.concatenate([[0.0], np.cumsum(2 * h / (pace[1:] + pace[:-1]))])
    return Timed(path, grid, times, pace, np.diff(b) / (2 * h))

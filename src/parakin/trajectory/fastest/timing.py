"""The pace along a path as a motion in time: s_ddot is constant in each interval, so that all is in closed form."""

from __future__ import annotations

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.trajectory.fastest.grid import Grid
from parakin.trajectory.fastest.path import Path
from parakin.trajectory.states import State


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

"""The fastest motion along a path as data, and what holds it back where."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.trajectory.check_result import MotionCheck
from parakin.trajectory.states import Motion


@frozen_arrays
class Fastest:
    """The fastest motion along a path within limits, from rest to rest."""

    motion: Motion
    """The motion; forces jump in it, and it begins and ends with acceleration."""
    check: MotionCheck
    """Check of the motion against reach and limits, by `trajectory.check`."""
    iterations: int
    """How many times the path was scanned: more than twice for viscous friction, and for limits between nodes."""
    stretched: float
    """How many times longer the motion takes than what the scan found; 1 unless the check was beyond a limit."""
    t: Array
    """Time at the nodes of the path (N + 1,) [s]."""
    s: Array
    """Way at the nodes (N + 1,) [m], rotations counted as the way of a point `robot.length` away."""
    pace: Array
    """Pace s_dot at the nodes (N + 1,) [m/s]; its slope s_ddot is constant between two of them."""
    active: tuple[str, ...]
    """Limit that holds the motion back in each interval between nodes (N,), as `force of leg1.arm`."""
    share: Array
    """Part of that limit that is used (N,), the margin taken off; 1 where the limit is active."""

    @property
    def duration(self) -> float:
        """Time that the motion takes [s]."""
        return self.motion.duration

    @property
    def held_back(self) -> Mapping[str, float]:
        """Part of the time in which each limit is the active one, the largest first."""
        total: dict[str, float] = {}
        for name, span in zip(self.active, np.diff(self.t), strict=True):
            total[name] = total.get(name, 0.0) + float(span / self.t[-1])
        return dict(sorted(total.items(), key=lambda entry: -entry[1]))

    @property
    def summary(self) -> str:
        """One line: how long the motion takes, and what holds it back for which part of the time."""
        held = ", ".join(f"{name} {100 * part:.3g} %" for name, part in self.held_back.items())
        return f"fastest along its path: {self.duration:.6g} s, held back by {held} of the time"

    def __str__(self) -> str:
        return f"{self.summary}\n{self.check}"

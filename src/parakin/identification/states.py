"""What estimators take: states of the platform and the forces that went with them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array


@dataclass(frozen=True, eq=False)
class States:
    """N consecutive states of one uninterrupted stretch of a log, at equal steps of time.

    t (N,), pose (N, coordinates), velocity and acceleration (N, degrees of freedom), tau (N, actuators), all SI. A long
    stretch comes as several of these in a row, so that a log of any length takes little memory.
    """

    t: Array
    pose: Array
    velocity: Array
    acceleration: Array
    tau: Array

    def __len__(self) -> int:
        return len(self.t)

    def follows(self, before: States) -> bool:
        """Is this the next piece of the same stretch?"""
        if len(before) < 2 or not len(self):
            return False
        step = float(before.t[-1] - before.t[-2])
        return abs(float(self.t[0] - before.t[-1]) - step) < 1e-3 * step

    def chosen(self, rows: slice | NDArray[np.bool_]) -> States:
        return States(self.t[rows], self.pose[rows], self.velocity[rows], self.acceleration[rows], self.tau[rows])

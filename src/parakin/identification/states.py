"""What estimators take: states of the platform and the forces that went with them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


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

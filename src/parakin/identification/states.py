"""States of the platform and the forces that go with them: what every estimator takes."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, frozen_arrays


@frozen_arrays
class States:
    """N consecutive states of one uninterrupted stretch of a log, at equal steps of time.

    A long stretch comes as several of these in a row, so that a log of any length takes little memory.

    >>> states[0].pose.shape, states[0].tau.shape
    ((11971, 2), (11971, 2))
    """

    t: Array
    """Time (N,) [s]."""
    pose: Array
    """Pose of the platform (N, coordinates) [m, and rad or quaternions]."""
    velocity: Array
    """Velocity of the platform (N, degrees of freedom) [m/s, rad/s]."""
    acceleration: Array
    """Acceleration of the platform (N, degrees of freedom) [m/s^2, rad/s^2]."""
    tau: Array
    """Actuator forces (N, actuators) [N or N m]."""
    configuration: Array | None = None
    """What `robot.configurations` gives of these poses (N, c), carried along the motion; None to have it searched for
    when it is needed."""
    weight: Array | None = None
    """How much each state counts in an estimate, at most 1 (N,); None where all count alike."""

    def __len__(self) -> int:
        return len(self.t)

    def follows(self, before: States) -> bool:
        """Tell whether these states go on where others end, one step of time later.

        >>> first, second = states[0].chosen(slice(0, 100)), states[0].chosen(slice(100, 200))
        >>> second.follows(first)
        True
        """
        if len(before) < 2 or not len(self):
            return False
        step = float(before.t[-1] - before.t[-2])
        return abs(float(self.t[0] - before.t[-1]) - step) < 1e-3 * step

    def chosen(self, rows: slice | NDArray[np.bool_]) -> States:
        """Return the states of some rows.

        >>> quick = states[0].chosen(np.abs(states[0].velocity[:, 0]) > 0.05)
        >>> len(quick.t) < len(states[0].t)
        True
        """
        arrays: dict[str, Array | None] = {field.name: getattr(self, field.name) for field in fields(self)}
        return replace(self, **{name: array[rows] for name, array in arrays.items() if array is not None})

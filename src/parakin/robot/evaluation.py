"""What a model gives for states of which some may be no good."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, frozen_arrays
from parakin.kinematics.status import WITH_VALUES, Status


@frozen_arrays
class Evaluation:
    """The outputs of a model with the status of each state; outputs of a state that is not GOOD are NaN.

    >>> out = robot.evaluate("inverse_kinematics", pose=[[0, 0, -0.43], [0.9, 0, -0.43]])
    >>> out.good, out["q"].round(4)
    (array([ True, False]), array([[-0.4043, -0.4043, -0.4043],
           [    nan,     nan,     nan]]))
    """

    values: dict[str, Array]
    """Output name -> array with the leading shape of the states."""
    status: NDArray[np.int32]
    """One of Status for each state."""
    excess: Array
    """How far each leg is from closing (..., legs) [m]: positive where it cannot, -inf for legs that always reach."""
    residual: Array
    """What a search left open (...): loops, or actuator positions [m or rad]; 0 where nothing was searched for."""

    def __getitem__(self, name: str) -> Array:
        return self.values[name]

    @property
    def good(self) -> NDArray[np.bool_]:
        """Which states are GOOD."""
        return np.asarray(self.status == int(Status.GOOD))

    @property
    def has_values(self) -> NDArray[np.bool_]:
        """Which states have values: those that are GOOD or only beyond a limit."""
        return np.isin(self.status, WITH_VALUES)

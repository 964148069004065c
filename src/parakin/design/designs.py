"""What designs give, whichever way they are evaluated: outputs of models at many poses, and who can be there."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from parakin.analysis.quantity import Quantity as AtPoses
from parakin.arrays import Array, frozen_arrays

MODEL_OUTPUTS = {
    "inverse_kinematics": "q",
    "joint_coordinates": "coordinate",
    "reach": "excess",
    "jacobian": "J_qv",
    "mass_matrix": "M",
    "inverse_dynamics": "tau",
    "actuator_velocity": "q_dot",
}
"""Models that quantities are made of -> the output that is looked at."""
_KINEMATIC = ("inverse_kinematics", "joint_coordinates", "jacobian", "actuator_velocity", "reach")


def is_kinematic(model: str) -> bool:
    """Return whether a model takes no dynamic parameters."""
    return model in _KINEMATIC


@frozen_arrays
class Judged:
    """Outputs of models, with whether the robot can be there."""

    outputs: dict[str, Array]
    """Outputs by name (designs, poses, ...)."""
    good: NDArray[np.bool_]
    """Whether every leg closes, nothing is singular and no limit is left (designs, poses)."""


class Designs(Protocol):
    """Some designs of a study, ready to be evaluated."""

    @property
    def valid(self) -> NDArray[np.bool_]:
        """Which of them can be robots at all (designs,)."""
        ...

    @property
    def home(self) -> Array:
        """Their home: one for all (n,), or one for each (designs, 1, n)."""
        ...

    @property
    def mass(self) -> Array:
        """Mass of all that moves (designs,) [kg]."""
        ...

    def evaluate(self, models: tuple[str, ...], state: dict[str, Array]) -> Judged:
        """Return the outputs of models at states (poses, ...) or (designs, poses, ...)."""
        ...

    def at_poses(self, quantity: AtPoses, poses: Array, good: NDArray[np.bool_]) -> Array:
        """Return a quantity of `analysis` at poses (poses, n) or (designs, poses, n) that are good; NaN elsewhere."""
        ...

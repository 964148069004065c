"""What a robot carries: an input of its models, not an edit of its file."""

from __future__ import annotations

import numpy as np

from parakin.description.model import Inertia, NonNegative, Table, Vector
from parakin.dynamics.inertia import SECOND_MOMENTS, about_origin

_NOTHING = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


class Payload(Table):
    """mass [kg], centre of mass in E [m], inertia about it in the axes of E [kg m^2]."""

    mass: NonNegative = 0.0
    centre: Vector = (0.0, 0.0, 0.0)
    inertia: Inertia = _NOTHING

    @property
    def about_E(self) -> tuple[float, ...]:
        """m, mx, my, mz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz about E, in its axes."""
        m, h, tensor = about_origin(self.mass, np.array(self.centre), np.array(self.inertia))
        return (m, *h.tolist(), *(float(tensor[row, column]) for _, row, column in SECOND_MOMENTS))

"""What a robot carries: an input of its models, not an edit of its file."""

from __future__ import annotations

import numpy as np

from parakin.description import Inertia, NonNegative, Table, Vector
from parakin.dynamics.inertia import SECOND_MOMENTS, about_origin

_NOTHING = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


class Payload(Table):
    """A rigid body that the platform carries; without mass there is none."""

    mass: NonNegative = 0.0
    """Mass [kg]."""
    centre: Vector = (0.0, 0.0, 0.0)
    """Place of its centre of mass in the platform frame E [m]."""
    inertia: Inertia = _NOTHING
    """Inertia tensor about its centre of mass, in the axes of E [kg m^2]."""

    @property
    def about_E(self) -> tuple[float, ...]:
        """The ten numbers m, mx, my, mz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz about E, in its axes."""
        m, h, tensor = about_origin(self.mass, np.array(self.centre), np.array(self.inertia))
        return (m, *h.tolist(), *(float(tensor[row, column]) for _, row, column in SECOND_MOMENTS))

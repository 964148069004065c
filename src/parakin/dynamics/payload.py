"""What a robot carries: an input of its models, not an edit of its file."""

from __future__ import annotations

import numpy as np

from parakin.description import Inertia, NonNegative, Table, Vector
from parakin.dynamics.moments import SECOND_MOMENTS, about_origin
from parakin.errors import DataError

_NOTHING = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


class Payload(Table):
    """A rigid body that the platform carries; without mass there is none.

    >>> brick = pk.Payload(mass=0.5, centre=(0, 0, -0.02))
    >>> robot.inverse_dynamics(pose, velocity, acceleration, payload=brick).round(3)
    array([2.731, 1.419, 0.82 ])
    """

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


def mass_alone(given: object) -> DataError:
    """Return the error for a payload given as one number, which says how a mass [kg] is given."""
    mass = np.asarray(given).item()
    reason = f"must be a Payload, or its ten numbers about E, got {mass!r}: for a mass in kg at E write "
    return DataError("payload", "mass", f"{reason}Payload(mass={mass!r}), or let robot.with_payload({mass!r}) carry it")

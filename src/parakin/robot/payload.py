"""What a robot carries: an input of its models, not an edit of its file."""

from __future__ import annotations

from parakin.description.model import Inertia, NonNegative, Table, Vector

_NOTHING = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


class Payload(Table):
    """mass [kg], centre of mass in E [m], inertia about it in the axes of E [kg m^2]."""

    mass: NonNegative = 0.0
    centre: Vector = (0.0, 0.0, 0.0)
    inertia: Inertia = _NOTHING

"""Gather the dimensions of a robot in one vector, named and with units, which kernels can take as an input.

It holds, leg by leg, the root, then element by element the length of a bar and the zero of an actuator, then the
attachment's b and c. Directions of axes and rails are in `directions`. Planar robots have the components in
their plane.
"""

from __future__ import annotations

from dataclasses import dataclass

from parakin.description import Leg, RobotDescription, expanded_legs
from parakin.kinematics.directions import components


@dataclass(frozen=True)
class Dimension:
    """One entry of the vector of dimensions."""

    name: str
    """Where it stands in the robot file, as in `left.root.x`, `left.arm.length`, `left.arm.zero`, `left.b.x`."""
    unit: str
    """Its unit, m or rad."""
    value: float
    """Its value in the robot file."""


def _entries(leg: Leg, components: str) -> list[Dimension]:
    """Return the dimensions of one leg, vectors by the given components."""

    def vector(name: str, values: tuple[float, float, float]) -> list[Dimension]:
        return [Dimension(f"{leg.name}.{name}.{axis}", "m", values["xyz".index(axis)]) for axis in components]

    dimensions = vector("root", leg.root)
    for element in leg.elements:
        name = f"{leg.name}.{element.name}"
        if element.length is not None:
            dimensions.append(Dimension(f"{name}.length", "m", element.length))
        if element.actuator is not None:
            unit = "m" if element.actuator.coordinate == "length" else "rad"
            dimensions.append(Dimension(f"{name}.zero", unit, element.actuator.zero))
    return dimensions + vector("b", leg.attachment.b) + vector("c", leg.attachment.c)


def dimensions_of(description: RobotDescription) -> tuple[Dimension, ...]:
    """Return all dimensions of a robot, with the values of its file."""
    free = components(description)
    return tuple(entry for leg in expanded_legs(description) for entry in _entries(leg, free))

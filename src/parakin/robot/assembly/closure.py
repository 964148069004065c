"""Once q is known, a leg keeps its attachment at a known distance from a known point, or on a torus about it.

r = p_OE + R_OE b + c - e
|r|^2 = l^2                                                         sphere
|r|^2 = a^2 + l^2 + 2 a lean,     lean^2 + (k·r)^2 = l^2            torus
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from parakin.description import RobotDescription, expanded_legs
from parakin.description.model import DEGREES_OF_FREEDOM
from parakin.description.patterns import pattern_of
from parakin.errors import UnsupportedRobotError
from parakin.kernels import Kernel
from parakin.kinematics.models import model_of
from parakin.robot.assembly.tether import Numbers, Tether, tether_of


@dataclass(frozen=True)
class Spheres:
    """|p_OE + R_OE b_i - u_i|^2 = l_i^2, with u = e - c: u (..., m, 3), squared_length (..., m), b (m, 3)."""

    u: Numbers
    squared_length: Numbers
    b: Numbers

    def measured_in(self, length: float) -> Spheres:
        return Spheres(self.u / length, self.squared_length / length**2, self.b / length)


@dataclass(frozen=True)
class Tori(Spheres):
    """Spheres, but for the offset (m,) between elbow and bar, and the axes (..., m, 3) its link turns about."""

    offset: Numbers
    axis: Numbers

    def measured_in(self, length: float) -> Tori:
        own = super().measured_in(length)
        return Tori(own.u, own.squared_length, own.b, self.offset / length, self.axis)


@dataclass(frozen=True)
class Closure:
    """The closure equations of a robot. Hashable: what is found once for a geometry is kept under it."""

    motion: str
    tethers: tuple[Tether, ...]
    length: float
    description: RobotDescription = field(compare=False, repr=False)

    def coordinates(self, q: Numbers) -> Numbers:
        """The joints' own coordinates, without sign and zero."""
        return np.stack([tether.coordinate(q[..., k]) for k, tether in enumerate(self.tethers)], axis=-1)

    def home(self) -> NDArray[np.float64]:
        """The joints' coordinates at home, (m,)."""
        kernel = Kernel(model_of("inverse_kinematics", self.description), status="status")
        return self.coordinates(kernel(self.description.workspace.home)["q"])

    @property
    def offset(self) -> bool:
        """Whether the surfaces are tori."""
        return self.tethers[0].offset > 0

    def surfaces(self, q: Numbers) -> Spheres:
        """The equations at actuator positions (..., m)."""
        coordinates = self.coordinates(q)
        return self.tori_at(coordinates) if self.offset else self.spheres_at(coordinates)

    def tori_at(self, coordinates: Numbers) -> Tori:
        own = self.spheres_at(coordinates)
        axes = [tether.link_axis(coordinates[..., k]) for k, tether in enumerate(self.tethers)]
        offsets = np.array([tether.offset for tether in self.tethers])
        return Tori(own.u, own.squared_length, own.b, offsets, np.stack(axes, axis=-2))

    def spheres_at(self, coordinates: Numbers) -> Spheres:
        """The spheres from the joints' own coordinates; those of offset arms without the offset."""
        columns = [(tether, coordinates[..., k]) for k, tether in enumerate(self.tethers)]
        centres = np.stack([tether.centre(column) for tether, column in columns], axis=-2)
        squared = np.stack([tether.squared_length(column) for tether, column in columns], axis=-1)
        return Spheres(centres, squared, np.array([tether.b for tether in self.tethers]))


def closure_of(description: RobotDescription) -> Closure:
    """The closure equations, or why this robot has none of this form. A shaft has none: its q is the angle itself."""
    legs = [leg for leg in expanded_legs(description) if pattern_of(leg) != "shaft"]
    freedom = DEGREES_OF_FREEDOM[description.motion] - (shaft_index(description) is not None)
    tethers = tuple(tether_of(description, leg) for leg in legs)
    if len(tethers) != freedom:
        reason = (
            f"assembly modes need one actuated leg for each of its {freedom} degrees of freedom, it has {len(legs)}"
        )
        raise UnsupportedRobotError(description.name, reason)
    offset = [tether.offset > 0 for tether in tethers]
    if any(offset) and not (all(offset) and description.motion == "spatial"):
        reason = "assembly modes need offset arms at all six legs of a spatial platform, or at none"
        raise UnsupportedRobotError(description.name, reason)
    return Closure(description.motion, tethers, description.length, description)


def shaft_index(description: RobotDescription) -> int | None:
    """Which actuator is the shaft that turns the platform, if there is one."""
    actuated = [
        pattern_of(leg) == "shaft"
        for leg in expanded_legs(description)
        for element in leg.elements
        if element.actuator is not None
    ]
    return actuated.index(True) if any(actuated) else None


def shaft_angle(description: RobotDescription, q: Numbers) -> Numbers:
    """The platform's angle from the shaft's actuator position."""
    (element,) = next(leg for leg in expanded_legs(description) if pattern_of(leg) == "shaft").elements
    assert element.actuator is not None
    return element.actuator.sign * q + element.actuator.zero

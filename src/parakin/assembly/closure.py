"""State what holds the platform once q is known: each leg keeps its attachment on a sphere or on a torus.

r = p_OE + R_OE b + c - e                                           from the leg's elbow e to its attachment
|r|^2 = l^2                                                         sphere
|r|^2 = a^2 + l^2 + 2 a lean,     lean^2 + (k·r)^2 = l^2            torus
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from parakin.arrays import Array
from parakin.assembly.result import Flags, Numbers
from parakin.assembly.tether import Tether, tether_of
from parakin.description import RobotDescription, expanded_legs
from parakin.description.patterns import pattern_of
from parakin.dynamics.leg_models import Options, leg_program
from parakin.dynamics.payload import Payload
from parakin.errors import UnsupportedRobotError
from parakin.kernels import Kernel
from parakin.kernels.context import LARGEST_INPUT
from parakin.motions import MotionType


@dataclass(frozen=True)
class Spheres:
    """The closure equations |p_OE + R_OE b_i - u_i|^2 = l_i^2 of m legs, with u = e - c."""

    u: Numbers
    """(..., m, 3) centres of the spheres, less the part of the attachment that does not turn [m]."""
    squared_length: Numbers
    """(..., m) squared radii l^2 [m^2]."""
    b: Numbers
    """(m, 3) the attachments' part that turns with the platform, in platform axes [m]."""

    def measured_in(self, length: float) -> Spheres:
        """Return the equations with `length` [m] as the unit of length."""
        return Spheres(self.u / length, self.squared_length / length**2, self.b / length)


@dataclass(frozen=True)
class Tori(Spheres):
    """The closure equations of m offset arms: spheres, but for a link between the elbow and the bar."""

    offset: Numbers
    """(m,) length a of the link, the offset between the axes of the arm's universal joint [m]."""
    axis: Numbers
    """(..., m, 3) unit axis k that the link turns about, in base axes."""

    def measured_in(self, length: float) -> Tori:
        """Return the equations with `length` [m] as the unit of length."""
        scaled = super().measured_in(length)
        return Tori(scaled.u, scaled.squared_length, scaled.b, self.offset / length, self.axis)


@dataclass(frozen=True)
class Closure:
    """The closure equations of a robot for any q. Hashable, so that a start set can be kept for each geometry."""

    motion: MotionType
    """How the platform may move."""
    tethers: tuple[Tether, ...]
    """The legs that hold the platform; a shaft is not among them."""
    length: float
    """Length of the robot [m], by which solutions are scaled."""
    description: RobotDescription = field(compare=False, repr=False)
    """The robot these equations belong to."""

    def coordinates(self, q: Numbers) -> Numbers:
        """Return the coordinates of the driven joints, sign q + zero, for actuator positions (..., m)."""
        return np.stack([tether.coordinate(q[..., k]) for k, tether in enumerate(self.tethers)], axis=-1)

    def usable(self, q: Array) -> Flags:
        """Return which actuator positions (..., m) are numbers a kernel takes and give no strut a negative length."""
        struts = np.array([tether.pattern == "strut" for tether in self.tethers])
        return np.all((np.abs(q) <= LARGEST_INPUT) & (~struts | (self.coordinates(q) >= 0)), axis=-1)

    def home(self) -> Array:
        """Return the coordinates (m,) of the driven joints at the robot's home."""
        kernel = Kernel(leg_program("inverse_kinematics", self.description, Options(Payload())), status="status")
        return self.coordinates(kernel(self.description.workspace.home)["q"])

    @property
    def offset(self) -> bool:
        """Whether the attachments are held on tori, not on spheres."""
        return self.tethers[0].offset > 0

    def surfaces(self, q: Numbers) -> Spheres:
        """Return the spheres or tori that hold the attachments at actuator positions (..., m)."""
        coordinates = self.coordinates(q)
        return self.tori_at(coordinates) if self.offset else self.spheres_at(coordinates)

    def tori_at(self, coordinates: Numbers) -> Tori:
        """Return the tori of offset arms whose driven joints have these coordinates (..., m)."""
        spheres = self.spheres_at(coordinates)
        axes = [tether.link_axis(coordinates[..., k]) for k, tether in enumerate(self.tethers)]
        offsets = np.array([tether.offset for tether in self.tethers])
        return Tori(spheres.u, spheres.squared_length, spheres.b, offsets, np.stack(axes, axis=-2))

    def spheres_at(self, coordinates: Numbers) -> Spheres:
        """Return the spheres for coordinates (..., m) of the driven joints; offset arms are taken without offset."""
        columns = [(tether, coordinates[..., k]) for k, tether in enumerate(self.tethers)]
        centres = np.stack([tether.centre(column) for tether, column in columns], axis=-2)
        squared = np.stack([tether.squared_length(column) for tether, column in columns], axis=-1)
        return Spheres(centres, squared, np.array([tether.b for tether in self.tethers]))


def closure_of(description: RobotDescription) -> Closure:
    """Return the closure equations of a robot, or raise UnsupportedRobotError where they have another form.

    A shaft has no equation: its actuator position is the platform's angle itself.
    """
    legs = [leg for leg in expanded_legs(description) if pattern_of(leg) != "shaft"]
    freedom = description.motion_type.degrees_of_freedom - (shaft_index(description) is not None)
    tethers = tuple(tether_of(description, leg) for leg in legs)
    if len(tethers) != freedom:
        reason = (
            f"assembly modes need one actuated leg for each of its {freedom} degrees of freedom, it has {len(legs)}: "
            "some_assembly_modes searches from many starts"
        )
        raise UnsupportedRobotError(description.name, reason)
    offset = [tether.offset > 0 for tether in tethers]
    if any(offset) and not (all(offset) and description.motion_type.quaternion is not None):
        reason = (
            "assembly modes need offset arms at all six legs of a spatial platform, or at none: "
            "some_assembly_modes searches from many starts"
        )
        raise UnsupportedRobotError(description.name, reason)
    return Closure(description.motion_type, tethers, description.length, description)


def shaft_index(description: RobotDescription) -> int | None:
    """Return the number of the actuator whose shaft turns the platform, or None where there is no shaft."""
    actuated = [
        pattern_of(leg) == "shaft"
        for leg in expanded_legs(description)
        for element in leg.elements
        if element.actuator is not None
    ]
    return actuated.index(True) if any(actuated) else None


def shaft_angle(description: RobotDescription, q: Numbers) -> Numbers:
    """Return the platform's angle [rad] for actuator positions of the shaft."""
    (element,) = next(leg for leg in expanded_legs(description) if pattern_of(leg) == "shaft").elements
    assert element.actuator is not None
    return element.actuator.sign * q + element.actuator.zero

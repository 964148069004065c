"""Dynamic parameters of a robot: named, with units, in one vector p, so that models can be linear in them.

ten of each body (m, m r, I about the origin of its frame, in its axes)
three of a body whose spin its root leaves open (m, mx, Iyy = Izz)
of each actuator the inertia n^2 I of its rotor or its moved mass, viscous and Coulomb friction
of each passive joint viscous and, but for spherical ones and rods, Coulomb friction
of each joint at the platform whose friction the file gives the same
of a payload, if there is one, its ten
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from parakin.description import OPEN_SPIN, Element, Friction, PlatformJoint, RobotDescription, expanded_legs
from parakin.description import Inertia as Tensor
from parakin.dynamics.moments import SECOND_MOMENTS, about_origin
from parakin.dynamics.payload import Payload
from parakin.kinematics.joint_table import (
    body_names,
    crosses,
    inner_joints,
    leg_bodies,
    passive_joints,
    platform_joints,
)
from parakin.units import ANGLE, FIRST_MOMENT, LENGTH


class Quantity(StrEnum):
    """What a parameter is of its owner; the value is the last part of the parameter's name."""

    M = "m"
    """Mass."""
    MX = "mx"
    """First moment along x of the body's frame."""
    MY = "my"
    """First moment along y."""
    MZ = "mz"
    """First moment along z."""
    IXX = "Ixx"
    """Entry xx of the inertia tensor about the origin of the body's frame."""
    IXY = "Ixy"
    """Entry xy, -integral of x y dm."""
    IXZ = "Ixz"
    """Entry xz, -integral of x z dm."""
    IYY = "Iyy"
    """Entry yy."""
    IYZ = "Iyz"
    """Entry yz, -integral of y z dm."""
    IZZ = "Izz"
    """Entry zz."""
    ROTOR = "rotor"
    """Inertia of a rotor as the joint feels it, or the mass that a linear motor moves with itself."""
    INERTIA = "inertia"
    """Inertia that a joint has of its own, or mass that moves along a slide alone."""
    VISCOUS = "viscous"
    """Viscous friction."""
    COULOMB = "coulomb"
    """Coulomb friction."""
    I_MOT = "I_mot"
    """Inertia of a rotor with its arm about the motor's axis, [Vivas2003] eq. (13)."""
    M_NAC = "M_nac"
    """Mass of the platform, [Vivas2003] eq. (13)."""
    I_BC = "I_bc"
    """Inertia of the platform as it turns about E, [Vivas2003] eq. (13)."""

    @property
    def is_friction(self) -> bool:
        """Whether this is friction of either kind."""
        return self in (Quantity.VISCOUS, Quantity.COULOMB)

    @property
    def is_never_negative(self) -> bool:
        """Whether no machine has a negative value: masses, moments of inertia about an axis, rotors and friction."""
        return self not in _OF_EITHER_SIGN

    @property
    def is_of_body(self) -> bool:
        """Whether this is one of the ten parameters of a rigid body."""
        return self in BODY_UNITS


_OF_EITHER_SIGN = frozenset(
    [Quantity.MX, Quantity.MY, Quantity.MZ, Quantity.IXY, Quantity.IXZ, Quantity.IYZ],
)


BODY_UNITS: dict[Quantity, str] = {
    Quantity.M: LENGTH.inertia,
    **dict.fromkeys((Quantity.MX, Quantity.MY, Quantity.MZ), FIRST_MOMENT),
    **{Quantity(name): ANGLE.inertia for name, _, _ in SECOND_MOMENTS},
}
"""The ten parameters of a body with their units, in order."""

ROUND = (Quantity.M, Quantity.MX, Quantity.IYY)
"""The parameters that a body shows whose spin is open."""

PAYLOAD = "payload"
"""The owner of a payload's parameters."""


@dataclass(frozen=True)
class Label:
    """What a parameter is: its owner, which quantity of it, and the unit."""

    owner: str
    """What it belongs to: a body or an actuator (leg1.arm), a passive joint (leg1.forearm.joint), `payload`."""
    quantity: Quantity
    """What of its owner it is."""
    unit: str
    """The unit of its value."""

    @property
    def name(self) -> str:
        """The owner and the quantity, such as leg1.arm.Izz."""
        return f"{self.owner}.{self.quantity}"

    @property
    def part(self) -> str:
        """The first part of the owner's name: a leg or several (leg*), `platform` or `payload`."""
        return self.owner.partition(".")[0]

    @property
    def within_part(self) -> str:
        """The name without its first part: legs of one kind have parameters of the same names within them."""
        return self.name.partition(".")[2]


@dataclass(frozen=True)
class Parameter(Label):
    """One entry of p.

    >>> heaviest = max(robot.parameter_table, key=lambda parameter: parameter.value)
    >>> heaviest.name, heaviest.value, heaviest.unit
    ('leg1.arm.m', 0.45, 'kg')
    """

    value: float
    """The number in the robot file."""


def has_open_spin(element: Element, part: str) -> bool:
    """Return whether the root joint leaves the spin of this part of an element open."""
    return element.joint.type in OPEN_SPIN and part != "ring"


def parameters_of(description: RobotDescription, payload: Payload | None) -> tuple[Parameter, ...]:
    """Return all parameters with the values of the robot file; those of a payload with mass come last."""
    carried = _ten(PAYLOAD, payload.about_E) if payload is not None and payload.mass else []
    return (*_of_bodies(description), *_of_actuators(description), *_of_joints(description), *carried)


def _of_bodies(description: RobotDescription) -> Iterator[Parameter]:
    legs, names = expanded_legs(description), body_names(description)
    of_legs = leg_bodies(legs)
    for name, (_, element, body) in zip(names, of_legs, strict=False):
        yield from _body(name, body.mass, body.com, body.inertia, has_open_spin(element, body.part))
    for name, (_, _, cross) in zip(names[len(of_legs) :], crosses(legs), strict=False):
        yield from _body(name, cross.mass, cross.com, cross.inertia, False)
    for body in description.platform.bodies:
        com = body.b if body.turns else (0.0, 0.0, 0.0)
        yield from _body(f"platform.{body.name}", body.mass, com, body.inertia, False)


def _body(owner: str, mass: float, com: Sequence[float], inertia: Tensor, open_spin: bool) -> list[Parameter]:
    m, h, tensor = about_origin(mass, np.array(com, float), np.array(inertia, float))
    values = (m, *h.tolist(), *(float(tensor[row, column]) for _, row, column in SECOND_MOMENTS))
    return [one for one in _ten(owner, values) if not open_spin or one.quantity in ROUND]


def _ten(owner: str, values: Sequence[float]) -> list[Parameter]:
    return [
        Parameter(owner, quantity, unit, value)
        for (quantity, unit), value in zip(BODY_UNITS.items(), values, strict=True)
    ]


def _of_actuators(description: RobotDescription) -> Iterator[Parameter]:
    for leg in expanded_legs(description):
        for element in leg.elements:
            actuator, owner = element.actuator, f"{leg.name}.{element.name}"
            if actuator is None:
                continue
            joint = element.joint.friction if element.drives_root else None
            viscous = actuator.friction.viscous + (joint.viscous if joint else 0.0)
            coulomb = actuator.friction.coulomb + (joint.coulomb if joint else 0.0)
            rotor, units = actuator.gear_ratio**2 * actuator.rotor_inertia, actuator.units
            yield Parameter(owner, Quantity.ROTOR, units.inertia, rotor)
            yield Parameter(owner, Quantity.VISCOUS, units.viscous, viscous)
            yield Parameter(owner, Quantity.COULOMB, units.force, coulomb)


def _of_joints(description: RobotDescription) -> Iterator[Parameter]:
    for _, _, owner, element in passive_joints(description):
        yield Parameter(owner, Quantity.VISCOUS, ANGLE.viscous, element.joint.friction.viscous)
        if element.joint.type not in OPEN_SPIN:
            yield Parameter(owner, Quantity.COULOMB, ANGLE.force, element.joint.friction.coulomb)
    for _, owner, joint, friction in braked_attachments(description):
        yield Parameter(owner, Quantity.VISCOUS, ANGLE.viscous, friction.viscous)
        if joint.type not in OPEN_SPIN:
            yield Parameter(owner, Quantity.COULOMB, ANGLE.force, friction.coulomb)
    for _, _, owner, turns, friction in inner_joints(description):
        units = ANGLE if turns else LENGTH
        yield Parameter(owner, Quantity.VISCOUS, units.viscous, friction.viscous)
        yield Parameter(owner, Quantity.COULOMB, units.force, friction.coulomb)


def braked_attachments(
    description: RobotDescription,
) -> Iterator[tuple[int, str, PlatformJoint, Friction]]:
    """Yield the joints at the platform whose friction the file gives: number of leg, name, joint, friction."""
    for k, owner, joint in platform_joints(description):
        if joint.friction is not None:
            yield k, owner, joint, joint.friction

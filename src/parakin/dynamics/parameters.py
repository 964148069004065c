"""Dynamic parameters of a robot: named, with units, in one vector p, so that models can be linear in them.

ten of each body (m, m r, I about the origin of its frame, in its axes)
three of a body whose spin its root leaves open (m, mx, Iyy = Izz)
of each actuator the inertia n^2 I of its rotor or its moved mass, viscous and Coulomb friction
of each passive joint viscous and, but for spherical ones and rods, Coulomb friction
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import casadi as ca
import numpy as np

from parakin.description import RobotDescription, expanded_legs
from parakin.description.model import OPEN_SPIN, Element
from parakin.dynamics.inertia import SECOND_MOMENTS, Inertia, about_origin
from parakin.kinematics.bodies import body_names, leg_bodies

ROUND = ("m", "mx", "Iyy")
"""What a body can show whose spin is open."""

TEN = (("m", "kg"), *((f"m{axis}", "kg m") for axis in "xyz"), *((name, "kg m^2") for name, _, _ in SECOND_MOMENTS))
"""Name and unit of a body's parameters, in order."""


@dataclass(frozen=True)
class Parameter:
    """One entry of p."""

    name: str
    unit: str
    value: float


@dataclass(frozen=True)
class Friction:
    """Of one joint: force = viscous rate + coulomb sign(rate)."""

    viscous: ca.SX
    coulomb: ca.SX


@dataclass(frozen=True)
class Parameters:
    """p sorted: bodies in the order of body_names, actuators, and passive joints by (leg, element)."""

    bodies: tuple[Inertia, ...]
    rotors: ca.SX
    actuators: tuple[Friction, ...]
    joints: dict[tuple[int, int], Friction]


def has_open_spin(element: Element, part: str) -> bool:
    return element.joint.type in OPEN_SPIN and part != "ring"


def drives_root(element: Element) -> bool:
    """Is the root joint itself what the actuator turns? Its friction is then the actuator's."""
    return element.actuator is not None and element.joint.type == "revolute" and element.actuator.coordinate == "angle"


def passive_joints(description: RobotDescription) -> Iterator[tuple[int, int, str, Element]]:
    """Every root joint that turns without being driven: leg, element, name, element."""
    for k, leg in enumerate(expanded_legs(description)):
        for m, element in enumerate(leg.elements):
            if element.joint.type != "fixed" and not drives_root(element):
                yield k, m, f"{leg.name}.{element.name}.joint", element


def _body(name: str, mass: float, com: tuple[float, ...], inertia: object, open_spin: bool) -> list[Parameter]:
    m, h, tensor = about_origin(mass, np.array(com, float), np.array(inertia, float))
    values = (m, *h.tolist(), *(float(tensor[row, column]) for _, row, column in SECOND_MOMENTS))
    found = zip(TEN, values, strict=True)
    return [Parameter(f"{name}.{what}", unit, v) for (what, unit), v in found if not open_spin or what in ROUND]


def parameters_of(description: RobotDescription) -> tuple[Parameter, ...]:
    """All of them, with the values of the robot file."""
    legs = expanded_legs(description)
    names = body_names(description)
    found: list[Parameter] = []
    for name, (_, element, body) in zip(names, leg_bodies(legs), strict=False):
        found += _body(name, body.mass, body.com, body.inertia, has_open_spin(element, body.part))
    for body in description.platform.bodies:
        com = body.b if body.turns else (0.0, 0.0, 0.0)
        found += _body(f"platform.{body.name}", body.mass, com, body.inertia, False)
    for leg in legs:
        for element in leg.elements:
            actuator, name = element.actuator, f"{leg.name}.{element.name}"
            if actuator is None:
                continue
            own = element.joint.friction if drives_root(element) else None
            viscous = actuator.friction.viscous + (own.viscous if own else 0.0)
            coulomb = actuator.friction.coulomb + (own.coulomb if own else 0.0)
            linear = actuator.coordinate == "length"
            found += [
                Parameter(
                    f"{name}.rotor", "kg" if linear else "kg m^2", actuator.gear_ratio**2 * actuator.rotor_inertia
                ),
                Parameter(f"{name}.viscous", "N s/m" if linear else "N m s", viscous),
                Parameter(f"{name}.coulomb", "N" if linear else "N m", coulomb),
            ]
    for _, _, name, element in passive_joints(description):
        found.append(Parameter(f"{name}.viscous", "N m s", element.joint.friction.viscous))
        if element.joint.type not in OPEN_SPIN:
            found.append(Parameter(f"{name}.coulomb", "N m", element.joint.friction.coulomb))
    return tuple(found)


def sorted_parameters(description: RobotDescription, p: ca.SX) -> Parameters:
    """The vector p, given out to bodies, actuators and joints."""
    legs = expanded_legs(description)
    entries = iter([p[k] for k in range(p.shape[0])])
    open_spins = [has_open_spin(element, body.part) for _, element, body in leg_bodies(legs)]
    open_spins += [False] * len(description.platform.bodies)
    bodies = tuple(_round(entries) if open_spin else _full(entries) for open_spin in open_spins)
    actuated = [element for leg in legs for element in leg.elements if element.actuator is not None]
    rotors: list[ca.SX] = []
    actuators: list[Friction] = []
    for _ in actuated:
        rotors.append(next(entries))
        actuators.append(Friction(next(entries), next(entries)))
    joints: dict[tuple[int, int], Friction] = {}
    for k, m, _, element in passive_joints(description):
        viscous = next(entries)
        joints[k, m] = Friction(viscous, ca.SX(0) if element.joint.type in OPEN_SPIN else next(entries))
    return Parameters(bodies, ca.vertcat(*rotors), tuple(actuators), joints)


def _full(entries: Iterator[ca.SX]) -> Inertia:
    m, h = next(entries), ca.vertcat(next(entries), next(entries), next(entries))
    tensor = ca.SX(3, 3)
    for _, row, column in SECOND_MOMENTS:
        tensor[row, column] = tensor[column, row] = next(entries)
    return Inertia(m, h, tensor)


def _round(entries: Iterator[ca.SX]) -> Inertia:
    m, mx, across = next(entries), next(entries), next(entries)
    return Inertia(m, ca.vertcat(mx, 0, 0), ca.diag(ca.vertcat(0, across, across)))

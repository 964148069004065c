"""Dynamic parameters of a mechanism, in one vector p: ten of each body with mass, then drives and friction.

three of each rod that keeps a distance and spins freely (m, mx along its line, Iyy = Izz about the parent's end)
of each driven freedom the inertia n^2 I of its rotor or its moved mass
of each freedom with an inertia of its own this one
of each freedom viscous and Coulomb friction, the latter of spherical joints only where they have any
of a payload, if there is one, its ten
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import casadi as ca
import numpy as np

from parakin.dynamics.graph.rods import RodInertia
from parakin.dynamics.inertia import NOTHING, Inertia
from parakin.dynamics.moments import SECOND_MOMENTS, about_origin
from parakin.dynamics.parameter_symbols import Friction, inertia_of
from parakin.dynamics.parameters import BODY_UNITS, PAYLOAD, Parameter, Quantity
from parakin.dynamics.payload import Payload
from parakin.mechanism.kinds import Freedom, Move
from parakin.mechanism.model import Body, Joint, JointFreedom, MechanismDescription
from parakin.mechanism.skeleton import Skeleton


@dataclass(frozen=True)
class GraphParameters:
    """The vector p given out to what its entries belong to."""

    bodies: tuple[Inertia, ...]
    """Inertia of each body of the tree about the origin of its own frame, in the order of the file."""
    turned: dict[str, Inertia]
    """The same of rods that are distances and have a universal joint, and of the rings of such joints, by their bodies.
    """
    rotors: dict[str, ca.SX]
    """Inertia of each drive's rotor as the joint feels it, by joint.freedom [kg m^2 or kg]."""
    own: dict[str, ca.SX]
    """Inertia that freedoms have of their own, by joint.freedom [kg m^2 or kg]; only where there is any."""
    friction: dict[str, Friction]
    """Friction of each freedom, by joint.freedom."""
    rods: dict[str, RodInertia]
    """Inertia of each rod with mass that keeps a distance and spins freely, by its joint."""
    payload: Inertia | None
    """What the output frame carries, about its origin and in its axes."""


def all_freedoms(description: MechanismDescription) -> Iterator[tuple[str, Joint, Freedom, JointFreedom]]:
    """Yield every freedom of every joint of the file with its name, joint.freedom."""
    for joint in description.joints:
        for index, freedom in enumerate(joint.kind.freedoms):
            yield f"{joint.name}.{freedom.name}", joint, freedom, joint.freedom(index)


def has_coulomb(freedom: Freedom, settings: JointFreedom) -> bool:
    """Tell whether Coulomb friction of a freedom is a parameter: of spherical joints only where there is any."""
    return freedom.move is not Move.BALL or settings.friction.coulomb > 0.0


def _body(body: Body) -> tuple[float, ...]:
    m, h, tensor = about_origin(body.mass, np.array(body.com, float), np.array(body.inertia, float))
    return (m, *h.tolist(), *(float(tensor[row, column]) for _, row, column in SECOND_MOMENTS))


def _ten(owner: str, values: tuple[float, ...]) -> list[Parameter]:
    return [Parameter(owner, what, unit, value) for (what, unit), value in zip(BODY_UNITS.items(), values, strict=True)]


def graph_parameters(description: MechanismDescription, payload: Payload | None) -> tuple[Parameter, ...]:
    """Return all parameters with the values of the file; those of a payload with mass come last.

    description: that of a skeleton that is parametrised.
    """
    table = [entry for body in description.bodies if body.mass for entry in _ten(body.name, _body(body))]
    for joint in description.joints:
        if joint.rod is not None:
            rod = joint.rod
            values = (rod.mass, rod.mass * rod.com, rod.inertia + rod.mass * rod.com**2)
            quantities = (Quantity.M, Quantity.MX, Quantity.IYY)
            for what, value in zip(quantities, values, strict=True):
                table.append(Parameter(joint.name, what, BODY_UNITS[what], value))
    for name, _, freedom, settings in all_freedoms(description):
        units, drive = freedom.units, settings.drive
        if drive is not None:
            table.append(Parameter(name, Quantity.ROTOR, units.inertia, drive.gear_ratio**2 * drive.rotor_inertia))
        if settings.inertia:
            table.append(Parameter(name, Quantity.INERTIA, units.inertia, settings.inertia))
        table.append(Parameter(name, Quantity.VISCOUS, units.viscous, settings.friction.viscous))
        if has_coulomb(freedom, settings):
            table.append(Parameter(name, Quantity.COULOMB, units.force, settings.friction.coulomb))
    if payload is not None and payload.mass:
        table += _ten(PAYLOAD, payload.about_E)
    return tuple(table)


def given_out(skeleton: Skeleton, p: ca.SX, payload: ca.SX | None) -> GraphParameters:
    """Give out the vector p to bodies, drives and joints; what is left at its end are a payload's ten.

    payload: ten symbols that take the place of those.
    """
    description = skeleton.parametrised
    entries = iter([p[k] for k in range(p.shape[0])])
    inertias = {
        body.name: inertia_of(ca.vertcat(*(next(entries) for _ in BODY_UNITS))) if body.mass else NOTHING
        for body in description.bodies
    }
    bodies = tuple(inertias[body.name] for body in skeleton.description.bodies)
    turned = {
        name: inertias[name] for rod in skeleton.rods if rod.turned for name in (rod.body, rod.turned.ring) if name
    }
    massive = [joint.name for joint in description.joints if joint.rod is not None]
    rods = {name: RodInertia(next(entries), next(entries), next(entries)) for name in massive}
    rotors: dict[str, ca.SX] = {}
    own: dict[str, ca.SX] = {}
    friction: dict[str, Friction] = {}
    for name, _, freedom, settings in all_freedoms(description):
        if settings.drive is not None:
            rotors[name] = next(entries)
        if settings.inertia:
            own[name] = next(entries)
        viscous = next(entries)
        friction[name] = Friction(viscous, next(entries) if has_coulomb(freedom, settings) else ca.SX(0))
    left = list(entries)
    carried = payload if payload is not None else ca.vertcat(*left) if left else None
    return GraphParameters(
        bodies, turned, rotors, own, friction, rods, None if carried is None else inertia_of(carried)
    )

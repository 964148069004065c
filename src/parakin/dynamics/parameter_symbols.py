"""The vector p of dynamic parameters as symbols, given out to the bodies, actuators and joints that they are of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import casadi as ca

from parakin.description import OPEN_SPIN, RobotDescription, expanded_legs
from parakin.dynamics.inertia import Inertia
from parakin.dynamics.moments import SECOND_MOMENTS
from parakin.dynamics.parameters import Parameter, braked_attachments, has_open_spin
from parakin.kinematics.joint_table import crosses, inner_joints, leg_bodies, passive_joints


@dataclass(frozen=True)
class Friction:
    """Friction of one joint: force = viscous rate + coulomb sign(rate)."""

    viscous: ca.SX
    """Force per rate [N s/m or N m s]."""
    coulomb: ca.SX
    """Force against any motion [N or N m]."""


@dataclass(frozen=True)
class Parameters:
    """The vector p given out to what its entries belong to."""

    bodies: tuple[Inertia, ...]
    """Inertia of each body, in the order of body_names."""
    rotors: ca.SX
    """Inertia of each actuator's rotor as the joint feels it [kg m^2 or kg]."""
    actuators: tuple[Friction, ...]
    """Friction of each actuator."""
    joints: dict[tuple[int, int], Friction]
    """Friction of each passive joint, by the numbers of its leg and element."""
    attachments: dict[int, Friction]
    """Friction of each joint at the platform whose friction the file gives, by the number of its leg."""
    inside: dict[tuple[int, int, bool], Friction]
    """Friction of each passive slide and turn inside an element whose friction the file gives, by the numbers of its
    leg and element, and whether it turns."""


def values_of(parameters: Sequence[Parameter]) -> ca.SX:
    """Return the values of parameters as a constant vector."""
    return ca.SX(ca.DM([parameter.value for parameter in parameters]))


def sorted_parameters(description: RobotDescription, p: ca.SX) -> Parameters:
    """Give out the vector p, without a payload's, to bodies, actuators and joints."""
    legs = expanded_legs(description)
    entries = iter([p[k] for k in range(p.shape[0])])
    open_spins = [has_open_spin(element, body.part) for _, element, body in leg_bodies(legs)]
    open_spins += [False] * (len(crosses(legs)) + len(description.platform.bodies))
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
    attachments: dict[int, Friction] = {}
    for k, _, joint, _ in braked_attachments(description):
        viscous = next(entries)
        attachments[k] = Friction(viscous, ca.SX(0) if joint.type in OPEN_SPIN else next(entries))
    inside = {(k, m, turns): Friction(next(entries), next(entries)) for k, m, _, turns, _ in inner_joints(description)}
    return Parameters(bodies, ca.vertcat(*rotors), tuple(actuators), joints, attachments, inside)


def inertia_of(ten: ca.SX) -> Inertia:
    """Return the inertia of a body from its ten parameters, in the order of BODY_UNITS."""
    return _full(iter([ten[k] for k in range(10)]))


def _full(entries: Iterator[ca.SX]) -> Inertia:
    m, h = next(entries), ca.vertcat(next(entries), next(entries), next(entries))
    tensor = ca.SX(3, 3)
    for _, row, column in SECOND_MOMENTS:
        tensor[row, column] = tensor[column, row] = next(entries)
    return Inertia(m, h, tensor)


def _round(entries: Iterator[ca.SX]) -> Inertia:
    m, mx, across = next(entries), next(entries), next(entries)
    return Inertia(m, ca.vertcat(mx, 0, 0), ca.diag(ca.vertcat(0, across, across)))

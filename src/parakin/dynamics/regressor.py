"""The linear form: tau = Psi p, [Codourey1997] sec. 3; docs/theory/virtual_work.md."""

from __future__ import annotations

import casadi as ca

from parakin.dynamics.actuation import actuator_forces
from parakin.dynamics.body_by_body import Required, required_by_bodies, required_with_reference
from parakin.dynamics.mechanics import Forces, Mechanics
from parakin.errors import NotLinearInParametersError


def regressor(mechanics: Mechanics, p: ca.SX, v_r: ca.SX | None = None) -> Forces:
    """Return Psi in place of tau: the derivative of the actuators' forces with respect to the robot's parameters p.

    With a reference velocity v_r: Psi p = J_qv^-T (M a + C(v) v_r + g + friction), what Slotine and Li's law needs.
    """
    J = mechanics.moving.J_qv
    if v_r is None:
        required = required_by_bodies(mechanics)
    else:
        required = Required(required_with_reference(mechanics, v_r), ca.SX.zeros(J.shape[0]))
    by_platform, by_drives = (_linear(part, p, mechanics) for part in (required.f, required.drive_force))
    return actuator_forces(J, by_platform, by_drives, mechanics.acting.weights)


def _linear(expression: ca.SX, p: ca.SX, mechanics: Mechanics) -> ca.SX:
    """The matrix of an expression that is linear in p."""
    matrix = ca.jacobian(expression, p)
    if ca.depends_on(matrix, p):
        raise NotLinearInParametersError(mechanics.description.name)
    return ca.densify(matrix)

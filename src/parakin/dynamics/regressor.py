"""The linear form: tau = Psi p, [Codourey1997] sec. 3; docs/theory/virtual_work.md."""

from __future__ import annotations

import casadi as ca

from parakin.dynamics.body_by_body import required_with_reference
from parakin.dynamics.equation import linear_in
from parakin.dynamics.mechanics import Forces, Mechanics, actuator_forces
from parakin.dynamics.virtual_work.required import Part, required, required_in_parts
from parakin.kinematics.model import Inverse


def regressor(mechanics: Mechanics, p: ca.SX, v_r: ca.SX | None = None) -> Forces:
    """Return Psi in place of tau: the derivative of the actuators' forces with respect to the robot's parameters p.

    With a reference velocity v_r: Psi p = J_qv^-T (M a + C(v) v_r + g + friction), what Slotine and Li's law needs.
    """
    needed = required(mechanics) if v_r is None else required_with_reference(mechanics, v_r)
    by_platform, by_drives = (
        ca.densify(linear_in(part, p, mechanics.description.name)) for part in (needed.f, needed.drive_force)
    )
    return actuator_forces(mechanics.moving.J_qv, by_platform, by_drives, mechanics.acting.weights)


def regressor_by_inverse(mechanics: Mechanics, p: ca.SX, inverse: Inverse, v_r: ca.SX | None = None) -> ca.SX:
    """Return Psi of a robot with a square J_qv, from symbols that stand for the inverse of J_qv^T.

        Psi = J_qv^-T df_E/dp + sum over legs of (J_qv^-T M_C^T) df_C/dp + d(drive_force)/dp

    f_E is what the platform asks, f_C what a leg asks at its tip C: three numbers for each parameter, so that the
    three columns of J_qv^-T M_C^T serve all parameters of a leg. With a reference velocity v_r all is in f_E.
    """
    if v_r is None:
        parts, drive_force = required_in_parts(mechanics)
    else:
        needed = required_with_reference(mechanics, v_r)
        parts, drive_force = [Part(needed.f, ca.SX.eye(needed.f.shape[0]))], needed.drive_force
    Psi, machine = ca.SX(mechanics.moving.J_qv.shape[0], p.shape[0]), mechanics.description.name
    for part in parts:
        Psi += (inverse.values @ part.to_platform) @ ca.sparsify(linear_in(part.force, p, machine))
    elsewhere = inverse.blank * ca.SX.ones(Psi.sparsity().pattern_inverse())
    return ca.densify(Psi + linear_in(drive_force, p, machine) + elsewhere)

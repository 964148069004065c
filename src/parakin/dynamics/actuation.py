"""The step from a force on the platform to the forces of the actuators."""

from __future__ import annotations

import casadi as ca

from parakin.dynamics.mechanics import Forces
from parakin.kinematics.solve import solve_least_squares, solve_minimum_norm


def actuator_forces(J_qv: ca.SX, f: ca.SX, own: ca.SX, weights: ca.SX | None = None) -> Forces:
    """Return tau with J_qv^T tau = f + J_qv^T own: what the platform asks for, and what each drive needs for itself.

    As many actuators as degrees of freedom: tau = own + J_qv^-T f. More: of all tau the one with the least sum of
    weight tau^2. f and own may have several columns, each a case of its own.
    """
    actuators, freedom = J_qv.shape
    if actuators == freedom:
        tau, pivot = solve_least_squares(J_qv.T, f)
        return Forces(tau + own, pivot)
    half = ca.SX.eye(actuators) if weights is None else ca.diag(1 / ca.sqrt(weights))
    scaled, pivot = solve_minimum_norm(half @ J_qv, f + J_qv.T @ own)
    return Forces(half @ scaled, pivot)

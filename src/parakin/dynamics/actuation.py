"""The step from a force on the platform to the forces of the actuators."""

from __future__ import annotations

import casadi as ca

from parakin.dynamics.mechanics import Forces
from parakin.linalg.solve import solve_least_squares, solve_minimum_norm


def actuator_forces(J_qv: ca.SX, f: ca.SX, drive_force: ca.SX, weights: ca.SX | None = None) -> Forces:
    """Return tau with J_qv^T tau = f + J_qv^T drive_force.

    f is what the platform asks for, drive_force what each drive needs for itself; both may have several columns, each a
    case by itself. With as many actuators as degrees of freedom tau = drive_force + J_qv^-T f; with more it is, of all
    tau, the one with the least sum of weight tau^2.
    """
    actuators, freedom = J_qv.shape
    if actuators == freedom:
        tau, pivot = solve_least_squares(J_qv.T, f)
        return Forces(tau + drive_force, pivot)
    return Forces(*solve_minimum_norm(J_qv, f + J_qv.T @ drive_force, weights))

"""The terms of the equation of motion, in platform and in actuator coordinates: docs/theory/virtual_work.md.

M a + h(v) + g + friction = J_qv^T tau + wrench
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from parakin.dynamics.body_by_body import required_with_reference
from parakin.dynamics.mechanics import Mechanics, frictionless, weightless
from parakin.dynamics.virtual_work.required import mass_matrix, required
from parakin.kinematics.robot_motion import coordinate_rates
from parakin.kinematics.solve import solve_pivoted, solve_positive_definite


def required_force(mechanics: Mechanics) -> ca.SX:
    """Return f with J_qv^T tau = f: everything the drives must supply, in platform coordinates."""
    needed = required(mechanics)
    return needed.f + mechanics.moving.J_qv.T @ needed.drive_force


def at_rest(expression: ca.SX, *rates: ca.SX) -> ca.SX:
    """Return an expression with these rates zero."""
    symbols = ca.vertcat(*rates)
    return ca.substitute(expression, symbols, ca.SX.zeros(symbols.shape[0]))


def gravity_force(mechanics: Mechanics) -> ca.SX:
    """Return g in platform coordinates: the required force at rest."""
    moving = mechanics.moving
    return at_rest(required_force(frictionless(mechanics)), moving.velocity, moving.acceleration)


def bias_force(mechanics: Mechanics) -> ca.SX:
    """Return h in platform coordinates: Coriolis and centrifugal forces, without gravity and friction."""
    return at_rest(required_force(weightless(frictionless(mechanics))), mechanics.moving.acceleration)


def coriolis_matrix(mechanics: Mechanics) -> ca.SX:
    """Return C with C v = h and M_dot - 2 C skew.

    C is the sum over mass points of J_p^T J_p_dot dm, and J_qv^T rotors J_qv_dot.
    """
    v_r = ca.SX.sym("v_r", mechanics.moving.velocity.shape[0])
    needed = required_with_reference(weightless(frictionless(mechanics)), v_r)
    f = needed.f + mechanics.moving.J_qv.T @ needed.drive_force
    return ca.jacobian(at_rest(f, mechanics.moving.acceleration), v_r)


@dataclass(frozen=True)
class ActuatorTerms:
    """The terms of tau = M_q q_ddot + h_q + g_q, for robots with as many actuators as degrees of freedom."""

    M: ca.SX
    """Mass matrix M_q [kg, kg m or kg m^2]."""
    h: ca.SX
    """Coriolis and centrifugal forces h_q [N or N m]."""
    g: ca.SX
    """What holds the robot against gravity, g_q [N or N m]."""


def actuator_terms(mechanics: Mechanics) -> ActuatorTerms:
    """Return M_q = J^-T M J^-1,  h_q = J^-T (h - M J^-1 J_dot v),  g_q = J^-T g, with J = J_qv."""
    moving = mechanics.moving
    J = moving.J_qv
    M = mass_matrix(mechanics)
    drift = at_rest(moving.q_ddot, moving.acceleration)
    half, _ = solve_pivoted(J.T, M)
    M_q, _ = solve_pivoted(J.T, half.T)
    coasting, _ = solve_pivoted(J, drift)
    h_q, _ = solve_pivoted(J.T, bias_force(mechanics) - M @ coasting)
    g_q, _ = solve_pivoted(J.T, gravity_force(mechanics))
    return ActuatorTerms(ca.triu2symm(ca.triu(M_q)), h_q, g_q)


def forward_dynamics(mechanics: Mechanics, tau: ca.SX) -> ca.SX:
    """Return a = M^-1 (J_qv^T (tau - drive_force) - f) with what a platform requires that does not accelerate."""
    moving, needed = mechanics.moving, required(mechanics)
    drive = at_rest(moving.J_qv.T @ (tau - needed.drive_force) - needed.f, moving.acceleration)
    return solve_positive_definite(mass_matrix(mechanics), drive)


@dataclass(frozen=True)
class Energy:
    """Kinetic and potential energy of a robot."""

    kinetic: ca.SX
    """T, rotors included [J]."""
    potential: ca.SX
    """U, counted from the plane through O across gravity [J]."""


def energy(mechanics: Mechanics) -> Energy:
    """Return T = sum m |v|^2/2 + v·(w x h) + w·I w/2 and U = -sum g·(m p + h), with h and I in base axes."""
    q_dot = mechanics.moving.q_dot
    kinetic, potential = ca.dot(mechanics.parameters.rotors, q_dot * q_dot) / 2, ca.SX(0)
    for inertia, frame in mechanics.bodies:
        R, w = frame.spin.R, frame.spin.R.T @ frame.spin.w
        h = R @ inertia.h
        kinetic += inertia.m * ca.sumsqr(frame.v) / 2 + ca.dot(frame.v, ca.cross(frame.spin.w, h))
        kinetic += ca.dot(w, inertia.I @ w) / 2
        potential -= ca.dot(mechanics.gravity, inertia.m * frame.p + h)
    return Energy(kinetic, potential)


@dataclass(frozen=True)
class Linearization:
    """The robot about a state: d/dt [delta; dv] = A [delta; dv] + B dtau, delta being a small offset of the pose."""

    A: ca.SX
    """The matrix (2n, 2n)."""
    B: ca.SX
    """The matrix (2n, m)."""
    acceleration: ca.SX
    """The platform's acceleration at the state itself."""


def linearize(mechanics: Mechanics, tau: ca.SX) -> Linearization:
    """Linearize implicitly: 0 = r = f(pose, v, a) - J_qv^T tau gives M da = -(dr/dpose delta + dr/dv dv) + J_qv^T dtau.

    delta_dot = dv + w x delta for a rotation vector, dv otherwise.
    """
    moving = mechanics.moving
    n = moving.velocity.shape[0]
    residual = required_force(mechanics) - moving.J_qv.T @ tau
    moves = ca.vertcat(moving.pose, moving.z)
    by_pose = ca.jacobian(residual, moves) @ ca.jacobian(coordinate_rates(moving), moving.velocity)
    by_velocity = ca.jacobian(residual, moving.velocity)
    right = ca.horzcat(-by_pose, -by_velocity, moving.J_qv.T)
    solved = solve_positive_definite(mass_matrix(mechanics), right)
    drift = moving.motion.offset_drift(moving.velocity)
    A = ca.vertcat(ca.horzcat(drift, ca.SX.eye(n)), solved[:, : 2 * n])
    B = ca.vertcat(ca.SX(n, tau.shape[0]), solved[:, 2 * n :])
    acceleration = forward_dynamics(mechanics, tau)
    known = [ca.substitute(matrix, moving.acceleration, acceleration) for matrix in (A, B)]
    return Linearization(ca.densify(known[0]), ca.densify(known[1]), acceleration)

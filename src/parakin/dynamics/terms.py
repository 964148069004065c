"""The terms of the equation of motion, in platform and in actuator coordinates: docs/theory/virtual_work.md.

M a + h(v) + g + friction = J_qv^T tau + wrench
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from parakin.dynamics.mechanics import Mechanics, frictionless, weightless
from parakin.dynamics.regrouped.required import mass_matrix, required
from parakin.dynamics.virtual_work import required_with_reference
from parakin.kinematics.model import RobotMotion
from parakin.kinematics.platform import pose_rate
from parakin.kinematics.solve import solve_pivoted, solve_positive_definite
from parakin.spatial import skew


def required_force(mechanics: Mechanics) -> ca.SX:
    """f with J_qv^T tau = f: everything the drives must supply, in platform coordinates."""
    needed = required(mechanics)
    return needed.f + mechanics.moving.J_qv.T @ needed.own


def at_rest(expression: ca.SX, *rates: ca.SX) -> ca.SX:
    """An expression with these rates zero."""
    symbols = ca.vertcat(*rates)
    return ca.substitute(expression, symbols, ca.SX.zeros(symbols.shape[0]))


def gravity_force(mechanics: Mechanics) -> ca.SX:
    """g, platform coordinates: the required force at rest."""
    moving = mechanics.moving
    return at_rest(required_force(frictionless(mechanics)), moving.velocity, moving.acceleration)


def bias_force(mechanics: Mechanics) -> ca.SX:
    """h, platform coordinates: Coriolis and centrifugal forces, without gravity and friction."""
    return at_rest(required_force(weightless(frictionless(mechanics))), mechanics.moving.acceleration)


def coriolis_matrix(mechanics: Mechanics) -> ca.SX:
    """C with C v = h and M_dot - 2 C skew: the sum over mass points of J_p^T J_p_dot dm, and J_qv^T rotors J_qv_dot."""
    v_r = ca.SX.sym("v_r", mechanics.moving.velocity.shape[0])
    f = required_with_reference(weightless(frictionless(mechanics)), v_r)
    return ca.jacobian(at_rest(f, mechanics.moving.acceleration), v_r)


@dataclass(frozen=True)
class ActuatorTerms:
    """tau = M_q q_ddot + h_q + g_q for robots with as many actuators as degrees of freedom."""

    M: ca.SX
    h: ca.SX
    g: ca.SX
    pivot: ca.SX


def actuator_terms(mechanics: Mechanics) -> ActuatorTerms:
    """M_q = J^-T M J^-1,  h_q = J^-T (h - M J^-1 J_dot v),  g_q = J^-T g, with J = J_qv."""
    moving = mechanics.moving
    J = moving.J_qv
    M = mass_matrix(mechanics)
    drift = at_rest(moving.q_ddot, moving.acceleration)
    half, pivot = solve_pivoted(J.T, M)
    M_q, _ = solve_pivoted(J.T, half.T)
    coasting, _ = solve_pivoted(J, drift)
    h_q, _ = solve_pivoted(J.T, bias_force(mechanics) - M @ coasting)
    g_q, _ = solve_pivoted(J.T, gravity_force(mechanics))
    return ActuatorTerms(ca.triu2symm(ca.triu(M_q)), h_q, g_q, pivot)


def forward_dynamics(mechanics: Mechanics, tau: ca.SX) -> ca.SX:
    """a = M^-1 (J_qv^T (tau - own) - f), own and f what a platform requires that does not accelerate."""
    moving, needed = mechanics.moving, required(mechanics)
    drive = at_rest(moving.J_qv.T @ (tau - needed.own) - needed.f, moving.acceleration)
    return solve_positive_definite(mass_matrix(mechanics), drive)


@dataclass(frozen=True)
class Energy:
    kinetic: ca.SX
    potential: ca.SX


def energy(mechanics: Mechanics) -> Energy:
    """T = sum m |v|^2/2 + v·(w x h) + w·I w/2, rotors included; U = -sum g·(m p + h), with h and I in base axes."""
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
    """d/dt [delta; dv] = A [delta; dv] + B dtau about a state; acceleration: what the state's own is.

    delta: the pose's deviation as a small displacement, for spatial robots a rotation vector in base axes.
    """

    A: ca.SX
    B: ca.SX
    acceleration: ca.SX


def linearize(mechanics: Mechanics, tau: ca.SX) -> Linearization:
    """Implicitly: 0 = r = f(pose, v, a) - J_qv^T tau gives M da = -(dr/dpose delta + dr/dv dv) + J_qv^T dtau.

    delta_dot = dv + w x delta for the rotation of a spatial platform, dv otherwise.
    """
    moving, motion = mechanics.moving, mechanics.description.motion
    n = moving.velocity.shape[0]
    residual = required_force(mechanics) - moving.J_qv.T @ tau
    moves = ca.vertcat(moving.pose, moving.z)
    by_pose = ca.jacobian(residual, moves) @ ca.jacobian(_rates(moving, motion), moving.velocity)
    by_velocity = ca.jacobian(residual, moving.velocity)
    right = ca.horzcat(-by_pose, -by_velocity, moving.J_qv.T)
    solved = solve_positive_definite(mass_matrix(mechanics), right)
    turning = ca.SX(n, n)
    if motion == "spatial":
        turning[3:, 3:] = skew(moving.velocity[3:])
    A = ca.vertcat(ca.horzcat(turning, ca.SX.eye(n)), solved[:, : 2 * n])
    B = ca.vertcat(ca.SX(n, tau.shape[0]), solved[:, 2 * n :])
    acceleration = forward_dynamics(mechanics, tau)
    known = [ca.substitute(matrix, moving.acceleration, acceleration) for matrix in (A, B)]
    return Linearization(ca.densify(known[0]), ca.densify(known[1]), acceleration)


def _rates(moving: RobotMotion, motion: str) -> ca.SX:
    return ca.vertcat(pose_rate(motion, moving.pose, moving.velocity), moving.z_dot)

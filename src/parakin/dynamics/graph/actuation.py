"""From the forces that a mechanism's motion takes to those of its motors: as many, more or fewer than freedoms."""

from __future__ import annotations

from dataclasses import dataclass, replace

import casadi as ca

from parakin.dynamics.actuation import actuator_forces
from parakin.dynamics.graph.mass import mass_matrix
from parakin.dynamics.graph.mechanics import GraphMechanics
from parakin.dynamics.mechanics import Forces
from parakin.errors import UnsupportedRobotError
from parakin.kinematics.solve import solve_least_squares, solve_pivoted


def motor_forces(mechanics: GraphMechanics) -> Forces:
    """Return tau with W^T tau = Q; with more motors than freedoms, of all tau that with the least sum of weight tau^2.

    With fewer motors, what they do not drive moves as it must without effort:

        Q_p = M_pp a_p + (Q_p at a_p = 0) = 0,        tau = (Q_d at a_p = 0) + M_dp a_p

    for passive velocities p and driven ones d; accelerations that are given for p are not looked at.
    """
    if len(mechanics.moving.plan.actuators) >= len(mechanics.moving.plan.independent):
        return linear_forces(mechanics)
    _refuse_hidden_motors(mechanics)
    motion = passive_motion(mechanics)
    return Forces(mechanics.W @ (motion.Q + motion.M @ motion.accelerations), motion.pivot)


def linear_forces(mechanics: GraphMechanics) -> Forces:
    """Return tau as a linear function of the parameters: accelerations of passive freedoms are taken as given."""
    plan = mechanics.moving.plan
    if set(plan.actuators) <= set(plan.independent):
        return Forces(mechanics.W @ mechanics.Q, ca.SX(1))  # W picks entries, and signs them
    _refuse_hidden_motors(mechanics)
    return actuator_forces(mechanics.W, mechanics.Q, ca.SX(len(plan.actuators), 1), mechanics.acting.weights)


def _refuse_hidden_motors(mechanics: GraphMechanics) -> None:
    plan = mechanics.moving.plan
    if len(plan.actuators) >= len(plan.independent):
        return
    hidden = [plan.skeleton.velocity_names[k] for k in plan.actuators if k not in plan.independent]
    if hidden:
        reason = (
            f"it has more freedoms than motors, and the motor of {', '.join(hidden)} is not among its independent "
            "coordinates: name it there"
        )
        raise UnsupportedRobotError(plan.skeleton.description.name, reason)


def determined_by_motors(mechanics: GraphMechanics, rates: ca.SX) -> tuple[ca.SX, ca.SX]:
    """Return u with W u = rates of the motors, by least squares with more motors than freedoms, and a pivot ratio."""
    plan = mechanics.moving.plan
    if len(plan.actuators) < len(plan.independent):
        reason = f"{len(plan.actuators)} motors do not determine {len(plan.independent)} freedoms"
        raise UnsupportedRobotError(plan.skeleton.description.name, reason)
    return solve_least_squares(ca.densify(mechanics.W), rates)


@dataclass(frozen=True)
class PassiveMotion:
    """How the freedoms accelerate that no motor drives, where there are more freedoms than motors."""

    accelerations: ca.SX
    """What these are without effort."""
    Q: ca.SX
    """The forces that the motion takes with passive accelerations zero."""
    M: ca.SX
    """The columns of the mass matrix that belong to passive accelerations."""
    pivot: ca.SX
    """Ratio of the smallest pivot of M_pp to the largest."""


def passive_motion(mechanics: GraphMechanics) -> PassiveMotion:
    """Return how freedoms without a motor accelerate: M_pp a_p = -(Q_p at a_p = 0)."""
    moving = mechanics.moving
    passive = [n for n, k in enumerate(moving.plan.independent) if k not in moving.plan.actuators]
    driven = ca.SX(moving.u_dot)
    driven[passive] = 0
    Q = replace(mechanics, moving=replace(moving, u_dot=driven)).Q
    M = mass_matrix(mechanics)[:, passive]
    accelerations, pivot = solve_pivoted(M[passive, :], -Q[passive])
    return PassiveMotion(accelerations, Q, M, pivot)


def with_passive_motion(mechanics: GraphMechanics) -> GraphMechanics:
    """Return a mechanism whose freedoms without a motor accelerate without effort."""
    moving = mechanics.moving
    if len(moving.plan.actuators) >= len(moving.plan.independent):
        return mechanics
    u_dot = ca.SX(moving.u_dot)
    passive = [n for n, k in enumerate(moving.plan.independent) if k not in moving.plan.actuators]
    u_dot[passive] = passive_motion(mechanics).accelerations
    return replace(mechanics, moving=replace(moving, u_dot=u_dot))

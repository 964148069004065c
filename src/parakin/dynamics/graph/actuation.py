"""From the forces that a mechanism's motion takes to those of its motors: as many, more or fewer than freedoms."""

from __future__ import annotations

from dataclasses import dataclass, replace

import casadi as ca

from parakin.dynamics.graph.mass import mass_matrix
from parakin.dynamics.graph.mechanics import GraphMechanics
from parakin.dynamics.mechanics import Forces, actuator_forces
from parakin.errors import UnsupportedRobotError
from parakin.kinematics.status import SMALLEST_PIVOT
from parakin.linalg.solve import solve_judged, solve_least_squares
from parakin.mechanism.plan import Plan


def motor_forces(mechanics: GraphMechanics) -> Forces:
    """Return tau with W^T tau = Q; with more motors than they can drive, of all tau that with the least weight tau^2.

    Freedoms p that move no motor, however many motors there are, move as they must without effort:

        Q_p = M_pp a_p + (Q_p at a_p = 0) = 0,        W_d^T tau = (Q_d at a_p = 0) + M_dp a_p

    for the driven ones d; accelerations that are given for p are not looked at.
    """
    if not mechanics.moving.plan.undriven:
        return linear_forces(mechanics)
    motion = passive_motion(mechanics)
    forces = _supplied(mechanics, motion.Q + motion.M @ motion.accelerations)
    return Forces(forces.tau, ca.fmin(motion.pivot, forces.pivot))


def linear_forces(mechanics: GraphMechanics) -> Forces:
    """Return tau as a linear function of the parameters: accelerations of passive freedoms are taken as given."""
    return _supplied(mechanics, mechanics.Q)


def _supplied(mechanics: GraphMechanics, Q: ca.SX) -> Forces:
    """Return tau with W_d^T tau = Q_d for the freedoms d that are driven."""
    plan = mechanics.moving.plan
    if set(plan.actuators) <= set(plan.independent):
        return Forces(mechanics.W @ Q, ca.SX(1))  # W picks entries, and signs them
    passive = _passive(mechanics)
    driven = [n for n in range(len(plan.independent)) if n not in passive]
    nothing = ca.SX(len(plan.actuators), 1)
    if not driven:
        return Forces(nothing, ca.SX(0))  # motors that nothing can move hold nothing
    W = mechanics.W[:, driven]
    r, c = _balancing(mechanics, W)
    forces = actuator_forces(ca.diag(r) @ W @ ca.diag(c), c * Q[driven], nothing, mechanics.acting.weights)
    return Forces(r * forces.tau, forces.pivot)


def _balancing(mechanics: GraphMechanics, W: ca.SX) -> tuple[ca.SX, ca.SX]:
    """Return factors of rows and columns of W with which no entry is above 1, whatever units and gears it has.

    They decide what is singular, so that only the elimination that decides it has them. Rows of more motors than
    freedoms stay as they are: their lengths are weights.
    """
    motors, freedoms = W.shape
    r, c = ca.SX(ca.DM([1.0] * motors)), ca.SX(ca.DM([1.0] * freedoms))
    if not mechanics.moving.surely:
        return r, c
    sizes = ca.fabs(ca.densify(W))
    if motors == freedoms:
        r = ca.vertcat(*(1 / ca.mmax(sizes[k, :]) for k in range(motors)))
    return r, ca.vertcat(*(1 / ca.mmax(r * sizes[:, k]) for k in range(freedoms)))


def _passive(mechanics: GraphMechanics) -> list[int]:
    """Return the independent velocities that move no motor, by their places in a pose.

    They are those without a motor, less those that motors follow by loop closure: at home of the first models of Cassie
    a crank is at its dead centre, and is independent in place of the motor of its foot.
    """
    plan = mechanics.moving.plan
    if not plan.undriven:
        return []
    passive = [n for n, k in enumerate(plan.independent) if k not in plan.actuators]
    if len(passive) != plan.undriven:
        passive = [n for n in passive if not ca.sparsify(mechanics.W[:, n]).nnz()]
    if len(passive) != plan.undriven:
        hidden = [plan.skeleton.velocity_names[k] for k in plan.actuators if k not in plan.independent]
        reason = (
            f"it has freedoms that no motor drives, and the motor of {', '.join(hidden)} is not among its independent "
            "coordinates: name it there (`independent` in its robot file)"
        )
        raise UnsupportedRobotError(plan.skeleton.description.name, reason)
    return passive


def determined_by_motors(mechanics: GraphMechanics, rates: ca.SX) -> tuple[ca.SX, ca.SX]:
    """Return u with W u = rates of the motors, by least squares with more motors than freedoms, and a pivot ratio."""
    plan = mechanics.moving.plan
    if plan.undriven:
        driven = f", of which {plan.undriven} move no motor" if len(plan.actuators) >= len(plan.independent) else ""
        reason = f"{len(plan.actuators)} motors do not determine {len(plan.independent)} freedoms{driven}"
        raise UnsupportedRobotError(plan.skeleton.description.name, reason)
    W = ca.densify(mechanics.W)
    r, c = _balancing(mechanics, W)
    u, pivot = solve_least_squares(ca.diag(r) @ W @ ca.diag(c), r * rates)
    return c * u, pivot


@dataclass(frozen=True)
class PassiveMotion:
    """How the freedoms accelerate that no motor drives."""

    accelerations: ca.SX
    """What these are without effort."""
    Q: ca.SX
    """The forces that the motion takes with passive accelerations zero."""
    M: ca.SX
    """The columns of the mass matrix that belong to passive accelerations."""
    pivot: ca.SX
    """The smallest pivot of M_pp, brought to a unit diagonal."""


def passive_motion(mechanics: GraphMechanics) -> PassiveMotion:
    """Return how freedoms without a motor accelerate: M_pp a_p = -(Q_p at a_p = 0)."""
    moving = mechanics.moving
    passive = _passive(mechanics)
    driven = ca.SX(moving.u_dot)
    driven[passive] = 0
    Q = replace(mechanics, moving=replace(moving, u_dot=driven)).Q
    M = mass_matrix(mechanics)[:, passive]
    accelerations, pivot = solve_judged(M[passive, :], -Q[passive], _small_inertias(moving.plan, passive))
    return PassiveMotion(accelerations, Q, M, pivot)


def _small_inertias(plan: Plan, passive: list[int]) -> list[float]:
    """Return what is a small inertia of each passive velocity [kg or kg m^2], beside that of the whole mechanism.

    A diagonal entry that is smaller than its square, beside the same, makes a ratio below SMALLEST_PIVOT: that is
    what rounding leaves of a freedom without inertia.
    """
    tree = plan.skeleton
    mass = sum(body.mass for body in tree.file.bodies) + sum(j.rod.mass for j in tree.file.joints if j.rod is not None)
    units = [freedom.units.position for link in tree.links for freedom in link.joint.kind.freedoms]
    sizes = [1.0 if units[plan.independent[n]] == "m" else tree.size for n in passive]
    return [SMALLEST_PIVOT * mass * size**2 for size in sizes]


def with_passive_motion(mechanics: GraphMechanics) -> GraphMechanics:
    """Return a mechanism whose freedoms without a motor accelerate without effort."""
    moving = mechanics.moving
    if not moving.plan.undriven:
        return mechanics
    u_dot = ca.SX(moving.u_dot)
    u_dot[_passive(mechanics)] = passive_motion(mechanics).accelerations
    return replace(mechanics, moving=replace(moving, u_dot=u_dot))

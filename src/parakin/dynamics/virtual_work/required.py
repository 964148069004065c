"""The whole robot regrouped: what its motion asks of the drives, and its mass matrix."""

from __future__ import annotations

import casadi as ca

from parakin.dynamics.actuation import actuator_forces
from parakin.dynamics.body_by_body import Required, required_by_attachments
from parakin.dynamics.friction import actuator_friction
from parakin.dynamics.inertia import wrench_in_base_axes
from parakin.dynamics.mechanics import Forces, Mechanics
from parakin.dynamics.platform import platform_inertia
from parakin.dynamics.virtual_work.shares import leg_shares
from parakin.kinematics.solve import Order, solve_in_order
from parakin.spatial import skew


def tau(mechanics: Mechanics) -> Forces:
    """Return the actuators' forces."""
    return supplied(mechanics, required(mechanics))


def supplied(mechanics: Mechanics, needed: Required) -> Forces:
    """Return the actuators' forces that supply what a motion needs, by elimination with exchange of rows."""
    return actuator_forces(mechanics.moving.J_qv, needed.f, needed.drive_force, mechanics.acting.weights)


def quickly_supplied(mechanics: Mechanics, needed: Required, order: Order) -> tuple[ca.SX, ca.SX]:
    """Return tau by elimination of a square J_qv in a given order, and whether to trust that."""
    scale = mechanics.moving.motion.scale(1 / mechanics.description.length)
    tau, trusted = solve_in_order(mechanics.moving.J_qv.T, needed.f, order, scale)
    return tau + needed.drive_force, trusted


def required(mechanics: Mechanics) -> Required:
    """Return what a motion needs: the platform with all tip masses, the legs' shares, minus the external wrench.

    J_qv^T (tau - drive_force) = f
    """
    platform, shares = mechanics.moving.platform, leg_shares(mechanics)
    wrench = wrench_in_base_axes(
        platform_inertia(mechanics, [share.tip_mass for share in shares]), mechanics.platform_frame, mechanics.gravity
    )
    f = platform.L.T @ wrench.F + platform.W.T @ wrench.N
    f += sum((share.f for share in shares), ca.SX(*f.shape))
    f += required_by_attachments(mechanics)
    if mechanics.acting.wrench is not None:
        f -= mechanics.acting.wrench
    return Required(f, ca.vertcat(*(share.drive_force for share in shares)) + actuator_friction(mechanics))


def mass_matrix(mechanics: Mechanics) -> ca.SX:
    """Return M of the platform with all tip masses, and of the legs."""
    platform, R = mechanics.moving.platform, mechanics.moving.platform.R_OE
    shares = leg_shares(mechanics)
    body = platform_inertia(mechanics, [share.tip_mass for share in shares])
    L, W = platform.L, platform.W
    mixed = L.T @ -skew(R @ body.h) @ W
    round_ = body.I[0, 0] * ca.SX.eye(3)  # turns into itself, so that R I R^T is little work
    M = body.m * (L.T @ L) + mixed + mixed.T + W.T @ (round_ + R @ (body.I - round_) @ R.T) @ W
    parts = [share.M for share in shares]
    if mechanics.crosses:
        parts.append(ca.jacobian(required_by_attachments(mechanics), mechanics.moving.acceleration))
    return ca.triu2symm(ca.triu(sum(parts, M)))

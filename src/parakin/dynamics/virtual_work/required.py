"""The whole robot regrouped: what its motion asks of the drives, and its mass matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca

from parakin.dynamics.body_by_body import Required, required_by_attachments
from parakin.dynamics.friction import actuator_friction
from parakin.dynamics.inertia import wrench_in_base_axes
from parakin.dynamics.mechanics import Forces, Mechanics, actuator_forces
from parakin.dynamics.platform import platform_inertia
from parakin.dynamics.virtual_work.shares import LegShare, leg_shares
from parakin.linalg.solve import Order, solve_in_order
from parakin.spatial import skew, symmetric


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
    shares = leg_shares(mechanics)
    f = _required_by_platform(mechanics, [share.tip_mass for share in shares])
    f += sum((share.f for share in shares), ca.SX(*f.shape))
    f += required_by_attachments(mechanics)
    if mechanics.acting.wrench is not None:
        f -= mechanics.acting.wrench
    return Required(f, _drive_forces(mechanics, shares))


@dataclass(frozen=True)
class Part:
    """A part of the force that a motion needs: what it adds to f is `to_platform @ force`."""

    force: ca.SX
    """The force, in coordinates of its own [N, N m]."""
    to_platform: ca.SX
    """The matrix that brings it to platform coordinates."""


def required_in_parts(mechanics: Mechanics) -> tuple[list[Part], ca.SX]:
    """Return what `required` does without an external wrench, each leg's force, its tip mass included, at its tip."""
    shares, moving = leg_shares(mechanics), mechanics.moving
    platform = _required_by_platform(mechanics) + required_by_attachments(mechanics)
    parts = [Part(platform, ca.SX.eye(platform.shape[0]))]
    for share, point in zip(shares, moving.attachments, strict=True):
        carried = share.at_tip
        if not share.tip_mass.is_zero():
            carried = carried + share.tip_mass * (point.a - mechanics.gravity)
        parts.append(Part(carried, share.to_platform))
    return parts, _drive_forces(mechanics, shares)


def _required_by_platform(mechanics: Mechanics, tip_masses: Sequence[ca.SX] = ()) -> ca.SX:
    """Return what the platform asks with all that it carries, masses at the tips of the legs included if given."""
    platform, body = mechanics.moving.platform, platform_inertia(mechanics, tip_masses)
    wrench = wrench_in_base_axes(body, mechanics.platform_frame, mechanics.gravity)
    return platform.L.T @ wrench.F + platform.W.T @ wrench.N


def _drive_forces(mechanics: Mechanics, shares: Sequence[LegShare]) -> ca.SX:
    return ca.vertcat(*(share.drive_force for share in shares)) + actuator_friction(mechanics)


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
    return symmetric(sum(parts, M))

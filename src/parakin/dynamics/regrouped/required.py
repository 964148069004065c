"""The whole robot regrouped: what its motion asks of the drives, and its mass matrix."""

from __future__ import annotations

import casadi as ca

from parakin.dynamics.actuation import actuator_forces
from parakin.dynamics.friction import actuator_friction
from parakin.dynamics.inertia import Inertia, wrench_of
from parakin.dynamics.mechanics import Forces, Mechanics
from parakin.dynamics.regrouped.reduced import NOTHING
from parakin.dynamics.regrouped.shares import LegShare, leg_shares
from parakin.dynamics.virtual_work import Required
from parakin.spatial import skew, vector


def tau(mechanics: Mechanics) -> Forces:
    """The actuators' forces."""
    needed = required(mechanics)
    return actuator_forces(mechanics.moving.J_qv, needed.f, needed.own, mechanics.acting.weights)


def required(mechanics: Mechanics) -> Required:
    """J_qv^T (tau - own) = f: the platform with all tip masses, the legs' shares, minus the external wrench."""
    platform, shares = mechanics.moving.platform, leg_shares(mechanics)
    wrench = wrench_of(platform_inertia(mechanics, shares), mechanics.platform_frame, mechanics.gravity)
    f = platform.L.T @ wrench.F + platform.W.T @ wrench.N
    f += sum((share.f for share in shares), ca.SX(*f.shape))
    if mechanics.acting.wrench is not None:
        f -= mechanics.acting.wrench
    return Required(f, ca.vertcat(*(share.own for share in shares)) + actuator_friction(mechanics))


def mass_matrix(mechanics: Mechanics) -> ca.SX:
    """M of the platform with all tip masses, and of the legs."""
    platform, R = mechanics.moving.platform, mechanics.moving.platform.R_OE
    shares = leg_shares(mechanics)
    body = platform_inertia(mechanics, shares)
    L, W = platform.L, platform.W
    mixed = L.T @ -skew(R @ body.h) @ W
    round_ = body.I[0, 0] * ca.SX.eye(3)  # turns into itself, so that R I R^T is little work
    M = body.m * (L.T @ L) + mixed + mixed.T + W.T @ (round_ + R @ (body.I - round_) @ R.T) @ W
    return ca.triu2symm(ca.triu(sum((share.M for share in shares), M)))


def platform_inertia(mechanics: Mechanics, shares: list[LegShare]) -> Inertia:
    """All bodies of the platform, the payload and the legs' tip masses as one body about E.

    c moves nothing: a point p_OE + R b + c has the velocity of p_OE + R b. A body that does not turn is a point mass.
    """
    total = NOTHING
    first = len(mechanics.parameters.bodies) - len(mechanics.description.platform.bodies)
    for body, inertia in zip(mechanics.description.platform.bodies, mechanics.parameters.bodies[first:], strict=True):
        total += inertia if body.turns else point_mass(inertia.m, ca.SX(ca.DM(body.b)))
    for leg, share in zip(mechanics.legs, shares, strict=True):
        total += point_mass(share.tip_mass, vector(leg.attachment.b))
    return total if mechanics.acting.payload is None else total + mechanics.acting.payload


def point_mass(m: ca.SX, b: ca.SX) -> Inertia:
    return Inertia(m, m * b, m * (ca.sumsqr(b) * ca.SX.eye(3) - b @ b.T))

"""A telescopic strut from the base to the platform, seen from its tip C: closed forms without any frame.

With r = C - A, d = |r|, x = r/d, u and a of C, the slider's mass at C (the platform's), h_B its first moment along x,
J = I_yy of both parts about A but for that mass = J_0 + 2 d h_B, H the first moment of both:

    f = J/d^2 a + 2 d_dot (h_B - J/d)/d^2 u - H/d g      modulo x
    F_d = -h_B |x_dot|^2,     |x_dot|^2 = (|u|^2 - d_dot^2)/d^2

A universal joint with axis 1 = e turns its ring and the strut about e at the rate w_1 = -(u·n)/N, n = r x e, N = n·n.
What that takes beyond the above is K = K_0 + E N/d^2 with K_0 = I_e(ring) + I_xx, E = I_zz - I_yy - I_xx:

    f += -(K w_1)_dot/N n + E (r·e) w_1^2/d^2 e          modulo x

Mass matrix of C: J/d^2 (1 - x x^T) + K/N^2 n n^T. Derivation: docs/theory/regrouping.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from parakin.dynamics.friction import friction_force
from parakin.dynamics.inertia import Inertia
from parakin.dynamics.virtual_work.reduced import LoadedLeg, ReducedLeg, Rest, remaining
from parakin.kinematics.bodies import element_frame
from parakin.kinematics.elements import ElementMotion
from parakin.spatial import vector


@dataclass(frozen=True)
class Across:
    """What one of the laws above asks across the line."""

    f: ca.SX
    """Force at C, modulo a part along x [N]."""
    M: ca.SX
    """Mass matrix of C [kg]."""

    def __add__(self, other: Across) -> Across:
        return Across(self.f + other.f, self.M + other.M)


def strut(loaded: LoadedLeg) -> ReducedLeg:
    """Reduce a strut to the slider's tip mass, what both parts need across the line, and the drive's part along it."""
    (element,), (motion,) = loaded.leg.elements, loaded.motion.elements
    line, tip = motion.line, loaded.tip
    stator, slider, ring = (loaded.part(0, part) for part in ("root", "tip", "ring"))
    universal = element.joint.type == "universal"
    k = 2 if element.joint.type == "revolute" else 1
    across = _swing(loaded, stator.I[k, k] + slider.I[k, k], slider.h[0], stator.h[0] + slider.h[0])
    if universal:
        across += _turn(loaded, stator.I + slider.I, ring.I[0, 0])
    speed_squared = (ca.sumsqr(tip.v) - line.d_dot**2) * (1 / line.d) ** 2
    along = -slider.h[0] * speed_squared - ca.dot(line.x, across.f)
    rest = remaining(*_off_line(element.joint.type, stator, slider, ring, motion))
    frictions = [] if universal else loaded.frictions()
    if element.actuator is None:
        return ReducedLeg(across.f + along * line.x, ca.SX(0, 1), across.M, slider.m, rest, frictions)
    drive_force = element.actuator.sign * along + loaded.rotors * loaded.motion.q_ddot
    M = across.M + loaded.rotors * (line.x @ line.x.T)
    return ReducedLeg(across.f, drive_force, M, slider.m, rest, frictions)


def _swing(loaded: LoadedLeg, J_0: ca.SX, h_B: ca.SX, H: ca.SX) -> Across:
    """What a strut needs that is round about its line."""
    (motion,), tip = loaded.motion.elements, loaded.tip
    r, by_d, d_dot = tip.p - motion.line.A, 1 / motion.line.d, motion.line.d_dot
    by_d_squared = by_d**2
    swing, slide = J_0 * by_d_squared, 2 * h_B * by_d
    share = swing + slide
    braking = -(2 * J_0 * by_d_squared + slide) * (d_dot * by_d)
    f = share * tip.a + braking * tip.v - by_d * (H * loaded.gravity)
    return Across(f, share * ca.SX.eye(3) - (share * by_d_squared * r) @ r.T)


def _turn(loaded: LoadedLeg, tensor: ca.SX, ring: ca.SX) -> Across:
    """What a universal joint adds: the turn of ring and strut about axis 1, and friction about both axes.

    Friction forces b_1, b_2 on w_1 = -(u·n)/N and w_2 = u·(e - (e·x) x)/sqrt(N) add -b_1/N n + b_2/sqrt(N) e.
    """
    (element,), (motion,), tip = loaded.leg.elements, loaded.motion.elements, loaded.tip
    assert element.joint.axis is not None, "the loader refuses such a joint without its axis"
    e, line = vector(element.joint.axis), motion.line
    r, by_d = tip.p - line.A, 1 / line.d
    by_d_squared = by_d**2
    K_0, E = ring + tensor[0, 0], tensor[2, 2] - tensor[1, 1] - tensor[0, 0]
    along, along_dot = ca.dot(line.x, e) * line.d, ca.dot(tip.v, e)
    n = ca.cross(r, e)
    inverse_N = by_d_squared / motion.pivot  # N = d^2 (1 - (x·e)^2)
    rate = -ca.dot(tip.v, n) * inverse_N
    half_N_dot_by_N = (line.d * line.d_dot - along * along_dot) * inverse_N
    rate_dot = -ca.dot(tip.a, n) * inverse_N - half_N_dot_by_N * (2 * rate)
    E_share = E * by_d_squared
    K_by_N = K_0 * inverse_N + E_share
    by_n = K_by_N * rate_dot + E_share * (half_N_dot_by_N - line.d_dot * by_d) * (2 * rate)
    by_e = E_share * along * rate**2
    friction = loaded.joints[0]
    if not (friction.viscous.is_zero() and friction.coulomb.is_zero()):
        inverse_root = ca.sqrt(inverse_N)
        second = (along_dot - along * by_d * line.d_dot) * inverse_root
        by_n += friction_force(friction, rate, loaded.sign) * inverse_N
        by_e += friction_force(friction, second, loaded.sign) * inverse_root
    return Across(by_e * e - by_n * n, (K_by_N * inverse_N * n) @ n.T)


def _off_line(joint: str, stator: Inertia, slider: Inertia, ring: Inertia, motion: ElementMotion) -> Rest:
    """What is not on the line or not along its axes: nothing for a spherical joint, h_y for a planar strut."""
    if joint == "spherical":
        return []
    nothing = ca.SX(3, 3)
    root, tip = element_frame(motion, "root"), element_frame(motion, "tip")
    if joint == "revolute":
        return [
            (Inertia(ca.SX(0), ca.vertcat(0, inertia.h[1], 0), nothing), frame)
            for inertia, frame in ((stator, root), (slider, tip))
        ]
    return [
        (Inertia(ca.SX(0), ca.vertcat(0, inertia.h[1:]), products), frame)
        for inertia, products, frame in (
            (stator, stator.I - ca.diag(ca.diag(stator.I)), root),
            (slider, slider.I - ca.diag(ca.diag(slider.I)), tip),
            (ring, nothing, element_frame(motion, "ring")),
        )
    ]

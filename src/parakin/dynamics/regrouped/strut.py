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

from parakin.dynamics.inertia import Inertia
from parakin.dynamics.regrouped.reduced import NOTHING, LoadedLeg, ReducedLeg, Rest, remaining
from parakin.kinematics.bodies import element_frame


@dataclass(frozen=True)
class Across:
    """Force at C, modulo x, and mass matrix of C, of one of the laws above."""

    f: ca.SX
    M: ca.SX

    def __add__(self, other: Across) -> Across:
        return Across(self.f + other.f, self.M + other.M)


def strut(loaded: LoadedLeg) -> ReducedLeg:
    """The slider's tip mass, what both parts need across the line, and what is left for the drive along it."""
    (element,) = loaded.leg.elements
    (motion,) = loaded.motion.elements
    line, tip = motion.line, loaded.tip
    stator, slider = loaded.part(0, "root"), loaded.part(0, "tip")
    k = 2 if element.joint.type == "revolute" else 1
    swing = _swing(loaded, stator.I[k, k] + slider.I[k, k], slider.h[0], stator.h[0] + slider.h[0])
    rest: Rest = _off_line(element.joint.type, stator, slider, loaded)
    if element.joint.type == "universal":
        ring = loaded.part(0, "ring")
        swing = swing + _turn(loaded, stator.I + slider.I, ring.I[0, 0])
        tilted = Inertia(ca.SX(0), ca.vertcat(0, ring.h[1:]), ca.SX(3, 3))
        rest.append((tilted, element_frame(motion, "ring")))
    x, inverse = line.x, 1 / line.d
    speed_squared = (ca.sumsqr(tip.v) - line.d_dot**2) * inverse**2
    along = -slider.h[0] * speed_squared - ca.dot(x, swing.f)
    if element.actuator is None:
        return ReducedLeg(swing.f + along * x, ca.SX(0, 1), swing.M, slider.m, remaining(*rest))
    own = element.actuator.sign * along + loaded.rotors * loaded.motion.q_ddot
    return ReducedLeg(swing.f, own, swing.M + loaded.rotors * (x @ x.T), slider.m, remaining(*rest))


def _swing(loaded: LoadedLeg, J_0: ca.SX, h_B: ca.SX, H: ca.SX) -> Across:
    """What a strut needs that is round about its line."""
    (motion,), tip = loaded.motion.elements, loaded.tip
    x, inverse, d_dot = motion.line.x, 1 / motion.line.d, motion.line.d_dot
    J_by_d = J_0 * inverse + 2 * h_B
    share = J_by_d * inverse
    braking = 2 * (h_B - J_by_d) * inverse**2 * d_dot
    return Across(share * tip.a + braking * tip.v - H * inverse * loaded.gravity, share * (ca.SX.eye(3) - x @ x.T))


def _turn(loaded: LoadedLeg, tensor: ca.SX, ring: ca.SX) -> Across:
    """What a universal joint adds: the turn of ring and strut about axis 1."""
    (element,), (motion,), tip = loaded.leg.elements, loaded.motion.elements, loaded.tip
    e, line = ca.SX(ca.DM(element.joint.axis)), motion.line
    r, inverse = tip.p - line.A, 1 / line.d
    K_0, E = ring + tensor[0, 0], tensor[2, 2] - tensor[1, 1] - tensor[0, 0]
    along = ca.dot(r, e)
    n = ca.cross(r, e)
    inverse_N = 1 / ca.sumsqr(n)
    rate = -ca.dot(tip.v, n) * inverse_N
    N_dot_by_N = 2 * (line.d * line.d_dot - along * ca.dot(tip.v, e)) * inverse_N
    rate_dot = -ca.dot(tip.a, n) * inverse_N - N_dot_by_N * rate
    E_share = E * inverse**2
    K_by_N = K_0 * inverse_N + E_share
    momentum_dot = K_by_N * rate_dot + E_share * (N_dot_by_N - 2 * line.d_dot * inverse) * rate
    f = -momentum_dot * n + (E_share * along * rate**2) * e
    return Across(f, (K_by_N * n) @ (inverse_N * n).T)


def _off_line(joint: str, stator: Inertia, slider: Inertia, loaded: LoadedLeg) -> Rest:
    """What is not on the line or not along its axes: nothing for a spherical joint, h_y for a planar strut."""
    (motion,) = loaded.motion.elements

    def off(inertia: Inertia) -> Inertia:
        if joint == "spherical":
            return NOTHING
        if joint == "revolute":
            return Inertia(ca.SX(0), ca.vertcat(0, inertia.h[1], 0), ca.SX(3, 3))
        products = inertia.I - ca.diag(ca.diag(inertia.I))
        return Inertia(ca.SX(0), ca.vertcat(0, inertia.h[1:]), products)

    return [(off(stator), element_frame(motion, "root")), (off(slider), element_frame(motion, "tip"))]

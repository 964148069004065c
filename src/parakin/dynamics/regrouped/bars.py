"""A bar as a mass form of its two ends, exactly.

A bar with ends A and B, d apart, whose mass lies on its line (to the eye of its motion) has the kinetic energy

    T = m_AA |v_A|^2/2 + m_AB v_A·v_B + m_BB |v_B|^2/2
    m_AA = m - 2 h_x/d + I/d^2,    m_AB = h_x/d - I/d^2,    m_BB = I/d^2

with I its inertia across the line about A: a point at xi moves with (1 - xi/d) v_A + (xi/d) v_B. The coefficients are
constant, so the forces at the ends are m a, without centrifugal terms: those act along the line, where the bar's own
constraint takes them up. Gravity is in it as an acceleration -g of both ends.

In a planar mechanism with normal z a centre of mass off the line, h_y, adds -(h_y/d) z·(v_A x v_B): the force at A by
B's acceleration is then (h_y/d) z x a_B, that at B -(h_y/d) z x a_A.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from parakin.dynamics.inertia import Inertia
from parakin.dynamics.regrouped.reduced import NOTHING
from parakin.spatial import skew


@dataclass(frozen=True)
class TwoPoints:
    """Masses of the form above; AB: 3 x 3, the force at A by B's acceleration, AB.T the other way round."""

    AA: ca.SX
    AB: ca.SX
    BB: ca.SX


def two_points(inertia: Inertia, d: float, joint: str, z: ca.SX) -> tuple[TwoPoints, Inertia]:
    """The form of a bar on a joint of some type, and what of its inertia the form leaves out.

    A revolute joint, its axis z along that of the whole planar leg, sees I_zz and h_y. Others see I_yy; a universal
    joint, which forces a spin, leaves I_xx, I_zz - I_yy, products and h_y, h_z out.
    """
    m, h_x, tensor = inertia.m, inertia.h[0], inertia.I
    planar = joint == "revolute"
    across = tensor[2, 2] if planar else tensor[1, 1]
    far = across / d**2
    off_line = inertia.h[1] / d * skew(z) if planar else ca.SX(3, 3)
    form = TwoPoints(m - 2 * h_x / d + far, (h_x / d - far) * ca.SX.eye(3) + off_line, far)
    if joint != "universal":
        return form, NOTHING
    rest = tensor - ca.diag(ca.vertcat(0, across, across))
    return form, Inertia(ca.SX(0), ca.vertcat(0, inertia.h[1:]), rest)

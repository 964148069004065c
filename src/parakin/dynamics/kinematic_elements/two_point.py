"""A bar as two mass points that also know of each other.

    T = 1/2 BB |v_B|^2 + BC v_B·v_C + 1/2 CC |v_C|^2 + skew v_B·(z x v_C)

is the kinetic energy of a bar from B to C, exactly, if its mass is symmetric about the line, or if it moves in the
plane across z. All four are constants: forces are mass times acceleration, with no Coriolis terms, for what acts along
the bar is borne by the bar. Gravity is an acceleration: a - g in place of a.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from parakin.dynamics.inertia import Inertia


@dataclass(frozen=True)
class TwoPoint:
    """Force needed at B: BB a_B + BC a_C + skew z x a_C; at C: BC a_B + CC a_C - skew z x a_B."""

    BB: ca.SX
    BC: ca.SX
    CC: ca.SX
    skew: ca.SX


def two_point(bar: Inertia, d: float, sense: float) -> TwoPoint:
    """From a bar's inertia about B, in its own frame.

        BB = m - 2 h_x/d + I/d^2,    BC = h_x/d - I/d^2,    CC = I/d^2,    skew = h_y/d

    I: across the line, about z. sense: of the bar's own z axis along z.
    """
    across, along = bar.I[2, 2] / d**2, bar.h[0] / d
    return TwoPoint(bar.m - 2 * along + across, along - across, across, sense * bar.h[1] / d)

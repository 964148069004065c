"""A bar as two mass points that know of each other, exactly.

A bar with ends A and B, d apart, whose mass lies on its line, or that moves in a plane with normal z, has the energy

    T = AA |v_A|^2/2 + AB v_A·v_B + BB |v_B|^2/2 + off v_A·(z x v_B)
    AA = m - 2 h_x/d + I/d^2,    AB = h_x/d - I/d^2,    BB = I/d^2,    off = h_y/d

with I its inertia about A across the line: a point at xi moves with (1 - xi/d) v_A + (xi/d) v_B. The four are constant,
so the forces at the ends are mass times acceleration, without centrifugal terms: those act along the line, where the
bar's own constraint takes them up. Gravity is in it as an acceleration -g of both ends.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from parakin.dynamics.inertia import Inertia


@dataclass(frozen=True)
class TwoPoints:
    """A bar as two points: it needs AA a_A + AB a_B + off z x a_B at A, and AB a_A + BB a_B - off z x a_A at B."""

    AA: ca.SX
    """Mass that A feels of its own acceleration [kg]."""
    AB: ca.SX
    """Mass by which A and B feel each other's acceleration [kg]."""
    BB: ca.SX
    """Mass that B feels of its own acceleration [kg]."""
    off: ca.SX
    """What a centre of mass off the line adds, h_y/d [kg]."""


def two_points(bar: Inertia, d: float, sense: float) -> TwoPoints:
    """Return the two points of a bar of length d from its inertia about A, in its frame.

    sense: the sign of the frame's z along z; 0 for a bar without h_y.
    """
    across, along = bar.I[2, 2] / d**2, bar.h[0] / d
    return TwoPoints(bar.m - 2 * along + across, along - across, across, sense * bar.h[1] / d)

"""Step 3, first half: kinematic coordinates, [Ozgur2013] eq. (49), (50), Table 1.

What a point's velocity and an element's angular velocity are in the leg's motion basis: matrices with three rows and
six columns for each element.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from parakin.dynamics.kinematic_elements.elements import RATES, SPIN, THETA, D, X
from parakin.kinematics.elements import ElementMotion
from parakin.spatial import skew


@dataclass(frozen=True)
class Coordinates:
    """Of one element: A_dot = V_A u, B_dot = V_B u, w = W u, w of what carries its root = W_carrier u."""

    V_A: ca.SX
    V_B: ca.SX
    W: ca.SX
    W_carrier: ca.SX

    def W_ring(self, axis: ca.SX) -> ca.SX:
        """Of a universal root's ring, which turns against the carrier about axis 1 alone."""
        return self.W_carrier + axis @ (axis.T @ (self.W - self.W_carrier))


def coordinates_of(leg: tuple[ElementMotion, ...], driven_carrier: bool) -> list[Coordinates]:
    """Of every element of a leg, from its root on.

        A_dot = sum over the elements before of d_dot x + d x_dot,        w = x x x_dot + spin x

    [Ozgur2013] eq. (12), (30). driven_carrier: a shaft's root sits on its motor, which turns by theta about z.
    """
    size = RATES * len(leg)
    found: list[Coordinates] = []
    root, carrier = ca.SX(3, size), ca.SX(3, size)
    if driven_carrier:
        carrier[2, THETA] = 1
    for k, element in enumerate(leg):
        own, x = RATES * k, element.line.x
        W, grown = ca.SX(3, size), ca.SX(3, size)
        W[:, own + X.start : own + X.stop] = skew(x)
        W[:, own + SPIN] = x
        grown[:, own + X.start : own + X.stop] = element.line.d * ca.SX.eye(3)
        grown[:, own + D] = x
        found.append(Coordinates(root, root + grown, W, carrier))
        root, carrier = root + grown, W
    return found

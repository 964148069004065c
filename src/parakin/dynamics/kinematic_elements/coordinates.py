"""Write velocities in a leg's motion basis u: kinematic coordinates, [Ozgur2013] eq. (49), (50), Table 1.

A point's velocity and an element's angular velocity are matrices times u, with three rows and six columns for each
element. This is the first half of the paper's step 3.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from parakin.dynamics.kinematic_elements.elements import D_DOT, RATES, SPIN, THETA_DOT, X_DOT
from parakin.kinematics.elements import ElementMotion
from parakin.spatial import skew


@dataclass(frozen=True)
class Coordinates:
    """The velocities of one element in the motion basis u of its leg."""

    V_A: ca.SX
    """Velocity of the root, A_dot = V_A u."""
    V_B: ca.SX
    """Velocity of the tip, B_dot = V_B u."""
    W: ca.SX
    """Angular velocity of the element's root part, w = W u."""
    W_tip: ca.SX
    """Angular velocity of its tip part, which a spindle or screw turns against the root part by theta."""
    W_carrier: ca.SX
    """Angular velocity of what carries the root, w_carrier = W_carrier u."""

    def W_ring(self, axis: ca.SX) -> ca.SX:
        """Return W of a universal root's ring, which turns against the carrier about axis 1 alone."""
        return self.W_carrier + axis @ (axis.T @ (self.W - self.W_carrier))


def coordinates_of(leg: tuple[ElementMotion, ...], *, driven_carrier: bool) -> list[Coordinates]:
    """Return the velocities of every element of a leg, from its root on.

        A_dot = sum over the elements before of d_dot x + d x_dot
        w = x x x_dot + spin x,    w_tip = w + theta_dot x

    [Ozgur2013] eq. (12), (30). With `driven_carrier` the root sits on a motor that turns by theta about z: a shaft.
    """
    size = RATES * len(leg)
    elements: list[Coordinates] = []
    root, carrier = ca.SX(3, size), ca.SX(3, size)
    if driven_carrier:
        carrier[2, THETA_DOT] = 1
    for k, element in enumerate(leg):
        first, x = RATES * k, element.line.x
        W, grown = ca.SX(3, size), ca.SX(3, size)
        W[:, first + X_DOT.start : first + X_DOT.stop] = skew(x)
        W[:, first + SPIN] = x
        grown[:, first + X_DOT.start : first + X_DOT.stop] = element.line.d * ca.SX.eye(3)
        grown[:, first + D_DOT] = x
        W_tip = W
        if element.tip is not None:
            W_tip = ca.SX(W)
            W_tip[:, first + THETA_DOT] = x
        elements.append(Coordinates(root, root + grown, W, W_tip, carrier))
        root, carrier = root + grown, W_tip
    return elements

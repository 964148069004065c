"""Coordinates that formulas give, one after the other, beside a configuration whose branch is followed."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from parakin.kinematics.graph.ways import Axes, Known
from parakin.mechanism.skeleton import Skeleton

NOTHING = 1e-150
"""An area [m^2] whose square is a number still, and which is lost beside any other."""


@dataclass(frozen=True)
class Solved:
    """A configuration in the making, beside the one whose branch is followed."""

    skeleton: Skeleton
    """The mechanism."""
    c: list[ca.SX]
    """Coordinates; NaN where they are not known yet."""
    near: ca.SX
    """A whole configuration on the branch that is wanted."""
    turns: dict[int, Axes]
    """Cosine and sine of the angles that were found, by their places."""

    @property
    def known(self) -> Known:
        """What is known so far."""
        return Known(self.c, self.turns)

    @property
    def known_near(self) -> Known:
        """The configuration whose branch is followed."""
        return Known(ca.vertsplit(self.near), {})


def take(solved: Solved, k: int, turn: Axes) -> None:
    """Note an angle, given by its cosine and sine, with the whole turns that bring it nearest to `near`."""
    angle, near = ca.atan2(turn[1], turn[0]), solved.near[k]
    solved.turns[k] = turn
    solved.c[k] = angle + 2 * ca.pi * ca.floor((near - angle) / (2 * ca.pi) + 0.5)


def side_of(A: ca.SX, B: ca.SX, angle: ca.SX) -> ca.SX:
    """Return the sign of A sin q - B cos q; where A and B, or their ratio, are numbers, by counting half turns."""
    if A.is_zero():
        return -ca.sign(B) * _half_turns(angle)
    if B.is_zero():
        return ca.sign(A) * _half_turns(angle - ca.pi / 2)
    return ca.sign(A * ca.sin(angle) - B * ca.cos(angle))


def _half_turns(angle: ca.SX) -> ca.SX:
    """Return the sign of cos q."""
    count = ca.floor(angle / ca.pi + 0.5)
    return 1 - 2 * (count - 2 * ca.floor(count / 2))


def turn_to(u: ca.SX, x: ca.SX) -> Axes:
    """Return cosine and sine of the angle from one vector of the plane to another, no turn where one is zero."""
    along, across = u[0] * x[0] + u[1] * x[1] + NOTHING, u[0] * x[1] - u[1] * x[0]
    inverse = 1 / ca.sqrt(along**2 + across**2)
    return along * inverse, across * inverse


def directions(A: ca.SX, B: ca.SX, K: ca.SX, sign: ca.SX) -> Axes:
    """Return cos q and sin q with A cos q + B sin q = K, sign being that of A sin q - B cos q."""
    inverse = 1 / ca.sqrt(A**2 + B**2)
    along = ca.fmax(ca.fmin(K * inverse, 1), -1)
    across = sign * ca.sqrt((1 - along) * (1 + along))
    return (A * along - B * across) * inverse, (B * along + A * across) * inverse

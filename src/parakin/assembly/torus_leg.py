"""Eliminate the further unknown C of one torus from the tracker's linear system."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from parakin.assembly.pairs import Pair, Pairs, dot, selected


@dataclass(frozen=True)
class TorusLeg:
    """The two linear equations of one torus: sphere·dy - 2 a dC = r_1 and 2 C dC + 2 P·dy = r_2."""

    sphere: Pairs
    """Gradient of the sphere's equation with respect to the Study parameters y."""
    P: Pairs
    """Half the gradient of the circle's equation with respect to y: H H_y - l^2 Delta Delta_y."""
    C: Pair
    """How far the bar leans outwards, times Delta = x·x."""
    a: Pair
    """Length of the link."""
    scale: ca.SX
    """Factor 1/(|C| + |H|) by which the row that is left is divided, for both can be as small as Delta."""

    def row(self) -> Pairs:
        """Return the row on dy that is left without dC: (C sphere + 2 a P) scale."""
        both = zip(self.sphere, self.P, strict=True)
        return [(self.C * s + (self.a * p).scaled(2)).scaled(self.scale) for s, p in both]

    def reduced(self, r_1: Pair, r_2: Pair) -> Pair:
        """Return the right side of that row: (C r_1 + a r_2) scale."""
        return (self.C * r_1 + self.a * r_2).scaled(self.scale)

    def lean(self, dy: Pairs, r_1: Pair, r_2: Pair) -> Pair:
        """Return dC once dy is known, from whichever of its two equations has the larger factor."""
        by_circle = self.C.magnitude() > self.a.magnitude()
        remainder = selected(by_circle, r_2.scaled(0.5) - dot(self.P, dy), (dot(self.sphere, dy) - r_1).scaled(0.5))
        return remainder * selected(by_circle, self.C, self.a).inverse()

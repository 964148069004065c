"""One torus of six in the tracker's matrix: its further unknown eliminated."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from parakin.robot.assembly.pairs import Pair, Pairs, dot, selected


@dataclass(frozen=True)
class TorusLeg:
    """One torus where it is: sphere·dy - 2 a dC = r_1, 2 C dC + 2 P·dy = r_2; scale: 1/(|C| + |H|)."""

    sphere: Pairs
    P: Pairs
    C: Pair
    a: Pair
    scale: ca.SX

    def row(self) -> Pairs:
        both = zip(self.sphere, self.P, strict=True)
        return [(self.C * s + (self.a * p).scaled(2)).scaled(self.scale) for s, p in both]

    def reduced(self, r_1: Pair, r_2: Pair) -> Pair:
        return (self.C * r_1 + self.a * r_2).scaled(self.scale)

    def lean(self, dy: Pairs, r_1: Pair, r_2: Pair) -> Pair:
        """dC from whichever of its two equations has the larger factor."""
        by_circle = self.C.magnitude() > self.a.magnitude()
        left = selected(by_circle, r_2.scaled(0.5) - dot(self.P, dy), (dot(self.sphere, dy) - r_1).scaled(0.5))
        return left * selected(by_circle, self.C, self.a).inverse()

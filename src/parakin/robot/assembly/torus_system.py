"""Six tori as a system to follow: the Study parameters and, for each leg, how far its bar leans outwards.

An arm whose universal joint has its axes an offset a apart carries a link of length a that turns about the axis k, and
at its end a bar of length l that tilts in the plane of link and axis. With r from the elbow to the attachment, c the
bar's part along the link and h its part along the axis:

    |r|^2 = (a + c)^2 + h^2,     h = k·r,     c^2 + h^2 = l^2

In Study parameters, with Delta = x·x, and C = c Delta as further unknowns:

    N_i(y) - (l_i^2 + a_i^2) Delta - 2 a_i C_i = 0                          a sphere, but for C
    C_i^2 + H_i(y)^2 - l_i^2 Delta^2 = 0,      H_i = k_i·(w + R beta_i) Delta - k_i·upsilon_i Delta

With a = 0 these are spheres, each solution 2^6 times, as every C has either sign; and regular unless a C is 0.

A machine is (theta of the spheres with squared lengths l^2 + a^2, k, k·upsilon, a, l^2), 72 numbers. beta and l stay
the same along a path.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca

from parakin.robot.assembly.pairs import ZERO, Pair, Pairs, combined, dot, factored
from parakin.robot.assembly.sphere_system import SIZES as SPHERES
from parakin.robot.assembly.study import (
    DIAGONAL,
    LEGS,
    UNKNOWNS,
    Quadrics,
    form_gradient,
    gradients,
    monomials,
    quadrics,
    rates,
    residuals,
    turning,
)
from parakin.robot.assembly.study import PARAMETERS as OF_SPHERES
from parakin.robot.assembly.system import System
from parakin.robot.assembly.torus_leg import TorusLeg

TORI = LEGS + 1
FORM = 13
PARAMETERS = OF_SPHERES + 6 * TORI
SIZES = SPHERES | {"height": FORM * TORI, "climb": FORM * TORI, "offset": TORI, "growth": TORI, "squared": TORI}


@dataclass(frozen=True)
class _Tori:
    """Equations in the order: six spheres less 2 a C, Study's quadric, six circles."""

    coefficients: Pairs
    changes: Pairs
    heights: list[Pairs]
    climbs: list[Pairs]
    offsets: Pairs
    growths: Pairs
    squared: Pairs

    def values(self, z: Pairs) -> Pairs:
        y, C, Delta = z[:UNKNOWNS], z[UNKNOWNS:], dot(z[:4], z[:4])
        *spheres, study = _own(residuals(self.coefficients, y))
        H = [dot(height, monomials(y)) for height in self.heights]
        bent = [value - (a * c).scaled(2) for value, a, c in zip(spheres, self.offsets, C, strict=True)]
        circles = [c * c + h * h - b * Delta * Delta for c, h, b in zip(C, H, self.squared, strict=True)]
        return [*bent, study, *circles]

    def rates(self, z: Pairs) -> Pairs:
        y, C = z[:UNKNOWNS], z[UNKNOWNS:]
        *spheres, study = _own(rates(self.changes, y))
        bent = [value - (a * c).scaled(2) for value, a, c in zip(spheres, self.growths, C, strict=True)]
        pairs = zip(self.heights, self.climbs, strict=True)
        circles = [(dot(h, monomials(y)) * dot(change, monomials(y))).scaled(2) for h, change in pairs]
        return [*bent, study, *circles]

    def solver(self, z: Pairs, y: Pairs) -> Callable[[Pairs], Pairs]:
        """C_i is eliminated, which leaves eight unknowns. With P = H H_y - l^2 Delta Delta_y:

            sphere·dy - 2 a dC = r_1,     2 C dC + 2 P·dy = r_2
            (C sphere + 2 a P)·dy = C r_1 + a r_2

        The rows are divided by |C| + |H|, which can be as small as Delta.
        """
        legs, study = self._legs(z)
        rows = [leg.row() for leg in legs]
        solved = factored([*rows, study, [value.conjugate() for value in y[:UNKNOWNS]]])

        def change(right: Pairs) -> Pairs:
            r_1, r_2 = right[:TORI], right[TORI + 1 :]
            reduced = [leg.reduced(u, v) for leg, u, v in zip(legs, r_1, r_2, strict=True)]
            dy = solved([*reduced, right[TORI], ZERO])
            return dy + [leg.lean(dy, u, v) for leg, u, v in zip(legs, r_1, r_2, strict=True)]

        return change

    def _legs(self, z: Pairs) -> tuple[list[TorusLeg], Pairs]:
        """The legs at z, and the gradient of Study's quadric."""
        place, x, Delta = z[:UNKNOWNS], z[:4], dot(z[:4], z[:4])
        *spheres, study = _own_rows(gradients(self.coefficients, place))
        legs: list[TorusLeg] = []
        for i, (sphere, C) in enumerate(zip(spheres, z[UNKNOWNS:], strict=True)):
            H, weight = dot(self.heights[i], monomials(place)), (self.squared[i] * Delta).scaled(2)
            tilt = [H * value for value in form_gradient(self.heights[i], place)]
            P = [value - weight * v for value, v in zip(tilt[:4], x, strict=True)] + tilt[4:]
            legs.append(TorusLeg(sphere, P, C, self.offsets[i], 1 / (C.magnitude() + H.magnitude())))
        return legs, study


def _own(values: Pairs) -> Pairs:
    """Sphere 1, the others, then Study's quadric, from what is kept: the others less sphere 1."""
    first, study, *others = values
    return [first, *(value + first for value in others), study]


def _own_rows(rows: list[Pairs]) -> list[Pairs]:
    """The same for gradients."""
    first, study, *others = rows
    return [first, *(combined(row, 1, first) for row in others), study]


def _height(k: Pairs, level: Pair, beta: Pairs) -> Pairs:
    """2 k, S of H = 2 k·(x_0 G - g_0 X + X x G) + x^T S x / 2, x^T S x / 2 = k·R(x) beta - level x·x."""
    turned = [value.scaled(-0.5) for value in turning(beta, k)]
    S = [value - level.scaled(2) if place in DIAGONAL else value for place, value in enumerate(turned)]
    return [*(value.scaled(2) for value in k), *S]


def _expanded(start: Pairs, end: Pairs) -> dict[str, Pairs]:
    between = quadrics(start[:OF_SPHERES], end[:OF_SPHERES])
    change = combined(start, -1, end)
    betas = [[ZERO] * 3, *(end[3 * i : 3 * i + 3] for i in range(LEGS))]
    axes, levels, offsets, squared = (slice(OF_SPHERES + a * TORI, OF_SPHERES + b * TORI) for a, b in _PARTS)

    def forms(values: Pairs) -> Pairs:
        k = values[axes]
        return [
            value
            for i, (level, beta) in enumerate(zip(values[levels], betas, strict=True))
            for value in _height(k[3 * i : 3 * i + 3], level, beta)
        ]

    return {
        "constant": between.constant,
        "linear": between.linear,
        "square": between.square,
        "height": forms(end),
        "climb": forms(change),
        "offset": end[offsets],
        "growth": change[offsets],
        "squared": end[squared],
    }


_PARTS = ((0, 3), (3, 4), (4, 5), (5, 6))
"""Where k, k·upsilon, a and l^2 stand behind theta of the spheres, in numbers of legs."""


def _at(groups: dict[str, Pairs], t: ca.SX) -> _Tori:
    between = Quadrics(**{name: groups[name] for name in SPHERES})
    heights = combined(groups["height"], t, groups["climb"])
    return _Tori(
        between.at(t),
        between.rate(t),
        _forms(heights),
        _forms(groups["climb"]),
        combined(groups["offset"], t, groups["growth"]),
        groups["growth"],
        groups["squared"],
    )


def _forms(values: Pairs) -> list[Pairs]:
    """16 coefficients a leg: s = z = 2 k, then S."""
    own = [values[FORM * i : FORM * i + FORM] for i in range(TORI)]
    return [[*form[:3], *form] for form in own]


@functools.cache
def tori() -> System:
    return System("torus_paths", (1,) * UNKNOWNS + (2,) * TORI, PARAMETERS, SIZES, _expanded, _at)

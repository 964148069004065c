"""Give the tracker six tori as a system to follow: Study parameters, and how far the bar of each leg leans outwards.

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

from parakin.assembly.dual_quaternions import (
    DIAGONAL,
    OTHER_LEGS,
    PLATFORM_PARAMETERS,
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
from parakin.assembly.pairs import ZERO, Pair, Pairs, combined, dot, factored
from parakin.assembly.sphere_system import SPHERE_SIZES
from parakin.assembly.system import System
from parakin.assembly.torus_leg import TorusLeg

TORI = OTHER_LEGS + 1
"""Number of tori, one for each leg."""
HEIGHT_COEFFICIENTS = 13
"""Coefficients of H_i as they are kept: 2 k, which stands for both s and z, and the ten of S."""
TORUS_PARAMETERS = PLATFORM_PARAMETERS + 6 * TORI
"""Numbers that describe a machine: those of its spheres, then k (3), k·upsilon, a and l^2 of each leg."""
TORUS_SIZES = SPHERE_SIZES | {
    "height": HEIGHT_COEFFICIENTS * TORI,
    "climb": HEIGHT_COEFFICIENTS * TORI,
    "offset": TORI,
    "growth": TORI,
    "squared": TORI,
}
"""Coefficients of each group: those of the spheres; H and its rate in t; a and its rate in t; l^2."""


@dataclass(frozen=True)
class _Tori:
    """The equations at one t, in the order: six spheres less 2 a C, Study's quadric, six circles."""

    coefficients: Pairs
    """The 81 coefficients of the spheres' quadrics."""
    changes: Pairs
    """Their derivatives with respect to t."""
    heights: list[Pairs]
    """The 16 coefficients of H of each leg."""
    climbs: list[Pairs]
    """Their derivatives with respect to t."""
    offsets: Pairs
    """Length a of each link."""
    growths: Pairs
    """Their derivatives with respect to t."""
    squared: Pairs
    """Squared length l^2 of each bar."""

    def values(self, z: Pairs) -> Pairs:
        y, C, Delta = z[:UNKNOWNS], z[UNKNOWNS:], dot(z[:4], z[:4])
        *spheres, study_quadric = _unsubtracted(residuals(self.coefficients, y))
        H = [dot(height, monomials(y)) for height in self.heights]
        bent = [value - (a * c).scaled(2) for value, a, c in zip(spheres, self.offsets, C, strict=True)]
        circles = [c * c + h * h - b * Delta * Delta for c, h, b in zip(C, H, self.squared, strict=True)]
        return [*bent, study_quadric, *circles]

    def rates(self, z: Pairs) -> Pairs:
        y, C = z[:UNKNOWNS], z[UNKNOWNS:]
        *spheres, study_quadric = _unsubtracted(rates(self.changes, y))
        bent = [value - (a * c).scaled(2) for value, a, c in zip(spheres, self.growths, C, strict=True)]
        pairs = zip(self.heights, self.climbs, strict=True)
        circles = [(dot(h, monomials(y)) * dot(change, monomials(y))).scaled(2) for h, change in pairs]
        return [*bent, study_quadric, *circles]

    def solver(self, z: Pairs, y: Pairs) -> Callable[[Pairs], Pairs]:
        """Return the solver for a change of y and C; C_i is eliminated, which leaves eight unknowns.

        P = H H_y - l^2 Delta Delta_y

            sphere·dy - 2 a dC = r_1,     2 C dC + 2 P·dy = r_2
            (C sphere + 2 a P)·dy = C r_1 + a r_2

        The rows are divided by |C| + |H|, which can be as small as Delta.
        """
        legs, study_quadric = self._legs(z)
        rows = [leg.row() for leg in legs]
        solved = factored([*rows, study_quadric, [value.conjugate() for value in y[:UNKNOWNS]]])

        def change(right: Pairs) -> Pairs:
            r_1, r_2 = right[:TORI], right[TORI + 1 :]
            reduced = [leg.reduced(u, v) for leg, u, v in zip(legs, r_1, r_2, strict=True)]
            dy = solved([*reduced, right[TORI], ZERO])
            return dy + [leg.lean(dy, u, v) for leg, u, v in zip(legs, r_1, r_2, strict=True)]

        return change

    def _legs(self, z: Pairs) -> tuple[list[TorusLeg], Pairs]:
        """Return the legs at z, and the gradient of Study's quadric."""
        place, x, Delta = z[:UNKNOWNS], z[:4], dot(z[:4], z[:4])
        *spheres, study_quadric = _unsubtracted_rows(gradients(self.coefficients, place))
        legs: list[TorusLeg] = []
        for i, (sphere, C) in enumerate(zip(spheres, z[UNKNOWNS:], strict=True)):
            H, weight = dot(self.heights[i], monomials(place)), (self.squared[i] * Delta).scaled(2)
            tilt = [H * value for value in form_gradient(self.heights[i], place)]
            P = [value - weight * v for value, v in zip(tilt[:4], x, strict=True)] + tilt[4:]
            legs.append(TorusLeg(sphere, P, C, self.offsets[i], 1 / (C.magnitude() + H.magnitude())))
        return legs, study_quadric


def _unsubtracted(values: Pairs) -> Pairs:
    """Return all six spheres, then Study's quadric, from equations in which sphere 1 is subtracted from the others."""
    first, study_quadric, *others = values
    return [first, *(value + first for value in others), study_quadric]


def _unsubtracted_rows(rows: list[Pairs]) -> list[Pairs]:
    """Return the gradients of all six spheres, then of Study's quadric, as `_unsubtracted` does for values."""
    first, study_quadric, *others = rows
    return [first, *(combined(row, 1, first) for row in others), study_quadric]


def _height(k: Pairs, level: Pair, beta: Pairs) -> Pairs:
    """Return 2 k and S of H = 2 k·(x_0 G - g_0 X + X x G) + x^T S x / 2.

    x^T S x / 2 = k·R(x) beta - level x·x,      level = k·upsilon
    """
    turned = [value.scaled(-0.5) for value in turning(beta, k)]
    S = [value - level.scaled(2) if place in DIAGONAL else value for place, value in enumerate(turned)]
    return [*(value.scaled(2) for value in k), *S]


def _expanded(start: Pairs, end: Pairs) -> dict[str, Pairs]:
    """Return the coefficients of all equations as polynomials in t, by group."""
    between = quadrics(start[:PLATFORM_PARAMETERS], end[:PLATFORM_PARAMETERS])
    change = combined(start, -1, end)
    betas = [[ZERO] * 3, *(end[3 * i : 3 * i + 3] for i in range(OTHER_LEGS))]
    axes, levels, offsets, squared = (
        slice(PLATFORM_PARAMETERS + a * TORI, PLATFORM_PARAMETERS + b * TORI) for a, b in _PARTS
    )

    def forms(values: Pairs) -> Pairs:
        """Return the 13 coefficients of H of each leg, one leg after the other."""
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
    """Return the equations at t."""
    between = Quadrics(**{name: groups[name] for name in SPHERE_SIZES})
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
    """Return the 16 coefficients of H of each leg, s = z = 2 k and then S, from the 13 that are kept."""
    size = HEIGHT_COEFFICIENTS
    kept = [values[size * i : size * i + size] for i in range(TORI)]
    return [[*form[:3], *form] for form in kept]


@functools.cache
def tori() -> System:
    """Return the system of six tori; a function, so that its expressions are made when first needed."""
    weights = (1,) * UNKNOWNS + (2,) * TORI
    return System("torus_paths", weights, TORUS_PARAMETERS, TORUS_SIZES, _expanded, _at)

"""Give the tracker six spheres as a system to follow: seven quadrics in the eight Study parameters."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca

from parakin.assembly.dual_quaternions import (
    PLATFORM_PARAMETERS,
    UNKNOWNS,
    Quadrics,
    gradients,
    quadrics,
    rates,
    residuals,
)
from parakin.assembly.pairs import ZERO, Pairs, factored
from parakin.assembly.system import System

SPHERE_SIZES = {"constant": 81, "linear": 81, "square": 50}
"""Coefficients of each power of t: 16 for each of five legs and l_1^2; for t^2 the ten of each leg that need it."""


@dataclass(frozen=True)
class _Spheres:
    """Seven quadrics at one t: sphere 1, Study's quadric, and the other spheres less sphere 1."""

    coefficients: Pairs
    changes: Pairs

    def values(self, z: Pairs) -> Pairs:
        return residuals(self.coefficients, z)

    def rates(self, z: Pairs) -> Pairs:
        return rates(self.changes, z)

    def solver(self, z: Pairs, y: Pairs) -> Callable[[Pairs], Pairs]:
        solved = factored([*gradients(self.coefficients, z), [value.conjugate() for value in y]])
        return lambda right: solved([*right, ZERO])


def _expanded(start: Pairs, end: Pairs) -> dict[str, Pairs]:
    """Return the coefficients of the quadrics as polynomials in t, by power."""
    between = quadrics(start, end)
    return {"constant": between.constant, "linear": between.linear, "square": between.square}


def _at(groups: dict[str, Pairs], t: ca.SX) -> _Spheres:
    """Return the quadrics at t."""
    between = Quadrics(**groups)
    return _Spheres(between.at(t), between.rate(t))


@functools.cache
def spheres() -> System:
    """Return the system of six spheres; a function, so that its expressions are made when first needed."""
    return System("platform_paths", (1,) * UNKNOWNS, PLATFORM_PARAMETERS, SPHERE_SIZES, _expanded, _at)

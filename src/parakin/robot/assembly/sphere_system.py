"""Six spheres as a system to follow: seven quadrics in the eight Study parameters."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca

from parakin.robot.assembly.pairs import ZERO, Pairs, factored
from parakin.robot.assembly.study import PARAMETERS, UNKNOWNS, Quadrics, gradients, quadrics, rates, residuals
from parakin.robot.assembly.system import System

SIZES = {"constant": 81, "linear": 81, "square": 50}


@dataclass(frozen=True)
class _Spheres:
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
    between = quadrics(start, end)
    return {"constant": between.constant, "linear": between.linear, "square": between.square}


def _at(groups: dict[str, Pairs], t: ca.SX) -> _Spheres:
    between = Quadrics(**groups)
    return _Spheres(between.at(t), between.rate(t))


@functools.cache
def spheres() -> System:
    return System("platform_paths", (1,) * UNKNOWNS, PARAMETERS, SIZES, _expanded, _at)

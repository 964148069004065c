"""What the tracker needs to know of the equations whose solutions it follows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import casadi as ca

from parakin.robot.assembly.pairs import Pair, Pairs


class Equations(Protocol):
    """H at one t."""

    def values(self, z: Pairs) -> Pairs:
        """H."""
        ...

    def rates(self, z: Pairs) -> Pairs:
        """H_t."""
        ...

    def solver(self, z: Pairs, y: Pairs) -> Callable[[Pairs], Pairs]:
        """right -> change with H_y change = right at z, conj(y)·change = 0."""
        ...


@dataclass(frozen=True)
class System:
    """Equations whose solutions are followed.

    weights: for each unknown the power of a factor it takes, as the equations are homogeneous; those of weight 1 are
    kept at unit length. parameters: how many numbers theta has. sizes: of the coefficients of the polynomials in t that
    `expanded` works out from theta_start and theta_end, once a path. at: the equations from these and t.
    """

    name: str
    weights: tuple[int, ...]
    parameters: int
    sizes: dict[str, int]
    expanded: Callable[[Pairs, Pairs], dict[str, Pairs]]
    at: Callable[[dict[str, Pairs], ca.SX], Equations]

    def unit(self, y: Pairs) -> Pairs:
        """y times the factor that makes its length 1."""
        parts = [part for value, weight in zip(y, self.weights, strict=True) if weight == 1 for part in _parts(value)]
        length = ca.norm_2(ca.vertcat(*parts))
        return [value.scaled(1 / length**weight) for value, weight in zip(y, self.weights, strict=True)]


def _parts(value: Pair) -> tuple[ca.SX, ca.SX]:
    return value.re, value.im

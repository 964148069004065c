"""Say what the tracker needs to know of the equations whose solutions it follows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import casadi as ca

from parakin.assembly.pairs import Pair, Pairs


class Equations(Protocol):
    """The homotopy's equations H(y, t) = 0 at one t."""

    def values(self, z: Pairs) -> Pairs:
        """Return H at z."""
        ...

    def rates(self, z: Pairs) -> Pairs:
        """Return H_t, the derivative of H with respect to t, at z."""
        ...

    def solver(self, z: Pairs, y: Pairs) -> Callable[[Pairs], Pairs]:
        """Return a function right -> change with H_y change = right at z and conj(y)·change = 0."""
        ...


@dataclass(frozen=True)
class System:
    """A family of homogeneous equations whose solutions are followed from one machine to another."""

    name: str
    """Name of the kernel that follows them."""
    weights: tuple[int, ...]
    """For each unknown the power of a common factor it takes; unknowns of weight 1 are kept at unit length."""
    parameters: int
    """How many complex numbers theta describe a machine."""
    sizes: dict[str, int]
    """How many complex coefficients each group of `expanded` has, by the group's name."""
    expanded: Callable[[Pairs, Pairs], dict[str, Pairs]]
    """Coefficients of the polynomials in t from theta_start and theta_end, worked out once for a path."""
    at: Callable[[dict[str, Pairs], ca.SX], Equations]
    """The equations from these coefficients and t."""

    def unit(self, y: Pairs) -> Pairs:
        """Return y times the factor, to the power of each weight, that makes its part of weight 1 a unit vector."""
        parts = [part for value, weight in zip(y, self.weights, strict=True) if weight == 1 for part in _parts(value)]
        length = ca.norm_2(ca.vertcat(*parts))
        return [value.scaled(1 / length**weight) for value, weight in zip(y, self.weights, strict=True)]


def _parts(value: Pair) -> tuple[ca.SX, ca.SX]:
    return value.re, value.im

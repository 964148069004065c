"""What the tracker asks of spheres and tori: rates and solvers that are derivatives of the values."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
import numpy as np
import pytest

from parakin.assembly.pairs import pack, unpack
from parakin.assembly.sphere_system import spheres
from parakin.assembly.system import System
from parakin.assembly.torus_system import TORI, tori
from tests.assembly.expressions import expression, number, parts

BOTH = pytest.mark.parametrize("kind", [spheres, tori])


def drawn(rng: np.random.Generator, size: int) -> np.ndarray:
    return rng.normal(size=size) + 1j * rng.normal(size=size)


def machines(kind: Callable[[], System], rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return two random machines; beta of the platform and l^2 of the tori stay along a path."""
    start, end = drawn(rng, kind().parameters), drawn(rng, kind().parameters)
    if kind is tori:
        start[:15], start[-TORI:] = end[:15], end[-TORI:]
    return start, end


@BOTH
def test_groups_have_the_sizes_they_say(kind: Callable[[], System]) -> None:
    start, end = machines(kind, np.random.default_rng(0))
    groups = kind().expanded(expression(start), expression(end))
    assert {name: len(values) for name, values in groups.items()} == kind().sizes


@BOTH
def test_rates_are_derivatives_with_respect_to_t(kind: Callable[[], System]) -> None:
    rng = np.random.default_rng(1)
    start, end = machines(kind, rng)
    z, t = expression(drawn(rng, len(kind().weights))), ca.SX.sym("t")
    equations = kind().at(kind().expanded(expression(start), expression(end)), t)
    slope = ca.jacobian(pack(equations.values(z)), t)
    both = ca.Function("both", [t], [slope, pack(equations.rates(z))])
    derivative, rates = both(0.37)
    assert number(rates) == pytest.approx(number(derivative), rel=1e-10)


@BOTH
def test_the_solver_inverts_the_derivative_on_the_patch(kind: Callable[[], System]) -> None:
    """H_y change = right, whatever right is, and conj(y)·change = 0 for the unknowns of weight 1."""
    rng = np.random.default_rng(2)
    start, end = machines(kind, rng)
    size = len(kind().weights)
    z, y, right = (drawn(rng, count) for count in (size, size, size - 1))
    equations = kind().at(kind().expanded(expression(start), expression(end)), ca.SX(0.6))
    change = number(pack(equations.solver(expression(z), expression(y))(expression(right))))
    symbol, direction = ca.SX.sym("z", 2 * size), ca.SX.sym("direction", 2 * size)
    along = ca.jtimes(pack(equations.values(unpack(symbol))), symbol, direction)
    reals = [parts(values) for values in (z, change)]
    assert number(ca.Function("along", [symbol, direction], [along])(*reals)) == pytest.approx(right, rel=1e-8)
    assert np.sum(y[:8].conj() * change[:8]) == pytest.approx(0.0, abs=1e-10)


def test_unit_length_keeps_the_solution() -> None:
    """A common factor, to the power of each weight, so that equations that are homogeneous stay satisfied."""
    y = drawn(np.random.default_rng(3), 14)
    unit = number(pack(tori().unit(expression(y))))
    length = np.linalg.norm(y[:8])
    assert unit[:8] == pytest.approx(y[:8] / length)
    assert unit[8:] == pytest.approx(y[8:] / length**2)


def test_tori_are_solved_where_an_offset_or_a_lean_vanishes() -> None:
    """Leg 1 has a = 0, as at the start of every path to tori, and leg 2 has C = 0: each has one equation for dC."""
    rng = np.random.default_rng(4)
    start, end = machines(tori, rng)
    z, y, right = (drawn(rng, count) for count in (14, 14, 13))
    start[-2 * TORI] = end[-2 * TORI] = z[9] = 0.0
    equations = tori().at(tori().expanded(expression(start), expression(end)), ca.SX(0.6))
    change = equations.solver(expression(z), expression(y))(expression(right))
    symbol, direction = ca.SX.sym("z", 28), ca.SX.sym("direction", 28)
    along = ca.jtimes(pack(equations.values(unpack(symbol))), symbol, direction)
    derivative = ca.Function("along", [symbol, direction], [along])(parts(z), parts(number(change)))
    assert number(derivative) == pytest.approx(right, rel=1e-8)

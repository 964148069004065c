"""Complex expressions as pairs of real ones agree with complex numbers."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from parakin.assembly.pairs import Pair, combined, cross, dot, factored, selected
from tests.assembly.expressions import expression, number

RNG = np.random.default_rng(5)
A, B = RNG.normal(size=(2, 3)) + 1j * RNG.normal(size=(2, 3))


def test_arithmetic() -> None:
    a, b = expression(A), expression(B)
    both = list(zip(a, b, strict=True))
    assert number([x + y for x, y in both]) == pytest.approx(A + B)
    assert number([x - y for x, y in both]) == pytest.approx(A - B)
    assert number([x * y for x, y in both]) == pytest.approx(A * B)
    assert number([-x for x in a]) == pytest.approx(-A)
    assert number([x.scaled(2.5) for x in a]) == pytest.approx(2.5 * A)
    assert number([x.conjugate() for x in a]) == pytest.approx(A.conj())
    assert number([x.inverse() for x in a]) == pytest.approx(1 / A)
    assert number(combined(a, -0.5, b)) == pytest.approx(A - 0.5 * B)


def test_products_conjugate_nothing() -> None:
    a, b = expression(A), expression(B)
    assert number([dot(a, b)]) == pytest.approx([np.sum(A * B)])
    assert number(cross(a, b)) == pytest.approx(np.cross(A, B))


def test_magnitude_and_choice() -> None:
    a, b = Pair(ca.SX(-3), ca.SX(4)), Pair(ca.SX(1), ca.SX(2))
    assert np.array(ca.DM(a.magnitude())) == 7.0
    assert number([selected(ca.SX(1), a, b)]) == pytest.approx([-3 + 4j])
    assert number([selected(ca.SX(0), a, b)]) == pytest.approx([1 + 2j])


@pytest.mark.parametrize("seed", range(4))
def test_linear_systems_need_exchanges_of_rows(seed: int) -> None:
    """Leading entries of zero or next to it, so that elimination in the given order would fail or lose all digits."""
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(5, 5)) + 1j * rng.normal(size=(5, 5))
    matrix[0, 0] = 0.0
    matrix[1, :2] = 1e-17
    solve = factored([expression(row) for row in matrix])
    for right in rng.normal(size=(2, 5)) + 1j * rng.normal(size=(2, 5)):
        assert number(solve(expression(right))) == pytest.approx(np.linalg.solve(matrix, right), rel=1e-10)

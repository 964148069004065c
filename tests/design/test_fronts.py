"""Pareto fronts against their definition."""

from __future__ import annotations

import numpy as np
import pytest

from parakin.design import front_of


def by_definition(costs: np.ndarray) -> np.ndarray:
    """Return which rows no other dominates: at most equal in all columns, and less in one."""
    result = []
    for row in costs:
        dominated = (costs <= row).all(axis=1) & (costs < row).any(axis=1)
        result.append(bool(np.isfinite(row).all() and not dominated.any()))
    return np.array(result)


@pytest.mark.parametrize("columns", [1, 2, 3, 4])
def test_fronts_are_those_of_the_definition(columns: int) -> None:
    rng = np.random.default_rng(columns)
    costs = rng.integers(0, 7, (200, columns)).astype(float)
    costs[::17] = np.nan
    assert np.array_equal(front_of(costs), by_definition(costs))
    assert np.array_equal(front_of(rng.normal(size=(100, columns))).shape, (100,))


def test_a_front_that_is_known() -> None:
    """Schaffer's problem, x^2 and (x - 2)^2: the front is x from 0 to 2."""
    x = np.linspace(-3.0, 5.0, 801)
    front = front_of(np.stack([x**2, (x - 2) ** 2], axis=1))
    assert np.array_equal(front, (x > -1e-9) & (x < 2 + 1e-9))


def test_nothing_is_on_the_front_of_nothing() -> None:
    assert front_of(np.zeros((0, 2))).shape == (0,)
    assert not front_of(np.full((3, 2), np.nan)).any()

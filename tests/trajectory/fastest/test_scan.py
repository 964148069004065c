"""The scan against a linear program over all nodes at once, which knows nothing of backward and forward."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from parakin.trajectory.fastest.scan import largest_pace, rows_of

INTERVALS = 12
ROWS = 3
SOLVED = 1e-6
"""Relative to the largest pace: HiGHS ends at 1e-7 of its constraints."""


@given(st.integers(0, 2**32 - 1), st.booleans())
@settings(max_examples=30)
def test_no_pace_within_the_rows_is_larger(seed: int, stop: bool) -> None:
    """The largest pace is largest at every node, and so has the largest sum: maximise sum b over all rows.

    So it is where 2 h |B| < |A|: then both bounds on y rise with x, and of two paces the larger one at each node is
    within the rows, too. Where A goes through zero, there may be no pace that is largest everywhere.
    """
    rng = np.random.default_rng(seed)
    h = rng.uniform(0.5, 2.0, INTERVALS) / INTERVALS
    A = rng.uniform(1.0, 2.0, (INTERVALS + 1, ROWS)) * rng.choice([-1.0, 1.0], (INTERVALS + 1, ROWS))
    B = rng.uniform(-2.0, 2.0, (INTERVALS + 1, ROWS))
    lower, upper = -rng.uniform(0.2, 1.0, (INTERVALS + 1, ROWS)), rng.uniform(0.2, 1.0, (INTERVALS + 1, ROWS))
    fastest = rng.uniform(0.5, 3.0, INTERVALS + 1)
    if stop:
        fastest[INTERVALS // 2] = 0.0
    ends = [np.stack([values[:-1], values[1:]], axis=1) for values in (A, B, lower, upper)]
    found = largest_pace(rows_of(h, *ends), fastest)

    matrix, bound = list[np.ndarray](), list[float]()
    for i in range(INTERVALS):
        for node in (i, i + 1):
            for j in range(ROWS):
                row = np.zeros(INTERVALS + 1)
                row[i + 1] += A[node, j] / (2 * h[i])
                row[i] -= A[node, j] / (2 * h[i])
                row[node] += B[node, j]
                matrix += [row, -row]
                bound += [upper[node, j], -lower[node, j]]
    limits = [(0.0, 0.0 if i in (0, INTERVALS) else fastest[i]) for i in range(INTERVALS + 1)]
    best = linprog(-np.ones(INTERVALS + 1), np.array(matrix), bound, bounds=limits)
    assert best.status == 0
    np.testing.assert_allclose(found, best.x, rtol=0, atol=SOLVED * max(1.0, float(np.max(best.x))))


def test_a_row_without_a_slope_limits_the_pace_itself() -> None:
    """B b <= 1 alone: no interval can be left faster than the next node allows."""
    A, B = np.zeros((4, 2, 2)), np.ones((4, 2, 2))
    A[:, :, 1], B[:, :, 1] = 1.0, 0.0
    rows = rows_of(np.full(4, 0.5), A, B, -np.ones((4, 2, 2)), np.ones((4, 2, 2)))
    assert largest_pace(rows, np.full(5, 100.0)) == pytest.approx([0.0, 1.0, 1.0, 1.0, 0.0], abs=1e-9)

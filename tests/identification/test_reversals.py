"""Rows around reversals of friction."""

from __future__ import annotations

import numpy as np
import pytest

from parakin.identification.fit.reversals import rows_within, spread
from parakin.identification.states import States


def states(count: int, step: float) -> States:
    nothing = np.zeros((count, 1))
    return States(np.asarray(step * np.arange(count), float), nothing, nothing, nothing, nothing)


@pytest.mark.parametrize(
    ("reach", "marked"), [(0, [3]), (1, [2, 3, 4]), (3, [0, 1, 2, 3, 4, 5, 6]), (9, [0, 1, 2, 3, 4, 5, 6, 7])]
)
def test_a_mark_spreads_to_both_sides(reach: int, marked: list[int]) -> None:
    flags = np.arange(8) == 3
    assert np.flatnonzero(spread(flags, reach)).tolist() == marked


def test_rows_in_a_duration_are_rounded_up() -> None:
    assert rows_within(0.02, states(10, 0.01)) == 2
    assert rows_within(0.021, states(10, 0.01)) == 3
    assert rows_within(0.02, states(2, 0.01)) == 2
    assert rows_within(0.02, states(1, 0.01)) == 0


def test_states_follow_each_other_one_step_later() -> None:
    whole = states(10, 0.01)
    first, second, late = whole.chosen(slice(5)), whole.chosen(slice(5, None)), whole.chosen(slice(6, None))
    assert second.follows(first)
    assert not late.follows(first)
    assert not first.follows(second)
    assert not second.follows(whole.chosen(slice(1)))

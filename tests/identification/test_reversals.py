"""Rows around reversals of friction."""

from __future__ import annotations

import numpy as np
import pytest

from parakin.identification.fit.linear import START_STATES, LinearModel, base_model
from parakin.identification.fit.reversals import FRICTION_JUMP, reversing, rows_within, spread
from parakin.identification.states import States
from tests.robots import robot_named


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


@pytest.mark.parametrize("name", ["five_bar", "delta"])
def test_jumps_are_those_of_the_coulomb_columns_of_the_regressor(name: str) -> None:
    model = base_model(robot_named(name))
    some = random_states(model)
    columns = np.nan_to_num(model.rows(some)[..., model.coulomb])
    usual = np.linalg.norm(model.start[:, model.coulomb], axis=0) / np.sqrt(START_STATES)
    expected = (np.abs(np.diff(columns, axis=0)) > FRICTION_JUMP * usual).any(axis=(1, 2))
    assert 0 < expected.sum() < len(expected)
    found = reversing(model, some)
    assert not found[0]
    assert np.array_equal(found[1:], expected)
    assert np.array_equal(reversing(model, some.chosen(slice(3, None)), some.chosen(slice(None, 3))), found[3:])


def random_states(model: LinearModel) -> States:
    """Slow states, of which neighbours often move the same way, one of them out of reach."""
    pose, velocity, acceleration = model.robot.sample_states(60)
    kept = np.repeat(velocity[::6], 6, axis=0)
    pose[10] = np.nan
    return States(np.linspace(0.0, 0.06, 60), pose, kept, acceleration, np.zeros((60, len(model.robot.actuator_names))))

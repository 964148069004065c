"""Rows around reversals of friction."""

from __future__ import annotations

import numpy as np
import pytest

from parakin.identification.fit.linear import START_STATES, LinearModel, base_model
from parakin.identification.fit.reversals import (
    FRICTION_JUMP,
    FrictionReversal,
    rest_rates,
    reversing,
    rows_within,
    spread,
)
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


def halting(rate: float) -> tuple[LinearModel, States]:
    """A five-bar whose first drive slows down, stands for 40 rows at some small rate, and goes on the same way."""
    model = base_model(robot_named("five_bar"))
    t = np.linspace(0.0, 0.2, 201)
    ramp = np.abs(np.clip(t - 0.1, -0.08, 0.08)) - 0.02
    q_dot = np.stack([np.maximum(10 * ramp, rate), 1.0 + t], axis=1)
    pose = np.tile(model.robot.home, (len(t), 1))
    velocity = model.robot.platform_velocity(pose, q_dot)
    return model, States(t, pose, velocity, np.zeros_like(velocity), np.zeros((len(t), 2)))


@pytest.mark.parametrize("rate", [0.0, 1e-6, 1e-3])
def test_a_joint_that_friction_holds_is_left_out_while_it_stands(rate: float) -> None:
    model, moved = halting(rate)
    rest = rest_rates(model, [moved], 0.01)
    assert rest[1] < rest[0] < 0.1
    flags = reversing(model, moved, rest=rest)
    assert flags[81:120].all()
    assert not flags[:75].any()
    assert not flags[126:].any()
    kept = list(FrictionReversal(0.01, rest).away_from(model, [moved]))
    assert not np.any(np.abs(kept[0].t - 0.1) < 0.029)
    assert np.array_equal(kept[0].t, moved.t[~FrictionReversal(0.01, rest).near(model, moved)])
    assert rate == 0.0 or not reversing(model, moved).any()


def test_a_joint_that_trembles_in_its_place_does_not_take_all_states_with_it() -> None:
    model, moved = halting(1e-3)
    q_dot = np.stack([1e-3 * np.random.default_rng(0).normal(size=len(moved)), np.ones(len(moved))], axis=1)
    velocity = model.robot.platform_velocity(moved.pose, q_dot)
    still = States(moved.t, moved.pose, velocity, moved.acceleration, moved.tau)
    rest = rest_rates(model, [still], 0.01)
    assert rest[0] < 0.0
    assert np.array_equal(reversing(model, still, rest=rest), reversing(model, still))

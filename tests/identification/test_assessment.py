"""What is said of a parameter, and where one assessment ends and the next begins."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from parakin.arrays import Array
from parakin.identification.fit.assessment import Assessment, assessments
from parakin.identification.fit.linear import base_model
from tests.robots import robot_named

NAMES = ("leg1.arm.mx + 2 leg1.rod.m", "leg2.arm.mx", "platform.m")
SMALL = "small motion: more speed, acceleration or data would show it"


def assessed(
    p: tuple[float, float, float],
    std: tuple[float, float, float],
    *,
    correlation: float = 0.0,
    shown: tuple[bool, bool, bool] = (True, True, True),
    free: Array | None = None,
    never_negative: tuple[bool, bool, bool] = (False, False, False),
    rounding: float = 0.0,
) -> tuple[Assessment, ...]:
    """Of three parameters with columns of rms 1, in forces of rms 10; correlation: of the first two."""
    covariance = np.diag(np.square(std)) - rounding * np.eye(3)
    covariance[0, 1] = covariance[1, 0] = correlation * std[0] * std[1]
    rows = 50
    H = np.diag([1.0, 1.0, 1.0, 100.0])[None] * rows
    moments: Any = SimpleNamespace(R=np.eye(4), H=H, rows=rows)
    directions = np.zeros((0, 3)) if free is None else free
    determined = np.array(shown) & (np.linalg.norm(directions, axis=0) < 1e-4)
    solution: Any = SimpleNamespace(
        p=np.array(p), covariance=covariance, shown=np.array(shown), determined=determined, free=directions
    )
    model: Any = SimpleNamespace(
        names=NAMES,
        labels=[SimpleNamespace(name=name.split(" ")[0]) for name in NAMES],
        never_negative=np.array(never_negative),
    )
    return assessments(model, moments, solution)


def test_ten_percent_is_identified_and_more_is_weak() -> None:
    first, second, third = assessed((1.0, -1.0, 1.0), (0.1, 0.0999, 0.101))
    assert first == second == Assessment("identified", "")
    assert third == Assessment("weak", f"known to 10 %; {SMALL}")


def test_a_variance_that_rounding_made_negative_is_none() -> None:
    """Data without noise leave variances of the size of rounding errors, of either sign."""
    assert {one.kind for one in assessed((1.0, -1.0, 1.0), (0.0, 0.0, 0.0), rounding=1e-30)} == {"identified"}


def test_what_may_be_zero_is_said_to_be_small() -> None:
    first, second, _ = assessed((1.0, 1.0, 1.0), (0.5, 0.49, 0.01))
    assert first == Assessment("weak", f"not told from zero: its part in the forces is below 20 %; {SMALL}")
    assert second == Assessment("weak", f"known to 49 %; {SMALL}")


def test_an_uncertainty_beyond_all_forces_is_no_knowledge() -> None:
    first, second, _ = assessed((100.0, 100.0, 1.0), (10.1, 10.0, 0.01))
    assert first.kind == "not identifiable"
    assert first.reason == f"small motion: its uncertainty is more than all forces; {SMALL}"
    assert second.kind == "identified"


@pytest.mark.parametrize(("correlation", "together"), [(0.99, True), (-0.99, True), (0.97, False)])
def test_correlated_parameters_name_each_other(correlation: float, together: bool) -> None:
    first, second, third = assessed((1.0, 1.0, 1.0), (0.2, 0.2, 0.2), correlation=correlation)
    if together:
        assert first.reason == "known to 20 %; symmetric: hardly told from leg2.arm.mx (correlation 0.990)"
        assert second.reason == "known to 20 %; symmetric: hardly told from leg1.arm.mx (correlation 0.990)"
    else:
        assert first.reason == second.reason == f"known to 20 %; {SMALL}"
    assert third.reason == f"known to 20 %; {SMALL}"


def test_what_has_no_column_or_no_direction_of_its_own() -> None:
    first, _, _ = assessed((1.0, 1.0, 1.0), (0.01, 0.01, 0.01), shown=(False, True, True))
    assert first == Assessment("not identifiable", "zero column: this motion gives it no effect on any force")
    direction = np.array([[1.0, -1.0, 0.0]]) / np.sqrt(2)
    first, second, third = assessed((1.0, 1.0, 1.0), (0.01, 0.01, 0.01), free=direction)
    assert first == Assessment("not identifiable", "it cannot be told from leg2.arm.mx in this motion")
    assert second == Assessment("not identifiable", "it cannot be told from leg1.arm.mx in this motion")
    assert third.kind == "identified"


def test_the_three_that_take_most_part_are_named_first() -> None:
    direction = np.array([[0.7, 0.1, 0.4, 0.2, 0.3, 0.0]])
    count = direction.shape[1]
    moments: Any = SimpleNamespace(R=np.eye(count + 1), H=np.eye(count + 1)[None], rows=1)
    solution: Any = SimpleNamespace(
        p=np.ones(count),
        covariance=1e-6 * np.eye(count),
        shown=np.ones(count, bool),
        determined=direction[0] == 0.0,
        free=direction / np.linalg.norm(direction),
    )
    model: Any = SimpleNamespace(
        labels=[SimpleNamespace(name=letter) for letter in "abcdef"], never_negative=np.zeros(count, bool)
    )
    first, *_, last = assessments(model, moments, solution)
    assert first.reason == "it cannot be told from c, e, d in this motion"
    assert last.kind == "identified"


def test_what_no_machine_has_is_never_identified() -> None:
    """Friction of -0.0186 ± 0.0008 is as sure as it is wrong; half as sure a first moment is fine."""
    first, second, third = assessed((-0.0186, -0.0186, -1.0), (0.0008, 0.0008, 0.3), never_negative=(True, False, True))
    assert first.kind == "impossible"
    assert first.reason.startswith("no machine has it negative")
    assert second.kind == "identified"
    assert third.kind == "weak", "3.3 standard deviations below zero may be chance"


@pytest.mark.parametrize("name", ["delta", "five_bar", "palida"])
def test_which_parameters_cannot_be_negative(name: str) -> None:
    """Real bodies never have them negative, whatever they weigh; friction is always among them."""
    robot = robot_named(name)
    model = base_model(robot)
    assert model.base is not None
    assert all(model.never_negative[k] for k, label in enumerate(model.labels) if label.quantity.is_friction)
    positive = np.array([one.quantity.is_never_negative for one in robot.parameter_table])
    for seed in range(20):
        p = np.random.default_rng(seed).normal(size=len(positive))
        values = model.base.map @ np.where(positive, np.abs(p), p)
        assert (values[model.never_negative] >= 0).all()

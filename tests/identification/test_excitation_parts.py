"""The parts of the search for exciting motions, each against its formula."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from parakin.errors import MotionError, UnknownNameError
from parakin.identification.excitation.demands import DEMANDS, Bounds, Placed, beyond, shares
from parakin.identification.excitation.objective import basis_of, mean_log, smooth_condition
from parakin.identification.excitation.options import ExciteOptions
from parakin.identification.excitation.quality import SMALLEST_EFFECT, Quality, quality_of, scaling_of
from parakin.identification.excitation.search import Budget, OutOfBudget
from parakin.identification.excitation.space import coefficients, scaled, series_of
from parakin.trajectory.motions.fourier import Series

# Demands -------------------------------------------------------------------------------------------------------------


def test_a_share_is_one_on_the_limit_and_the_largest_of_a_row() -> None:
    lower, upper = np.array([-1.0, 0.0]), np.array([1.0, 4.0])
    values = np.array([[0.0, 2.0], [1.0, 2.0], [-0.5, 5.0], [np.nan, 2.0]])
    assert beyond(values, lower, upper, (upper - lower) / 2) == pytest.approx([0.0, 1.0, 1.5, 0.0])


def test_shares_stand_in_the_order_of_the_demands() -> None:
    limits: Any = SimpleNamespace(speed=np.array([2.0, 4.0]), force=np.array([10.0, np.inf]))
    J = np.eye(2)[None]
    where = Placed(J, *(np.array([share]) for share in (0.1, 0.2, 0.25, 0.3, 0.4)))
    row = shares(Bounds(limits, 0.5, 50.0), where, np.array([[0.5, -1.5]]), np.array([[-4.0, 100.0]]))[0]
    assert dict(zip(DEMANDS, row, strict=True)) == pytest.approx(
        {"box": 0.1, "stroke": 0.2, "joint": 0.25, "speed": 0.75, "force": 0.8, "singularity": 0.3, "reach": 0.4}
    )


# Quality -------------------------------------------------------------------------------------------------------------


def test_costs_of_both_criteria() -> None:
    quality = Quality(np.eye(3), np.array([8.0, 4.0, 2.0]), 1.0)
    assert quality.condition == 4.0
    assert quality.log_determinant == pytest.approx(2 * np.log(64.0))
    assert quality.cost("condition") == pytest.approx(np.log(4.0 / 2.0))
    assert quality.cost("determinant") == pytest.approx(-np.log(4.0))


def test_deviations_are_those_of_the_inverse() -> None:
    R = np.triu(np.random.default_rng(0).normal(size=(4, 4))) + 3 * np.eye(4)
    quality = Quality(R, np.asarray(np.linalg.svd(R, compute_uv=False), float), 1.0)
    expected = np.sqrt(np.diagonal(np.linalg.inv(R.T @ R)) / 25.0)
    assert quality.deviations(25.0) == pytest.approx(expected)


def test_a_parameter_is_as_large_as_its_value_or_as_what_matters() -> None:
    tau = np.array([[3.0, 4.0], [-3.0, -4.0]])
    Psi = np.tile([[2.0, 0.0, 0.0], [0.0, 5.0, 0.0]], (2, 1, 1))
    robot: Any = SimpleNamespace(inverse_dynamics=lambda: tau, regressor=lambda: Psi)
    base: Any = SimpleNamespace(columns=lambda given: given, rank=3, values=np.array([-7.0, 0.0, 0.0]))
    scaling = scaling_of(robot, base, 0.1, np.array([20.0, np.inf]), ())  # type: ignore[arg-type]
    assert scaling.weights == pytest.approx([1 / 2.0, 1 / 0.4])
    whole = np.hypot(3.0 / 2.0, 4.0 / 0.4)
    assert scaling.sizes == pytest.approx([7.0, SMALLEST_EFFECT * whole / (5.0 / 0.4), 1.0])


def test_angles_do_not_depend_on_sizes_and_say_how_nearly_columns_depend() -> None:
    """Two columns at an angle a, whatever their lengths, have the condition number cot(a/2)."""
    a = 0.3
    Psi = np.array([[[5.0, 0.1 * np.cos(a)], [0.0, 0.1 * np.sin(a)]]] * 4)
    robot: Any = SimpleNamespace(regressor=lambda: Psi)
    scaling: Any = SimpleNamespace(rows=lambda given: given)
    quality = quality_of(robot, scaling, ())  # type: ignore[arg-type]
    assert quality.angles == pytest.approx(1 / np.tan(a / 2))
    assert pytest.approx(Psi[0].T @ Psi[0]) == quality.R.T @ quality.R
    assert quality.singular_values == pytest.approx(np.linalg.svd(Psi[0], compute_uv=False))


# Objective -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", [smooth_condition, mean_log])
def test_a_criterion_has_the_derivative_it_says(criterion: Any) -> None:
    rng = np.random.default_rng(1)
    A = rng.normal(size=(9, 4))
    G, turn = A.T @ A, rng.normal(size=(4, 4))
    direction = turn + turn.T
    slope = np.sum(criterion(G)[1] * direction)
    ahead, behind = (criterion(G + step * direction)[0] for step in (1e-6, -1e-6))
    assert slope == pytest.approx((ahead - behind) / 2e-6, rel=1e-6)


def test_criteria_are_those_of_the_singular_values() -> None:
    values = np.array([100.0, 10.0, 0.1])
    quality = Quality(np.eye(3), values, 1.0)
    G = np.diag(values**2)
    assert smooth_condition(G)[0] == pytest.approx(quality.cost("condition"), abs=1e-3)
    assert mean_log(G)[0] == pytest.approx(quality.cost("determinant"))


def test_blends_count_for_limits_only() -> None:
    basis = basis_of(harmonics=2, frequency=0.5, rest=0.25)
    assert basis.steady.sum() == 32
    assert not basis.steady[[0, -1]].any()
    assert basis.phi.value.shape == (len(basis.steady), 5)
    assert basis_of(harmonics=2, frequency=0.5, rest=0.0).steady.all()


# Search and options --------------------------------------------------------------------------------------------------


def test_a_budget_of_evaluations_is_used_up_exactly() -> None:
    budget = Budget(ExciteOptions(evaluations=2))
    assert budget.done == 0.0
    budget.spend()
    assert budget.done == 0.5
    budget.spend()
    with pytest.raises(OutOfBudget):
        budget.spend()
    assert budget.evaluations == 2


def test_the_clock_starts_after_the_first_evaluation(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("parakin.identification.excitation.search.time.monotonic", lambda: now[0])
    budget = Budget(ExciteOptions(time=10.0))
    budget.spend()
    now[0] = 100.0
    assert budget.done == 0.0
    budget.spend()
    now[0] = 104.0
    assert budget.done == pytest.approx(0.4)
    now[0] = 110.0
    with pytest.raises(OutOfBudget):
        budget.spend()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"use": 0.0}, "above 0 and at most 1, got 0"),
        ({"use": 1.01}, "above 0 and at most 1, got 1.01"),
        ({"condition": 1.0}, "condition numbers are above 1, got 1"),
        ({"rest": -0.1}, "must be finite and >= 0 s, got -0.1"),
        ({"rest": np.inf}, "must be finite and >= 0 s, got inf"),
        ({"seed": -1}, "must be >= 0, got -1"),
        ({"harmonics": 0}, "harmonics: at least 1, got 0"),
        ({"periods": 0}, "periods: at least 1, got 0"),
        ({"evaluations": 0}, "evaluations: at least 1, got 0"),
        ({"period": 0.0}, "period"),
        ({"noise": 0.0}, "noise"),
        ({"rate": -1.0}, "rate"),
        ({"time": 0.0}, "time"),
    ],
)
def test_options_that_mean_nothing_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(MotionError, match=message):
        ExciteOptions(**options)


def test_options_on_the_edge_are_accepted() -> None:
    options = ExciteOptions(use=1.0, rest=0.0, seed=0, harmonics=1, periods=1, evaluations=1, condition=1.001)
    assert (options.use, options.evaluations) == (1.0, 1)
    with pytest.raises(UnknownNameError, match="no space 'tool'; choose one of platform, actuator"):
        ExciteOptions(space="tool")


def test_a_series_and_its_coefficients_are_the_same() -> None:
    series = Series(np.array([1.0]), np.array([[2.0, 3.0]]), np.array([[4.0, 5.0]]), 0.5)
    assert coefficients(series).tolist() == [[1.0, 2.0, 3.0, 4.0, 5.0]]
    again = series_of(2 * coefficients(series), 0.5)
    twice = scaled(series, 2.0)
    for name in ("offset", "sine", "cosine"):
        assert np.array_equal(getattr(again, name), getattr(twice, name))
    assert again.frequency == twice.frequency == 0.5

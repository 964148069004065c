"""Structure in residuals, against numbers worked out by hand and against what averages of noise do."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2

from parakin.identification.identifying.whiteness import Whiteness, whiteness


def with_correlation(r: list[list[float]], statistic: list[float], count: int = 10_000) -> Whiteness:
    autocorrelation = np.column_stack([np.ones(len(r)), r])
    return Whiteness(autocorrelation, np.array(statistic), 20.0, count, np.ones(len(r)))


def test_autocorrelation_and_statistic_worked_out_by_hand() -> None:
    """Squares sum to 40, products at lag 1 to 3 - 1 + 3 - 9 + 3 - 1 + 3 = 1, at lag 2 to six times -3."""
    x = np.array([3.0, 1.0, -1.0, -3.0, 3.0, 1.0, -1.0, -3.0])
    told = whiteness(5.0 + x[:, None])
    assert told.autocorrelation == pytest.approx(np.array([[1.0, 1 / 40, -18 / 40]]))
    assert told.statistic == pytest.approx([8 * 10 * ((1 / 40) ** 2 / 7 + (18 / 40) ** 2 / 6)])
    assert told.limit == pytest.approx(chi2.isf(1e-3, 2))
    assert told.count == 8


def test_lags_are_a_quarter_of_the_samples_and_fifty_at_most() -> None:
    noise = np.random.default_rng(1).normal(size=(400, 2))
    assert [whiteness(noise[:n]).autocorrelation.shape for n in (12, 199, 400)] == [(2, 4), (2, 50), (2, 51)]
    assert whiteness(np.zeros((40, 1))).statistic == pytest.approx([0.0])


def test_slow_is_the_variance_of_means() -> None:
    """Of a moving mean over m samples of white noise, means over L samples have nearly m times the variance."""
    told = with_correlation([[0.5, 0.0, 0.0], [0.0, 0.0, -0.4], [0.2, 0.2, 0.2]], [0.0] * 3)
    assert told.slow == pytest.approx([1 + 2 * 0.5 * 3 / 4, 1 - 2 * 0.4 / 4, 1 + 2 * 0.2 * (3 + 2 + 1) / 4])
    x = np.random.default_rng(5).normal(size=(200_000, 1))
    smoothed = np.sum([x[k : len(x) - 3 + k] for k in range(4)], axis=0) / 2
    means = smoothed[: len(smoothed) // 51 * 51].reshape(-1, 51).mean(axis=1)
    assert whiteness(smoothed).slow == pytest.approx(51 * np.var(means) / np.var(smoothed), rel=0.05)


def test_words_at_their_limits() -> None:
    """White: a small statistic, or small correlations however sure; structured: slow means far beyond white noise's."""
    rows = [[0.9, 0.0], [0.09, 0.09], [-0.3, 0.0], [0.3, 0.0], [0.4, 0.0]]
    told = with_correlation(rows, [20.0, 1e6, 20.1, 20.1, 20.1])
    assert told.words == ("white", "white", "fast", "fast", "structured")
    assert str(told).startswith("the residual is structured in 1 of 5 actuators: its slow part has 2.2 times")
    # Of few samples chance alone gives 1 + 3 sqrt(4 lags/(3 count)): with 2 lags and 6 samples, 3.
    assert with_correlation([[0.9, 0.5]], [30.0], count=6).words == ("fast",)
    assert with_correlation([[0.9, 0.5]], [30.0], count=24).words == ("structured",)
    assert str(with_correlation([[0.3, 0.0]], [30.0])).startswith("the residual is fast noise")

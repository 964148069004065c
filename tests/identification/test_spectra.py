"""Spectra and convolutions are scipy.signal's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import signal

from parakin.identification.preparation.filters import convolved, smoother
from parakin.identification.spectra import periodogram, welch

ROUNDING = 1e-12
"""Between two orders of the same sums, relative to the largest value."""
PERIOD = 2e-3
"""Time between rows [s]."""
rng = np.random.default_rng(1)


@pytest.mark.parametrize("count", [64, 65, 1000])
def test_densities_are_those_of_scipy(count: int) -> None:
    rows = 3.0 + np.outer(np.linspace(0, 2, count), [1.0, -5.0]) + rng.normal(size=(count, 2))
    f, density = periodogram(rows, PERIOD)
    expected_f, expected = signal.periodogram(rows, 1 / PERIOD, "blackmanharris", detrend="linear", axis=0)
    assert f == pytest.approx(expected_f, rel=ROUNDING)
    assert density == pytest.approx(expected, abs=ROUNDING * expected.max())
    f, density = welch(rows, PERIOD, 33)
    expected_f, expected = signal.welch(rows.T, 1 / PERIOD, nperseg=33)
    assert f == pytest.approx(expected_f, rel=ROUNDING)
    assert density == pytest.approx(expected, abs=ROUNDING * expected.max())


@pytest.mark.parametrize("count", [1, 60, 2500, 9000])
def test_convolutions_are_those_of_scipy(count: int) -> None:
    responses = smoother(60.0, PERIOD).kernels
    rows = rng.normal(size=(count + responses.shape[1] - 1, 3))
    for response, found in zip(responses, convolved(rows, responses), strict=True):
        expected = signal.oaconvolve(rows, response[:, None], mode="valid", axes=0)
        assert found == pytest.approx(expected, abs=ROUNDING * np.abs(expected).max())
        assert found.flags.c_contiguous

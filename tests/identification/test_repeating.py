"""What repeats with a motion is told from noise, and lines from what a motion explains; on signals made by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import lfilter

from parakin.identification.identifying.outliers import find_outliers
from parakin.identification.identifying.repeating import lines, periodic_part, repeating

STEP, PERIOD, PERIODS = 1e-3, 2000, 4
"""Time between rows [s], rows of a period, and periods."""
ROWS = PERIOD * PERIODS
ALL = np.ones(ROWS, bool)


def motion(gentle: int = 0) -> np.ndarray:
    """A motion of two coordinates that begins over so many rows."""
    t = np.arange(ROWS) / PERIOD
    begin = np.clip(np.arange(ROWS) / max(gentle, 1), 0, 1)[:, None]
    return begin * np.column_stack([np.sin(2 * np.pi * t), np.cos(6 * np.pi * t)])


def coloured(memory: float, seed: int = 0) -> np.ndarray:
    """Noise of two actuators, of unit variance."""
    white = np.random.default_rng(seed).normal(size=(ROWS, 2))
    return np.sqrt(1 - memory**2) * lfilter([1.0], [1.0, -memory], white, axis=0)


@pytest.mark.parametrize("gentle", [0, 500, 3500])
def test_periods_are_counted_from_the_end_of_a_motion_that_begins_gently(gentle: int) -> None:
    first, rows = periodic_part(motion(gentle)) or (0, 0)
    assert rows == PERIOD
    assert first == PERIOD * int(np.ceil((gentle - 1) / PERIOD))


def test_a_motion_that_does_not_repeat_has_no_periods() -> None:
    drift = np.cumsum(coloured(0.0), axis=0)
    assert periodic_part(drift) is None
    assert repeating(coloured(0.0), ALL, drift, STEP, 20) is None


@pytest.mark.parametrize("memory", [0.0, 0.9, 0.99])
def test_noise_does_not_repeat_however_coloured_it_is(memory: float) -> None:
    for seed in range(20):
        found = repeating(coloured(memory, seed), ALL, motion(), STEP, 20)
        assert found is not None
        assert found.period == pytest.approx(PERIOD * STEP)
        assert found.periods == PERIODS
        assert not found.structured.any()


def test_what_repeats_is_found_in_the_actuator_that_has_it() -> None:
    """Over 20 rows the mean of white noise has a variance of 1/20; 0.5 cos has 1/8, so that 1 + 4 * 2.5 = 11."""
    noise = coloured(0.0)
    noise[:, 1] += 0.5 * motion()[:, 1]
    found = repeating(noise, ALL, motion(), STEP, 20)
    assert found is not None
    assert found.structured.tolist() == [False, True]
    assert found.ratio[1] > 8.0


@pytest.mark.parametrize("frequency", [17.0, 17.3])
def test_a_line_is_found_at_harmonics_of_the_motion_and_between_them(frequency: float) -> None:
    shaken = coloured(0.5)
    shaken[:, 0] += 0.4 * np.sin(2 * np.pi * frequency * STEP * np.arange(ROWS))
    for poses in (motion(), np.cumsum(coloured(0.0), axis=0)):
        found = lines(shaken, ALL, poses, STEP, 50.0)
        assert found[0] == pytest.approx(frequency, abs=1 / (ROWS * STEP))
        assert lines(shaken, ALL, poses, STEP, 10.0) == ()


@pytest.mark.parametrize("frequency", [9.0, 17.0, 17.375])
def test_a_weaker_line_counts_where_all_actuators_have_it(frequency: float) -> None:
    """A base that shakes a little was not seen: its line is some 20 times as strong as white noise there."""
    line = 0.09 * np.cos(2 * np.pi * frequency * STEP * np.arange(ROWS))
    noise = coloured(0.0, 12)
    assert lines(noise + np.outer(line, [1.0, 0.0]), ALL, motion(), STEP, 30.0) == ()
    found = lines(noise + np.outer(line, [1.0, -1.0]), ALL, motion(), STEP, 30.0)
    assert found[0] == pytest.approx(frequency, abs=1 / (ROWS * STEP))


def test_states_that_are_left_out_hide_no_line() -> None:
    """Windows around reversals repeat with the motion and spread a line over harmonics: half the states are used."""
    used = np.sin(8 * np.pi * np.arange(ROWS) / PERIOD) > 0.0
    shaken = coloured(0.0) + 0.15 * np.sin(2 * np.pi * 17.0 * STEP * np.arange(ROWS))[:, None]
    assert lines(shaken, used, motion(), STEP, 50.0)[0] == pytest.approx(17.0)


def test_a_model_error_has_no_lines() -> None:
    """It has power at many harmonics: the sign of a rate, and a cable's force."""
    rate = motion()[:, 1]
    wrong = coloured(0.0) + np.column_stack([np.sign(rate), np.tanh(3 * rate)])
    assert lines(wrong, ALL, motion(), STEP, 50.0) == ()


def test_outliers_are_single_rows() -> None:
    noise = coloured(0.0)
    assert find_outliers(np.zeros(1), noise) is None
    spoilt = noise.copy()
    spoilt[::50, 0] += 30.0
    found = find_outliers(np.zeros(1), spoilt)
    assert found is not None
    assert found.part == pytest.approx(0.02)
    assert found.limit == pytest.approx(8 * np.ones(2), rel=0.1)
    lasting = noise.copy()
    lasting[1000:1100, 0] += 30.0
    assert find_outliers(np.zeros(1), lasting) is None

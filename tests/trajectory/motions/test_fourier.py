"""Fourier series: inside the box, periodic, and from and to rest where they are blended."""

from __future__ import annotations

import numpy as np
import pytest

from parakin.description import library
from parakin.errors import MotionError
from parakin.trajectory import Series, drawn_series, fourier
from tests.trajectory.helpers import close, is_refused, robot_named


@pytest.mark.parametrize("name", library())
def test_drawn_series_stay_in_the_box_and_repeat(name: str) -> None:
    robot = robot_named(name)
    series = drawn_series(robot, seed=5)
    t = np.linspace(0.0, 5.0, 1500)
    values = series(t).value
    assert np.all((values >= robot.box[0]) & (values <= robot.box[1]))
    np.testing.assert_allclose(np.ptp(values, axis=0), 0.95 * (robot.box[1] - robot.box[0]), rtol=2e-3)
    repeated = fourier(robot, series, periods=2, blend=0.0)
    assert repeated.duration == 10.0
    first, second = repeated.at(t), repeated.at(t + 5.0)
    for k in range(3):
        close(second[k], first[k], 1e-11)


def test_the_periods_between_the_blends_are_undisturbed() -> None:
    robot = robot_named("delta")
    series = drawn_series(robot, frequency=0.5)
    motion = fourier(robot, series, periods=2, blend=1.5)
    assert motion.duration == 4.0 + 2 * 1.5
    t = np.linspace(0.0, 4.0, 81)
    states, want = motion.at(t + 1.5), series(t)
    close(states.pose - robot.home, want.value, 1e-12)
    close(states.velocity, want.slope, 1e-12)
    close(states.acceleration, want.curvature, 1e-11)
    np.testing.assert_allclose(motion.at([0.0, 7.0]).pose, [robot.home] * 2, atol=1e-15)


def test_a_series_is_its_sum() -> None:
    series = Series(np.array([0.1]), np.array([[0.2, 0.0]]), np.array([[0.0, 0.3]]), 0.25)
    t = np.linspace(0.0, 4.0, 9)
    want = 0.1 + 0.2 * np.sin(np.pi / 2 * t) + 0.3 * np.cos(np.pi * t)
    np.testing.assert_allclose(series(t).value[:, 0], want, atol=1e-15)


def test_series_that_cannot_be_are_refused() -> None:
    h4 = robot_named("h4")
    is_refused(lambda r: fourier(r, drawn_series(h4)), r"fourier: series: delta has 3 coordinates, got 4")
    is_refused(lambda r: fourier(r, periods=0), r"fourier: periods: a whole number of at least 1, got 0")
    is_refused(lambda r: fourier(r, blend=-1.0), r"fourier: blend: must be finite and >= 0 s, got -1")
    is_refused(lambda r: drawn_series(r, harmonics=0), r"fourier: harmonics: at least 1, got 0")
    is_refused(lambda r: drawn_series(r, filled=2.0), r"fourier: filled: a part of the box")
    is_refused(lambda r: drawn_series(r, filled=0.0), r"fourier: filled: a part of the box")
    is_refused(lambda r: drawn_series(r, frequency=0.0), r"fourier: frequency: must be finite and > 0 Hz, got 0")
    shapes = r"offset, sine, cosine must be \(n,\)"
    is_refused(lambda _: Series(np.zeros(2), np.zeros((3, 1)), np.zeros((3, 1)), 1.0), shapes)
    is_refused(lambda _: Series(np.zeros(3), np.zeros((3, 1)), np.zeros((3, 2)), 1.0), shapes)
    not_finite = np.full((1, 1), np.nan)
    is_refused(lambda _: Series(np.zeros(1), not_finite, np.zeros((1, 1)), 1.0), r"series: must be finite")


def test_rotation_vectors_stay_below_half_a_turn() -> None:
    spatial = robot_named("gough_stewart")
    wide = Series(np.zeros(6), np.full((6, 1), 2.0), np.zeros((6, 1)), 1.0)
    with pytest.raises(MotionError, match=r"rotation vectors must stay below pi rad, got up to 3\.464"):
        fourier(spatial, wide)
    fourier(spatial, Series(np.zeros(6), np.full((6, 1), 1.8), np.zeros((6, 1)), 1.0))

"""Bands of time scales: what rows add up to in them, and intervals that hold whatever the colour of the noise."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import parakin as pk
from parakin.arrays import Array
from parakin.identification.fit.averages import AverageSums, outer_sums, window_lengths
from parakin.identification.fit.estimate import estimate
from parakin.identification.fit.linear import base_model
from parakin.identification.states import States
from tests.robots import robot_named

COVERED = (0.92, 0.98)
"""Of 95 % intervals."""
DRAWS = 24
"""Draws of noise over which intervals are put to the test."""
NOISE = 0.05
"""Standard deviation of the part of the noise that is white [N m]."""


@pytest.mark.parametrize(
    ("longest", "lengths"),
    [(1, ()), (4, (4,)), (10, (5, 10)), (47, (47,)), (48, (3, 12, 48)), (50, (5, 25, 50)), (100, (4, 20, 100))],
)
def test_lengths_of_windows_are_multiples_of_each_other(longest: int, lengths: tuple[int, ...]) -> None:
    assert window_lengths(longest) == lengths


def test_bands_are_sums_of_squares_that_add_up_to_all_rows() -> None:
    rng = np.random.default_rng(0)
    rows = np.cumsum(rng.normal(size=(257, 2, 3)), axis=0)
    sums = AverageSums(20, 2, 3)
    for part in np.split(rows, [100, 180]):
        sums.add(part)
    averages = sums.result
    assert averages.lengths == (4, 20)
    assert averages.counts == (64, 12)
    energies, counts = averages.bands(len(rows), outer_sums(rows))
    assert counts.tolist() == [257 - 64, 64 - 12, 12]
    np.testing.assert_allclose(energies.sum(axis=0), outer_sums(rows), rtol=1e-12)
    assert np.linalg.eigvalsh(energies).min() > -1e-9 * np.abs(energies).max()
    slow = np.stack([rows[k : k + 20].mean(axis=0) for k in (*range(0, 100, 20), *range(100, 180, 20), 180, 200, 220)])
    np.testing.assert_allclose(energies[-1], 20 * outer_sums(slow), rtol=1e-12)


def test_a_row_that_is_not_finite_takes_its_windows_with_it() -> None:
    rows = np.ones((40, 1, 2))
    rows[17] = np.nan
    sums = AverageSums(20, 1, 2)
    sums.add(rows)
    assert sums.result.counts == (9, 1)
    assert np.isfinite(sums.result.sums).all()


def white(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    return np.asarray(rng.normal(size=shape), np.float64)


def with_encoders(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    """White noise, and twice as much that was differentiated twice."""
    e = rng.normal(size=(shape[0] + 2, shape[1]))
    return white(rng, shape) + 2 * (e[2:] - 2 * e[1:-1] + e[:-2]) / np.sqrt(6)


def slow(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    """Noise that forgets in five rows."""
    e, x = rng.normal(size=shape), np.zeros(shape)
    for k in range(1, len(x)):
        x[k] = 0.8 * x[k - 1] + 0.6 * e[k]
    return x


@pytest.mark.parametrize(("noise", "colour"), [(white, (0.9, 1.1)), (with_encoders, (0.1, 0.4)), (slow, (4.0, 12.0))])
def test_intervals_hold_the_truth_whatever_the_colour(
    noise: Callable[[np.random.Generator, tuple[int, int]], Array], colour: tuple[float, float]
) -> None:
    """If all noise were taken as white, intervals with the noise of encoders would hold the truth always."""
    robot = robot_named("five_bar")
    model, rng = base_model(robot), np.random.default_rng(1)
    s = pk.trajectory.fourier(robot, blend=0.0).sampled(1000.0)
    tau = robot.inverse_dynamics(s.pose, s.velocity, s.acceleration)
    inside, colours = list[Array](), list[Array]()
    for _ in range(DRAWS):
        states = States(s.t, s.pose, s.velocity, s.acceleration, tau + NOISE * noise(rng, tau.shape))
        found = estimate(model, [states])
        assert not found.biased
        lower, upper = found.intervals.T
        inside.append((lower <= model.values) & (model.values <= upper))
        colours.append(found.colour)
    assert COVERED[0] <= float(np.mean(inside)) <= COVERED[1]
    assert colour[0] < float(np.mean(colours)) < colour[1]

"""Segments of data that are summed apart: how many there are, and that together they are all the data."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import blas

from parakin.blas import one_blas_thread, solve_rows
from parakin.identification.fit.averages import averaged_rows, outer_sums
from parakin.identification.fit.linear import base_model
from parakin.identification.fit.moments import (
    CHUNK,
    FIRST_CHUNK,
    SEGMENTS,
    Cut,
    Sums,
    _in_coordinates,
    _parts,
    _Segments,
    moments_of,
)
from parakin.identification.states import States
from tests.robots import robot_named


def filled(states: int, step: int = FIRST_CHUNK // 4) -> _Segments:
    """Segments with so many states, each of which counts 1."""
    segments = _Segments()
    while states:
        part = min(step, segments.room, states)
        segments.add(part, Sums(part, np.full((1, 1, 1), float(part))))
        states -= part
    return segments


@pytest.mark.parametrize(
    ("states", "rows"),
    [
        (0.25, [0.25]),
        (1.0, [1.0]),
        (1.25, [1.25]),
        (1.5, [1.0, 0.5]),
        (2.75, [1.0, 1.0, 0.75]),
        (3.0, [1.0, 1.0, 1.0]),
    ],
)
def test_the_last_segment_counts_if_half_full(states: float, rows: list[float]) -> None:
    segments = filled(int(states * FIRST_CHUNK)).all()
    assert [sums.rows for sums in segments] == [int(part * FIRST_CHUNK) for part in rows]
    assert sum(float(sums.G[0, 0, 0]) for sums in segments) == states * FIRST_CHUNK


def test_too_many_segments_are_joined_in_pairs() -> None:
    segments = filled(SEGMENTS * FIRST_CHUNK)
    assert [sums.rows for sums in segments.all()] == [2 * FIRST_CHUNK] * (SEGMENTS // 2)
    assert segments.room == 2 * FIRST_CHUNK
    longer = filled((2 * SEGMENTS + 2) * FIRST_CHUNK)
    assert [sums.rows for sums in longer.all()] == [4 * FIRST_CHUNK] * (SEGMENTS // 2) + [2 * FIRST_CHUNK]


def test_rows_are_averaged_over_whole_windows_that_are_finite() -> None:
    rows = np.arange(14.0).reshape(7, 1, 2)
    assert averaged_rows(rows, 2)[:, 0] == pytest.approx(np.array([[1.0, 2.0], [5.0, 6.0], [9.0, 10.0]]))
    rows[3, 0, 1] = np.nan
    assert averaged_rows(rows, 2)[:, 0] == pytest.approx(np.array([[1.0, 2.0], [9.0, 10.0]]))
    assert averaged_rows(rows, 8).shape == (0, 1, 2)


def random_states(count: int) -> States:
    robot = robot_named("five_bar")
    pose = robot.sample(count, seed=3)
    rng = np.random.default_rng(4)
    velocity, acceleration, tau = (rng.normal(size=(count, 2)) for _ in range(3))
    return States(np.arange(count) * np.float64(1e-3), pose, velocity, acceleration, tau)


def test_parts_lie_in_one_segment_and_are_no_longer_than_a_chunk() -> None:
    segments = _Segments()
    segments.size = 64
    lengths = [len(part) for part in _parts(random_states(3 * CHUNK + 100), segments)]
    assert lengths == [CHUNK] * 3 + [100]
    segments.size = 1
    assert {len(part) for part in _parts(random_states(4 * FIRST_CHUNK), segments)} == {FIRST_CHUNK}


def test_segments_of_averaged_data_are_as_long_as_of_single_rows() -> None:
    """Means over four rows leave a quarter of the rows, in segments of the same time."""
    model = base_model(robot_named("five_bar"))
    single = moments_of(model, [random_states(8 * FIRST_CHUNK)])
    averaged = moments_of(model, [random_states(8 * FIRST_CHUNK)], cut=Cut(average=4e-3))
    assert [sums.rows for sums in single.segments] == [FIRST_CHUNK] * 8
    assert [sums.rows for sums in averaged.segments] == [FIRST_CHUNK // 4] * 8
    assert (averaged.mean, averaged.rows) == (4, 2 * FIRST_CHUNK)
    periodic = moments_of(model, [random_states(8 * FIRST_CHUNK)], cut=Cut(period=0.5))
    assert [sums.rows for sums in periodic.segments] == [500, 500, 500, 548]
    whole = single.R.T @ single.H @ single.R
    assert sum(sums.G for sums in single.segments) == pytest.approx(whole, rel=1e-9, abs=1e-9 * np.abs(whole).max())


@pytest.mark.parametrize("states", [1, 700, CHUNK])
def test_rows_that_threads_share_are_those_of_one_call(states: int) -> None:
    rng = np.random.default_rng(states)
    R = np.asfortranarray(np.triu(rng.normal(size=(23, 23))) + 5 * np.eye(23))
    a = rng.normal(size=(states, 6, 23))
    with one_blas_thread():
        whole = blas.dtrsm(1.0, R, a.copy().reshape(-1, 23).T, trans_a=1).T.reshape(a.shape)
        z = _in_coordinates(a, R)
        assert np.array_equal(z, whole)
        assert np.array_equal(outer_sums(z), [z[:, j].T @ z[:, j] for j in range(6)])


def test_rows_that_are_not_one_after_the_other_are_refused() -> None:
    with pytest.raises(ValueError, match="stored"):
        solve_rows(np.asfortranarray(np.eye(3)), np.ones((3, 4)).T)

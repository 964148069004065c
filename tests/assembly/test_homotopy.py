"""What becomes of a set of paths: ends told apart, infinity, and second tries."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from parakin.assembly import homotopy
from parakin.assembly.homotopy import CORNER, SECOND_TRY_FACTOR, at_infinity, first_of_equal, followed
from parakin.assembly.result import Complex
from parakin.assembly.sphere_system import spheres
from parakin.assembly.tracker import TOLERANCE, Paths


def ends(y: np.ndarray, arrived: np.ndarray) -> Paths:
    """Return one set of paths (1, K) with these ends, at t = 0 where they arrived."""
    y = y / np.linalg.norm(y, axis=-1, keepdims=True)
    return Paths(y[None], np.where(arrived, 0.0, 1e-6)[None], arrived[None], np.ones((1, len(y))))


def drawn(count: int) -> np.ndarray:
    rng = np.random.default_rng(4)
    return rng.normal(size=(count, 8)) + 1j * rng.normal(size=(count, 8))


def test_of_equal_ends_one_is_kept() -> None:
    y = drawn(6)
    y[3] = (0.6 - 0.8j) * y[1]
    y[5] = 2.0j * y[1]
    kept = first_of_equal(ends(y, np.ones(6, bool)))[0]
    assert kept[[0, 2, 4]].all()
    assert np.sum(kept[[1, 3, 5]]) == 1
    close = drawn(2)
    close[1] = close[0] + 1e-5 * close[1]
    assert first_of_equal(ends(close, np.ones(2, bool))).all(), "near is not equal"


def test_paths_that_did_not_arrive_are_equal_to_none() -> None:
    y = drawn(2)
    y[1] = y[0]
    assert first_of_equal(ends(y, np.array([True, False]))).all()


def test_infinity_is_where_the_quaternion_has_no_length() -> None:
    y = drawn(4)
    y[0, :4] = [1.0, 1j, 0.0, 0.0]
    y[1, :4] = [1.0, 1j + 1e-5, 0.0, 0.0]
    y[2, :4] = [1.0, 1j + 1e-5, 0.0, 0.0]
    arrived = np.array([True, True, False, True])
    assert at_infinity(ends(y, arrived))[0].tolist() == [True, False, True, False]


class FakeTracker:
    """Follows nothing: a path ends at the machine it was sent to, unless `fails` says so."""

    def __init__(self, fails: Any) -> None:
        self.fails, self.calls = fails, list[tuple[complex, complex, float, int]]()

    def __call__(
        self, _kind: Any, y: Complex, theta_start: Complex, theta_end: Complex, tolerance: float = TOLERANCE
    ) -> Paths:
        shape = np.broadcast_shapes(y.shape[:-1], theta_end.shape[:-1])
        where = np.broadcast_to(y, (*shape, y.shape[-1])).copy()
        self.calls.append((complex(theta_start.flat[0]), complex(theta_end.flat[0]), tolerance, int(np.prod(shape))))
        arrived = ~np.broadcast_to(self.fails(theta_start, theta_end, tolerance), shape)
        return Paths(where, np.where(arrived, 0.0, 0.5), arrived, np.ones(shape))


def test_paths_that_stall_are_followed_in_shorter_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = FakeTracker(lambda _start, _end, tolerance: tolerance == TOLERANCE)
    monkeypatch.setattr(homotopy, "track", fake)
    paths = followed(spheres, drawn(3), np.zeros(1, complex), np.ones((2, 1), complex))
    assert paths.arrived.shape == (2, 3)
    assert paths.arrived.all()
    assert [call[2] for call in fake.calls] == [TOLERANCE, SECOND_TRY_FACTOR * TOLERANCE]
    assert [call[3] for call in fake.calls] == [6, 6]


def test_where_the_straight_way_fails_a_set_goes_round_the_corner(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = FakeTracker(lambda start, end, _tolerance: start.flat[0] == 0 and end.flat[0] == 1)
    monkeypatch.setattr(homotopy, "track", fake)
    y = drawn(3)
    y /= np.linalg.norm(y, axis=-1, keepdims=True)
    paths = followed(spheres, y, np.zeros(1, complex), np.ones((2, 1), complex))
    assert paths.arrived.all()
    assert not paths.t.any()
    corner = 1 + CORNER * (0 - 1)
    assert [(start, end) for start, end, *_ in fake.calls] == [(0, 1), (0, 1), (0, corner), (corner, 1)]
    assert np.array_equal(paths.y, np.broadcast_to(y, (2, 3, 8))), "every path keeps its place"


def test_the_better_of_the_two_ways_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Round the corner nothing arrives: the straight set, of which one path arrived, stays."""

    def fails(start: Complex, end: Complex, _: float) -> np.ndarray:
        straight = start.flat[0] == 0 and end.flat[0] == 1
        return np.array([[True], [False], [True]]) if straight and len(end) == 1 else np.array([True])

    fake = FakeTracker(fails)
    monkeypatch.setattr(homotopy, "track", fake)
    monkeypatch.setattr(homotopy, "SECOND_TRY_FACTOR", 1.0)
    y = drawn(3)
    y /= np.linalg.norm(y, axis=-1, keepdims=True)
    paths = followed(spheres, y, np.zeros(1, complex), np.ones((1, 1), complex))
    assert paths.arrived.tolist() == [[False, True, False]]

"""Segments of data that are summed apart: how many there are, and that together they are all the data."""

from __future__ import annotations

import numpy as np
import pytest

from parakin.identification.fit.moments import FIRST_CHUNK, SEGMENTS, Sums, _Segments, averaged_rows


def filled(states: int, step: int = FIRST_CHUNK // 4) -> _Segments:
    """Segments with so many states, each of which counts 1."""
    segments = _Segments()
    while states:
        part = min(step, segments.room, states)
        segments.add(part, Sums(part, np.full((1, 1, 1), float(part)), 0, np.zeros((1, 1, 1))))
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

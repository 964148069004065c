"""Rotations whose entries are rounded zeros and ones: exact again, and still rotations."""

from __future__ import annotations

import numpy as np

from parakin.mechanism.skeleton import ORTHOGONAL, snapped, snapped_rotation


def turned(axis: list[float], angle: float) -> np.ndarray:
    n = np.array(axis) / np.linalg.norm(axis)
    cross = np.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def skew(R: np.ndarray) -> float:
    return float(np.max(np.abs(R.T @ R - np.eye(3))))


def test_a_rounded_zero_is_snapped_and_the_axes_stay_at_right_angles() -> None:
    across = np.array([0.0, 0.6, 0.8])
    R = np.column_stack([across, np.cross([0.8, -0.48, 0.36], across), [0.8, -0.48, 0.36]])
    assert skew(R) < ORTHOGONAL
    off = turned([0.3, 0.5, 0.1], 6e-13) @ R
    assert 0 < abs(off[0, 0]) < 1e-12
    assert skew(snapped(off, 1.0)) > 1e-13, "entries one by one are no rotation"
    found = snapped_rotation(off)
    assert found[0, 0] == 0.0
    assert skew(found) <= ORTHOGONAL
    assert np.max(np.abs(found - off)) < 1e-12


def test_rotations_without_rounding_keep_their_bits() -> None:
    for R in (np.eye(3), turned([0, 0, 1], 0.7), turned([1, 2, 3], 0.7)):
        snug = snapped(R, 1.0)
        assert skew(snug) <= ORTHOGONAL
        assert np.array_equal(snapped_rotation(R), snug)


def test_a_matrix_that_is_no_rotation_becomes_the_nearest_one() -> None:
    sheared = turned([1, 2, 3], 0.7) @ (np.eye(3) + 1e-9 * np.ones((3, 3)))
    found = snapped_rotation(sheared)
    assert skew(found) <= ORTHOGONAL
    assert np.max(np.abs(found - sheared)) < 1e-8

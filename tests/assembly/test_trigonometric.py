"""Zeros of trigonometric polynomials."""

from __future__ import annotations

import numpy as np
import pytest

from parakin.assembly.trigonometric import angles, zeros


def real_zeros(values: np.ndarray, degree: int) -> np.ndarray:
    """Return the real zeros in [-pi, pi), sorted."""
    found, _ = zeros(values, degree)
    real = found[np.abs(found.imag) < 1e-6].real
    return np.sort(np.angle(np.exp(1j * real)))


@pytest.mark.parametrize("shift", [0.0, 1.0, 2.5, np.pi])
def test_chosen_zeros_are_found(shift: float) -> None:
    chosen = np.sort(np.angle(np.exp(1j * (np.array([-2.0, -0.7, 0.3, 1.1, 1.9, 2.6]) + shift))))
    values = np.prod([np.sin((angles() - zero) / 2) for zero in chosen], axis=0)
    assert real_zeros(values, 3) == pytest.approx(chosen, abs=1e-10)
    assert zeros(values, 3)[1] == 6


def test_zeros_may_be_complex() -> None:
    """cos psi = 2 has psi = +-i arcosh 2, and no real zero."""
    psi, count = zeros(np.cos(angles()) - 2.0, 1)
    assert count == 2
    assert np.sort(psi.imag) == pytest.approx([-np.arccosh(2.0), np.arccosh(2.0)])
    assert np.cos(psi) == pytest.approx([2.0, 2.0])


@pytest.mark.parametrize(("degree", "count"), [(1, 2), (2, 4), (3, 6)])
def test_only_finite_zeros_are_counted(degree: int, count: int) -> None:
    """A polynomial of lower degree than asked for has fewer finite zeros; rounding is not a coefficient."""
    values = np.cos(degree * angles()) - 0.3 + 1e-13 * np.cos(4 * angles())
    assert zeros(values, 4)[1] == count


def test_what_vanishes_everywhere_has_no_zeros() -> None:
    psi, count = zeros(np.zeros((2, len(angles()))), 3)
    assert np.isnan(psi).all()
    assert not count.any()
    assert np.isnan(zeros(np.full(len(angles()), np.nan), 3)[0]).all()


def test_many_at_once() -> None:
    values = np.stack([np.sin(angles() - shift) for shift in (0.0, 0.4)])
    psi, _ = zeros(values, 1)
    assert np.sin(psi - np.array([[0.0], [0.4]])) == pytest.approx(np.zeros((2, 2)), abs=1e-12)

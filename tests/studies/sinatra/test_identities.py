"""Equations of [Sinatra2009] as printed: four are what they stand for, one has a factor too many."""

from __future__ import annotations

import numpy as np
import pytest

from parakin.studies.common import ROUNDING
from parakin.studies.sinatra import identities
from parakin.studies.sinatra.identities import U1, U3, differentiated, turning, wrench_differences

STEP = 1e-6
"""Time step of central differences [s]: they leave 1e-9 here."""


@pytest.mark.parametrize("order", [1, 2])
def test_connectivity_and_angular_velocity_are_as_printed(order: int) -> None:
    assert identities.leg_difference(order) < ROUNDING
    assert identities.platform_difference(order) < ROUNDING


def test_the_moment_of_inertia_forces_has_a_factor_too_many() -> None:
    force, moment = wrench_differences()
    assert force < ROUNDING
    assert moment > 0.1


def test_products_are_differentiated_as_differences_do() -> None:
    """The reference itself, against differences: angles that move as alpha + rate t + acceleration t^2/2."""
    rng = np.random.default_rng(1)
    factors = (turning(U1, rng), turning(U3, rng))
    _, first, second = differentiated(factors)

    def moved(t: float) -> np.ndarray:
        one, two = (
            rodrigues(u, each.rate * t + each.acceleration * t**2 / 2) @ each.E
            for u, each in zip((U1, U3), factors, strict=True)
        )
        return one @ two

    assert (moved(STEP) - moved(-STEP)) / (2 * STEP) == pytest.approx(first, abs=1e-8)
    wide = 1e-4  # differences of second order lose twice the digits
    assert (moved(wide) - 2 * moved(0.0) + moved(-wide)) / wide**2 == pytest.approx(second, abs=1e-6)


def rodrigues(u: np.ndarray, angle: float) -> np.ndarray:
    return (
        np.eye(3)
        + np.sin(angle) * identities.tilde(u)
        + (1 - np.cos(angle)) * np.linalg.matrix_power(identities.tilde(u), 2)
    )

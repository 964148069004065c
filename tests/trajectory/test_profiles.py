"""Steps and ramps: their values at and beyond both ends, and slopes that are derivatives."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from parakin.trajectory.profiles import Profile, cruise, ramp, step, timed_step
from tests.moving import STENCIL


def test_steps_go_from_rest_to_rest() -> None:
    value, slope, curvature = step(np.array([-1.0, 0.0, 0.5, 1.0, 2.0]))
    assert value.tolist() == [0.0, 0.0, 0.5, 1.0, 1.0]
    assert slope.tolist() == [0.0, 0.0, 1.875, 0.0, 0.0]
    assert curvature.tolist() == [0.0] * 5


def test_ramps_go_from_rest_to_slope_one() -> None:
    value, slope, curvature = ramp(np.array([-1.0, 0.0, 1.0, 3.0]))
    assert value.tolist() == [0.0, 0.0, 0.5, 2.5]
    assert slope.tolist() == [0.0, 0.0, 1.0, 1.0]
    assert curvature.tolist() == [0.0] * 4


def test_a_timed_step_takes_its_time() -> None:
    value, slope, _ = timed_step(np.array([1.0, 2.0, 3.0, 4.0, 5.0]), 2.0, 2.0)
    assert value.tolist() == [0.0, 0.0, 0.5, 1.0, 1.0]
    assert slope[2] == 1.875 / 2.0


def test_cruising_is_at_slope_one_between_its_ramps() -> None:
    up, cruising, down = 0.5, 2.0, 1.0
    t = np.array([0.0, up, up + cruising, up + cruising + down, 9.0])
    value, slope, _ = cruise(t, up, cruising, down)
    np.testing.assert_allclose(value, [0.0, up / 2, up / 2 + cruising, *[up / 2 + cruising + down / 2] * 2], atol=1e-15)
    np.testing.assert_allclose(slope, [0.0, 1.0, 1.0, 0.0, 0.0], atol=1e-15)


@pytest.mark.parametrize(
    "profile", [step, ramp, lambda t: timed_step(t, -0.5, 2.0), lambda t: cruise(t + 0.45, 0.4, 0.5, 0.9)]
)
def test_slopes_and_curvatures_are_derivatives(profile: Callable[[np.ndarray], Profile]) -> None:
    h = 1e-3
    for u in (0.1, 0.4, 0.7, 0.93):
        values = profile(u + h * np.arange(-4, 5))
        assert STENCIL @ values.value / h == pytest.approx(values.slope[4], abs=1e-11)
        assert STENCIL @ values.slope / h == pytest.approx(values.curvature[4], abs=1e-11)

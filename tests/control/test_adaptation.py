"""A step of the parameters: its dead zone, its bounds, and when it is not made."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import parakin as pk
from parakin.control.adaptation import (
    UNSEEN,
    AdaptiveModel,
    beyond,
    first_parameters,
    next_parameters,
)
from parakin.control.definition import Gain
from parakin.control.tuning.proposal import Tuning


def numbers(expression: ca.SX) -> list[float]:
    return np.asarray(ca.DM(expression)).ravel().tolist()


GIVEN = {
    "p": ca.SX([1.0, 2.0, 3.0]),
    "p_0": ca.SX([-9.0, 2.5, 9.0]),
    "Gamma": ca.SX([1.0, 2.0, 4.0]),
    "lower": ca.SX([0.0, 0.0, 0.0]),
    "upper": ca.SX([5.0, 5.0, 5.0]),
}


def test_the_dead_zone_takes_its_width_off_both_sides() -> None:
    assert numbers(beyond(ca.SX([3.0, -3.0, 0.5, -0.5, 1.0]), ca.SX(1.0))) == [2.0, -2.0, 0.0, 0.0, 0.0]


def test_parameters_begin_and_stay_in_their_bounds() -> None:
    assert numbers(first_parameters(GIVEN)) == [0.0, 2.5, 5.0]
    direction = ca.SX([1.0, -10.0, 10.0])
    assert numbers(next_parameters(GIVEN, 0.1, direction, ca.SX([0.0, 0.0]))) == pytest.approx([1.1, 0.0, 5.0])


@pytest.mark.parametrize("excess", [1e-3, -1e-3])
def test_nothing_is_learned_at_a_limit(excess: float) -> None:
    stayed = next_parameters(GIVEN, 0.1, ca.SX([1.0, 1.0, 1.0]), ca.SX([0.0, excess]))
    assert numbers(stayed) == [1.0, 2.0, 3.0]


def test_bounds_and_speeds_follow_from_the_excitation() -> None:
    """Bounds as docs/control.md says: 50 % of the value, and what gives 5 % of the forces."""
    model = AdaptiveModel(pk.load("five_bar"))
    base, (sizes, force) = model.base, model.column_sizes
    zone = Gain("dead_zone", "N m", (0.0,), "")
    proposed = model.speeds(Tuning(60.0, 1.0, 0.1), 2.0)
    gains = {gain.name: np.array(gain.values) for gain in model.parameter_gains(proposed, zone)}
    spread = 0.5 * np.abs(base.values) + 0.05 * force / sizes
    assert gains["upper"] == pytest.approx(base.values + spread)
    friction = np.array([name.endswith(("viscous", "coulomb")) for name in model.parameter_part.labels])
    assert gains["lower"][~friction] == pytest.approx((base.values - spread)[~friction])
    assert gains["lower"][friction] == pytest.approx(np.maximum(base.values - spread, 0.0)[friction])
    assert friction.any()
    assert (base.values - spread)[friction].min() < 0.0
    assert gains["p_0"].tolist() == base.values.tolist()
    # effort x 60 rad/s x a tenth, shared by all parameters
    assert np.sum(gains["Gamma"] * sizes**2) == pytest.approx(2.0 * 6.0)
    assert np.ptp(gains["Gamma"] * sizes**2) < 1e-9
    assert gains["fastest"].tolist() == [60.0]
    assert model.unseen.tolist() == [UNSEEN[0]] * 2


def test_errors_of_lengths_are_told_apart_from_errors_of_angles() -> None:
    assert AdaptiveModel(pk.load("gough_stewart")).unseen.tolist() == [UNSEEN[1]] * 6

"""The smooth sign of a rate, by hand."""

from __future__ import annotations

import casadi as ca
import pytest

from parakin.dynamics.friction import friction_force, smooth_sign
from parakin.dynamics.parameters import Friction


@pytest.mark.parametrize(("rate", "smoothing"), [(3.0, 4.0), (-0.3, 0.4), (0.0, 0.1)])
def test_the_smooth_sign_is_a_sine(rate: float, smoothing: float) -> None:
    assert ca.DM(smooth_sign(ca.SX(rate), smoothing)).full().item() == pytest.approx(
        rate / (rate**2 + smoothing**2) ** 0.5
    )


def test_friction_is_viscous_and_coulomb() -> None:
    force = friction_force(Friction(ca.SX(2.0), ca.SX(5.0)), ca.SX(-3.0), ca.sign)
    assert ca.DM(force).full().item() == -11.0

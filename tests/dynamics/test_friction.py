"""The smooth sign of a rate, and the rates that friction brakes, by hand."""

from __future__ import annotations

import casadi as ca
import pytest

from parakin.description import Element, Joint
from parakin.dynamics.friction import friction_force, relative_rates, smooth_sign
from parakin.dynamics.parameter_symbols import Friction
from parakin.kinematics.elements import ElementMotion, Line, Spin


@pytest.mark.parametrize(("rate", "smoothing"), [(3.0, 4.0), (-0.3, 0.4), (0.0, 0.1)])
def test_the_smooth_sign_is_a_sine(rate: float, smoothing: float) -> None:
    assert ca.DM(smooth_sign(ca.SX(rate), smoothing)).full().item() == pytest.approx(
        rate / (rate**2 + smoothing**2) ** 0.5
    )


def test_friction_is_viscous_and_coulomb() -> None:
    force = friction_force(Friction(ca.SX(2.0), ca.SX(5.0)), ca.SX(-3.0), ca.sign)
    assert ca.DM(force).full().item() == -11.0


@pytest.mark.parametrize(
    ("joint", "rates"),
    [
        (Joint(type="revolute", axis=(0.0, 0.0, 1.0)), [0.9]),
        (Joint(type="universal", axis=(0.0, 0.0, 1.0)), [1.8, 2.7]),
        (Joint(type="spherical"), [0.9, 1.8, 2.7]),
    ],
)
def test_friction_brakes_rates_relative_to_the_carrier(joint: Joint, rates: list[float]) -> None:
    """The frame's z is the base's x; the ring's first two axes are the base's y and z."""
    still, length = ca.SX.zeros(3), ca.SX(1.0)
    line = Line(still, still, still, ca.SX([0, 1, 0]), still, still, length, ca.SX(0), ca.SX(0))
    turned = ca.SX([[0, 0, 1], [1, 0, 0], [0, 1, 0]])
    carrier = Spin(ca.SX.eye(3), ca.SX([0.1, 0.2, 0.3]), still)
    ring = Spin(turned, still, still)
    motion = ElementMotion(line, Spin(turned, ca.SX([1.0, 2.0, 3.0]), still), carrier, ring)
    element = Element(name="rod", type="bar", joint=joint, length=1.0, source="assumed")
    assert [ca.DM(rate).full().item() for rate in relative_rates(element, motion)] == pytest.approx(rates)

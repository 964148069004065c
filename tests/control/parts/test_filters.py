"""Filters that a law wears have the frequency response of their formulas, and `margins` counts them."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
import pytest
from scipy.linalg import expm

import parakin as pk
from parakin import control
from parakin.arrays import Array
from parakin.control.parts.filters import On
from parakin.control.tuning.linear_loop import LinearLoop
from parakin.control.tuning.margins import margins_of
from parakin.errors import ControlError
from parakin.simulation.linear import linear_loop
from tests.control.parts.bare import PERIOD, first_state, repeater, stepped, still

RESPONSE = 1e-10
"""Rounding of responses that are solved for near poles on the unit circle."""
ZERO = 1e-8
"""What is left of a determinant of size 1 at a pole that eigenvalues give to about 1e-11."""
NOTCH = {"frequency": (60.0, 90.0), "depth": 0.1, "width": (0.5, 0.8)}
LEAD = {"frequency": 40.0, "advance": 0.6}


@pytest.fixture(scope="module")
def robot() -> pk.Robot:
    return pk.load("five_bar")


def notch(z: np.ndarray, actuator: int) -> np.ndarray:
    """N(s) at s = w/tan(w T/2) (z - 1)/(z + 1)."""
    w = 2 * np.pi * NOTCH["frequency"][actuator]
    s = w / np.tan(w * PERIOD / 2) * (z - 1) / (z + 1)
    width = NOTCH["width"][actuator]
    return (s**2 + NOTCH["depth"] * width * w * s + w**2) / (s**2 + width * w * s + w**2)


def lead(z: np.ndarray, _: int) -> np.ndarray:
    """L(s) at the same s."""
    w = 2 * np.pi * LEAD["frequency"]
    s = w / np.tan(w * PERIOD / 2) * (z - 1) / (z + 1)
    k = (1 + np.sin(LEAD["advance"])) / np.cos(LEAD["advance"])
    return (1 + k * s / w) / (1 + s / (k * w))


def matrices(law: control.Law, inputs: tuple[str, ...]) -> list[Array]:
    """A, B, C, D of a linear law's step by its state and these inputs."""
    x = [ca.SX.sym(name, *law.step.size_in(name)) for name in law.step.name_in()]
    by = dict(zip(law.step.name_in(), x, strict=True))
    following, tau = law.step.call(x)
    told = ca.vertcat(*(by[name] for name in inputs))
    parts = [ca.jacobian(out, variable) for out in (following, tau) for variable in (by["state"], told)]
    function = ca.Function("parts", x, [ca.densify(part) for part in parts])
    values = [np.zeros(each.shape) for each in x]
    values[law.step.index_in("gains")] = law.gains
    return [np.asarray(part) for part in function(*values)]


def response(law: control.Law, z: complex) -> np.ndarray:
    """The transfer matrix from the measured positions to the force."""
    A, B, C, D = matrices(law, ("measured_q",))
    return C @ np.linalg.solve(z * np.eye(len(A)) - A, B) + D


@pytest.mark.parametrize("on", ["force", "feedback"])
@pytest.mark.parametrize("name", ["notch", "lead"])
def test_the_frequency_response_is_the_formula(name: str, on: On, robot: pk.Robot) -> None:
    plain = repeater(robot)
    worn = control.with_notch(plain, **NOTCH, on=on) if name == "notch" else control.with_lead(plain, **LEAD, on=on)
    formula = notch if name == "notch" else lead
    for frequency in (1.0, 20.0, 40.0, 60.0, 90.0, 250.0, 480.0):
        z = np.exp(2j * np.pi * frequency * PERIOD)
        expected = 1e-3 * np.diag([formula(z, actuator) for actuator in range(2)])
        assert response(worn, z) == pytest.approx(expected, rel=RESPONSE, abs=1e-15)


def test_a_notch_has_its_depth_and_a_lead_its_phase_at_their_frequencies() -> None:
    for actuator, frequency in enumerate(NOTCH["frequency"]):
        z = np.exp(2j * np.pi * frequency * PERIOD)
        assert notch(z, actuator) == pytest.approx(NOTCH["depth"], rel=RESPONSE)
    z = np.exp(2j * np.pi * LEAD["frequency"] * PERIOD)
    assert np.angle(lead(z, 0)) == pytest.approx(LEAD["advance"], rel=RESPONSE)


@pytest.mark.parametrize("on", ["force", "feedback"])
def test_a_worn_law_begins_without_a_jump(on: On, robot: pk.Robot) -> None:
    """A filter that begins settled lets the first force be that of the law alone."""
    plain = control.law("pid", robot)
    worn = control.with_lead(control.with_notch(plain, **NOTCH, on=on), **LEAD, on=on)
    told, holding = still(np.array([0.3, 0.7])), np.array([1.5, -0.7])
    state = first_state(worn, told, holding)
    for _ in range(3):
        state, tau = stepped(worn, state, told)
        assert tau == pytest.approx(holding, rel=1e-12)


def loop_of(plain: LinearLoop, z: complex) -> np.ndarray:
    """K(z) G(z), the way from the forces once round to the forces, of a loop with exact rates and no delay."""
    n, m = plain.B.shape[0] // 2, plain.J.shape[0]
    block = np.zeros((2 * n + m, 2 * n + m))
    block[: 2 * n, : 2 * n], block[: 2 * n, 2 * n :] = plain.A, plain.B
    held = expm(block * plain.period)
    F, G = held[: 2 * n, : 2 * n], held[: 2 * n, 2 * n :]
    seen = np.block([[plain.J, np.zeros((m, n))], [np.zeros((m, n)), plain.J]])
    plant = seen @ np.linalg.solve(z * np.eye(2 * n) - F, G)
    s = plain.states
    A, B, C, D = plain.law[:s, :s], plain.law[:s, s:], plain.law[s:, :s], plain.law[s:, s:]
    return (C @ np.linalg.solve(z * np.eye(s) - A, B) + D) @ plant


def test_margins_count_a_filter(robot: pk.Robot) -> None:
    """At every pole z of the linearised worn loop det(1 - N(z) K(z) G(z)) is zero, with N from its formula."""
    law = control.law("pid", robot)
    law = law.with_gains(**control.gains_for(law, 60.0))
    plain, worn = linear_loop(robot, law), linear_loop(robot, control.with_notch(law, **NOTCH))
    poles = np.linalg.eigvals(worn.step()[0])
    wanted = [z for z in poles if 0.2 < abs(z) < 0.999]
    assert len(wanted) > 4
    for z in wanted:
        N = np.diag([notch(z, actuator) for actuator in range(2)])
        whole = np.eye(2) - N @ loop_of(plain, z)
        assert abs(np.linalg.det(whole)) < ZERO * np.linalg.norm(whole) ** 2, z
        assert abs(np.linalg.det(np.eye(2) - loop_of(plain, z))) > 1e-3, "not a pole without the notch"
    assert margins_of(worn).delay < margins_of(plain).delay


def test_parts_of_one_kind_are_numbered(robot: pk.Robot) -> None:
    law = control.with_notch(control.with_notch(control.law("pid", robot), 60.0), 90.0, on="feedback")
    assert law.name == "pid_notch_notch_2"
    assert law.worn == ("notch", "notch_2")
    assert law.with_gains(notch_2_frequency=80.0).gains[-3] == 80.0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"frequency": 500.0}, "notch_frequency: must be > 0 and below 500 Hz, half the rate of the ticks"),
        ({"frequency": (1.0, 2.0, 3.0)}, "one number or 2, one for each actuator"),
        ({"depth": 1.5}, "notch_depth: must be from 0 to 1"),
        ({"width": 0.0}, "notch_width: must be > 0"),
        ({"on": "nothing"}, "acts on force or feedback, got 'nothing'"),
    ],
)
def test_a_notch_that_cannot_be_is_refused(change: dict[str, Any], words: str, robot: pk.Robot) -> None:
    with pytest.raises(ControlError, match=words):
        control.with_notch(control.law("pid", robot), **(dict[str, Any](frequency=60.0) | change))


def test_gains_of_filters_have_bounds_too(robot: pk.Robot) -> None:
    law = control.with_notch(control.law("pid", robot), 60.0)
    with pytest.raises(ControlError, match="notch_frequency: must be below 500 Hz, got"):
        law.with_gains(notch_frequency=500.0)


def test_what_a_law_cannot_wear_is_said(robot: pk.Robot) -> None:
    with pytest.raises(ControlError, match="a guard comes last"):
        control.with_notch(control.guarded(control.law("pid", robot)), 60.0)
    platform = control.law("computed_torque_platform", robot)
    with pytest.raises(ControlError, match="needs desired_q, measured_q, measured_q_dot, and the law"):
        control.with_notch(platform, 60.0, on="feedback")
    with pytest.raises(ControlError, match=r"advance: must be between -1\.5 and 1\.5 rad"):
        control.with_lead(platform, 60.0, advance=2.0)

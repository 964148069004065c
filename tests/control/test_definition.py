"""A law as data: names of its inputs, sizes of its gains, and what it refuses."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import parakin as pk
from parakin import control
from parakin.errors import ControlError


@pytest.fixture(scope="module")
def robot() -> pk.Robot:
    return pk.load("five_bar")


@pytest.fixture(scope="module")
def counter(robot: pk.Robot) -> control.Law:
    """A law with two parts of state and two gains, one of them signed, that shows what it is told."""

    def start(given: control.Given) -> dict[str, ca.SX]:
        return {"count": ca.SX(3), "force": given["holding"]}

    def step(given: control.Given) -> control.Update:
        tau = given["a"] * given["force"] + given["b"] * given["later"][:, 1]
        return control.Update({"force": tau, "count": given["count"] + 1}, tau)

    gains = (control.Gain("a", "1", (2.0,), ""), control.Gain("b", "N", (-1.0, 4.0), "", signed=True))
    parts = (control.StatePart("count", 1, "", ""), control.StatePart("force", 2, "N m", ""))
    set_points = (control.Wanted("q", (0, 3), "later"), control.Wanted("pose"))
    interface = control.Interface(gains, parts, set_points, ("q",))
    return control.assembled("counter", robot, 2e-3, interface, start=start, step=step)


def test_ports_are_named_after_quantity_and_distance() -> None:
    assert control.Wanted("q").port == "desired_q"
    assert control.Wanted("q_dot", (5,)).port == "desired_q_dot_ahead"
    assert control.Wanted("q", (0, 3)).port == "desired_q_ahead"
    assert control.Wanted("q", (0,), "here").port == "here"


def test_parts_and_gains_go_to_their_places(counter: control.Law) -> None:
    """State and gains are one vector each, in the order of the interface and not of what `step` returns."""
    assert counter.step.name_in() == ["state", "later", "desired_pose", "measured_q", "gains"]
    assert counter.gains.tolist() == [2.0, -1.0, 4.0]
    told = {"later": np.array([[0.0, 5.0], [0.0, 7.0]]), "gains": counter.gains, "measured_q": [0.0, 0.0]}
    first = counter.start(**told, holding=[10.0, 20.0])["state"]
    assert np.asarray(first).ravel().tolist() == [3.0, 10.0, 20.0]
    out = counter.step(**told, state=first)
    assert np.asarray(out["tau"]).ravel().tolist() == [2 * 10.0 - 5.0, 2 * 20.0 + 4 * 7.0]
    assert np.asarray(out["next_state"]).ravel().tolist() == [4.0, 15.0, 68.0]
    assert repr(counter) == "Law(counter of five_bar, every 2 ms)"


def test_gains_are_spread_and_replaced(counter: control.Law) -> None:
    assert counter.with_gains(b=-3.0).gains.tolist() == [2.0, -3.0, -3.0]
    assert counter.with_gains(a=0.0).gains.tolist() == [0.0, -1.0, 4.0]
    assert counter.gain_vector({"a": [1.0, 5.0, 6.0]}).tolist() == [[1, -1, 4], [5, -1, 4], [6, -1, 4]]
    assert counter.gain_vector({"a": np.ones((3, 1)), "b": [[7.0, 8.0]]}).tolist() == [[1.0, 7.0, 8.0]] * 3
    assert counter.gains.tolist() == [2.0, -1.0, 4.0]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_gains_that_are_not_finite_are_refused(value: float, counter: control.Law) -> None:
    with pytest.raises(ControlError, match=r"counter: b: must be finite, got"):
        counter.with_gains(b=value)
    with pytest.raises(ControlError, match=r"counter: a: must be finite and >= 0 1, got"):
        counter.with_gains(a=value)


@pytest.mark.parametrize("period", [0.0, np.nan, np.inf])
def test_periods_that_are_no_times_are_refused(period: float, robot: pk.Robot, counter: control.Law) -> None:
    with pytest.raises(ControlError, match="late: period: must be finite and > 0 s, got"):
        control.assembled("late", robot, period, counter.interface, start=lambda _: {}, step=lambda _: None)  # pyright: ignore[reportArgumentType]

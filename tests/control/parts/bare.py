"""A law that gives what it is told, so that what it wears is seen alone; and steps of laws outside any kernel."""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca
import numpy as np

import parakin as pk
from parakin import control
from parakin.arrays import Array

PERIOD = 1e-3


def repeater(robot: pk.Robot, *, limited: bool = False) -> control.Law:
    """A law whose force is the measured position, which a scale makes small against all limits."""
    scale = 1.0 if limited else 1e-3
    interface = control.Interface((), (), (control.Wanted("q"), control.Wanted("q_dot")), ("q", "q_dot"))

    def step(given: control.Given) -> control.Update:
        return control.Update({}, scale * (given["measured_q"] + given["desired_q"]))

    return control.assembled("repeater", robot, PERIOD, interface, start=lambda _: {}, step=step)


def first_state(law: control.Law, told: Mapping[str, Array], holding: Array) -> Array:
    """The state before the first tick."""
    out = law.start(**{name: ca.DM(value) for name, value in told.items()}, gains=law.gains, holding=holding)
    return np.asarray(out["state"]).ravel()


def stepped(law: control.Law, state: Array, told: Mapping[str, Array], **signals: float) -> tuple[Array, Array]:
    """State and force after a tick."""
    given = {name: ca.DM(value) for name, value in told.items()} | {name: ca.DM(v) for name, v in signals.items()}
    out = law.step(state=state, gains=law.gains, **given)
    return np.asarray(out["next_state"]).ravel(), np.asarray(out["tau"]).ravel()


def still(q: Array) -> dict[str, Array]:
    """What a law is told of a robot that rests where it should, at these positions."""
    zero = np.zeros_like(q)
    return {"desired_q": q, "desired_q_dot": zero, "measured_q": q, "measured_q_dot": zero}

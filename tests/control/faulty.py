"""Laws that are told wrong numbers, so that closed loops can be run with broken sensors and references."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import casadi as ca
import numpy as np

from parakin import control

Told = dict[str, ca.SX]
"""What a law is told at a tick, by its inputs."""
FILTER = 1 - np.exp(-2 * np.pi * 200.0 * 1e-3)
"""How far a filter of rates of 200 Hz goes towards its input in a tick of 1 ms."""


def faulty(law: control.Law, wrong: Callable[[ca.SX, ca.SX, Told], Told]) -> control.Law:
    """Return a law that is told something else than it is given: wrong(tick, size, told) says what.

    `size`, how large the fault is, is a gain with the default 0; ticks are counted in the state.
    """
    step, start = law.step, law.start
    x: Told = {name: ca.SX.sym(name, *step.size_in(name)) for name in step.name_in()}
    states, gains = step.size1_in("state"), step.size1_in("gains")
    x |= {"state": ca.SX.sym("state", states + 1), "gains": ca.SX.sym("gains", gains + 1)}
    tick, size = x["state"][states], x["gains"][gains]
    own = x | {"state": x["state"][:states], "gains": x["gains"][:gains]}
    out = step(**(own | wrong(tick, size, own)))
    results = [ca.vertcat(out["next_state"], tick + 1), out["tau"]]
    y: Told = {name: ca.SX.sym(name, *start.size_in(name)) for name in start.name_in()}
    y["gains"] = x["gains"]
    first = ca.vertcat(start(**(y | {"gains": x["gains"][:gains]}))["state"], 0)
    interface = replace(
        law.interface,
        state=(*law.interface.state, control.StatePart("tick", 1, "", "ticks so far")),
        gains=(*law.interface.gains, control.Gain("size", "", (0.0,), "how large the fault is", signed=True)),
    )
    return replace(
        law,
        name=f"{law.name}_told_wrongly",
        interface=interface,
        step=ca.Function(step.name(), list(x.values()), results, list(x), ["next_state", "tau"], {"cse": True}),
        start=ca.Function(start.name(), list(y.values()), [first], list(y), ["state"]),
    )


def spike(when: int, period: float = 1e-3, share: float = FILTER) -> Callable[[ca.SX, ca.SX, Told], Told]:
    """A spike of the first encoder at one tick, and what the filter of rates makes of it at this tick and after."""

    def wrong(tick: ca.SX, size: ca.SX, told: Told) -> Told:
        since = tick - when
        first = ca.SX.eye(told["measured_q"].shape[0])[:, 0]
        after = ca.if_else(since > 0, -(share**2) * ca.SX(1 - share) ** (since - 1), 0)
        rate = ca.if_else(ca.eq(since, 0), share, after) * size / period
        q = ca.if_else(ca.eq(since, 0), size, 0)
        return {"measured_q": told["measured_q"] + first * q, "measured_q_dot": told["measured_q_dot"] + first * rate}

    return wrong

"""Notch and lead filters that any law can wear, on its force or on its feedback.

    notch  N(s) = (s^2 + depth width w s + w^2)/(s^2 + width w s + w^2)
    lead   L(s) = (1 + k s/w)/(1 + s/(k w)),    k = (1 + sin advance)/cos advance

with s = w/tan(w T/2) (z - 1)/(z + 1), the bilinear rule that keeps the frequency w itself exact. At a frequency W the
sampled filter is therefore, exactly, the continuous one at w tan(W T/2)/tan(w T/2). Both leave what stands still as it
is: N(0) = L(0) = 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from parakin.control.definition import Gain, Given, Law, StatePart, Update
from parakin.control.model import ControlModel
from parakin.control.parts.wearing import Answer, Part, label_of, need, values_for, wear
from parakin.errors import ControlError

On = Literal["force", "feedback"]
"""What a filter acts on: the force of a law, or the errors that it is told."""
FEEDBACK = ("q", "q_dot")
"""Quantities whose measured values, less the desired ones, a filter on the feedback goes over."""
Coefficients = tuple[list[ca.SX], list[ca.SX]]
"""Numerator b and denominator a of a filter, from z^0 down; of each an entry for all actuators, or one for each."""


@dataclass(frozen=True, eq=False)
class _Filter:
    """A filter while it is put on a law."""

    label: str
    gains: tuple[Gain, ...]
    coefficients: Callable[[Given], Coefficients]
    order: int


def with_notch(
    law: Law, frequency: ArrayLike, depth: ArrayLike = 0.1, width: ArrayLike = 0.5, *, on: On = "force"
) -> Law:
    """Return a law with a notch at a frequency [Hz]: what resonates there is left alone.

    `depth` is the gain at the frequency itself, from 0 to 1, and `width` the distance of the two frequencies at which a
    notch of depth 0 lets 1/sqrt(2) pass, as a part of the frequency. Each is one number, or one for each actuator, and
    a gain of the law. On the force it filters all that the law asks for; on the feedback the errors that the law is
    told, so that what it computes along the reference stays as it is.

    >>> calm = pk.control.with_notch(law, 250.0)
    >>> [gain.name for gain in calm.interface.gains[-3:]]
    ['notch_frequency', 'notch_depth', 'notch_width']
    >>> pk.simulation.margins(robot, calm).delay < pk.simulation.margins(robot, law).delay
    True
    """
    label = label_of(law, "notch")
    gains = (
        _frequency(law, label, frequency, "frequency that it takes out"),
        Gain(
            f"{label}_depth",
            "",
            values_for(law, f"{label}_depth", depth, "from 0 to 1", lambda one: 0.0 <= one <= 1.0),
            "gain at that frequency",
        ),
        Gain(
            f"{label}_width",
            "",
            values_for(law, f"{label}_width", width, "> 0", lambda one: one > 0.0),
            "distance of the frequencies on both sides that lose 3 dB, as a part of the frequency",
        ),
    )

    def coefficients(given: Given) -> Coefficients:
        t = _warped(given[f"{label}_frequency"], law.period)
        wide = given[f"{label}_width"] * t
        deep = given[f"{label}_depth"] * wide
        lead, middle = 1 + t * t, 2 * (t * t - 1)
        return [lead + deep, middle, lead - deep], [lead + wide, middle, lead - wide]

    return _filtered(law, _Filter(label, gains, coefficients, 2), on)


def with_lead(law: Law, frequency: ArrayLike, advance: ArrayLike, *, on: On = "force") -> Law:
    """Return a law with a filter that turns the phase forward by `advance` [rad] at a frequency [Hz].

    The gain grows from 1 at rest over k at the frequency to k^2 far above it, k = (1 + sin advance)/cos advance. A
    negative advance is a lag. Each is one number, or one for each actuator, and a gain of the law.

    >>> ahead = pk.control.with_lead(law, frequency=40.0, advance=0.3)
    >>> pk.simulation.margins(robot, ahead).stable
    True
    """
    label = label_of(law, "lead")
    turned = values_for(law, f"{label}_advance", advance, "between -1.5 and 1.5 rad", lambda one: abs(one) < 1.5)
    gains = (
        _frequency(law, label, frequency, "frequency at which the phase is turned most"),
        Gain(f"{label}_advance", "rad", turned, "by how much the phase is turned there", signed=True),
    )

    def coefficients(given: Given) -> Coefficients:
        t, angle = _warped(given[f"{label}_frequency"], law.period), given[f"{label}_advance"]
        k = (1 + ca.sin(angle)) / ca.cos(angle)
        return [t + k, t - k], [t + 1 / k, t - 1 / k]

    return _filtered(law, _Filter(label, gains, coefficients, 1), on)


def _frequency(law: Law, label: str, frequency: ArrayLike, meaning: str) -> Gain:
    """Return the gain for the frequency of a filter, which has to be below half the rate of the ticks."""
    most = 0.5 / law.period
    rule = f"> 0 and below {most:g} Hz, half the rate of the ticks"
    values = values_for(law, f"{label}_frequency", frequency, rule, lambda one: 0.0 < one < most)
    return Gain(f"{label}_frequency", "Hz", values, meaning, below=most)


def _warped(frequency: ca.SX, period: float) -> ca.SX:
    """Return tan(w T/2)."""
    half = np.pi * period * frequency
    return ca.sin(half) / ca.cos(half)


def _filtered(law: Law, made: _Filter, on: On) -> Law:
    """Put a filter on the force or on the feedback of a law."""
    if on == "force":
        return wear(law, _force_part(law, made))
    if on == "feedback":
        need(law, made.label, *(f"{kind}_{what}" for what in FEEDBACK for kind in ("desired", "measured")))
        return wear(law, _feedback_part(law, made))
    raise ControlError(law.name, made.label, f"acts on force or feedback, got {on!r}")


def _force_part(law: Law, made: _Filter) -> Part:
    model, memory = ControlModel(law.robot), f"{made.label}_memory"

    def start(given: Given) -> Mapping[str, ca.SX]:
        return {memory: settled(made.coefficients(given), given["holding"])}

    def tick(given: Given, answer: Answer) -> Update:
        filtered, after = passed(made.coefficients(given), answer({}), given[memory])
        return Update({memory: after}, model.saturated(filtered))

    size = made.order * len(law.robot.actuator_names)
    return Part(made.label, made.gains, (StatePart(memory, size, "N or N m", "of the filter"),), start, tick)


def _feedback_part(law: Law, made: _Filter) -> Part:
    size = made.order * len(law.robot.actuator_names)
    memories = {what: f"{made.label}_{what}" for what in FEEDBACK}

    def beside(given: Given, what: str) -> ca.SX:
        return given[f"measured_{what}"] - given[f"desired_{what}"]

    def start(given: Given) -> Mapping[str, ca.SX]:
        return {memory: settled(made.coefficients(given), beside(given, what)) for what, memory in memories.items()}

    def tick(given: Given, answer: Answer) -> Update:
        states: dict[str, ca.SX] = {}
        told: dict[str, ca.SX] = {}
        for what, memory in memories.items():
            filtered, states[memory] = passed(made.coefficients(given), beside(given, what), given[memory])
            told[f"measured_{what}"] = given[f"desired_{what}"] + filtered
        return Update(states, answer(told))

    units = {"q": "m or rad", "q_dot": "m/s or rad/s"}
    parts = tuple(StatePart(memories[what], size, units[what], "of the filter") for what in FEEDBACK)
    return Part(made.label, made.gains, parts, start, tick, acts=False)


def passed(coefficients: Coefficients, x: ca.SX, memory: ca.SX) -> tuple[ca.SX, ca.SX]:
    """Return what a filter makes of x, and its memory for the next tick (transposed direct form II).

    y = b_0 x + s_1,    s_k' = b_k x - a_k y + s_k+1,    coefficients divided by a_0
    """
    b, a = _normalized(coefficients)
    states = [*_pieces(memory, len(b) - 1), ca.SX.zeros(x.shape[0])]
    y = b[0] * x + states[0]
    following = [b[k] * x - a[k] * y + states[k] for k in range(1, len(b))]
    return y, ca.vertcat(*following)


def settled(coefficients: Coefficients, x: ca.SX) -> ca.SX:
    """Return the memory of a filter that has been given x for ever, and gives x itself: its gain at rest is 1."""
    b, a = _normalized(coefficients)
    states = [sum(((b[j] - a[j]) * x for j in range(k, len(b))), ca.SX.zeros(x.shape[0])) for k in range(1, len(b))]
    return ca.vertcat(*states)


def _normalized(coefficients: Coefficients) -> Coefficients:
    b, a = coefficients
    return [one / a[0] for one in b], [one / a[0] for one in a]


def _pieces(memory: ca.SX, order: int) -> Sequence[ca.SX]:
    size = memory.shape[0] // order
    return [memory[k * size : (k + 1) * size] for k in range(order)]

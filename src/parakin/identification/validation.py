"""How well parameters predict forces: on the log they come from, or better on another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.signal import welch

from parakin.arrays import Array
from parakin.errors import EstimationError
from parakin.identification.linear import LinearModel
from parakin.identification.reversals import reversing, rows_within, spread
from parakin.identification.states import States
from parakin.identification.whiteness import Whiteness, whiteness

SHOWN = 20_000
"""States of the piece that figures, spectrum and autocorrelation are made from: the beginning of the longest."""
SEGMENT = 2048
"""Samples of a segment of the spectrum."""
LEAST = 16
"""States for a statement about structure."""


@dataclass(frozen=True, eq=False)
class Validation:
    """Forces measured and predicted.

    rms: of the residual by actuator [N or N m], over all states; force: rms of the measured force; t, measured,
    predicted: a piece to look at; frequency [Hz], density (actuators, frequencies): spectrum of its residual.
    """

    actuators: tuple[str, ...]
    units: tuple[str, ...]
    states: int
    rms: Array
    force: Array
    t: Array
    measured: Array
    predicted: Array
    whiteness: Whiteness
    frequency: Array
    density: Array

    @property
    def percent(self) -> Array:
        """The residual, of the measured force."""
        return 100 * np.divide(self.rms, self.force, out=np.zeros_like(self.rms), where=self.force > 0.0)

    def __str__(self) -> str:
        lines = [f"predicted against measured force, {self.states} states; {self.whiteness}"]
        for name, unit, rms, percent in zip(self.actuators, self.units, self.rms, self.percent, strict=True):
            lines.append(f"{name:16} rms {rms:10.4g} {unit:4} {percent:7.3f} %")
        return "\n".join(lines)


def validate(model: LinearModel, p: Array, data: Iterable[States], width: float = 0.0) -> Validation:
    """Of parameters p of a model; where p is not finite, that of the robot file is used.

    width [s]: spectrum and autocorrelation leave out what is nearer to a reversal of friction; rms do not.
    """
    known = np.where(np.isfinite(p), p, model.values)
    actuators = model.robot.actuator_names
    squares, forces, count = np.zeros(len(actuators)), np.zeros(len(actuators)), 0
    shown: list[tuple[States, Array]] = []
    for states in data:
        residual = model.residuals(states, known)
        good = np.isfinite(residual).all(axis=1)
        squares += np.sum(residual[good] ** 2, axis=0)
        forces += np.sum(states.tau[good] ** 2, axis=0)
        count += int(good.sum())
        if good.all() and sum(len(piece) for piece, _ in shown) < SHOWN and _goes_on(shown, states):
            shown.append((states, residual))
    if not shown:
        raise EstimationError(model.robot.name, "validation", "no stretch of the log is within reach and regular")
    t, tau, residual = (
        np.concatenate(parts)[:SHOWN]
        for parts in zip(*((piece.t, piece.tau, left) for piece, left in shown), strict=True)
    )
    flags = np.concatenate([reversing(model, piece) for piece, _ in shown])[:SHOWN]
    regular = residual[~spread(flags, rows_within(width, shown[0][0]))] if width else residual
    if len(regular) < LEAST:
        raise EstimationError(model.robot.name, "validation", f"{len(regular)} states between reversals are too few")
    frequency, density = welch(regular.T, fs=1 / (t[1] - t[0]), nperseg=min(SEGMENT, len(regular)))
    return Validation(
        actuators,
        model.robot.actuator_units,
        count,
        np.sqrt(squares / count),
        np.sqrt(forces / count),
        t,
        tau,
        tau - residual,
        whiteness(regular),
        frequency,
        density,
    )


def _goes_on(shown: list[tuple[States, Array]], states: States) -> bool:
    """Does this piece follow the last without a gap?"""
    return states.follows(shown[-1][0]) if shown else len(states) > 1

"""Tells how well parameters predict forces: on the log they come from, or better on another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array, lock_arrays
from parakin.errors import EstimationError
from parakin.identification.fit.linear import LinearModel
from parakin.identification.fit.reversals import FrictionReversal, reversing, rows_within, spread
from parakin.identification.identifying.whiteness import Whiteness, whiteness
from parakin.identification.spectra import welch
from parakin.identification.states import States
from parakin.identification.streams import ahead

SHOWN_STATES = 20_000
"""Most states of the piece that figures and spectrum are made from: the beginning of the first stretch."""
SPECTRUM_SAMPLES = 2048
"""Samples of a segment of the spectrum."""
FEWEST_STATES = 16
"""States that a statement about structure needs."""


@dataclass(frozen=True, eq=False)
class Validation:
    """Forces measured and predicted."""

    actuators: tuple[str, ...]
    """Names of the actuators."""
    units: tuple[str, ...]
    """Units of their forces."""
    states: int
    """States that were compared."""
    rms: Array
    """Root mean square of each actuator's residual over all states (actuators,) [N or N m]."""
    prior_rms: Array
    """Root mean square of what the robot file's own parameters leave over all states (actuators,) [N or N m]."""
    noise: Array
    """Standard deviation of the noise of each force (actuators,) [N or N m].

    It is read off the upper half of the residual's spectrum, where no motion is.
    """
    force: Array
    """Root mean square of each measured force over all states (actuators,) [N or N m]."""
    t: Array
    """Times of a piece to look at (N,) [s]."""
    measured: Array
    """Measured forces of that piece (N, actuators) [N or N m]."""
    predicted: Array
    """Predicted forces of that piece (N, actuators) [N or N m]."""
    whiteness: Whiteness
    """How much structure there is in the residual of that piece."""
    frequency: Array
    """Frequencies of the spectrum of that residual (frequencies,) [Hz]."""
    density: Array
    """Power density of that residual (actuators, frequencies) [unit^2/Hz]."""

    def __post_init__(self) -> None:
        lock_arrays(self)

    @property
    def headline(self) -> str:
        """Force error before and after, and the noise, in words: over all actuators with the same unit of force."""
        parts: list[str] = []
        for unit in dict.fromkeys(self.units):
            of_unit = [k for k, other in enumerate(self.units) if other == unit]
            before, after, noise = (
                f"{np.sqrt(np.mean(values[of_unit] ** 2)):.3g} {unit}"
                for values in (self.prior_rms, self.rms, self.noise)
            )
            parts.append(f"{before} with the robot file, {after} with the estimate; the noise is {noise}")
        return ". ".join(parts)

    @property
    def percent(self) -> Array:
        """Residual of each actuator, in percent of its measured force (actuators,)."""
        return 100 * np.divide(self.rms, self.force, out=np.zeros_like(self.rms), where=self.force > 0.0)

    def __str__(self) -> str:
        lines = [f"predicted against measured force, {self.states} states; {self.whiteness}"]
        for name, unit, rms, percent in zip(self.actuators, self.units, self.rms, self.percent, strict=True):
            lines.append(f"{name:16} rms {rms:10.4g} {unit:4} {percent:7.3f} %")
        return "\n".join(lines)


def validate(
    model: LinearModel, p: Array, data: Iterable[States], reversal: FrictionReversal | None = None
) -> Validation:
    """Compare measured forces with those that parameters p of a model predict.

    Where p is not finite, the value of the robot file is used. reversal: what spectrum and autocorrelation leave out
    where friction turns round; root mean squares do not.

    >>> found = pk.identification.estimate(model, states)
    >>> checked = pk.identification.validate(model, found.values, states)
    >>> bool(np.all(checked.percent < 5.0))
    True
    """
    known = np.where(np.isfinite(p), p, model.values)
    actuators = model.robot.actuator_names
    squares, prior, forces, count = *(np.zeros(len(actuators)) for _ in range(3)), 0
    shown: list[tuple[States, Array]] = []
    for states in ahead(data):
        residual = model.residuals(states, known)
        good = np.isfinite(residual).all(axis=1)
        prior += np.sum(model.residuals(states, model.values)[good] ** 2, axis=0)
        squares += np.sum(residual[good] ** 2, axis=0)
        forces += np.sum(states.tau[good] ** 2, axis=0)
        count += int(good.sum())
        if good.all() and sum(len(piece) for piece, _ in shown) < SHOWN_STATES and _goes_on(shown, states):
            shown.append((states, residual))
    if not shown:
        raise EstimationError(model.robot.name, "validation", "no stretch of the log is within reach and regular")
    t, tau, residual = (
        np.concatenate(parts)[:SHOWN_STATES]
        for parts in zip(*((piece.t, piece.tau, left) for piece, left in shown), strict=True)
    )
    regular = residual
    if reversal is not None and reversal.half_width:
        flags = np.concatenate([reversing(model, piece, rest=reversal.rest) for piece, _ in shown])[:SHOWN_STATES]
        regular = residual[~spread(flags, rows_within(reversal.half_width, shown[0][0]))]
    if len(regular) < FEWEST_STATES:
        raise EstimationError(model.robot.name, "validation", f"{len(regular)} states between reversals are too few")
    frequency, density = welch(regular, float(t[1] - t[0]), min(SPECTRUM_SAMPLES, len(regular)))
    return Validation(
        actuators,
        model.robot.actuator_units,
        count,
        np.sqrt(squares / count),
        np.sqrt(prior / count),
        np.sqrt(density[:, len(frequency) // 2 :].mean(axis=1) * frequency[-1]),
        np.sqrt(forces / count),
        t,
        tau,
        tau - residual,
        whiteness(regular),
        frequency,
        density,
    )


def _goes_on(shown: list[tuple[States, Array]], states: States) -> bool:
    """Tell whether this piece follows the last one without a gap."""
    return states.follows(shown[-1][0]) if shown else len(states) > 1

"""Tells how well parameters predict forces: on the log they come from, or better on another."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, frozen_arrays
from parakin.errors import EstimationError
from parakin.identification.fit.linear import LinearModel
from parakin.identification.fit.reversals import FrictionReversal, reversing, rows_within, spread
from parakin.identification.identifying.repeating import Repeating, lines, repeating
from parakin.identification.identifying.whiteness import LAGS, Whiteness, whiteness
from parakin.identification.spectra import welch
from parakin.identification.states import States
from parakin.identification.streams import ahead

SHOWN_STATES = 20_000
"""Most states of the piece that figures and spectrum are made from: the beginning of the first stretch."""
COMPARED_STATES = 100_000
"""Most states of that stretch in which periods are compared and lines are looked for."""
SPECTRUM_SAMPLES = 2048
"""Samples of a segment of the spectrum."""
BELIEVABLE = 2.0
"""Standard deviations of predicted forces by which a prediction on another log may be off."""
SAMPLED = 20
"""Every such state tells how well forces can be predicted."""
REVERSAL_ROWS = 3
"""Rows on either side of a reversal of friction whose residual says nothing about how forces are recorded."""
SHOWN_LINES = 4
"""Lines of the spectrum that a sentence names at most."""
FEWEST_STATES = 16
"""States that a statement about structure needs."""


@frozen_arrays
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
    compared: Array
    """Residuals of that stretch away from reversals of friction (N, actuators) [N or N m]."""
    repeating: Repeating | None
    """How much of the residual repeats with the motion; None without a period of the motion, or without a cut-off."""
    lines: tuple[float, ...]
    """Frequencies below the cut-off [Hz] at which the residual has lines that no motion explains, loudest first."""
    frequency: Array
    """Frequencies of the spectrum of that residual (frequencies,) [Hz]."""
    density: Array
    """Power density of that residual (actuators, frequencies) [unit^2/Hz]."""

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

    @property
    def structured(self) -> NDArray[np.bool_]:
        """Whether the model leaves out a part of each actuator's force (actuators,).

        Slow noise that differs from period to period of the motion is noise.
        """
        slow = self.whiteness.structured
        return slow if self.repeating is None else slow & self.repeating.structured

    @property
    def words(self) -> tuple[str, ...]:
        """One word for the residual of each actuator: white, fast, slow or structured."""
        acquitted = self.whiteness.structured & ~self.structured
        return tuple(np.where(acquitted, "slow", self.whiteness.words).tolist())

    @property
    def residual(self) -> str:
        """What the residual looks like, in a sentence."""
        if self.lines:
            frequencies = ", ".join(f"{frequency:.4g}" for frequency in self.lines[:SHOWN_LINES])
            return (
                f"the residual has lines at {frequencies} Hz that no motion of the actuators explains: the base or the "
                "frame vibrates, or something turns at that rate"
            )
        if self.whiteness.structured.any() and not self.structured.any() and self.repeating is not None:
            return (
                f"the residual is slow noise: it differs from period to period of the motion ({self.repeating.periods} "
                f"periods of {self.repeating.period:.6g} s), so that no model would explain it"
            )
        return str(self.whiteness)

    def __str__(self) -> str:
        lines = [f"predicted against measured force, {self.states} states; {self.residual}"]
        for name, unit, rms, percent in zip(self.actuators, self.units, self.rms, self.percent, strict=True):
            lines.append(f"{name:16} rms {rms:10.4g} {unit:4} {percent:7.3f} %")
        return "\n".join(lines)


def validate(
    model: LinearModel,
    p: Array,
    data: Iterable[States],
    reversal: FrictionReversal | None = None,
    *,
    cutoff: float | None = None,
    covariance: Array | None = None,
) -> Validation:
    """Compare measured forces with those that parameters p of a model predict.

    Where p is not finite, the value of the robot file is used. reversal: what spectrum and autocorrelation leave out
    where friction turns round; root mean squares do not. cutoff: of the low-pass of the states [Hz]; without it periods
    are not compared, and lines are not looked for. covariance: of p, where the data are not those that p is from: what
    is unknown of p is then no structure.

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
        if good.all() and sum(len(piece) for piece, _ in shown) < COMPARED_STATES and _goes_on(shown, states):
            shown.append((states, residual))
    if not shown:
        raise EstimationError(model.robot.name, "validation", "no stretch of the log is within reach and regular")
    t, tau, poses, residual = (
        np.concatenate(parts)
        for parts in zip(*((piece.t, piece.tau, piece.pose, left) for piece, left in shown), strict=True)
    )
    step, used = float(t[1] - t[0]), np.ones(len(t), bool)
    clear = used
    if reversal is not None and reversal.reach:
        flags = np.concatenate([reversing(model, piece, rest=reversal.rest) for piece, _ in shown])
        used = ~spread(flags, rows_within(reversal.half_width, shown[0][0])) if reversal.half_width else used
        clear = used & ~spread(flags, REVERSAL_ROWS)
    repeats, loud = None, ()
    if cutoff is not None:
        repeats = repeating(residual, used, poses, step, max(1, round(1 / (cutoff * step))))
        loud = lines(residual, used, poses, step, cutoff)
    compared = residual[clear]
    t, tau, residual = (values[:SHOWN_STATES] for values in (t, tau, residual))
    regular = residual[used[:SHOWN_STATES]]
    if len(regular) < FEWEST_STATES:
        raise EstimationError(model.robot.name, "validation", f"{len(regular)} states between reversals are too few")
    allowed: Array = np.full(len(actuators), 1.0 if reversal is None else 1 / reversal.counted)
    if covariance is not None:
        unknown = _unknown(model, [piece for piece, _ in shown], covariance)
        allowed = allowed + BELIEVABLE**2 * (LAGS + 1) * unknown / np.maximum(
            np.var(regular, axis=0), np.finfo(float).tiny
        )
    frequency, density = welch(regular, step, min(SPECTRUM_SAMPLES, len(regular)))
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
        whiteness(regular, allowed=allowed),
        compared,
        repeats,
        loud,
        frequency,
        density,
    )


def _unknown(model: LinearModel, pieces: list[States], covariance: Array) -> Array:
    """Mean variance of predicted forces, as parameters are known (actuators,); it is as slow as the motion."""
    rows = np.concatenate([model.rows(piece.chosen(slice(None, None, SAMPLED)))[..., :-1] for piece in pieces])
    return np.mean(np.einsum("nai,ij,naj->na", rows, np.nan_to_num(covariance), rows), axis=0)


def _goes_on(shown: list[tuple[States, Array]], states: States) -> bool:
    """Tell whether this piece follows the last one without a gap."""
    return states.follows(shown[-1][0]) if shown else len(states) > 1

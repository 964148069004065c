"""Estimates when forces act: the delay at which motion and forces are of the same time, together with the parameters.

Around a delay d_0, with D = d(Psi p)/d(delay),

    tau = Psi(d_0) p + D (delay - d_0) + noise          instruments Z = [Psi, D] of positions that are smoothed more

    Z^T W (tau - Psi p - D (delay - d_0)) = 0

Least squares would not do: a controller answers the noise of its encoders some rows later, so that forces contain the
very noise that is in Psi and D, and the delay would be drawn towards the controller's. The instruments have hardly any
of that noise and still follow the motion ([Janot2014]).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from parakin.arrays import Array, lock_arrays
from parakin.blas import one_blas_thread
from parakin.identification.damage.inspection import Stretch
from parakin.identification.damage.whole_checks import FEWEST_ROWS
from parakin.identification.fit.linear import LinearModel
from parakin.identification.fit.reversals import FrictionReversal
from parakin.identification.preparation.cutoff import given_cutoff
from parakin.identification.preparation.filters import smoother
from parakin.identification.preparation.prepared import ForceTiming, Prepared
from parakin.identification.preparation.preparing import windows
from parakin.identification.states import States
from parakin.identification.streams import ahead

EARLIEST, LATEST = -1.0, 2.0
"""Delays between which the estimate may lie, in rows."""
USUAL_DELAY, USUAL_SPREAD = 0.5, 0.75
"""Mean and standard deviation of the delays of drives, in rows: what is believed where the motion does not tell.

Forces act at their row, half a row later where they are held, or a row later where they are read at the next tick.
"""
STEP = 0.5
"""Distance on either side at which forces are predicted for their derivative, in rows."""
ROUNDS = 3
"""Rounds of linearisation, weights and solution."""
INSTRUMENT_CUTOFF = 1 / 2
"""Cut-off of the instruments, as a part of that of the states: accelerations have a sixth of the noise."""
TIMED_STATES = 30_000
"""States from which the delay is estimated, at most: pieces from all over the log."""
BLOCK = 4096
"""States of which rows are held at a time."""
SINGULAR = 1e-10
"""Singular value, relative to the largest, below which the data do not determine a direction."""


@dataclass(frozen=True, eq=False)
class EstimatedTiming:
    """When forces act, and what its uncertainty does to the parameters."""

    timing: ForceTiming
    """The delay with its standard deviation."""
    shifts: Array
    """How far one standard deviation of the delay moves each parameter (parameters,)."""

    def __post_init__(self) -> None:
        lock_arrays(self)


def estimate_timing(model: LinearModel, prepared: Prepared, reversal: FrictionReversal) -> EstimatedTiming:
    """Estimate how much later than its row a force acts, in rows; reversal: what is left out where friction turns.

    What is known of drives in general counts as one more measurement, so that a log that does not tell gives that.
    """
    states, instruments = _pair(prepared)
    delay, p = USUAL_DELAY, model.values
    weights = np.ones(len(model.robot.actuator_names))
    k = len(p)
    covariance: Array = np.zeros((k + 1, k + 1))
    with one_blas_thread():
        for _ in range(ROUNDS):
            sums = _summed(model, (states, instruments), delay, p, reversal)
            step, covariance, variance = _solved(sums, weights)
            if not np.isfinite(step).all():
                break
            weights = 1 / np.maximum(variance, np.finfo(float).eps * max(float(variance.max()), 1e-300))
            delay, p = float(np.clip(delay + step[k], EARLIEST, LATEST)), step[:k]
    spread_squared = float(covariance[k, k])
    if not 0 < spread_squared < np.inf:
        return EstimatedTiming(ForceTiming(USUAL_DELAY, USUAL_SPREAD, "estimated"), np.zeros(k))
    share = USUAL_SPREAD**2 / (USUAL_SPREAD**2 + spread_squared)
    std = float(np.sqrt(share * spread_squared))
    slope = covariance[:k, k] / spread_squared
    timing = ForceTiming(share * delay + (1 - share) * USUAL_DELAY, std, "estimated")
    return EstimatedTiming(timing, std * slope)


@dataclass(eq=False)
class _Sums:
    """Sums over rows, by actuator: X = [Psi, D], Z the same of the instruments."""

    ZX: Array
    ZZ: Array
    XX: Array
    Zt: Array
    Xt: Array
    tt: Array
    rows: int


def _solved(sums: _Sums, weights: Array) -> tuple[Array, Array, Array]:
    """[p, step of the delay], its covariance, and the variance of each actuator's residual."""
    size = np.sqrt(np.maximum(np.diagonal(sums.XX.sum(axis=0)), 0.0))
    size = np.where(size > 0.0, size, 1.0)
    ZX = np.tensordot(weights, sums.ZX, 1) / np.outer(size, size)
    inverse = np.linalg.pinv(ZX, rcond=SINGULAR) / size[:, None] / size
    step = inverse @ (weights @ sums.Zt)
    squares = sums.tt - 2 * sums.Xt @ step + np.einsum("i,jik,k->j", step, sums.XX, step)
    variance = np.maximum(squares, 0.0) / max(sums.rows - len(step) / len(weights), 1.0)
    covariance = inverse @ np.tensordot(weights**2 * variance, sums.ZZ, 1) @ inverse.T
    return step, covariance, variance


def _summed(
    model: LinearModel, logs: tuple[Prepared, Prepared], delay: float, p: Array, reversal: FrictionReversal
) -> _Sums:
    k, actuators = len(p), len(model.robot.actuator_names)
    square = (actuators, k + 1, k + 1)
    sums = _Sums(
        ZX=np.zeros(square),
        ZZ=np.zeros(square),
        XX=np.zeros(square),
        Zt=np.zeros(square[:2]),
        Xt=np.zeros(square[:2]),
        tt=np.zeros(actuators),
        rows=0,
    )
    pairs = zip(*(_rows(model, log, delay, p) for log in logs), strict=True)
    for (own, measured, here), (other, _, _) in ahead(pairs):
        good = np.isfinite(own).all(axis=(1, 2)) & np.isfinite(other).all(axis=(1, 2))
        good &= ~reversal.near(model, here, more=1)
        X, Z, tau = (np.swapaxes(values[good], 0, 1) for values in (own, other, measured))
        Xt, Zt = np.swapaxes(X, 1, 2), np.swapaxes(Z, 1, 2)
        sums.ZX, sums.ZZ, sums.XX = sums.ZX + Zt @ X, sums.ZZ + Zt @ Z, sums.XX + Xt @ X
        sums.Zt = sums.Zt + (Zt @ tau[..., None])[..., 0]
        sums.Xt = sums.Xt + (Xt @ tau[..., None])[..., 0]
        sums.tt, sums.rows = sums.tt + np.sum(tau**2, axis=1), sums.rows + int(good.sum())
    return sums


def _rows(model: LinearModel, log: Prepared, delay: float, p: Array) -> Iterator[tuple[Array, Array, States]]:
    """[Psi, D] and tau in blocks (N, actuators, ...), and the states they belong to."""
    delays = (delay - STEP, delay, delay + STEP)
    for before, here, after in zip(*(_states(log, each) for each in delays), strict=True):
        rows = model.rows(here)
        D = (model.rows(after) - model.rows(before)) @ np.append(p, -1.0) / (2 * STEP)
        yield np.concatenate([rows[..., :-1], D[..., None]], axis=-1), rows[..., -1], here


def _states(log: Prepared, delay: float) -> Iterator[States]:
    return log.timed(ForceTiming(delay, 0.0, "estimated")).states(BLOCK)


def _pair(prepared: Prepared) -> tuple[Prepared, Prepared]:
    """The log, or pieces of it, and the same rows with positions smoothed more where its stretches are long enough."""
    report = prepared.report
    frequency = INSTRUMENT_CUTOFF * report.cutoff.frequency
    low = smoother(frequency, report.period, prepared.differences)
    long_enough = tuple(s for s in prepared.stretches if s.stop - s.first >= 2 * low.drop + FEWEST_ROWS)
    if not long_enough:
        whole = replace(prepared, stretches=_pieces(prepared))
        return whole, whole
    states = replace(prepared, report=replace(report, dropped=low.drop), stretches=long_enough)
    states = replace(states, stretches=_pieces(states))
    return states, replace(states, report=replace(states.report, cutoff=given_cutoff(frequency)))


def _pieces(prepared: Prepared) -> tuple[Stretch, ...]:
    """The whole log if it is short, else pieces from all over it that do not overlap."""
    if prepared.report.states * prepared.report.every <= TIMED_STATES:
        return prepared.stretches
    chosen: list[Stretch] = []
    for piece in windows(prepared.stretches, TIMED_STATES // 16 + 2 * prepared.report.dropped):
        if not chosen or piece.first >= chosen[-1].stop:
            chosen.append(piece)
    return tuple(chosen)

"""Estimates when forces act: the delay at which motion and forces are of the same time, together with the parameters.

Around a delay d_0, with D = d(Psi p)/d(delay),

    tau = Psi(d_0) p + D (delay - d_0) + noise          instruments Z = [Psi, D] of positions that are smoothed more

    Z^T W (tau - Psi p - D (delay - d_0)) = 0

Least squares would not do: a controller answers the noise of its encoders some rows later, so that forces contain the
very noise that is in Psi and D, and the delay would be drawn towards the controller's. The instruments have hardly any
of that noise and still follow the motion ([Janot2014]). The first d_0 is the whole number of rows by which forces,
shifted, leave the least residual.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.blas import one_blas_thread
from parakin.errors import EstimationError
from parakin.identification.damage.inspection import Stretch
from parakin.identification.damage.whole_checks import FEWEST_ROWS
from parakin.identification.fit.linear import LinearModel
from parakin.identification.fit.reversals import FrictionReversal
from parakin.identification.identifying.outliers import Outliers
from parakin.identification.identifying.repeating import periodic_part
from parakin.identification.preparation.cutoff import given_cutoff
from parakin.identification.preparation.filters import smoother
from parakin.identification.preparation.prepared import ForceTiming, Prepared
from parakin.identification.preparation.preparing import LARGEST_DELAY, windows
from parakin.identification.states import States
from parakin.identification.streams import ahead

USUAL_DELAY, USUAL_SPREAD = 1.0, 2.0
"""Mean and standard deviation of the delays of drives, in rows: what is believed where the motion does not tell.

Forces act at their row, half a row later where they are held, or a row later where they are read at the next tick; some
rows later where they go over a bus, and earlier where a measured current is filtered.
"""
STEP = 0.5
"""Distance on either side at which forces are predicted for their derivative, in rows."""
ROUNDS = 4
"""Rounds of linearisation, weights and solution at most."""
SETTLED = 0.02
"""Step of the delay at which the rounds end, in rows."""
LONGEST_STEP = 2.0
"""Step of the delay in a round, at most, in rows."""
INSTRUMENT_CUTOFF = 1 / 2
"""Cut-off of the instruments, as a part of that of the states: accelerations have a sixth of the noise."""
TIMED_STATES = 30_000
"""States from which the delay is estimated, at most: pieces from all over the log."""
BLOCK = 4096
"""States of which rows are held at a time."""
GROUP = 512
"""States of a group whose noise may be correlated from row to row."""
PHASES = 24
"""Groups of a period, whose noise may repeat with the motion as rounding of encoders does."""
SINGULAR = 1e-10
"""Singular value, relative to the largest, below which the data do not determine a direction."""


@frozen_arrays
class EstimatedTiming:
    """When forces act, and what its uncertainty does to the parameters."""

    timing: ForceTiming
    """The delay with its standard deviation."""
    shifts: Array
    """How far one standard deviation of the delay moves each parameter (parameters,)."""


def estimate_timing(
    model: LinearModel,
    prepared: Prepared,
    reversal: FrictionReversal,
    start: float,
    outliers: Outliers | None = None,
) -> EstimatedTiming:
    """Estimate how much later than its row a force acts, in rows; reversal: what is left out where friction turns.

    start: a delay that is less than a row off, see `coarse_delay`. outliers: forces that are left out as well.
    What is known of drives in general counts as one more measurement, so that a log that does not tell gives that.
    EstimationError is raised where the delay is not among those that are looked for.
    """
    states, instruments = _pair(prepared)
    period = _period(prepared)
    weights = np.ones(len(model.robot.actuator_names))
    k = len(model.values)
    with one_blas_thread():
        delay, p = start, model.values
        step, covariance = np.zeros(k + 1), np.zeros((k + 1, k + 1))
        for _ in range(ROUNDS):
            sums = _summed(model, (states, instruments), (delay, p), (reversal, outliers), period)
            step, covariance, variance = _solved(sums, weights)
            if not np.isfinite(step).all() or not variance.max() > 0.0:
                break
            weights = 1 / np.maximum(variance, np.finfo(float).eps * float(variance.max()))
            move = float(np.clip(step[k], -LONGEST_STEP, LONGEST_STEP))
            delay, p = float(np.clip(delay + move, -LARGEST_DELAY, LARGEST_DELAY)), step[:k]
            if abs(move) < SETTLED:
                break
    spread_squared = float(covariance[k, k])
    if not 0 < spread_squared < np.inf:
        return EstimatedTiming(ForceTiming(USUAL_DELAY, USUAL_SPREAD, "estimated"), np.zeros(k))
    if abs(delay) >= LARGEST_DELAY and spread_squared < USUAL_SPREAD**2:
        raise EstimationError(prepared.report.file, "delay of forces", _at_bound(delay))
    share = USUAL_SPREAD**2 / (USUAL_SPREAD**2 + spread_squared)
    std = float(np.sqrt(share * spread_squared))
    slope = covariance[:k, k] / spread_squared
    timing = ForceTiming(share * delay + (1 - share) * USUAL_DELAY, std, "estimated")
    return EstimatedTiming(timing, std * slope)


def _at_bound(delay: float) -> str:
    way = "after" if delay > 0 else "before"
    return (
        f"the estimate reached the bound of its search, {LARGEST_DELAY:g} rows {way} theirs: forces act at least that "
        "far from their rows, or do not belong to this motion. Align the columns' clocks, or say when forces act "
        "(--force-delay, in rows)"
    )


def coarse_delay(model: LinearModel, prepared: Prepared) -> float:
    """Return the whole number of rows by which forces act late if they leave the least residual so."""
    k, reach = len(model.values), int(LARGEST_DELAY)
    shifts = range(-reach, reach + 1)
    products, b, squares = np.zeros((k, k)), np.zeros((len(shifts), k)), np.zeros(len(shifts))
    for states in _states(replace(prepared, stretches=pieces_of(prepared)), 0.0):
        rows = model.rows(states)
        rows[~np.isfinite(rows).all(axis=(1, 2))] = 0.0
        if len(rows) <= 2 * reach:
            continue
        Psi, tau = rows[reach : len(rows) - reach, :, :-1], rows[..., -1]
        products += np.tensordot(Psi, Psi, ((0, 1), (0, 1)))
        for n, shift in enumerate(shifts):
            shifted = tau[reach - shift : len(rows) - reach - shift]
            b[n] += np.tensordot(Psi, shifted, ((0, 1), (0, 1)))
            squares[n] += float(np.sum(shifted**2))
    if not products.any():
        return USUAL_DELAY
    size = np.sqrt(np.diagonal(products))
    size = np.where(size > 0.0, size, 1.0)
    inverse = np.linalg.pinv(products / np.outer(size, size), rcond=SINGULAR, hermitian=True)
    b /= size
    return float(shifts[int(np.argmin(squares - np.einsum("ni,ij,nj->n", b, inverse, b)))])


@dataclass(eq=False)
class _Sums:
    """Sums over rows, by actuator: X = [Psi, D], Z the same of the instruments; ZX and Zt by stretch of time.

    stretches: how many such stretches make GROUP states; PHASES of them are one period, where `periodic`.
    """

    stretches: int
    periodic: bool
    ZX: dict[int, Array]
    ZZ: Array
    XX: Array
    Zt: dict[int, Array]
    Xt: Array
    tt: Array
    rows: int


def _solved(sums: _Sums, weights: Array) -> tuple[Array, Array, Array]:
    """[p, step of the delay], its covariance, and the variance of each actuator's residual.

    Where scores of groups of rows say that noise is correlated from row to row, or that it repeats with the motion, the
    covariance is larger by that.
    """
    size = np.sqrt(np.maximum(np.diagonal(sums.XX.sum(axis=0)), 0.0))
    size = np.where(size > 0.0, size, 1.0)
    ZX = np.array([np.tensordot(weights, one, 1) for one in sums.ZX.values()])
    Zt = np.array([weights @ one for one in sums.Zt.values()])
    inverse: Array = np.asarray(np.linalg.pinv(ZX.sum(axis=0) / np.outer(size, size), rcond=SINGULAR), np.float64)
    inverse = inverse / size[:, None] / size
    step = inverse @ Zt.sum(axis=0)
    squares = sums.tt - 2 * sums.Xt @ step + np.einsum("i,jik,k->j", step, sums.XX, step)
    variance = np.maximum(squares, 0.0) / max(sums.rows - len(step) / len(weights), 1.0)
    covariance = inverse @ np.tensordot(weights**2 * variance, sums.ZZ, 1) @ inverse.T
    scores = (Zt - ZX @ step) @ inverse[-1]
    numbers = np.array(list(sums.ZX))
    together = [numbers // sums.stretches, *([numbers % PHASES] if sums.periodic else [])]
    largest = max(float(np.sum(np.bincount(each, scores) ** 2)) for each in together)
    correlated = largest / max(float(covariance[-1, -1]), np.finfo(float).tiny)
    return step, covariance * max(correlated, 1.0), variance


def _summed(
    model: LinearModel,
    logs: tuple[Prepared, Prepared],
    at: tuple[float, Array],
    without: tuple[FrictionReversal, Outliers | None],
    period: float | None,
) -> _Sums:
    """The sums at a delay and parameters, without some states; period: of the motion [s]."""
    (delay, p), (reversal, outliers) = at, without
    k, actuators = len(p), len(model.robot.actuator_names)
    square = (actuators, k + 1, k + 1)
    report = logs[0].report
    begin, whole = report.stretches[0][0] - LARGEST_DELAY * report.period, GROUP * report.period * report.every
    stretch = period / PHASES if period else whole
    sums = _Sums(
        stretches=max(1, round(whole / stretch)),
        periodic=bool(period),
        ZX={},
        ZZ=np.zeros(square),
        XX=np.zeros(square),
        Zt={},
        Xt=np.zeros(square[:2]),
        tt=np.zeros(actuators),
        rows=0,
    )
    pairs = zip(*(_rows(model, log, delay, p) for log in logs), strict=True)
    for (own, measured, here), (other, _, _) in ahead(pairs):
        good = np.isfinite(own).all(axis=(1, 2)) & np.isfinite(other).all(axis=(1, 2))
        good &= ~reversal.near(model, here, more=1)
        if outliers is not None:
            good &= ~outliers.among(model, here)
        X, Z, tau = (np.swapaxes(values[good], 0, 1) for values in (own, other, measured))
        Xt, Zt = np.swapaxes(X, 1, 2), np.swapaxes(Z, 1, 2)
        numbers = ((here.t[good] - begin) / stretch).astype(np.int64)
        for number in np.unique(numbers).tolist():
            part = numbers == number
            sums.ZX[number] = sums.ZX.get(number, 0.0) + Zt[:, :, part] @ X[:, part]
            sums.Zt[number] = sums.Zt.get(number, 0.0) + (Zt[:, :, part] @ tau[:, part, None])[..., 0]
        sums.ZZ, sums.XX = sums.ZZ + Zt @ Z, sums.XX + Xt @ X
        sums.Xt = sums.Xt + (Xt @ tau[..., None])[..., 0]
        sums.tt, sums.rows = sums.tt + np.sum(tau**2, axis=1), sums.rows + int(good.sum())
    if not sums.rows:
        reason = f"no state is farther than {reversal.half_width:g} s from a reversal of friction: leave out less"
        raise EstimationError(report.file, "reversals", f"{reason} (--reversals)")
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


def _period(prepared: Prepared) -> float | None:
    """The period of the motion [s]; None if its longest stretch, or the beginning of that, has none."""
    longest = max(prepared.stretches, key=lambda stretch: stretch.stop - stretch.first)
    beginning = Stretch(longest.first, min(longest.stop, longest.first + TIMED_STATES))
    states = list(replace(prepared, stretches=(beginning,)).states())
    found = periodic_part(np.concatenate([one.pose for one in states]))
    return None if found is None else found[1] * prepared.report.period * prepared.report.every


def _pair(prepared: Prepared) -> tuple[Prepared, Prepared]:
    """The log, or pieces of it, and the same rows with positions smoothed more where its stretches are long enough."""
    report = prepared.report
    frequency = INSTRUMENT_CUTOFF * report.cutoff.frequency
    low = smoother(frequency, report.period, prepared.differences)
    long_enough = tuple(s for s in prepared.stretches if s.stop - s.first >= 2 * low.drop + FEWEST_ROWS)
    if not long_enough:
        whole = replace(prepared, stretches=pieces_of(prepared))
        return whole, whole
    states = replace(prepared, report=replace(report, dropped=low.drop), stretches=long_enough)
    states = replace(states, stretches=pieces_of(states))
    return states, replace(states, report=replace(states.report, cutoff=given_cutoff(frequency)))


def pieces_of(prepared: Prepared) -> tuple[Stretch, ...]:
    """Return the whole log if it is short, else pieces from all over it that do not overlap."""
    if prepared.report.states * prepared.report.every <= TIMED_STATES:
        return prepared.stretches
    chosen: list[Stretch] = []
    for piece in windows(prepared.stretches, TIMED_STATES // 16 + 2 * prepared.report.dropped):
        if not chosen or piece.first >= chosen[-1].stop:
            chosen.append(piece)
    return tuple(chosen)

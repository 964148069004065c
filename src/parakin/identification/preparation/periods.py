"""Averages a periodic motion over its periods, and says how much each period differs from the mean."""

from __future__ import annotations

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.errors import LogFileError
from parakin.identification.damage.inspection import Stretch
from parakin.identification.logs.pose_tracking import PoseTracker
from parakin.identification.preparation.preparing import Prepared
from parakin.identification.states import States

DRIFT = 0.1
"""Rows by which all periods together may be off a whole number of rows."""
PERIODIC_DIFFERENCE = 1e-3
"""Mean square difference of neighbouring periods, relative to twice the variance, up to which a motion is periodic."""
SEARCHED_ROWS = 2**17
"""Rows that are searched for a period, at most."""


@frozen_arrays
class MeanPeriod:
    """The mean of the periods of a motion."""

    states: States
    """States of one mean period."""
    q_variance: Array
    """Variance of q of single periods about the mean, row by row (N, actuators); the mean has 1/count of that."""
    tau_variance: Array
    """Variance of tau of single periods about the mean, row by row (N, actuators); the mean has 1/count of that."""
    count: int
    """Periods that were averaged."""
    period: float
    """Length of a period [s]."""


def mean_period(prepared: Prepared, period: float | None = None, *, skip: int = 0) -> MeanPeriod:
    """Average the whole periods of the longest stretch of a log, without the first `skip`.

    The period [s] is searched for where it is not given. The low-pass goes round the mean period, so that none of it is
    dropped. LogFileError is raised if there are fewer than two periods, or they differ.

    >>> again = pk.trajectory.fourier(robot, periods=3, blend=0.0)
    >>> log = pk.simulation.simulate(robot, law, pk.control.reference(robot, again, 1e-3))
    >>> source = pk.identification.open_log(robot, pk.simulation.write_log("periods.csv", log))
    >>> mean = pk.identification.mean_period(pk.identification.prepare(robot, source), period=5.0, skip=1)
    >>> mean.count, mean.period
    (2, 5.0)
    """
    stretch = max(prepared.stretches, key=lambda s: s.stop - s.first)
    step, file = prepared.report.period, prepared.report.file
    rows = _rows(prepared, stretch, period)
    first = stretch.first + skip * rows
    count = (stretch.stop - first) // rows
    if count < 2:
        raise LogFileError(file, f"has {max(count, 0)} whole periods of {rows * step:.6g} s to average: two are needed")
    if period is not None and abs(rows * step - period) * count > DRIFT * step:
        reason = f"a period of {period:.9g} s is no whole number of rows {step:.9g} s apart: log at a rate that fits"
        raise LogFileError(file, reason)
    mean, variance = _moments(prepared, first, rows, count)
    smoothing = prepared.smoothing
    q_part = smoothing.source.part("q")
    difference = float(np.sum(variance[:, q_part]) / rows / np.sum(np.var(mean[:, q_part], axis=0)))
    if difference > PERIODIC_DIFFERENCE:
        reason = f"periods of {rows * step:.6g} s differ by {100 * np.sqrt(difference):.2g} % of the motion"
        raise LogFileError(file, f"{reason}: cut it to where it repeats itself, or do not average")
    extended = np.pad(mean, ((smoothing.reach, smoothing.reach), (0, 0)), mode="wrap")
    t = mean[0, 0] + (np.arange(rows) + prepared.force_delay) * np.float64(step)
    states = smoothing.states(PoseTracker(smoothing.robot), extended, t)
    return MeanPeriod(states, variance[:, q_part], variance[:, smoothing.source.part("tau")], count, rows * step)


def _moments(prepared: Prepared, first: int, rows: int, count: int) -> tuple[Array, Array]:
    """Mean and variance over the periods, about the first one so that nothing cancels."""
    start = prepared.spool.read(first, first + rows)
    total, squares = np.zeros_like(start), np.zeros_like(start)
    for k in range(1, count):
        off = prepared.spool.read(first + k * rows, first + (k + 1) * rows) - start
        total, squares = total + off, squares + off**2
    mean = start + total / count
    mean[:, 0] = start[:, 0]
    return mean, np.maximum(squares - total**2 / count, 0.0) / (count - 1)


def _rows(prepared: Prepared, stretch: Stretch, period: float | None) -> int:
    if period is not None:
        return max(round(period / prepared.report.period), 1)
    q = prepared.spool.read(stretch.first, min(stretch.stop, stretch.first + SEARCHED_ROWS))
    rows = find_period(q[:, prepared.smoothing.source.part("q")])
    if rows is None:
        raise LogFileError(prepared.report.file, "does not repeat itself: give the period, or do not average")
    return rows


def find_period(values: Array) -> int | None:
    """Return the shortest shift P of rows at which a record (N, columns) meets itself, or None if it never does.

        d(P) = sum over k of |x_(k+P) - x_k|^2 / (2 N_P variance)

    P is where d is least in its first dip below PERIODIC_DIFFERENCE after having been above 1/2. The record must hold
    two periods at least.
    """
    x = values - values.mean(axis=0)
    count = len(x)
    size = 2 ** int(np.ceil(np.log2(2 * count)))
    spectrum = np.fft.rfft(x, size, axis=0)
    products = np.sum(np.fft.irfft(np.abs(spectrum) ** 2, size, axis=0), axis=1)[: count // 2 + 1]
    power = np.concatenate([[0.0], np.cumsum(np.sum(x**2, axis=1))])
    shifts = np.arange(len(products))
    heads, tails = power[count - shifts], power[count] - power[shifts]
    d = (heads + tails - 2 * products) / (2 * (count - shifts) * power[count] / count)
    away = np.flatnonzero(d > 0.5)
    periodic = np.flatnonzero(d < PERIODIC_DIFFERENCE)
    periodic = periodic[periodic > away[0]] if len(away) else periodic[:0]
    if not len(periodic):
        return None
    gaps = np.flatnonzero(np.diff(periodic) > 1)
    dip = periodic[: gaps[0] + 1] if len(gaps) else periodic
    return int(dip[np.argmin(d[dip])])

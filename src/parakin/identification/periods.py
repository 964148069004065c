"""Periodic motions: one mean period, and how much each period differs from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array
from parakin.errors import LogFileError
from parakin.identification.damage.inspection import Stretch
from parakin.identification.pose_tracking import PoseTracker
from parakin.identification.preparation import Prepared
from parakin.identification.states import States

DRIFT = 0.1
"""Rows that a period may be off a whole number of rows, over all periods."""
ALIKE = 1e-3
"""Mean square difference of neighbouring periods, beside twice the variance, in a motion called periodic."""
LOOKED_AT = 2**17
"""Rows that are searched for a period."""


@dataclass(frozen=True, eq=False)
class MeanPeriod:
    """states: of one mean period. q_variance, tau_variance (N, actuators): of single periods about the mean, at each of
    its rows; the mean itself has 1/count of that. count: periods. period [s]."""

    states: States
    q_variance: Array
    tau_variance: Array
    count: int
    period: float


def mean_period(prepared: Prepared, period: float | None = None, *, skip: int = 0) -> MeanPeriod:
    """The mean over the whole periods of the longest stretch, less the first `skip`; the period [s] is searched for
    where it is not given. The low-pass goes round the mean period, so that none of it is dropped."""
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
    of_q = smoothing.source.part("q")
    differ = float(np.sum(variance[:, of_q]) / rows / np.sum(np.var(mean[:, of_q], axis=0)))
    if differ > ALIKE:
        reason = f"periods of {rows * step:.6g} s differ by {100 * np.sqrt(differ):.2g} % of the motion"
        raise LogFileError(file, f"{reason}: cut it to where it repeats itself, or do not average")
    extended = np.pad(mean, ((smoothing.reach, smoothing.reach), (0, 0)), mode="wrap")
    t = mean[0, 0] + (np.arange(rows) + prepared.force_delay) * np.float64(step)
    states = smoothing.states(PoseTracker(smoothing.robot), extended, t)
    return MeanPeriod(states, variance[:, of_q], variance[:, smoothing.source.part("tau")], count, rows * step)


def _moments(prepared: Prepared, first: int, rows: int, count: int) -> tuple[Array, Array]:
    """Mean and variance over the periods, about the first so that nothing cancels."""
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
    q = prepared.spool.read(stretch.first, min(stretch.stop, stretch.first + LOOKED_AT))
    found = find_period(q[:, prepared.smoothing.source.part("q")])
    if found is None:
        raise LogFileError(prepared.report.file, "does not repeat itself: give the period, or do not average")
    return found


def find_period(values: Array) -> int | None:
    """The shortest shift P of rows at which a record (N, columns) meets itself, with two periods in it at least.

    d(P) = sum over k of |x_(k+P) - x_k|^2 / (2 N_P variance)  <  ALIKE, at its least after having been above 1/2
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
    good = np.flatnonzero(d < ALIKE)
    good = good[good > away[0]] if len(away) else good[:0]
    if not len(good):
        return None
    gaps = np.flatnonzero(np.diff(good) > 1)
    dip = good[: gaps[0] + 1] if len(gaps) else good
    return int(dip[np.argmin(d[dip])])

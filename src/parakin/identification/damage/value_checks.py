"""Single values: not finite, jumps, spikes, stuck encoders, saturation, beyond stroke and speed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from parakin.identification.damage.record import Page, Record, kicks
from parakin.identification.damage.runs import Flaw, marks
from parakin.identification.damage.time_checks import UNEVEN
from parakin.identification.findings import Mark

KICK = 12.0
"""Times the usual kick, and COUNTS quanta more: no motion that was smooth until then does it."""
COUNTS = 4.0
NOTICED = 0.1
"""Of the usual step from row to row: less is what friction does to a clean log where a rate changes its sign."""
ALIKE = 0.75
"""Of a kick: between the half that follows a jump and the whole that follows a spike."""
STANDSTILL = 10.0
"""Times sqrt(range quantum), about what a turning actuator's neighbours go while one count holds it."""
FLAT = 5
"""Rows at the very extreme of a force, in a column finer than FINE of its range: cut off, not reached."""
FINE = 1e-4
NEAR_LIMIT = 0.999
OVERSPEED = 1.5
OVER_STROKE = 1e-3
"""Of a range: encoders and stops are not that exact."""


def check_finite(_: Record, page: Page) -> Iterator[Mark]:
    for k in range(page.rows.shape[1]):
        values = page.rows[:, k]
        yield from marks(page, Flaw("nan", k, "no number (NaN) was recorded"), np.isnan(values), values)
        yield from marks(page, Flaw("infinite", k, "an infinite value was recorded"), np.isinf(values), values)


def check_jumps(record: Record, page: Page) -> Iterator[Mark]:
    """Spikes: one row off and back. Jumps: a mark without rows where positions go on shifted by its value.

    The kicks of a jump J are -J/2, J, -J/2, those of a spike S are -S/2, 3S/2, -3S/2, S/2.
    """
    kick, even = kicks(page.rows), _even(record, page)
    for n, k in enumerate(range(record.q.start, record.q.stop)):
        limit = KICK * record.usual_kick[k] + COUNTS * record.quantum[k]
        limit = max(limit, NOTICED * record.usual_step[k])
        unit = "m" if record.limits.lengths[n] else "rad"
        with np.errstate(invalid="ignore"):
            big = even & (np.abs(kick[:, k]) > limit)
        for row in np.flatnonzero(big).tolist():
            around = kick[max(row - 2, 0) : row + 3, k]
            if not page.own.start <= row < page.own.stop or np.nanmax(np.abs(around)) > np.abs(kick[row, k]):
                continue
            at, value = page.first + row - page.own.start, float(kick[row, k])
            before, after = float(kick[row - 1, k]) / value, float(kick[row + 1, k]) / value
            if min(before, after) < -ALIKE:
                at -= before < after
                said = f"one row is off by {abs(value) / 1.5:.4g} {unit}"
                yield Mark("encoder-spike", at, at + 1, k, value / 1.5, said)
            else:
                yield Mark("encoder-jump", at, at, k, value, f"the position jumps by {value:.4g} {unit}")


def _even(record: Record, page: Page) -> NDArray[np.bool_]:
    """Rows whose kick sees equal steps of time only."""
    step = np.diff(page.rows[:, 0], prepend=page.rows[0, 0] - record.period)
    with np.errstate(invalid="ignore"):
        good = np.abs(step - record.period) <= UNEVEN * record.period
    even = good.copy()
    even[1:] &= good[:-1]
    even[:-1] &= good[1:]
    return even


def check_stuck(record: Record, page: Page) -> Iterator[Mark]:
    """Runs in which one encoder stands to the last digit while others move; short ones are dropped at the end."""
    step = np.abs(np.diff(page.rows[:, record.q], axis=0, prepend=page.rows[:1, record.q]))
    usual = record.usual_step[record.q]
    with np.errstate(invalid="ignore", divide="ignore"):
        pace = np.where(usual > 0, step / usual, 0.0)
    for k in range(step.shape[1]):
        others = np.delete(pace, k, axis=1)
        still = (step[:, k] == 0) & (others.max(axis=1, initial=0.0) > 0)
        column = record.q.start + k
        said = "the position stands to the last digit while other actuators move"
        for mark in marks(page, Flaw("stuck-encoder", column, said), still, others.mean(axis=1)):
            at_edge = mark.first == page.first or mark.stop == page.first + page.own.stop - page.own.start
            if at_edge or long_enough_stuck(record, mark):
                yield mark


def long_enough_stuck(record: Record, mark: Mark) -> bool:
    """Would the actuator at its usual pace have gone far beyond the count that may hold it at a turn?"""
    column = mark.column or 0
    reach = record.highest[column] - record.lowest[column]
    way = (mark.stop - mark.first) * record.usual_step[column]
    counted = STANDSTILL * np.sqrt(reach * record.quantum[column]) + COUNTS * record.quantum[column]
    return mark.stop - mark.first >= 20 and bool(way > counted)


def check_saturated(record: Record, page: Page) -> Iterator[Mark]:
    """At the limit of the robot file, or flat at its own extreme."""
    for n, k in enumerate(range(record.tau.start, record.tau.stop)):
        values, limit = page.rows[:, k], record.limits.force[n]
        unit = record.robot.actuator_units[n]
        with np.errstate(invalid="ignore"):
            at_limit = np.abs(values) >= NEAR_LIMIT * limit
        said = f"the drive gives all it has, {limit:.4g} {unit}"
        yield from marks(page, Flaw("saturated", k, said), at_limit, values)
        spread = record.highest[k] - record.lowest[k]
        if 0 < record.quantum[k] < FINE * spread:
            for extreme in (record.highest[k], record.lowest[k]):
                flat = _flat(values == extreme) & ~at_limit
                said = f"flat at its extreme, {extreme:.4g} {unit}: the amplifier or the recorder was at its limit"
                yield from marks(page, Flaw("saturated", k, said), flat, values)


def _flat(flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Those among FLAT or more in a row."""
    if len(flags) < FLAT:
        return np.zeros_like(flags)
    whole = np.lib.stride_tricks.sliding_window_view(flags, FLAT).all(axis=1)
    return np.convolve(whole, np.ones(FLAT))[: len(flags)] > 0


def check_limits(record: Record, page: Page) -> Iterator[Mark]:
    """Positions beyond the stroke, rates beyond the speed limit."""
    limits = record.limits
    q = page.rows[:, record.q]
    rate = np.zeros_like(q)
    rate[1:-1] = (q[2:] - q[:-2]) / (2 * record.period)
    even = _even(record, page)
    for n in range(q.shape[1]):
        column, unit = record.q.start + n, "m" if limits.lengths[n] else "rad"
        lower, upper = limits.lower[n], limits.upper[n]
        over = OVER_STROKE * (upper - lower) if np.isfinite(upper - lower) else 0.0
        with np.errstate(invalid="ignore"):
            outside = (q[:, n] < lower - over) | (q[:, n] > upper + over)
            fast = even & (
                np.abs(rate[:, n]) > OVERSPEED * limits.speed[n] + COUNTS * record.quantum[column] / record.period
            )
        said = f"{{value:.4g}} {unit} is beyond the stroke of {lower:.4g} to {upper:.4g} {unit}"
        yield from marks(page, Flaw("outside-stroke", column, said), outside, q[:, n])
        said = f"{{value:.4g}} {unit}/s is beyond the speed limit of {limits.speed[n]:.4g} {unit}/s"
        yield from marks(page, Flaw("overspeed", column, said), fast, rate[:, n])

"""Checks single values: not finite, jumps, spikes, stuck encoders, saturation, beyond stroke and speed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from parakin.identification.damage.kinds import Mark
from parakin.identification.damage.record import Flaw, Page, Record, kicks, marks
from parakin.identification.damage.time_checks import UNEVEN_STEP
from parakin.robot.limits import strokes as actuator_strokes

KICK_RATIO = 12.0
"""Kick, in usual kicks and on top of COUNTS quanta, that no motion does that was smooth until then."""
COUNTS = 4.0
"""Quanta of an encoder by which a position may be off without anything being wrong."""
NOTICED = 0.1
"""Smallest kick that counts, in usual steps from row to row.

Less is what friction does to a clean log where a rate changes its sign.
"""
SPIKE_RETURN = 0.75
"""Kick back, as a part of the kick, that tells a spike from a jump: half of it follows a jump, all of it a spike."""
STANDSTILL = 10.0
"""Way of an actuator, in sqrt(range quantum), beyond which one count cannot have held it.

That is about what the neighbours of a turning actuator go while one count holds it.
"""
STILL_ROWS = 4
"""Rows before and after a standstill that tell whether the actuator came to rest or was moving all the time."""
GENTLE_STEP = 0.25
"""Mean step beside a standstill, in usual steps, up to which an actuator slows down or starts: friction may hold it."""
HELD_WAY = 1.0
"""Way that the others' pace asks of an actuator, as a part of its range, beyond which friction cannot have held it."""
LOOKED_AT = 2**14
"""Rows of a standstill that are looked at for the others' pace, at most."""
FLAT_ROWS = 5
"""Rows in succession at the very extreme of a force that are cut off, not reached."""
FINE_QUANTUM = 1e-4
"""Quantum of a force, as a part of its range, below which equal values in succession are no accident."""
NEAR_LIMIT = 0.999
"""Part of the force limit from which a drive counts as saturated."""
OVERSPEED = 1.5
"""Rate, in speed limits, beyond which it is not believed."""
OVER_STROKE = 1e-3
"""Part of its stroke by which a position may be beyond it: encoders and stops are not that exact."""


def check_finite(_: Record, page: Page) -> Iterator[Mark]:
    """Mark values that are NaN or infinite."""
    for k in np.flatnonzero(~np.isfinite(page.rows).all(axis=0)).tolist():
        values = page.rows[:, k]
        yield from marks(page, Flaw("nan", k, "no number (NaN) was recorded"), np.isnan(values), values)
        yield from marks(page, Flaw("infinite", k, "an infinite value was recorded"), np.isinf(values), values)


def check_jumps(record: Record, page: Page) -> Iterator[Mark]:
    """Mark spikes, where one row is off and the next back, and jumps, after which positions go on shifted.

    The kicks of a jump J are -J/2, J, -J/2, those of a spike S are -S/2, 3S/2, -3S/2, S/2. The mark of a jump has no
    rows; its value is the shift.
    """
    even = _even(record, page)
    for n, k in enumerate(range(record.q.start, record.q.stop)):
        kick = kicks(page.rows[:, k])
        limit = KICK_RATIO * record.usual_kick[k] + COUNTS * record.quantum[k]
        limit = max(limit, NOTICED * record.usual_step[k])
        unit = "m" if record.limits.lengths[n] else "rad"
        with np.errstate(invalid="ignore"):
            big = even & (np.abs(kick) > limit)
        for row in np.flatnonzero(big).tolist():
            around = kick[max(row - 2, 0) : row + 3]
            if not page.inner.start <= row < page.inner.stop or np.nanmax(np.abs(around)) > np.abs(kick[row]):
                continue
            at, value = page.first + row - page.inner.start, float(kick[row])
            before, after = float(kick[row - 1]) / value, float(kick[row + 1]) / value
            if min(before, after) < -SPIKE_RETURN:
                at -= before < after
                message = f"one row is off by {abs(value) / 1.5:.4g} {unit}"
                yield Mark("encoder-spike", at, at + 1, k, value / 1.5, message)
            else:
                yield Mark("encoder-jump", at, at, k, value, f"the position jumps by {value:.4g} {unit}")


def _even(record: Record, page: Page) -> NDArray[np.bool_]:
    """Rows whose kick sees equal steps of time only."""
    step = np.diff(page.rows[:, 0], prepend=page.rows[0, 0] - record.period)
    with np.errstate(invalid="ignore"):
        good = np.abs(step - record.period) <= UNEVEN_STEP * record.period
    even = good.copy()
    even[1:] &= good[:-1]
    even[:-1] &= good[1:]
    return even


def check_stuck(record: Record, page: Page) -> Iterator[Mark]:
    """Mark runs in which one encoder stands to the last digit while others move; a robot with one has no others.

    Runs at the edge of a page are kept however short: they are joined with those of the next page, and dropped later if
    they stay short.
    """
    if record.q.stop - record.q.start == 1:
        return
    step = np.abs(np.diff(page.rows[:, record.q], axis=0, prepend=page.rows[:1, record.q]))
    usual = record.usual_step[record.q]
    with np.errstate(invalid="ignore", divide="ignore"):
        pace = np.where(usual > 0, step / usual, 0.0)
    for k in np.flatnonzero((step[page.inner] == 0).any(axis=0)).tolist():
        others = np.delete(pace, k, axis=1)
        still = (step[:, k] == 0) & (others.max(axis=1, initial=0.0) > 0)
        column = record.q.start + k
        message = "the position stands to the last digit while other actuators move"
        for mark in marks(page, Flaw("stuck-encoder", column, message), still, others.mean(axis=1)):
            at_edge = mark.first == page.first or mark.stop == page.first + page.inner.stop - page.inner.start
            if at_edge or long_enough_stuck(record, mark):
                yield mark


def long_enough_stuck(record: Record, mark: Mark) -> bool:
    """Tell whether no standstill explains it: one count that holds an actuator at a turn, or friction at low speed.

    At its usual pace it would have gone far beyond that count; and it was moving right before or after, or the others
    have gone too far for it to be at rest. A drive that friction holds comes to rest gently and starts gently.
    """
    column = mark.column or 0
    reach = record.highest[column] - record.lowest[column]
    way = (mark.stop - mark.first) * record.usual_step[column]
    counted = STANDSTILL * np.sqrt(reach * record.quantum[column]) + COUNTS * record.quantum[column]
    if mark.stop - mark.first < 20 or not way > counted:
        return False
    gentle = GENTLE_STEP * record.usual_step[column] + COUNTS * record.quantum[column] / STILL_ROWS
    return _pace_beside(record, mark) > gentle or _way_of_others(record, mark) > HELD_WAY * reach


def _pace_beside(record: Record, mark: Mark) -> float:
    """Mean step of the actuator in the rows before a standstill or after it, whichever is larger; 0 at a log's ends."""
    before = record.spool.read(max(mark.first - 1 - STILL_ROWS, 0), mark.first)[:, mark.column]
    after = record.spool.read(mark.stop - 1, min(mark.stop + STILL_ROWS, len(record.spool)))[:, mark.column]
    steps = [abs(float(q[-1] - q[0])) / (len(q) - 1) for q in (before, after) if len(q) > 1]
    return max((step for step in steps if np.isfinite(step)), default=0.0)


def _way_of_others(record: Record, mark: Mark) -> float:
    """Way that the actuator would have gone at the mean pace of the others during a standstill [m or rad]."""
    column = mark.column or 0
    rows = record.spool.read(max(mark.first - 1, 0), min(mark.stop, mark.first + LOOKED_AT))[:, record.q]
    usual = np.delete(record.usual_step[record.q], column - record.q.start)
    step = np.abs(np.diff(np.delete(rows, column - record.q.start, axis=1), axis=0))
    pace = np.divide(step, usual, out=np.zeros_like(step), where=usual > 0)
    return float(np.nansum(pace) / max(len(usual), 1) * record.usual_step[column])


def check_saturated(record: Record, page: Page) -> Iterator[Mark]:
    """Mark forces at the limit of the robot file, or flat at the extreme of their own column."""
    for n, k in enumerate(range(record.tau.start, record.tau.stop)):
        values, limit = page.rows[:, k], record.limits.force[n]
        unit = record.robot.actuator_units[n]
        with np.errstate(invalid="ignore"):
            at_limit = np.abs(values) >= NEAR_LIMIT * limit
        message = f"the drive gives all it has, {limit:.4g} {unit}"
        yield from marks(page, Flaw("saturated", k, message), at_limit, values)
        spread = record.highest[k] - record.lowest[k]
        if 0 < record.quantum[k] < FINE_QUANTUM * spread:
            for extreme in (record.highest[k], record.lowest[k]):
                if not (values == extreme).any():
                    continue
                flat = _flat(values == extreme) & ~at_limit
                message = f"flat at its extreme, {extreme:.4g} {unit}: the amplifier or the recorder was at its limit"
                yield from marks(page, Flaw("saturated", k, message), flat, values)


def _flat(flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Those flags that are among FLAT_ROWS or more in succession."""
    if len(flags) < FLAT_ROWS:
        return np.zeros_like(flags)
    whole = np.lib.stride_tricks.sliding_window_view(flags, FLAT_ROWS).all(axis=1)
    return np.convolve(whole, np.ones(FLAT_ROWS))[: len(flags)] > 0


def check_limits(record: Record, page: Page) -> Iterator[Mark]:
    """Mark positions beyond the stroke and rates beyond the speed limit."""
    limits, strokes = record.limits, actuator_strokes(record.robot)
    q = page.rows[:, record.q]
    rate = np.zeros_like(q)
    rate[1:-1] = (q[2:] - q[:-2]) / (2 * record.period)
    even = _even(record, page)
    for n in range(q.shape[1]):
        column, unit = record.q.start + n, strokes.units[n]
        lower, upper = strokes.lower[n], strokes.upper[n]
        over = OVER_STROKE * (upper - lower) if np.isfinite(upper - lower) else 0.0
        with np.errstate(invalid="ignore"):
            outside = (q[:, n] < lower - over) | (q[:, n] > upper + over)
            fast = even & (
                np.abs(rate[:, n]) > OVERSPEED * limits.speed[n] + COUNTS * record.quantum[column] / record.period
            )
        message = f"{{value:.4g}} {unit} is beyond the stroke of {lower:.4g} to {upper:.4g} {unit}"
        yield from marks(page, Flaw("outside-stroke", column, message), outside, q[:, n])
        message = f"{{value:.4g}} {unit}/s is beyond the speed limit of {limits.speed[n]:.4g} {unit}/s"
        yield from marks(page, Flaw("overspeed", column, message), fast, rate[:, n])

"""Checks the clock: backwards, standing, gaps, jumps, uneven steps. Each parts the log into stretches."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from parakin.identification.damage.kinds import Damage, Mark
from parakin.identification.damage.record import Page, Record

UNEVEN_STEP = 0.1
"""Difference of a step of time from the period beyond which steps count as unequal, as a part of the period."""
GAP_PERIODS = 1.5
"""Length of a step, in periods, beyond which rows are missing."""
CLOCK_JUMP_PERIODS = 1000.0
"""Length of a step, in periods, beyond which it is no gap: the clock was set."""
LONGEST_PERIOD = 0.1
"""Time between rows [s] from which the unit of time is wrong: no robot is logged that slowly."""
SHORTEST_PERIOD = 1e-6
"""Time between rows [s] up to which the unit of time is wrong: no robot is logged that fast."""


def check_time(record: Record, page: Page) -> Iterator[Mark]:
    """Mark the rows at which time does not go on by one period.

    A mark without rows is a break before its row; a repeated time takes its row with it.
    """
    t, period = page.rows[:, 0], record.period
    step = np.diff(t, prepend=np.nan)
    with np.errstate(invalid="ignore"):
        odd = np.abs(step - period) > UNEVEN_STEP * period
    for k in np.flatnonzero(odd).tolist():
        if not page.inner.start <= k < page.inner.stop:
            continue
        row, change = page.first + k - page.inner.start, float(step[k])
        if change < 0:
            yield Mark("backwards-time", row, row, 0, change, f"time goes back by {-change:.6g} s to {t[k]:.6g} s")
        elif change == 0:
            yield Mark("repeated-time", row, row + 1, 0, 0.0, f"{t[k]:.6g} s stands there twice")
        elif change > CLOCK_JUMP_PERIODS * period:
            message = f"the clock jumps by {change:.6g} s, {change / period:.0f} periods of {period:.6g} s"
            yield Mark("clock-jump", row, row, 0, change, message)
        elif change > GAP_PERIODS * period:
            message = (
                f"{change / period - 1:.0f} rows are missing: a step of {change:.6g} s, the period is {period:.6g} s"
            )
            yield Mark("gap", row, row, 0, change, message)
        else:
            message = f"a step of {change:.6g} s where the period is {period:.6g} s: rows must come at equal steps"
            yield Mark("uneven-time", row, row, 0, change, message)


def check_time_unit(record: Record) -> Iterator[Damage]:
    """Report a clock in the wrong unit: rows that seem a second apart are a millisecond apart if s stands for ms."""
    period = record.period
    if SHORTEST_PERIOD < period < LONGEST_PERIOD:
        return
    guess = "it holds one row or a standing clock" if period == 0 else "is the column in ms or us? Map 't=column [ms]'"
    message = f"rows {period:.6g} s apart: {guess}"
    yield Damage("time-unit", None, None, record.source.headers[0], period, message)

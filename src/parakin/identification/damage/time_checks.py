"""The clock: backwards, standing, gaps, jumps, uneven steps. Each parts the log into stretches."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from parakin.identification.damage.record import Page, Record
from parakin.identification.findings import Finding, Mark

UNEVEN = 0.1
"""Of a period: steps further from it than this are not of equal length."""
LOST = 1.5
"""Periods: a longer step has lost rows."""
JUMP = 1000.0
"""Periods: a longer step is no gap, the clock was set."""
SLOWEST, FASTEST = 0.1, 1e-6
"""[s] No robot is logged at such periods: the unit is wrong."""


def check_time(record: Record, page: Page) -> Iterator[Mark]:
    """A mark without rows is a break before its row; a repeated time takes its row with it."""
    t, period = page.rows[:, 0], record.period
    step = np.diff(t, prepend=np.nan)
    with np.errstate(invalid="ignore"):
        odd = np.abs(step - period) > UNEVEN * period
    for k in np.flatnonzero(odd).tolist():
        if not page.own.start <= k < page.own.stop:
            continue
        row, change = page.first + k - page.own.start, float(step[k])
        if change < 0:
            yield Mark("backwards-time", row, row, 0, change, f"time goes back by {-change:.6g} s to {t[k]:.6g} s")
        elif change == 0:
            yield Mark("repeated-time", row, row + 1, 0, 0.0, f"{t[k]:.6g} s stands there twice")
        elif change > JUMP * period:
            message = f"the clock jumps by {change:.6g} s, {change / period:.0f} periods of {period:.6g} s"
            yield Mark("clock-jump", row, row, 0, change, message)
        elif change > LOST * period:
            message = (
                f"{change / period - 1:.0f} rows are missing: a step of {change:.6g} s, the period is {period:.6g} s"
            )
            yield Mark("gap", row, row, 0, change, message)
        else:
            message = f"a step of {change:.6g} s where the period is {period:.6g} s: rows must come at equal steps"
            yield Mark("uneven-time", row, row, 0, change, message)


def check_time_unit(record: Record) -> Iterator[Finding]:
    """Rows a second apart are rows a millisecond apart in a log that says s and means ms."""
    period = record.period
    if FASTEST < period < SLOWEST:
        return
    guess = "it holds one row or a standing clock" if period == 0 else "is the column in ms or us? Map 't=column [ms]'"
    message = f"rows {period:.6g} s apart: {guess}"
    yield Finding("time-unit", None, None, record.source.headers[0], period, message)

"""A whole log in SI on disk, its page-wise figures, and the robot it came from: what every check looks at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array
from parakin.identification.log_source import LogSource
from parakin.identification.spool import Spool
from parakin.robot import Robot
from parakin.trajectory.limits import Limits, limits_of

PAGE = 2**14
"""Rows looked at together. Figures are taken by page whatever the blocks in which a file is read."""
SAMPLES = 400
MARGIN = 4
"""Rows a page also sees before and after its own."""


@dataclass(frozen=True, eq=False)
class Page:
    """Rows first to before stop, with up to MARGIN more on either side; `own` tells which of `rows` are its own."""

    first: int
    own: slice
    rows: Array


@dataclass(frozen=True, eq=False)
class Record:
    """Everything a check may ask. The figures are by signal; of all finite values."""

    robot: Robot
    source: LogSource
    spool: Spool
    limits: Limits
    period: float
    lowest: Array
    highest: Array
    quantum: Array
    """The smallest change there is, 0 where there is none."""
    usual_kick: Array
    """99th percentile of |kicks| in the page where it is largest: what the motion and noise do without jumps."""
    usual_step: Array
    """Root mean square of changes from row to row, by signal."""

    @property
    def q(self) -> slice:
        return self.source.part("q")

    @property
    def tau(self) -> slice:
        return self.source.part("tau")

    def sampled(self) -> Array:
        """Rows from all over the log, those that are finite."""
        chosen = np.unique(np.linspace(0, len(self.spool) - 1, SAMPLES).astype(int))
        rows = np.concatenate([self.spool.read(k, k + 1) for k in chosen.tolist()])
        return rows[np.all(np.isfinite(rows), axis=1)]

    def pages(self) -> Iterator[Page]:
        for first in range(0, len(self.spool), PAGE):
            stop = min(first + PAGE, len(self.spool))
            begin = max(first - MARGIN, 0)
            rows = self.spool.read(begin, min(stop + MARGIN, len(self.spool)))
            yield Page(first, slice(first - begin, stop - begin), rows)


def kicks(values: Array) -> Array:
    """How much a step differs from the mean of the steps before and after it (N, ...), 0 where one is not there.

    kick_k = x_k - x_(k-1) - (x_(k-1) - x_(k-2) + x_(k+1) - x_k)/2
    """
    step = np.diff(values, axis=0)
    result = np.zeros_like(values)
    if len(step) > 2:
        result[2:-1] = step[1:-1] - 0.5 * (step[:-2] + step[2:])
    return result


def survey(robot: Robot, source: LogSource, spool: Spool) -> Record:
    """One pass for the figures."""
    width = spool.width
    lowest, highest, quantum = np.full(width, np.inf), np.full(width, -np.inf), np.full(width, np.inf)
    kick, squares, count = np.zeros(width), np.zeros(width), 0
    periods: list[float] = []
    for first in range(0, len(spool), PAGE):
        rows = spool.read(max(first - 1, 0), first + PAGE)
        finite = np.isfinite(rows)
        lowest = np.minimum(lowest, np.where(finite, rows, np.inf).min(axis=0))
        highest = np.maximum(highest, np.where(finite, rows, -np.inf).max(axis=0))
        with np.errstate(invalid="ignore"):
            step = np.abs(np.diff(rows, axis=0))
            kick = np.maximum(kick, _percentile(np.abs(kicks(rows))))
        usable = np.isfinite(step)
        quantum = np.minimum(quantum, np.where(usable & (step > 0), step, np.inf).min(axis=0, initial=np.inf))
        usual = np.minimum(np.where(usable, step, 0.0), _percentile(step))
        squares, count = squares + np.sum(usual**2, axis=0), count + len(step)
        periods += [float(np.median(step[usable[:, 0] & (step[:, 0] > 0), 0]))] * bool((step[:, 0] > 0).any())
    return Record(
        robot,
        source,
        spool,
        limits_of(robot),
        float(np.median(periods)) if periods else 0.0,
        lowest,
        highest,
        np.where(np.isfinite(quantum), quantum, 0.0),
        kick,
        np.sqrt(squares / max(count, 1)),
    )


def _percentile(values: Array) -> Array:
    """99th, of what is finite; 0 of nothing."""
    padded = np.concatenate([np.zeros((1, values.shape[1])), np.where(np.isfinite(values), values, 0.0)])
    return np.sort(padded, axis=0)[-1 - len(values) // 100, :].copy()

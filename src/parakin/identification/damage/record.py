"""A whole log in SI on disk, figures of its signals, and the robot it came from: what every check looks at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array, lock_arrays
from parakin.identification.logs.log_source import LogSource
from parakin.identification.logs.spool import Spool
from parakin.robot import Robot
from parakin.trajectory.limits import Limits, limits_of

PAGE = 2**14
"""Rows that checks look at together. Figures are taken by page, whatever the blocks in which a file is read."""
SAMPLED_ROWS = 400
"""Rows from all over a log that stand for all of it."""
PAGE_OVERLAP = 4
"""Rows that a page also sees before and after the ones it is responsible for."""


@dataclass(frozen=True, eq=False)
class Page:
    """A page of a log: the rows it is responsible for, with up to PAGE_OVERLAP more on either side."""

    first: int
    """Number in the log of the first row that the page is responsible for."""
    inner: slice
    """Which of `rows` the page is responsible for."""
    rows: Array
    """All rows that the page sees (N, signals), in SI."""

    def __post_init__(self) -> None:
        lock_arrays(self)


@dataclass(frozen=True, eq=False)
class Record:
    """Everything a check may ask about a log. Figures are by signal (signals,), over all finite values."""

    robot: Robot
    """The robot whose log it should be."""
    source: LogSource
    """The log as it is wired to the robot."""
    spool: Spool
    """All rows of the log, in SI, on disk."""
    limits: Limits
    """Speeds and forces of the actuators."""
    period: float
    """Median time between rows [s]; 0 if time never goes on."""
    lowest: Array
    """Smallest value of each signal."""
    highest: Array
    """Largest value of each signal."""
    quantum: Array
    """Smallest change of each signal from row to row, 0 where it never changes."""
    usual_kick: Array
    """99th percentile of |kicks| in the page where it is largest: what motion and noise do without jumps."""
    usual_step: Array
    """Root mean square of changes from row to row, the largest one in a hundred cut down to the 99th percentile."""

    def __post_init__(self) -> None:
        lock_arrays(self)

    @property
    def q(self) -> slice:
        """Where the actuator positions stand in a row."""
        return self.source.part("q")

    @property
    def tau(self) -> slice:
        """Where the actuator forces stand in a row."""
        return self.source.part("tau")

    def sampled(self) -> Array:
        """Return rows from all over the log, without those that are not finite."""
        chosen = np.unique(np.linspace(0, len(self.spool) - 1, SAMPLED_ROWS).astype(int))
        rows = np.concatenate([self.spool.read(k, k + 1) for k in chosen.tolist()])
        return rows[np.all(np.isfinite(rows), axis=1)]

    def pages(self) -> Iterator[Page]:
        """Yield the pages of the log in order."""
        for first in range(0, len(self.spool), PAGE):
            stop = min(first + PAGE, len(self.spool))
            begin = max(first - PAGE_OVERLAP, 0)
            rows = self.spool.read(begin, min(stop + PAGE_OVERLAP, len(self.spool)))
            yield Page(first, slice(first - begin, stop - begin), rows)


def kicks(values: Array) -> Array:
    """Return by how much each step differs from the mean of the steps before and after it (N, ...).

        kick_k = x_k - x_(k-1) - (x_(k-1) - x_(k-2) + x_(k+1) - x_k)/2

    It is 0 where one of these steps does not exist.
    """
    step = np.diff(values, axis=0)
    result = np.zeros_like(values)
    if len(step) > 2:
        result[2:-1] = step[1:-1] - 0.5 * (step[:-2] + step[2:])
    return result


def survey(robot: Robot, source: LogSource, spool: Spool) -> Record:
    """Take the figures of all signals in one pass over the log."""
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
    """99th percentile of each column, over what is finite; 0 of nothing."""
    padded = np.concatenate([np.zeros((1, values.shape[1])), np.where(np.isfinite(values), values, 0.0)])
    return np.sort(padded, axis=0)[-1 - len(values) // 100, :].copy()

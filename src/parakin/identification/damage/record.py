"""A whole log in SI on disk, figures of its signals, and the robot it came from: what every check looks at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, frozen_arrays
from parakin.identification.damage.kinds import Mark
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


@frozen_arrays
class Page:
    """A page of a log: the rows it is responsible for, with up to PAGE_OVERLAP more on either side."""

    first: int
    """Number in the log of the first row that the page is responsible for."""
    inner: slice
    """Which of `rows` the page is responsible for."""
    rows: Array
    """All rows that the page sees (N, signals), in SI."""


@frozen_arrays
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


def survey(robot: Robot, source: LogSource, blocks: Iterable[Array]) -> Record:
    """Keep the rows of a log on disk, and take the figures of all signals in the same pass over them."""
    spool, figures, first = Spool(len(source.signals)), _Figures.of_nothing(len(source.signals)), 0
    for block in blocks:
        spool.append(block)
        while len(spool) >= first + PAGE:
            figures.add(spool.read(max(first - 1, 0), first + PAGE))
            first += PAGE
    if first < len(spool):
        figures.add(spool.read(max(first - 1, 0), len(spool)))
    return Record(
        robot,
        source,
        spool,
        limits_of(robot),
        float(np.median(figures.periods)) if figures.periods else 0.0,
        figures.lowest,
        figures.highest,
        np.where(np.isfinite(figures.quantum), figures.quantum, 0.0),
        figures.kick,
        np.sqrt(figures.squares / max(figures.steps, 1)),
    )


@dataclass(eq=False)
class _Figures:
    """The figures of a Record while they are taken, page by page."""

    lowest: Array
    highest: Array
    quantum: Array
    kick: Array
    squares: Array
    steps: int
    periods: list[float]

    @classmethod
    def of_nothing(cls, width: int) -> _Figures:
        lowest, highest, quantum = (np.full(width, value) for value in (np.inf, -np.inf, np.inf))
        return cls(lowest, highest, quantum, np.zeros(width), np.zeros(width), 0, [])

    def add(self, page: Array) -> None:
        """Take the figures of a page (N, signals) into account, the row before it included."""
        rows = np.ascontiguousarray(page.T)
        finite = np.isfinite(rows)
        self.lowest = np.minimum(self.lowest, np.where(finite, rows, np.inf).min(axis=1))
        self.highest = np.maximum(self.highest, np.where(finite, rows, -np.inf).max(axis=1))
        with np.errstate(invalid="ignore"):
            step = np.abs(np.diff(rows))
            self.kick = np.maximum(self.kick, _percentile(np.abs(kicks(rows.T).T)))
        usable = step < np.inf
        changes = np.where(usable & (step > 0), step, np.inf)
        self.quantum = np.minimum(self.quantum, changes.min(axis=1, initial=np.inf))
        usual = np.minimum(np.where(usable, step, 0.0), _percentile(step)[:, None])
        self.squares, self.steps = self.squares + np.sum(usual**2, axis=1), self.steps + step.shape[1]
        if np.any(changes[0] < np.inf):
            self.periods.append(float(np.median(changes[0, changes[0] < np.inf])))


def _percentile(values: Array) -> Array:
    """99th percentile of each row, over what is finite; 0 of nothing."""
    padded = np.concatenate([np.zeros((len(values), 1)), np.where(np.isfinite(values), values, 0.0)], axis=1)
    place = padded.shape[1] - 1 - values.shape[1] // 100
    return np.partition(padded, place, axis=1)[:, place].copy()


Bools = NDArray[np.bool_]
"""One truth value for each row."""


def runs(flags: Bools) -> Iterator[tuple[int, int]]:
    """Yield first and stop of each run of True."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    yield from zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)


class Flaw(NamedTuple):
    """What is wrong with the rows of a run."""

    kind: str
    """Kind of damage, one of KINDS."""
    column: int | None
    """Number of the signal, or None where no single one is to blame."""
    text: str
    """Message, with {value} for the worst value of the run."""


def marks(page: Page, flaw: Flaw, flags: Bools, values: Array) -> Iterator[Mark]:
    """Yield a mark for each run of flagged rows among those the page is responsible for.

    flags, values: of all rows the page sees; the mark carries the value with the largest magnitude.
    """
    flags, values = flags[page.inner], values[page.inner]
    if not flags.any():
        return
    for first, stop in runs(flags):
        inside = np.where(np.isfinite(values[first:stop]), values[first:stop], 0.0)
        worst = float(inside[np.argmax(np.abs(inside))])
        message = flaw.text.format(value=worst)
        yield Mark(flaw.kind, page.first + first, page.first + stop, flaw.column, worst, message)

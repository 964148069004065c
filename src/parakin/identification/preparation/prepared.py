"""A log that was checked: what was done to it, and its states in blocks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array
from parakin.identification.damage.inspection import Stretch
from parakin.identification.damage.kinds import Damage
from parakin.identification.logs.pose_tracking import PoseTracker
from parakin.identification.logs.spool import Spool
from parakin.identification.preparation.cutoff import Cutoff
from parakin.identification.preparation.filters import Differences, smoother
from parakin.identification.preparation.smoothing import Smoothing
from parakin.identification.states import States

BLOCK = 2**14
"""States that are computed and handed on at a time."""


@dataclass(frozen=True)
class ForceTiming:
    """How much later than its row a force acts, and how that is known."""

    delay: float
    """The delay, as a part of the time between rows."""
    std: float
    """Its standard deviation, as a part of the time between rows; 0 where it was not estimated."""
    origin: Literal["asked", "stated", "estimated", "assumed"]
    """Who says so: the user, the log, a fit of motion and forces, or nobody."""

    def __str__(self) -> str:
        amount = f"forces act {self.delay:.3g} rows after theirs"
        if self.origin == "estimated":
            amount = f"forces act {self.delay:.3f} ± {self.std:.2g} rows after theirs"
        return f"{amount}: {_ORIGINS[self.origin]}"


_ORIGINS = {
    "asked": "as asked",
    "stated": "as the log says",
    "estimated": "as motion and forces fit best",
    "assumed": "assumed, as the log does not say; 0.5 would be right for drives that hold a force until the next row",
}


@dataclass(frozen=True, eq=False)
class Report:
    """What was found in a log, and what was done to it."""

    file: str
    """Path of the log."""
    rows: int
    """Rows in the file."""
    states: int
    """States that come of these rows."""
    period: float
    """Mean time between rows [s]."""
    stretches: tuple[tuple[float, float], ...]
    """First and last time [s] of each uninterrupted stretch that is used."""
    cutoff: Cutoff
    """Cut-off of the low-pass, and why it has this value."""
    dropped: int
    """Rows left out at each end of a stretch, where the low-pass has not settled."""
    every: int
    """Rows for each state that is kept."""
    damage: tuple[Damage, ...]
    """Everything that is wrong with the log: accepted, cut out, or following from a cut."""
    timing: ForceTiming
    """When the forces of a row act."""

    def __str__(self) -> str:
        lines = [
            f"{self.file}: {self.rows} rows, one each {1e3 * self.period:.6g} ms",
            f"{self.states} states of {len(self.stretches)} stretches, one each {self.every} rows",
            str(self.cutoff),
            str(self.timing),
            f"{self.dropped} rows at either end of a stretch dropped, where the low-pass has not settled",
            *map(str, self.damage),
        ]
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class Prepared:
    """A checked log that gives its report, and its states as often as they are asked for."""

    spool: Spool
    """All rows of the log, in SI, on disk."""
    stretches: tuple[Stretch, ...]
    """The rows that are used, in uninterrupted stretches."""
    smoothing: Smoothing
    """Turns rows into states."""
    report: Report
    """What was done to the log."""
    differences: Differences = "central"
    """How positions are differentiated."""

    @property
    def force_delay(self) -> float:
        """How much later than its row a force acts, as a part of the time between rows."""
        return self.report.timing.delay

    def timed(self, timing: ForceTiming) -> Prepared:
        """Return the same log with its forces acting at another time; which rows are used does not change.

        >>> from parakin.identification.preparation.prepared import ForceTiming
        >>> prepared.timed(ForceTiming(0.25, 0.0, "asked")).force_delay
        0.25
        """
        shifted = smoother(self.report.cutoff.frequency, self.report.period, self.differences, timing.delay)
        smoothing = replace(self.smoothing, positions=shifted)
        return replace(self, smoothing=smoothing, report=replace(self.report, timing=timing))

    def __iter__(self) -> Iterator[States]:
        return self.states()

    def states(self, block: int = BLOCK) -> Iterator[States]:
        """Yield the states of all stretches, at most `block` at a time.

        The block does not change them, except for rounding: each depends on `smoothing.reach` rows around it alone.

        >>> sum(len(block.t) for block in prepared.states(block=4096)) == sum(len(block.t) for block in states)
        True
        """
        for stretch in self.stretches:
            yield from self._states_of(stretch, block)

    def _states_of(self, stretch: Stretch, block: int) -> Iterator[States]:
        tracker = PoseTracker(self.smoothing.robot)
        start = float(self.spool.read(stretch.first, stretch.first + 1)[0, 0])
        period, every, dropped = self.report.period, self.report.every, self.report.dropped
        last = stretch.stop - dropped
        for first in range(stretch.first + dropped, last, block):
            rows: NDArray[np.int64] = np.arange(first, min(first + block, last))
            extended = _extended_rows(self.spool, stretch, int(rows[0]), int(rows[-1]) + 1, self.smoothing.reach)
            t = np.float64(start) + (rows - stretch.first + self.force_delay) * np.float64(period)
            states = self.smoothing.states(tracker, extended, t)
            kept = (rows - stretch.first - dropped) % every == 0
            if np.any(kept):
                yield states.chosen(kept)


def _extended_rows(spool: Spool, stretch: Stretch, first: int, stop: int, reach: int) -> Array:
    """Rows first - reach to stop + reach; beyond the ends of the stretch it is turned over at its end points."""
    begin, end = max(first - reach, stretch.first), min(stop + reach, stretch.stop)
    missing = (begin - (first - reach), stop + reach - end)
    return np.pad(spool.read(begin, end), (missing, (0, 0)), mode="reflect", reflect_type="odd")

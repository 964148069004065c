"""From a log to the states that estimators take, in blocks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array
from parakin.errors import EstimationError, UnknownNameError
from parakin.identification.cutoff import HIGHEST, LONGEST, SHORTEST, Cutoff, choose_cutoff, given_cutoff
from parakin.identification.damage.force_checks import check_forces
from parakin.identification.damage.inspection import Inspection, Judge, Policy, Stretch, inspect
from parakin.identification.damage.whole_checks import FEWEST, too_short
from parakin.identification.filters import Differences, smoother
from parakin.identification.findings import KINDS, UNUSABLE, Finding
from parakin.identification.log_source import LogSource
from parakin.identification.motion import Smoothing
from parakin.identification.pose_tracking import PoseTracker
from parakin.identification.spool import Spool
from parakin.identification.states import States
from parakin.robot import Robot

BLOCK = 2**14
"""States at a time."""
COMPARED = 2000
"""States of a piece that is compared with the model."""
WINDOWS = 16
"""Pieces of a log that the cut-off and the comparison with the model are taken from."""


@dataclass(frozen=True)
class Preparation:
    """How a log is prepared.

    policy: what becomes of damage that can be cut; accept: kinds of damage known to be harmless, left in. cutoff [Hz]:
    of the low-pass; by default from the spectrum. differences: central, as in [Vivas2003], or spectral. smooth_forces:
    run the forces through the same low-pass; they then have to be thinned out (`every`, by default as the cut-off
    allows) for neighbours to be independent. By default they are left alone: the noise of a force does no harm to least
    squares, and its variance can be read off the residuals. force_delay: of a period; how much later than its row a
    force acts. 0.5 for drives that hold a force until the next row, as simulated ones do: the motion is then taken half
    a period later.
    """

    policy: Policy = "refuse"
    accept: frozenset[str] = frozenset()
    cutoff: float | None = None
    differences: Differences = "central"
    smooth_forces: bool = False
    every: int | None = None
    force_delay: float = 0.0

    def __post_init__(self) -> None:
        acceptable = tuple(kind for kind in KINDS if kind not in UNUSABLE)
        for kind in self.accept:
            if kind not in acceptable:
                raise UnknownNameError("kind of damage to accept", kind, acceptable)
        if self.cutoff is not None and not 0 < self.cutoff < np.inf:
            raise EstimationError("preparation", "cutoff", f"must be finite and > 0 Hz, got {self.cutoff:g}")
        if not np.isfinite(self.force_delay):
            raise EstimationError("preparation", "force_delay", f"must be finite, got {self.force_delay:g}")


@dataclass(frozen=True, eq=False)
class Report:
    """What was done to a log. rows: in the file; states: what came of them; dropped: rows at each end of a stretch."""

    file: str
    rows: int
    states: int
    period: float
    stretches: tuple[tuple[float, float], ...]
    cutoff: Cutoff
    dropped: int
    every: int
    findings: tuple[Finding, ...]

    def __str__(self) -> str:
        lines = [
            f"{self.file}: {self.rows} rows, one each {1e3 * self.period:.6g} ms",
            f"{self.states} states of {len(self.stretches)} stretches, one each {self.every} rows",
            str(self.cutoff),
            f"{self.dropped} rows at either end of a stretch dropped, where the low-pass has not settled",
            *(f"{finding}" for finding in self.findings),
        ]
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class Prepared:
    """A checked log: its report, and its states as often as asked."""

    spool: Spool
    stretches: tuple[Stretch, ...]
    smoothing: Smoothing
    report: Report
    force_delay: float

    def __iter__(self) -> Iterator[States]:
        return self.states()

    def states(self, block: int = BLOCK) -> Iterator[States]:
        """The same states whatever the block, to rounding: each depends on `smoothing.reach` rows around it alone."""
        for stretch in self.stretches:
            yield from self._stretch(stretch, block)

    def _stretch(self, stretch: Stretch, block: int) -> Iterator[States]:
        tracker = PoseTracker(self.smoothing.robot)
        start = float(self.spool.read(stretch.first, stretch.first + 1)[0, 0])
        period, every, dropped = self.report.period, self.report.every, self.report.dropped
        last = stretch.stop - dropped
        for first in range(stretch.first + dropped, last, block):
            rows: NDArray[np.int64] = np.arange(first, min(first + block, last))
            extended = extended_rows(self.spool, stretch, int(rows[0]), int(rows[-1]) + 1, self.smoothing.reach)
            t = np.float64(start) + (rows - stretch.first + self.force_delay) * np.float64(period)
            states = self.smoothing.states(tracker, extended, t)
            chosen = (rows - stretch.first - dropped) % every == 0
            if np.any(chosen):
                yield states.chosen(chosen)


def extended_rows(spool: Spool, stretch: Stretch, first: int, stop: int, reach: int) -> Array:
    """Rows first - reach to stop + reach; beyond the ends of the stretch it is turned over at its end points."""
    begin, end = max(first - reach, stretch.first), min(stop + reach, stretch.stop)
    missing = (begin - (first - reach), stop + reach - end)
    return np.pad(spool.read(begin, end), (missing, (0, 0)), mode="reflect", reflect_type="odd")


def prepare(robot: Robot, source: LogSource, options: Preparation | None = None) -> Prepared:
    """Check a log, choose how to smooth it, and stand ready to give its states. BadLogError where it is refused."""
    options = options or Preparation()
    judge = Judge(source.file, options.policy, options.accept)
    inspection = inspect(robot, source, judge)
    spool, period = inspection.record.spool, inspection.period
    longest = max((s.stop - s.first for s in inspection.stretches), default=0)
    judge.check(too_short(longest, FEWEST))
    windows = _windows(inspection.stretches, min(max(longest // 4, SHORTEST), LONGEST))
    if options.cutoff is not None and not options.cutoff < 0.5 / period:
        reason = f"must be below half the sampling rate, {0.5 / period:.4g} Hz, got {options.cutoff:g}"
        raise EstimationError(source.file, "cutoff", reason)
    cutoff = (
        given_cutoff(options.cutoff)
        if options.cutoff is not None
        else choose_cutoff((spool.read(*window)[:, source.part("q")] for window in windows), period)
    )
    findings = [*inspection.findings, *judge.check(_too_slow(cutoff, period))]
    motion = smoother(cutoff.frequency, period, options.differences, options.force_delay)
    forces = smoother(cutoff.frequency, period) if options.smooth_forces else None
    every = options.every or (max(1, int(0.5 / (cutoff.frequency * period))) if forces else 1)
    least = 2 * motion.drop + FEWEST
    findings += judge.check(too_short(longest, least))
    kept = tuple(s for s in inspection.stretches if s.stop - s.first >= least)
    findings += [_short(inspection, s, least) for s in inspection.stretches if s not in kept]
    report = Report(
        source.file,
        len(spool),
        sum(-(-(s.stop - s.first - 2 * motion.drop) // every) for s in kept),
        period,
        tuple((_time(spool, s.first), _time(spool, s.stop - 1)) for s in kept),
        cutoff,
        motion.drop,
        every,
        tuple(findings),
    )
    prepared = Prepared(spool, kept, Smoothing(robot, source, motion, forces), report, options.force_delay)
    return _compared(prepared, judge)


def _compared(prepared: Prepared, judge: Judge) -> Prepared:
    """With what the forces look like beside those of the robot file."""
    samples: list[States] = []
    for window in _windows(prepared.stretches, COMPARED + 2 * prepared.report.dropped):
        samples += replace(prepared, stretches=(window,)).states()
    found = judge.check(check_forces(prepared.smoothing.robot, prepared.smoothing.source, samples))
    if not found:
        return prepared
    report = prepared.report
    return replace(prepared, report=replace(report, findings=(*report.findings, *found)))


def _windows(stretches: tuple[Stretch, ...], length: int) -> list[Stretch]:
    """Up to WINDOWS pieces of one length, overlapping by half, spread over the log; shorter where the log is."""
    length = min(length, max(s.stop - s.first for s in stretches))
    starts = [first for s in stretches for first in range(s.first, s.stop - length + 1, max(length // 2, 1))]
    chosen = np.unique(np.linspace(0, len(starts) - 1, WINDOWS).astype(int))
    return [Stretch(starts[k], starts[k] + length) for k in chosen.tolist()]


def _time(spool: Spool, row: int) -> float:
    return float(spool.read(row, row + 1)[0, 0])


def _short(inspection: Inspection, stretch: Stretch, least: int) -> Finding:
    spool = inspection.record.spool
    message = f"{stretch.stop - stretch.first} rows between cuts are left out: the low-pass needs {least}"
    return Finding("short-stretch", _time(spool, stretch.first), _time(spool, stretch.stop - 1), None, None, message)


def _too_slow(cutoff: Cutoff, period: float) -> Iterator[Finding]:
    if cutoff.motion is not None and cutoff.motion > HIGHEST / period:
        message = f"the motion has {cutoff.motion:.4g} Hz in it, and rows come at {1 / period:.4g} Hz: log faster"
        yield Finding("slow-sampling", None, None, None, period, message)

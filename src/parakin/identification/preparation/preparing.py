"""Checks a log and chooses how it is smoothed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from parakin.errors import EstimationError, LogFileError
from parakin.identification.damage.force_checks import SMALLEST_SHIFT, check_forces
from parakin.identification.damage.inspection import DamageRule, Inspection, Stretch, inspect
from parakin.identification.damage.kinds import Damage
from parakin.identification.damage.whole_checks import FEWEST_ROWS, too_short
from parakin.identification.logs.log_source import FORCE_DELAY, LogSource
from parakin.identification.logs.spool import Spool
from parakin.identification.preparation.cutoff import (
    HIGHEST_CUTOFF,
    LONGEST_SPECTRUM,
    SHORTEST_SPECTRUM,
    Cutoff,
    choose_cutoff,
    given_cutoff,
)
from parakin.identification.preparation.filters import smoother
from parakin.identification.preparation.options import Preparation
from parakin.identification.preparation.prepared import ForceTiming, Prepared, Report
from parakin.identification.preparation.smoothing import Smoothing
from parakin.identification.states import States
from parakin.robot import Robot

COMPARED_STATES = 2000
"""States in each piece of the log whose forces are compared with those of the robot file."""
LARGEST_DELAY = 10.0
"""Rows by which forces may act after theirs, or before, at most: as a log says, or as `identify` looks for it."""
WINDOWS = 16
"""Most pieces of a log from which the cut-off is chosen and forces are compared with the robot file."""


def prepare(robot: Robot, source: LogSource, options: Preparation | None = None) -> Prepared:
    """Check a log, choose how to smooth it, and return what gives its states; raise BadLogError if it is refused.

    >>> prepared = pk.identification.prepare(robot, pk.identification.open_log(robot, path))
    >>> found = pk.identification.estimate(model, prepared.states())
    >>> found.states
    11971
    """
    options = options or Preparation()
    rule = DamageRule(source.file, options.policy, options.accept)
    inspection = inspect(robot, source, rule)
    spool, period = inspection.record.spool, inspection.period
    longest = max((s.stop - s.first for s in inspection.stretches), default=0)
    rule.check(too_short(longest, FEWEST_ROWS))
    cutoff = _cutoff(source, inspection, options.cutoff)
    damage = [*inspection.damage, *rule.check(_too_slow(cutoff, period))]
    timing = _timing(source, period, options.force_delay)
    motion = smoother(cutoff.frequency, period, options.differences, timing.delay)
    forces = smoother(cutoff.frequency, period) if options.smooth_forces else None
    every = options.every or (max(1, int(0.5 / (cutoff.frequency * period))) if forces else 1)
    least = 2 * motion.drop + FEWEST_ROWS
    damage += rule.check(too_short(longest, least))
    kept = tuple(s for s in inspection.stretches if s.stop - s.first >= least)
    damage += [_short_stretch(spool, s, least) for s in inspection.stretches if s not in kept]
    report = Report(
        file=source.file,
        rows=len(spool),
        states=sum(-(-(s.stop - s.first - 2 * motion.drop) // every) for s in kept),
        period=period,
        stretches=tuple((_time(spool, s.first), _time(spool, s.stop - 1)) for s in kept),
        cutoff=cutoff,
        dropped=motion.drop,
        every=every,
        damage=tuple(damage),
        timing=timing,
    )
    prepared = Prepared(spool, kept, Smoothing(robot, source, motion, forces), report, options.differences)
    return _with_forces_checked(prepared, rule)


def _timing(source: LogSource, period: float, asked: float | None) -> ForceTiming:
    """When forces act: as asked, or as the log says, or else at their row."""
    if asked is not None:
        return ForceTiming(asked, 0.0, "asked")
    if source.force_delay is None:
        return ForceTiming(0.0, 0.0, "assumed")
    rows = source.force_delay / period
    if not abs(rows) <= LARGEST_DELAY:
        reason = f"says that forces act {source.force_delay:g} s after their row, which is {rows:.3g} rows"
        raise LogFileError(source.file, f"{reason}: {LARGEST_DELAY:g} at most can be true", None, FORCE_DELAY)
    return ForceTiming(rows, 0.0, "stated")


def _cutoff(source: LogSource, inspection: Inspection, asked: float | None) -> Cutoff:
    """The cut-off that was asked for, or the one that the spectrum of the positions suggests."""
    record, stretches, period = inspection.record, inspection.stretches, inspection.period
    if asked is not None:
        if not asked < 0.5 / period:
            reason = f"must be below half the sampling rate, {0.5 / period:.4g} Hz, got {asked:g}"
            raise EstimationError(source.file, "cutoff", reason)
        return given_cutoff(asked)
    longest = max(s.stop - s.first for s in stretches)
    pieces = windows(stretches, min(max(longest // 4, SHORTEST_SPECTRUM), LONGEST_SPECTRUM))
    positions = (record.spool.read(*window)[:, source.part("q")] for window in pieces)
    return choose_cutoff(positions, period, record.quantum[record.q])


def _with_forces_checked(prepared: Prepared, rule: DamageRule) -> Prepared:
    """Add to the report what is wrong with the forces, compared with those of the robot file."""
    samples: list[States] = []
    for window in windows(prepared.stretches, COMPARED_STATES + 2 * prepared.report.dropped):
        samples += replace(prepared, stretches=(window,)).states()
    report = prepared.report
    shift = SMALLEST_SHIFT if report.timing.origin != "assumed" else int(LARGEST_DELAY / report.every) + 1
    damage = rule.check(check_forces(prepared.smoothing.robot, prepared.smoothing.source, samples, shift))
    if not damage:
        return prepared
    return replace(prepared, report=replace(report, damage=(*report.damage, *damage)))


def windows(stretches: tuple[Stretch, ...], length: int) -> list[Stretch]:
    """Return up to WINDOWS pieces of one length, overlapping by half, spread over the log; shorter where the log is."""
    length = min(length, max(s.stop - s.first for s in stretches))
    starts = [first for s in stretches for first in range(s.first, s.stop - length + 1, max(length // 2, 1))]
    chosen = np.unique(np.linspace(0, len(starts) - 1, WINDOWS).astype(int))
    return [Stretch(starts[k], starts[k] + length) for k in chosen.tolist()]


def _time(spool: Spool, row: int) -> float:
    return float(spool.read(row, row + 1)[0, 0])


def _short_stretch(spool: Spool, stretch: Stretch, least: int) -> Damage:
    message = f"{stretch.stop - stretch.first} rows between cuts are left out: the low-pass needs {least}"
    return Damage("short-stretch", _time(spool, stretch.first), _time(spool, stretch.stop - 1), None, None, message)


def _too_slow(cutoff: Cutoff, period: float) -> Iterator[Damage]:
    if cutoff.motion is not None and cutoff.motion > HIGHEST_CUTOFF / period:
        message = (
            f"the motion has {cutoff.motion:.4g} Hz in it, and rows come at {1 / period:.4g} Hz: log faster; or, if "
            "what is that fast is vibration or noise, say below which frequency the robot moves (--cutoff, in Hz)"
        )
        yield Damage("slow-sampling", None, None, None, period, message)

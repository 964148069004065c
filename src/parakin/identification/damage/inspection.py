"""All checks of a log, in order, and what is left of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from parakin.errors import BadLogError
from parakin.identification.damage.fit_checks import check_fit, check_poses
from parakin.identification.damage.record import PAGE, Page, Record, survey
from parakin.identification.damage.time_checks import check_time, check_time_unit
from parakin.identification.damage.value_checks import (
    check_finite,
    check_jumps,
    check_limits,
    check_saturated,
    check_stuck,
    long_enough_stuck,
)
from parakin.identification.damage.whole_checks import check_columns, check_length
from parakin.identification.findings import KINDS, WHOLE, Finding, Mark, gathered, merged
from parakin.identification.log_source import LogSource
from parakin.identification.pose_tracking import PoseTracker
from parakin.identification.spool import Spool
from parakin.robot import Robot
from parakin.tables import BadRow

Policy = Literal["refuse", "cut"]

ROW_CHECKS: tuple[Callable[[Record, Page], Iterator[Mark]], ...] = (
    check_time,
    check_finite,
    check_jumps,
    check_stuck,
    check_saturated,
    check_limits,
)
WHOLE_CHECKS: tuple[Callable[[Record], Iterator[Finding]], ...] = (
    check_length,
    check_time_unit,
    check_columns,
    check_fit,
)


class Stretch(NamedTuple):
    """Rows first to before stop, uninterrupted and sound."""

    first: int
    stop: int


@dataclass(frozen=True, eq=False)
class Inspection:
    """findings: all, also those that were accepted; stretches: what is left; period [s]: between their rows."""

    record: Record
    findings: tuple[Finding, ...]
    stretches: tuple[Stretch, ...]
    period: float


@dataclass(frozen=True)
class Judge:
    """What becomes of findings: refused by default, cut on request; kinds in `accept` are reported and left in."""

    file: str
    policy: Policy = "refuse"
    accept: frozenset[str] = frozenset()

    def check(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        """The findings, if they may pass."""
        kept = tuple(findings)
        against = [f for f in kept if f.kind not in self.accept and (self.policy == "refuse" or KINDS[f.kind] == WHOLE)]
        if against:
            cuttable = all(KINDS[finding.kind] != WHOLE for finding in against)
            remedy = (
                "cut what is damaged (policy cut)" if cuttable else "this cannot be cut: mend the log or its mapping"
            )
            raise BadLogError(self.file, tuple(map(str, against)), f"{remedy}, or accept kinds known to be harmless")
        return kept


def inspect(robot: Robot, source: LogSource, judge: Judge) -> Inspection:
    """Read a log once and check it; BadLogError where it is not to be used."""
    bad: list[BadRow] = []
    spool = Spool(len(source.signals))
    for block in source.blocks(PAGE, bad.append if judge.policy == "cut" else None):
        spool.append(block)
    record = survey(robot, source, spool)
    whole: list[Finding] = []
    for check in WHOLE_CHECKS:
        whole += judge.check(check(record))
    marks = _marked(record, bad)
    findings = judge.check(_finding(record, mark) for mark in marks)
    cut = [mark for mark in marks if mark.kind not in judge.accept]
    stretches = _left(len(spool), cut)
    return Inspection(record, (*whole, *findings), stretches, _period(record, stretches))


def _marked(record: Record, bad: list[BadRow]) -> list[Mark]:
    """Marks by rows, those that belong together merged."""
    unread = {entry.row for entry in bad}
    found = [Mark(b.kind, b.row, b.row + 1, None, None, f"line {b.line}: {b.reason}") for b in bad]
    tracker = PoseTracker(record.robot)
    for page in record.pages():
        for check in ROW_CHECKS:
            found += gathered(m for m in check(record, page) if m.kind != "nan" or not _within(m, unread))
        found += gathered(check_poses(record, page, tracker))
    marks = merged(found)
    marks = [mark for mark in marks if mark.kind != "stuck-encoder" or long_enough_stuck(record, mark)]
    jumps = [mark for mark in marks if mark.kind == "encoder-jump"]
    rest = [mark for mark in marks if mark.kind != "encoder-jump"]
    return sorted([*rest, *_shifted(record, jumps)], key=lambda mark: mark.first)


def _within(mark: Mark, rows: set[int]) -> bool:
    """Is a mark about rows that could not be read, and were told of already?"""
    return all(row in rows for row in range(mark.first, mark.stop)) if rows else False


def _shifted(record: Record, jumps: list[Mark]) -> Iterator[Mark]:
    """From a jump on positions are shifted, until jumps back make up for it."""
    for column in dict.fromkeys(jump.column for jump in jumps):
        shift, begun = 0.0, None
        for jump in [mark for mark in jumps if mark.column == column]:
            begun = begun or jump
            shift += jump.value or 0.0
            if abs(shift) < 0.1 * abs(begun.value or 0.0):
                yield Mark(begun.kind, begun.first, jump.first, column, begun.value, f"{begun.message}, and later back")
                shift, begun = 0.0, None
        if begun is not None:
            message = f"{begun.message}: counts were lost, all that follows is shifted"
            yield Mark(begun.kind, begun.first, len(record.spool), column, begun.value, message)


def _finding(record: Record, mark: Mark) -> Finding:
    """With times instead of rows. A break happens at the row it comes before."""
    start = _time(record, mark.first)
    end = start if mark.stop <= mark.first else _time(record, mark.stop - 1)
    column = None if mark.column is None else record.source.headers[mark.column]
    return Finding(mark.kind, start, end, column, mark.value, mark.message)


def _time(record: Record, row: int) -> float | None:
    """Of a row, or of the nearest before it that has one."""
    for k in range(row, max(row - PAGE, -1), -1):
        time = float(record.spool.read(k, k + 1)[0, 0])
        if np.isfinite(time):
            return time
    return None


def _left(count: int, marks: list[Mark]) -> tuple[Stretch, ...]:
    """Rows of no mark, parted at breaks."""
    bounds = sorted({(mark.first, mark.stop) for mark in marks})
    stretches: list[Stretch] = []
    begin = 0
    for first, stop in bounds:
        if first > begin:
            stretches.append(Stretch(begin, first))
        begin = max(begin, stop, first)
    if begin < count:
        stretches.append(Stretch(begin, count))
    return tuple(stretches)


def _period(record: Record, stretches: tuple[Stretch, ...]) -> float:
    """Mean over all stretches, finer than the resolution of the clock."""
    spans = [(_time(record, s.stop - 1) or 0.0) - (_time(record, s.first) or 0.0) for s in stretches]
    steps = sum(s.stop - s.first - 1 for s in stretches)
    return sum(spans) / steps if steps else record.period

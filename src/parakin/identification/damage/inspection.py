"""Runs all checks of a log in order, and finds what is left of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from parakin.errors import BadLogError
from parakin.identification.damage.fit_checks import check_fit, check_poses
from parakin.identification.damage.kinds import KINDS, Damage, Extent, Mark, gathered, merged
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
from parakin.identification.logs.log_source import LogSource
from parakin.identification.logs.pose_tracking import PoseTracker
from parakin.identification.streams import ahead
from parakin.robot import Robot
from parakin.tables import BadRow

Policy = Literal["refuse", "cut"]
"""What becomes of damage that can be cut out: the log is refused, or the damaged rows are cut."""

ROW_CHECKS: tuple[Callable[[Record, Page], Iterator[Mark]], ...] = (
    check_time,
    check_finite,
    check_jumps,
    check_stuck,
    check_saturated,
    check_limits,
)
"""Checks that mark rows, page by page; a new one is a row here and a kind in KINDS."""
WHOLE_CHECKS: tuple[Callable[[Record], Iterator[Damage]], ...] = (
    check_length,
    check_time_unit,
    check_columns,
    check_fit,
)
"""Checks of the log as a whole, in the order in which they are made: each relies on those before it."""


MOST_SATURATED = 0.01
"""Part of a log that may be saturated and is cut out; where it is more, the log is refused."""


class Stretch(NamedTuple):
    """Consecutive rows of a log that are sound and not interrupted."""

    first: int
    """First row."""
    stop: int
    """Row after the last."""


@dataclass(frozen=True, eq=False)
class Inspection:
    """A log that was checked and may be used."""

    record: Record
    """The log and the figures of its signals."""
    damage: tuple[Damage, ...]
    """All damage, also that which was accepted."""
    stretches: tuple[Stretch, ...]
    """What is left of the log."""
    period: float
    """Mean time between the rows of these stretches [s]."""


@dataclass(frozen=True)
class DamageRule:
    """Decides what becomes of damage: by default it is refused."""

    file: str
    """Path of the log, for the message."""
    policy: Policy = "refuse"
    """Whether damage that can be cut out is refused or cut."""
    accept: frozenset[str] = frozenset()
    """Kinds of damage that are reported and left in."""

    def check(self, damage: Iterable[Damage]) -> tuple[Damage, ...]:
        """Return the damage if it may pass; raise BadLogError otherwise."""
        all_damage = tuple(damage)
        against = [
            f
            for f in all_damage
            if f.kind not in self.accept and (self.policy == "refuse" or KINDS[f.kind] is Extent.WHOLE_LOG)
        ]
        if against:
            cuttable = all(KINDS[entry.kind] is not Extent.WHOLE_LOG for entry in against)
            remedy = (
                'cut what is damaged (--damage cut, in Python policy="cut")'
                if cuttable
                else "this cannot be cut: mend the log or its mapping"
            )
            raise BadLogError(self.file, tuple(map(str, against)), f"{remedy}, or accept kinds known to be harmless")
        return all_damage


def inspect(robot: Robot, source: LogSource, rule: DamageRule) -> Inspection:
    """Read a log once and check it; raise BadLogError if it is not to be used."""
    bad: list[BadRow] = []
    record = survey(robot, source, ahead(source.blocks(PAGE, bad.append if rule.policy == "cut" else None)))
    whole: list[Damage] = []
    for check in WHOLE_CHECKS:
        whole += rule.check(check(record))
    marks = _marked(record, bad)
    few = _few_saturated(record, marks)
    told = f"{sum(mark.stop - mark.first for mark in few)} of {len(record.spool)} rows are saturated and left out"
    damage = rule.check(_damage(record, mark) for mark in marks if mark not in few)
    damage += tuple(_damage(record, replace(mark, message=f"{mark.message}; {told}")) for mark in few)
    cut = [mark for mark in marks if mark.kind not in rule.accept]
    stretches = _left(len(record.spool), cut)
    return Inspection(record, (*whole, *damage), stretches, _period(record, stretches))


def _few_saturated(record: Record, marks: list[Mark]) -> list[Mark]:
    """The marks of saturated rows where these are few, so that they are cut out without being asked for."""
    saturated = [mark for mark in marks if mark.kind == "saturated"]
    few = sum(mark.stop - mark.first for mark in saturated) <= MOST_SATURATED * len(record.spool)
    return saturated if few else []


def _marked(record: Record, bad: list[BadRow]) -> list[Mark]:
    """All damage by rows, with marks that belong together merged."""
    unread = {entry.row for entry in bad}
    unmerged = [Mark(b.kind, b.row, b.row + 1, None, None, f"line {b.line}: {b.reason}") for b in bad]
    tracker = PoseTracker(record.robot)
    for page in record.pages():
        for check in ROW_CHECKS:
            unmerged += gathered(m for m in check(record, page) if m.kind != "nan" or not _within(m, unread))
        unmerged += gathered(check_poses(record, page, tracker))
    marks = merged(unmerged)
    marks = [mark for mark in marks if mark.kind != "stuck-encoder" or long_enough_stuck(record, mark)]
    jumps = [mark for mark in marks if mark.kind == "encoder-jump"]
    rest = [mark for mark in marks if mark.kind != "encoder-jump"]
    return sorted([*rest, *_shifted(record, jumps)], key=lambda mark: mark.first)


def _within(mark: Mark, rows: set[int]) -> bool:
    """Tell whether a mark is about rows that could not be read, which were reported already."""
    return all(row in rows for row in range(mark.first, mark.stop)) if rows else False


def _shifted(record: Record, jumps: list[Mark]) -> Iterator[Mark]:
    """Mark all rows from a jump on, where positions are shifted, until jumps back make up for it."""
    for column in dict.fromkeys(jump.column for jump in jumps):
        shift, begin = 0.0, None
        for jump in [mark for mark in jumps if mark.column == column]:
            begin = begin or jump
            shift += jump.value or 0.0
            if abs(shift) < 0.1 * abs(begin.value or 0.0):
                yield Mark(begin.kind, begin.first, jump.first, column, begin.value, f"{begin.message}, and later back")
                shift, begin = 0.0, None
        if begin is not None:
            message = f"{begin.message}: counts were lost, all that follows is shifted"
            yield Mark(begin.kind, begin.first, len(record.spool), column, begin.value, message)


def _damage(record: Record, mark: Mark) -> Damage:
    """Damage with times instead of rows. A break happens at the row it comes before."""
    start = _time(record, mark.first)
    end = start if mark.stop <= mark.first else _time(record, mark.stop - 1)
    column = None if mark.column is None else record.source.headers[mark.column]
    return Damage(mark.kind, start, end, column, mark.value, mark.message)


def _time(record: Record, row: int) -> float | None:
    """Time of a row, or of the nearest before it that has one."""
    for k in range(row, max(row - PAGE, -1), -1):
        time = float(record.spool.read(k, k + 1)[0, 0])
        if np.isfinite(time):
            return time
    return None


def _left(count: int, marks: list[Mark]) -> tuple[Stretch, ...]:
    """Rows that no mark covers, parted at breaks."""
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
    """Mean time between rows over all stretches, finer than the resolution of the clock."""
    spans = [(_time(record, s.stop - 1) or 0.0) - (_time(record, s.first) or 0.0) for s in stretches]
    steps = sum(s.stop - s.first - 1 for s in stretches)
    return sum(spans) / steps if steps else record.period

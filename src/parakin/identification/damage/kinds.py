"""The kinds of damage of a log, and damage as data: by time for the user, by rows for the cuts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum


class Extent(Enum):
    """How much of a log a kind of damage concerns."""

    ROWS = "rows"
    """Some rows, which can be cut out."""
    WHOLE_LOG = "whole log"
    """The log as a whole, which cannot be mended by cuts."""
    CONSEQUENCE = "consequence"
    """Rows that are lost because others were cut out."""


KINDS: dict[str, Extent] = {
    "text": Extent.ROWS,
    "empty-value": Extent.ROWS,
    "decimal-comma": Extent.ROWS,
    "ragged": Extent.ROWS,
    "truncated": Extent.ROWS,
    "nan": Extent.ROWS,
    "infinite": Extent.ROWS,
    "backwards-time": Extent.ROWS,
    "repeated-time": Extent.ROWS,
    "gap": Extent.ROWS,
    "clock-jump": Extent.ROWS,
    "uneven-time": Extent.ROWS,
    "encoder-spike": Extent.ROWS,
    "encoder-jump": Extent.ROWS,
    "stuck-encoder": Extent.ROWS,
    "saturated": Extent.ROWS,
    "outside-stroke": Extent.ROWS,
    "overspeed": Extent.ROWS,
    "outside-workspace": Extent.ROWS,
    "singular": Extent.ROWS,
    "pose-mismatch": Extent.ROWS,
    "time-unit": Extent.WHOLE_LOG,
    "angle-unit": Extent.WHOLE_LOG,
    "length-unit": Extent.WHOLE_LOG,
    "position-sign": Extent.WHOLE_LOG,
    "swapped-positions": Extent.WHOLE_LOG,
    "wrong-robot": Extent.WHOLE_LOG,
    "dead-position": Extent.WHOLE_LOG,
    "constant-force": Extent.WHOLE_LOG,
    "equal-columns": Extent.WHOLE_LOG,
    "no-motion": Extent.WHOLE_LOG,
    "too-short": Extent.WHOLE_LOG,
    "slow-sampling": Extent.WHOLE_LOG,
    "coarse-encoder": Extent.WHOLE_LOG,
    "force-unit": Extent.WHOLE_LOG,
    "force-sign": Extent.WHOLE_LOG,
    "swapped-forces": Extent.WHOLE_LOG,
    "delayed-force": Extent.WHOLE_LOG,
    "short-stretch": Extent.CONSEQUENCE,
}
"""Every kind of damage, and how much of a log it concerns."""

UNUSABLE = frozenset(
    [
        "text",
        "empty-value",
        "decimal-comma",
        "ragged",
        "truncated",
        "nan",
        "infinite",
        "backwards-time",
        "repeated-time",
        "outside-workspace",
        "singular",
        "too-short",
        "time-unit",
        "wrong-robot",
    ]
)
"""Kinds of damage that cannot be accepted, for nothing can be computed from such rows or such a log."""

MOST_A_PAGE = 200
"""Places of one kind in one column of a page beyond which they are told, and cut, as one."""


@dataclass(frozen=True)
class Damage:
    """Something that is wrong with a log."""

    kind: str
    """Which kind of damage it is, one of KINDS."""
    start: float | None
    """When it begins, by the clock of the log [s]; None where it concerns the whole log."""
    end: float | None
    """When it ends, by the clock of the log [s]; None where it concerns the whole log."""
    column: str | None
    """Header of the column as it stands in the file; None where no single one is to blame."""
    value: float | None
    """The worst value, in the unit the message gives."""
    message: str
    """What is wrong, and what to do about it where that is known."""

    def __str__(self) -> str:
        when = "" if self.start is None else f"at {self.start:.6g} s"
        if self.start is not None and self.end is not None and self.end != self.start:
            when = f"from {self.start:.6g} to {self.end:.6g} s"
        where = "" if self.column is None else f"column '{self.column}'"
        place = ", ".join(part for part in (when, where) if part)
        return f"{self.kind}: {place}: {self.message}" if place else f"{self.kind}: {self.message}"


@dataclass(frozen=True)
class Mark:
    """Damage by rows instead of times. Where `first` and `stop` are equal, it is a break before that row."""

    kind: str
    """Which kind of damage it is, one of KINDS."""
    first: int
    """First damaged row."""
    stop: int
    """Row after the last damaged one."""
    column: int | None
    """Number of the signal; None where no single one is to blame."""
    value: float | None
    """The worst value, in the unit the message gives."""
    message: str
    """What is wrong."""


def merged(marks: Iterable[Mark]) -> list[Mark]:
    """Join marks of one kind and column that touch; the joint mark has the worst value and its message."""
    result: list[Mark] = []
    latest: dict[tuple[str, int | None], int] = {}
    for mark in sorted(marks, key=lambda m: (m.first, m.stop)):
        key = (mark.kind, mark.column)
        index = latest.get(key)
        if index is not None and mark.first < mark.stop and mark.first <= result[index].stop > result[index].first:
            last = result[index]
            worse = max((last, mark), key=lambda m: abs(m.value or 0.0))
            stop = max(last.stop, mark.stop)
            result[index] = Mark(mark.kind, last.first, stop, mark.column, worse.value, worse.message)
        else:
            latest[key] = len(result)
            result.append(mark)
    return result


def gathered(marks: Iterable[Mark]) -> list[Mark]:
    """Return the marks of a page, with one over all their rows where a kind has more than MOST_A_PAGE in a column."""
    groups: dict[tuple[str, int | None], list[Mark]] = {}
    for mark in marks:
        groups.setdefault((mark.kind, mark.column), []).append(mark)
    result: list[Mark] = []
    for (kind, column), group in groups.items():
        if len(group) <= MOST_A_PAGE or kind == "stuck-encoder":
            result += group
            continue
        worst = max(group, key=lambda m: abs(m.value or 0.0))
        message = f"{worst.message}; {len(group)} such places close together"
        result.append(Mark(kind, group[0].first, max(m.stop for m in group), column, worst.value, message))
    return result

"""What was found wrong with a log, and what became of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

ROWS = "rows"
WHOLE = "whole"
NOTE = "note"

KINDS: dict[str, str] = {
    "text": ROWS,
    "empty-value": ROWS,
    "decimal-comma": ROWS,
    "ragged": ROWS,
    "truncated": ROWS,
    "nan": ROWS,
    "infinite": ROWS,
    "backwards-time": ROWS,
    "repeated-time": ROWS,
    "gap": ROWS,
    "clock-jump": ROWS,
    "uneven-time": ROWS,
    "encoder-spike": ROWS,
    "encoder-jump": ROWS,
    "stuck-encoder": ROWS,
    "saturated": ROWS,
    "outside-stroke": ROWS,
    "overspeed": ROWS,
    "outside-workspace": ROWS,
    "singular": ROWS,
    "pose-mismatch": ROWS,
    "time-unit": WHOLE,
    "angle-unit": WHOLE,
    "length-unit": WHOLE,
    "position-sign": WHOLE,
    "swapped-positions": WHOLE,
    "wrong-robot": WHOLE,
    "dead-position": WHOLE,
    "constant-force": WHOLE,
    "equal-columns": WHOLE,
    "no-motion": WHOLE,
    "too-short": WHOLE,
    "slow-sampling": WHOLE,
    "coarse-encoder": WHOLE,
    "force-unit": WHOLE,
    "force-sign": WHOLE,
    "swapped-forces": WHOLE,
    "delayed-force": WHOLE,
    "short-stretch": NOTE,
}
"""Kind -> can be cut out by rows, speaks against the whole log, or follows from cutting."""


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
"""Nothing can be computed from these, so that they cannot be accepted."""

MOST_A_PAGE = 200
"""Damage that is denser is told, and cut, as one."""


@dataclass(frozen=True)
class Finding:
    """start, end [s]: when, by the log's own clock; None for all of it. column: as in the file. value: the worst."""

    kind: str
    start: float | None
    end: float | None
    column: str | None
    value: float | None
    message: str

    def __str__(self) -> str:
        when = "" if self.start is None else f"at {self.start:.6g} s"
        if self.start is not None and self.end is not None and self.end != self.start:
            when = f"from {self.start:.6g} to {self.end:.6g} s"
        where = "" if self.column is None else f"column '{self.column}'"
        place = ", ".join(part for part in (when, where) if part)
        return f"{self.kind}: {place}: {self.message}" if place else f"{self.kind}: {self.message}"


@dataclass(frozen=True)
class Mark:
    """A finding by rows, first to before stop; a break before the row where both are equal. column: which signal."""

    kind: str
    first: int
    stop: int
    column: int | None
    value: float | None
    message: str


def merged(marks: Iterable[Mark]) -> list[Mark]:
    """Marks of one kind and column that touch become one, with the worst value and its message."""
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
    """The marks of one page; where one kind has more than MOST_A_PAGE in a column, one over all their rows."""
    groups: dict[tuple[str, int | None], list[Mark]] = {}
    for mark in marks:
        groups.setdefault((mark.kind, mark.column), []).append(mark)
    result: list[Mark] = []
    for (kind, column), group in groups.items():
        if len(group) <= MOST_A_PAGE or kind == "stuck-encoder":
            result += group
            continue
        worst = max(group, key=lambda m: abs(m.value or 0.0))
        said = f"{worst.message}; {len(group)} such places close together"
        result.append(Mark(kind, group[0].first, max(m.stop for m in group), column, worst.value, said))
    return result

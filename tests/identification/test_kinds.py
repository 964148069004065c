"""Damage as data: marks that are joined, what is refused, and how it reads."""

from __future__ import annotations

import pytest

from parakin.errors import BadLogError
from parakin.identification.damage.inspection import DamageRule
from parakin.identification.damage.kinds import KINDS, MOST_A_PAGE, UNUSABLE, Damage, Extent, Mark, gathered, merged


def mark(first: int, stop: int, value: float = 1.0, kind: str = "nan", column: int | None = 2) -> Mark:
    return Mark(kind, first, stop, column, value, f"value {value:g}")


def test_marks_that_touch_become_one_with_the_worst_value() -> None:
    assert merged([mark(8, 12, -5.0), mark(3, 8, 2.0)]) == [mark(3, 12, -5.0)]
    assert merged([mark(3, 9), mark(5, 7, 0.5)]) == [mark(3, 9)]


def test_marks_apart_or_of_other_columns_and_kinds_stay_apart() -> None:
    marks = [mark(0, 2), mark(3, 4), mark(4, 5, column=3), mark(5, 6, kind="infinite")]
    assert merged(marks) == marks


def test_breaks_are_joined_with_nothing() -> None:
    marks = [mark(4, 4, kind="gap"), mark(4, 4, kind="gap"), mark(4, 6, kind="gap")]
    assert merged(marks) == marks


def test_dense_damage_is_told_as_one() -> None:
    many = [mark(2 * k, 2 * k + 1, float(k)) for k in range(MOST_A_PAGE + 1)]
    assert gathered(many[:-1]) == many[:-1]
    (one,) = gathered(many)
    assert (one.first, one.stop, one.value) == (0, 2 * MOST_A_PAGE + 1, float(MOST_A_PAGE))
    assert one.message == f"value {MOST_A_PAGE}; {MOST_A_PAGE + 1} such places close together"
    stuck = [mark(2 * k, 2 * k + 1, kind="stuck-encoder") for k in range(MOST_A_PAGE + 1)]
    assert gathered(stuck) == stuck


@pytest.mark.parametrize(
    ("start", "end", "column", "text"),
    [
        (None, None, None, "nan: no number"),
        (1.5, 1.5, None, "nan: at 1.5 s: no number"),
        (1.5, 2.0, "q1 [rad]", "nan: from 1.5 to 2 s, column 'q1 [rad]': no number"),
        (None, None, "q1 [rad]", "nan: column 'q1 [rad]': no number"),
    ],
)
def test_damage_reads_when_and_where(start: float | None, end: float | None, column: str | None, text: str) -> None:
    assert str(Damage("nan", start, end, column, None, "no number")) == text


ROWS = Damage("saturated", 1.0, 2.0, "tau1", 3.0, "all it has")
WHOLE = Damage("no-motion", None, None, None, 0.0, "nothing moves")


def test_damage_is_refused_unless_it_can_be_cut_or_is_accepted() -> None:
    with pytest.raises(BadLogError, match=r"saturated.*\n?.*cut what is damaged \(--damage cut,.*or accept kinds"):
        DamageRule("log.csv").check([ROWS])
    assert DamageRule("log.csv", "cut").check([ROWS]) == (ROWS,)
    assert DamageRule("log.csv", "refuse", frozenset({"saturated"})).check([ROWS]) == (ROWS,)
    with pytest.raises(BadLogError, match="this cannot be cut: mend the log or its mapping"):
        DamageRule("log.csv", "cut").check([ROWS, WHOLE])
    assert DamageRule("log.csv", "cut", frozenset({"no-motion"})).check([WHOLE, ROWS]) == (WHOLE, ROWS)


def test_nothing_unusable_is_unknown_and_consequences_are_not_refused() -> None:
    assert set(KINDS) >= UNUSABLE
    assert [kind for kind, extent in KINDS.items() if extent is Extent.CONSEQUENCE] == ["short-stretch"]
    short = Damage("short-stretch", 1.0, 2.0, None, None, "too short")
    assert DamageRule("log.csv", "cut").check([short]) == (short,)

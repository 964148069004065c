"""An exciting motion as text and as data."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from parakin.identification.excitation import Excitation, ExciteOptions, Hidden, Quality, Weak
from parakin.identification.excitation.result import LISTED_WEAK
from parakin.motions import PLANAR_TRANSLATION
from parakin.trajectory.motions.fourier import Series


class _Base:
    rank = 20
    names, units, values = ("a.m",), ("kg",), np.array([2.0])


class _Motion:
    duration = 3.0
    kind = PLANAR_TRANSLATION


def excitation(weak: int = 0, hidden: tuple[Hidden, ...] = (), interrupted: bool = False) -> Excitation:
    kind: Literal["small"] = "small"
    one = Weak("a.m", "kg", 2.0, 0.5, 0.5, 1.0, kind, "small force")
    base: Any = _Base()
    motion: Any = _Motion()
    check: Any = "within limits"
    return Excitation(
        robot="five_bar",
        options=ExciteOptions(period=1.5, harmonics=3, periods=2),
        series=Series(np.zeros(1), np.ones((1, 3)), np.full((1, 3), 2.0), 1 / 1.5),
        motion=motion,
        limit_check=check,
        shares={"box": 0.5, "stroke": 0.0, "speed": 0.9},
        start=motion,
        before=Quality(np.eye(2), np.array([4.0, 1.0]), 3.0),
        after=Quality(np.eye(2), np.array([2.0, 1.0]), 1.5),
        base=base,
        sizes=np.array([2.5]),
        deviations=np.array([0.5]),
        weak=(one,) * weak,
        hidden=hidden,
        starts=2,
        evaluations=7,
        interrupted=interrupted,
    )


def test_every_line_of_the_text() -> None:
    assert str(excitation(weak=1, hidden=(Hidden("b.my", "gravity"), Hidden("c.mz", "motion")))).splitlines() == [
        "five_bar: 3 harmonics of 1.5 s in platform coordinates, 20 base parameters",
        "condition number 4 before, 2 after",
        "the same with columns of unit length 3 before, 1.5 after",
        "log-determinant 2.773 before, 1.386 after",
        "7 evaluations from 2 starts",
        "within limits",
        "used: box 50 %, speed 90 %",
        "poorly excited: 1 of 20 deviate by more than 10 % after 2 periods at 1000 Hz with noise of 1 %",
        "  a.m: ± 50 %: small force",
        "without effect in any motion: 1 parameters (symmetry, axes that nothing turns about)",
        "without effect as gravity points: b.my",
    ]


def test_gravity_is_not_mentioned_where_it_hides_nothing() -> None:
    text = str(excitation(hidden=(Hidden("c.mz", "motion"),)))
    assert "without effect in any motion: 1 parameters" in text
    assert "as gravity points" not in text


def test_long_lists_are_cut_and_interruptions_told() -> None:
    text = str(excitation(weak=LISTED_WEAK + 3, interrupted=True))
    assert text.count("  a.m: ") == LISTED_WEAK
    assert "  and 3 more" in text
    assert "7 evaluations from 2 starts, interrupted" in text
    assert "more\n" not in str(excitation(weak=LISTED_WEAK))


def test_data_for_programs_are_complete() -> None:
    data = excitation(weak=1).as_dict()
    assert data["series"] == {"offset": [0.0], "sine": [[1.0] * 3], "cosine": [[2.0] * 3]}
    assert data["parameters"] == [{"name": "a.m", "unit": "kg", "value": 2.0, "size": 2.5, "deviation": 0.5}]
    assert (data["duration"], data["frequency"], data["limit_check"]) == (3.0, 1 / 1.5, "within limits")
    after: Any = data["after"]
    assert (after["condition"], after["condition_of_unit_columns"]) == (2.0, 1.5)
    assert (data["starts"], data["evaluations"], data["interrupted"]) == (2, 7, False)
    (one,) = data["weak"]  # type: ignore[misc]
    assert one["kind"] == "small"

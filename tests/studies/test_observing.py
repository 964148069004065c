"""The page on observing: its rows are those that its tool measures, and a shared wrong model is told as such."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import parakin as pk
from tools import observing_page

PAGE = Path(__file__).parents[2] / "docs" / "studies" / "observing.md"
WRITTEN = 1e-3
"""Share of all parameters that are left as they are: inertias of nacelle bodies that do not turn count for nothing."""


def test_rows_of_the_page_are_those_measured_and_law_and_observer_share_a_wrong_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    robot = pk.load("quattro")
    laws: dict[int, float] = {}
    observers: list[float] = []
    given: list[tuple[float, float]] = []

    def law_of(believed: pk.Robot, *_: Any, **__: Any) -> object:
        law = object()
        laws[id(law)] = float(np.sum(believed.parameters) / np.sum(robot.parameters)) - 1
        kept.append(law)
        return law

    def rig_with(believed: pk.Robot) -> object:
        observers.append(float(np.sum(believed.parameters) / np.sum(robot.parameters)) - 1)
        return object()

    def errors(plant: pk.Robot, law: object, _: object, scenarios: Sequence[Any]) -> tuple[np.ndarray, int]:
        assert plant is robot
        given.append((laws[id(law)], observers[-1] if len(scenarios) > 1 else np.nan))
        return np.zeros((1, 3)), 0

    kept: list[object] = []
    for name, stub in {"law_of": law_of, "rig_with": rig_with, "errors": errors}.items():
        monkeypatch.setattr(observing_page, name, stub)
    monkeypatch.setattr(observing_page, "camera_sensor", lambda *_: None)
    rows = [row[0] for row in observing_page.tracking(robot)]
    page = PAGE.read_text(encoding="utf-8")
    table = page.partition("<!-- tracking -->\n")[2].partition("<!-- /tracking -->")[0]
    assert [line.split(" | ")[0].removeprefix("| ") for line in table.splitlines()[2:]] == rows
    for row, (law, observer) in zip(rows, given, strict=True):
        shared = "law" in row
        assert law == pytest.approx((0.05 if "+5 %" in row else -0.05) if shared else 0.0, abs=WRITTEN)
        if shared and "observer" in row:
            assert observer == pytest.approx(law)
    assert "has the exact masses, inertias and friction of the simulated robot in every row" in " ".join(page.split())

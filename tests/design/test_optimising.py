"""Slopes against differences; optima and fronts that are known in closed form."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parakin import design
from parakin.design.optimising import descend
from parakin.design.slopes import Slopes
from parakin.errors import DesignError
from tests.design.studies import changed, evaluator

WANTED: dict[str, dict[str, Any]] = {
    "force": {"of": "cycle_force"},
    "mean_force": {"of": "cycle_force", "reduce": "mean"},
    "speed": {"of": "cycle_speed"},
    "power": {"of": "cycle_power", "reduce": "rms"},
    "condition": {"of": "condition"},
    "mean_condition": {"of": "condition", "reduce": "mean"},
    "mass": {"of": "mass"},
    "frequency": {"of": "frequency"},
}
DIFFERENCES = 1e-7
"""Of a slope: central differences over 1e-6 of a length have 1e-10 of rounding in a value, and no more of the third
derivative."""


def test_slopes_are_those_of_differences() -> None:
    """Home goes with a parameter, so that poses of the region do too."""
    keys = dict(changed().keys) | {"workspace.home[1]": "0.2 + arm / 2 + forearm / 8"}
    study = changed(objectives=WANTED, constraints=None, keys=keys, analysis={"drive_stiffness": 2e4})
    made = evaluator(study)
    x, h = np.array([0.251, 0.327]), 1e-6
    slopes = Slopes(made.source, tuple(WANTED), made.rows_at)  # pyright: ignore[reportArgumentType]
    ends = [made.evaluate(x + sign * h * np.eye(2)) for sign in (1, -1)]
    for name in WANTED:
        line = slopes.at(name, x)
        assert line.values[0] == pytest.approx(made.evaluate(x)[name][0], rel=1e-11)
        differences = (ends[0][name] - ends[1][name]) / (2 * h)
        assert np.allclose(line.slopes[0], differences, rtol=0.0, atol=DIFFERENCES * np.abs(differences).max()), name


def isotropic(**changes: Any) -> design.Study:
    """Return the five-bar at one pose on its axis, where a forearm at 45 degrees makes it isotropic."""
    tables: dict[str, Any] = {
        "parameters": {"forearm": {"lower": 0.33, "upper": 0.56, "points": 24}},
        "keys": {
            "legs[side].elements[forearm].length": "forearm",
            "legs[side].elements[forearm].bodies[link].mass": "forearm",
        },
        "region": {"lower": [0.0, 0.0], "upper": [0.0, 0.0], "points": [1, 1]},
        "sampling": {"method": "grid"},
        "volume": None,
        "cycle": None,
        "objectives": {"condition": {"of": "condition"}, "mass": {"of": "mass"}},
        "constraints": None,
    }
    return changed(**(tables | changes))


def best_forearm() -> float:
    """Return the forearm of a symmetric five-bar with the tip at (0, h) that is isotropic there.

    Rows of J_qv are (±s_x, s_y)/(s·t), s along a forearm, so that the condition number is max(|s_x/s_y|, |s_y/s_x|),
    1 for s at 45 degrees: the elbow is at (w, h - w), on the circle (w - a)^2 + (h - w)^2 = l^2 about the motor.
    """
    a, h, arm = 0.1, 0.36, 0.25
    w = (a + h + math.sqrt((a + h) ** 2 - 2 * (a**2 + h**2 - arm**2))) / 2
    return math.sqrt(2) * w


@pytest.mark.parametrize("start", [pytest.param(0.35, marks=pytest.mark.slow), 0.55])
def test_a_local_search_finds_the_isotropic_five_bar(start: float) -> None:
    made = evaluator(isotropic())
    x = descend(made, "condition", np.array([start]), 60)
    assert x[0] == pytest.approx(best_forearm(), abs=1e-7)
    assert made.evaluate(x)["condition"][0] == pytest.approx(1.0, abs=1e-6)


def test_the_front_between_mass_and_condition_ends_at_the_isotropic_one(tmp_path: Path) -> None:
    """Mass grows with the forearm, and the condition number falls up to the isotropic one: beyond it nothing is won."""
    study = isotropic()
    work = design.work_of(study, ".")
    found = design.gather(work, design.run_study(work, tmp_path / "parts"))
    every = np.linspace(0.33, 0.56, 24)
    values = evaluator(study).evaluate(every[:, None])["condition"]
    first_beyond = every[every > best_forearm()][0]
    known = every[every < best_forearm()]
    if values[every == first_beyond][0] < values[every == known[-1]][0]:
        known = np.append(known, first_beyond)
    assert np.allclose(np.sort(found.column("forearm")), known)
    assert found.counts[design.DesignStatus.GOOD] == 24


def test_a_minimum_of_the_worst_is_where_two_values_meet() -> None:
    """The least worst condition number over several poses has a kink; both sides of it are worse."""
    study = isotropic(region={"lower": [0.0, -0.06], "upper": [0.0, 0.06], "points": [1, 3]})
    made = evaluator(study)
    x = descend(made, "condition", np.array([0.4]), 60)
    near = made.evaluate(x + np.array([[-1e-4], [0.0], [1e-4]]))["condition"]
    assert near[1] < min(near[0], near[2])
    rows = np.sort(made.rows_at("condition", x[None])[0])
    assert rows[-1] == pytest.approx(rows[-2], rel=1e-6)


def test_evolution_finds_it_too_and_constraints_hold(tmp_path: Path) -> None:
    tables = {"method": "evolution", "objective": "condition", "steps": 40, "population": 16}
    study = isotropic(optimise=tables, constraints={"heavy": {"of": "mass", "most": 2.1}})
    work, made = (
        design.work_of(study, "."),
        evaluator(isotropic(optimise=tables, constraints=study.model_dump()["constraints"])),
    )
    found = design.gather(work, design.run_study(work, tmp_path / "parts"))
    better = design.improve(made, found)
    row = dict(zip(found.names, better.table[0], strict=True))
    limit = 2.1 / 2 - 0.6
    assert row["forearm"] == pytest.approx(min(limit, best_forearm()), abs=1e-3)
    assert row["forearm"] <= limit
    assert row["status"] == 0
    assert "evolution for condition" in better.origins[0]


def test_what_is_counted_has_no_slopes() -> None:
    made = evaluator(changed())
    with pytest.raises(DesignError, match='volume is counted pose by pose and has no slope: take method = "evolution"'):
        descend(made, "reach", np.array([0.25, 0.32]), 5)


def test_pymoo_is_asked_for_where_it_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    study = isotropic(optimise={"method": "front"})
    work = design.work_of(study, ".")
    found = design.gather(work, design.run_study(work, tmp_path / "parts"))
    monkeypatch.setitem(__import__("sys").modules, "pymoo.core.problem", None)
    with pytest.raises(DesignError, match=r"needs pymoo: pip install 'parakin\[design\]'"):
        design.improve(evaluator(study), found)


def test_nsga_stays_on_the_known_front(tmp_path: Path) -> None:
    pytest.importorskip("pymoo")
    study = isotropic(optimise={"method": "front", "steps": 8, "population": 16})
    work = design.work_of(study, ".")
    found = design.gather(work, design.run_study(work, tmp_path / "parts"))
    better = design.improve(evaluator(study), found)
    assert len(better.table) >= 8
    assert (better.table[:, 1] <= best_forearm() + 0.01).all()
    assert (better.table[:, -1] == 0).all()

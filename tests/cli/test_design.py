"""The command `design`: what it prints and writes, resumes and refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import parakin as pk
from parakin.cli import app
from parakin.tables import open_table

STUDY = """
name = "links"
title = "Links of a five-bar"
robot = "five_bar"
parameters.arm = { lower = 0.2, upper = 0.28, points = 5, unit = "m", key = "legs[side].elements[arm].length" }
parameters.forearm = { lower = 0.22, upper = 0.55, points = 5, unit = "m", key = "legs[side].elements[forearm].length" }
sampling = { method = "grid" }
region = { lower = [-0.1, -0.1], upper = [0.1, 0.05], points = [3, 3] }
objectives.condition = { of = "condition" }
objectives.speed = { of = "velocity", reduce = "mean" }
optimise = { method = "local", objective = "condition", starts = 1, steps = 10 }
"""


def run(*arguments: str) -> tuple[int, str, str]:
    """Return exit code, standard output and standard error of the command."""
    result = CliRunner().invoke(app, ["design", *arguments])
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture
def study(tmp_path: Path) -> Path:
    file = tmp_path / "study.toml"
    file.write_text(STUDY, encoding="utf-8")
    return file


def test_a_study_is_run_resumed_and_written(study: Path) -> None:
    out = study.parent / "out"
    code, text, wrong = run(str(study), "-o", str(out))
    assert code == 0, wrong
    assert "Links of a five-bar: 25 designs: " in text
    assert "chosen, local search for condition from row" in text
    assert sorted(path.name for path in out.iterdir()) == [
        *("chosen.toml", "designs.parquet", "front.csv", "parallel.png", "parts", "tradeoff.png")
    ]
    table = open_table(out / "designs.parquet")
    assert table.names == ("row", "arm", "forearm", "condition", "speed", "status")
    assert table.read()[:, 0].tolist() == list(range(25))
    robot = pk.load(out / "chosen.toml")
    assert "design study links, local search for condition" in robot.description.source
    code, _, wrong = run(str(study), "-o", str(out))
    assert code == 1
    assert "holds this job already: resume it (--resume), or give another folder" in wrong
    code, text, _ = run(str(study), "-o", str(out), "--resume", "--json")
    found = json.loads(text)
    assert code == 0
    assert sum(found["status"].values()) == found["designs"] == 25
    assert found["chosen"]["condition"] <= min(row["condition"] for row in found["front"])
    assert robot.legs[0].elements[0].length == pytest.approx(found["chosen"]["arm"], rel=1e-15)
    assert found["slow"] == ""


def test_a_study_without_a_good_design_says_what_became_of_them(study: Path) -> None:
    study.write_text(STUDY.replace("optimise", "constraints.c = { of = 'mass', most = 0.1 }\noptimise"))
    code, text, wrong = run(str(study), "-o", str(study.parent / "out"))
    assert code == 1
    assert "a constraint does not hold" in text
    assert "no design is good: widen bounds or constraints" in wrong
    assert (study.parent / "out" / "designs.parquet").exists()
    assert not (study.parent / "out" / "chosen.toml").exists()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('of = "velocity"', 'of = "velocty"', "objectives.speed.of: must be one of mass, volume,"),
        ("lower = 0.2, upper = 0.28", "lower = 0.3, upper = 0.28", "lower must be below upper, got 0.3 and 0.28"),
        ('robot = "five_bar"', 'robot = "five_baar"', "no robot 'five_baar'"),
        ("elements[arm].length", "elements[amr].length", "has no entry 'amr'; it has arm, forearm"),
        ('method = "grid"', 'method = "gird"', "sampling.method"),
        ("points = [3, 3]", "points = [3, 3, 3]", "lower, upper and points have one number for each coordinate"),
        ('of = "condition"', 'of = "stiffness"', "nothing is elastic"),
        ('of = "condition"', 'of = "cycle_force"', "cycle_force is judged on a cycle: add [cycle] with its motion"),
        ('objective = "condition"', 'objective = "c"', "no objective 'c'; there are condition, speed"),
        ("title =", "tilte =", "tilte: is no key of a study"),
    ],
)
def test_a_study_that_cannot_be_is_refused_before_anything_is_written(
    study: Path, old: str, new: str, message: str
) -> None:
    study.write_text(STUDY.replace(old, new), encoding="utf-8")
    code, _, wrong = run(str(study), "-o", str(study.parent / "out"))
    assert code == 1
    assert message in wrong
    assert not (study.parent / "out").exists()


@pytest.mark.slow
def test_a_mechanism_is_studied_the_slow_way(tmp_path: Path) -> None:
    """A robot is made for each design, which the command says; values are those of the robots."""
    study = tmp_path / "study.toml"
    study.write_text(
        """
name = "link"
title = "A four-bar"
robot = "four_bar"
parameters.mass = { lower = 0.4, upper = 0.6, points = 2, key = "bodies[1].mass" }
sampling = { method = "grid" }
objectives.heavy = { of = "mass" }
objectives.inertia = { of = "inertia_free" }
"""
    )
    code, text, wrong = run(str(study), "-o", str(tmp_path / "out"), "--json")
    assert code == 0, wrong
    assert "slow: a robot is made for each design, for mechanisms of bodies and joints" in wrong
    assert json.loads(text)["designs"] == 2

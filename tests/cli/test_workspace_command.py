"""`parakin workspace` and `parakin check --thorough`: files, numbers as JSON, and refusals in words."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from parakin.analysis import workspace
from parakin.cli import app
from parakin.tables import open_table
from tests.robots import robot_named


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def test_files_and_numbers_are_those_of_the_function(tmp_path: Path) -> None:
    done = run("workspace", "five_bar", "--levels", "2", "--fit", "box", "--parquet", "--json", "-o", str(tmp_path))
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    found = workspace(robot_named("five_bar"), levels=2)
    assert told["volume"] == {"home": found.volume(), "all": found.volume("all")}
    assert told["unit"] == "m^2"
    assert told["fitted"]["shape"] == "box"
    with np.load(tmp_path / "workspace.npz") as arrays:
        np.testing.assert_array_equal(arrays["codes"], found.lattice.codes)
        assert arrays["causes"][0] == "reachable"
    rows = open_table(tmp_path / "workspace.parquet").read()
    np.testing.assert_array_equal(rows[:, 2], found.lattice.codes.ravel())
    assert (tmp_path / "workspace.png").read_bytes()[:4] == b"\x89PNG"


def test_a_search_is_kept_refused_and_resumed(tmp_path: Path) -> None:
    command = ("workspace", "five_bar", "--levels", "1", "--folder", str(tmp_path / "job"), "--json")
    first = run(*command, "-o", str(tmp_path / "one"))
    assert first.exit_code == 0, first.output
    assert sorted(path.name for path in (tmp_path / "job").iterdir())[:2] == ["boundary-0", "boundary-1"]
    again = run(*command, "-o", str(tmp_path / "two"))
    assert again.exit_code == 1
    assert "holds this job already: resume it (--resume), or give another folder" in again.output
    resumed = run(*command, "--resume", "-o", str(tmp_path / "two"))
    assert resumed.stdout == first.stdout
    wrong = run("workspace", "five_bar", "--resume", "-o", str(tmp_path / "two"))
    assert "--resume: needs the --folder of the job that is to go on" in wrong.output


@pytest.mark.slow
def test_slices_orientations_and_singular_poses(tmp_path: Path) -> None:
    done = run(
        *("workspace", "planar_3rrr", "--orientation", "phi=-0.3:0.3:3", "--slice", "y=0.02", "--levels", "2"),
        *("--singular", "-o", str(tmp_path)),
    )
    assert done.exit_code == 0, done.output
    assert "workspace over x: " in done.output
    assert "from home, type 2 singularity within 0.1159 m" in done.output
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("singular_poses.npz", "singular_poses.png", "singularity.png", "singularity_type_1.png"),
        *("workspace.npz", "workspace.png"),
    ]


def test_blanks_between_axes_do_not_matter(tmp_path: Path) -> None:
    done = run("workspace", "five_bar", "--axes", "y, x", "--levels", "0", "--json", "-o", str(tmp_path))
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["axes"] == ["y", "x"]


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--slice", "z", "--slice: must read name=number, such as z=-0.8, got 'z'"),
        ("--slice", "w=1", "no coordinate 'w'"),
        ("--orientation", "phi=1:2", "must read name=angle or name=from:to:count"),
        ("--levels", "40", "levels: must be 0 to"),
        ("--slice", "x=0,y=0.3", "every coordinate that varies by itself is held: leave one out"),
        ("--slice", "x=0,x=0.1", "--slice: x is given twice: 0 and 0.1"),
        ("--slice", "x=nan", "x: must be finite, got nan"),
        ("--axes", "x, x", "x is named twice in x, x"),
        ("--orientation", "x=0.1", "it is a length and no angle"),
        ("--orientation", "phi=0:1:inf", "at most 10,000 of them, got phi=0:1:inf"),
        ("--orientation", "phi=0:1:1e9", "at most 10,000 of them, got phi=0:1:1e9"),
        ("--clearance", "0.05", "no two parts of five_bar have a `radius`"),
    ],
)
def test_what_cannot_be_read_is_told(option: str, value: str, said: str, tmp_path: Path) -> None:
    done = run("workspace", "five_bar", option, value, "-o", str(tmp_path / "out"))
    assert done.exit_code == 1
    assert said in done.output
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_thorough_check_has_every_topic_and_a_remedy_for_what_is_not_good() -> None:
    done = run("check", "five_bar", "--thorough", "--json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    topics = {finding["topic"] for finding in told["findings"]}
    assert topics >= {
        *("numbers", "mobility", "redundant constraints", "closure", "branches", "box", "condition number"),
        *("nearest singularity", "workspace", "limits", "default gains"),
    }
    assert all(finding["remedy"] for finding in told["findings"] if finding["grade"] != "good")


@pytest.mark.slow
def test_a_thorough_check_names_what_is_to_be_mended(tmp_path: Path) -> None:
    text = robot_named("five_bar").to_toml()
    file = tmp_path / "wide.toml"
    file.write_text(text.replace("lower = [-0.18, -0.14]", "lower = [-0.5, -0.14]"), encoding="utf-8")
    assert "-0.5" in file.read_text(encoding="utf-8")
    done = run("check", str(file), "--thorough")
    assert done.exit_code == 1
    assert "problem  box: " in done.output
    assert "make `workspace.lower` and `upper` smaller" in done.output

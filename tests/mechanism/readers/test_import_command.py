"""`parakin import` writes a robot file and tells the report."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import parakin as pk
from parakin.cli import app
from tests.mechanism.readers import texts


def run(*words: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["import", *map(str, words)])
    return done.exit_code, done.stdout, done.stderr


@pytest.fixture
def urdf(tmp_path: Path) -> Path:
    path = tmp_path / "robot.urdf"
    path.write_text(texts.URDF)
    (tmp_path / "loops.yaml").write_text(texts.URDF_LOOPS)
    return path


def test_writes_a_robot_file(urdf: Path, tmp_path: Path) -> None:
    target = tmp_path / "robot.toml"
    code, out, err = run(urdf, "-o", target, "--loops", tmp_path / "loops.yaml", "--output", "rocker")
    assert code == 0, err
    assert "dropped: <visual> in line 6: a shape" in out
    assert "motors: crank.angle" in out
    written = pk.load(target)
    (tmp_path / "robot.yaml").write_text(texts.URDF_LOOPS)
    direct = pk.load(urdf)
    state = written.sample_states(3)
    assert np.array_equal(written.inverse_dynamics(*state), direct.inverse_dynamics(*state))
    assert written.graph_description.output.body == "rocker"


def test_the_report_as_json(urdf: Path) -> None:
    code, out, _ = run(urdf, "--json", "--drive", "crank")
    told = json.loads(out)
    assert code == 0
    assert (told["imported"], told["dialect"], told["motors"]) == (True, "URDF", ["crank.angle"])
    assert {"kind", "place", "words"} == set(told["entries"][0])


def test_refusals(urdf: Path, tmp_path: Path) -> None:
    urdf.write_text(texts.URDF.replace("</robot>", '<gazebo><joint name="loop"/></gazebo></robot>'))
    code, out, _ = run(urdf, "--json")
    told = json.loads(out)
    assert code == 1
    assert told["imported"] is False
    assert [entry["kind"] for entry in told["entries"]].count("refused") == 1
    code, _, err = run(urdf)
    assert code == 1
    assert "leave it out (--without loop)" in err
    assert run(urdf, "--without", "loop")[0] == 0
    code, _, err = run(urdf, "--drive", "cranck", "--without", "loop")
    assert code == 1
    assert "did you mean 'crank'?" in err
    assert run(urdf, "-o", tmp_path)[0] == 1

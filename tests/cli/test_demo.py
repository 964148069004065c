"""`parakin demo`: what a newcomer sees first."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from parakin.cli import app, demo


def test_the_demo_shows_forces_laws_c_and_a_picture(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["demo", "-o", str(tmp_path)])
    assert done.exit_code == 0, done.output
    said = done.stdout
    rows = {line.split()[0]: line for line in said.splitlines() if line.startswith("   ")}
    assert {"virtual-work", "body-by-body", "simplified", *demo.LAWS} <= set(rows)
    exact, rough = (float(rows[name].rsplit(" %")[0].split()[-1]) for name in ("body-by-body", "simplified"))
    assert exact < 1e-9 < rough
    errors = [float(rows[law].split()[1]) for law in demo.LAWS]
    assert errors[1] < errors[0]
    names = {path.name for path in tmp_path.iterdir()}
    c = {"delta_torques.c", "delta_torques.h", "delta_torques_selftest.c"}
    assert names == {"delta.html", "delta.png", "forces.png", "errors.png", *c}
    assert all(name in said for name in names)
    assert said.rstrip().splitlines()[-3].startswith("  your own robot")
    if shutil.which("gcc"):
        assert "its self-test passes" in said


def test_the_demo_says_so_without_gcc_and_if_the_self_test_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bad.c").write_text("int unused;\n")
    (tmp_path / "bad_selftest.c").write_text("int main(void) { return 1; }\n")
    if shutil.which("gcc"):
        assert demo._self_test(tmp_path, "bad") == "ITS SELF-TEST FAILS"
        (tmp_path / "bad.c").write_text("nonsense\n")
        assert demo._self_test(tmp_path, "bad").startswith("gcc refused it: ")
        assert not (tmp_path / "selftest").exists()
    monkeypatch.setenv("PATH", "")
    assert demo._self_test(tmp_path, "bad") == "gcc is not installed, so its self-test was not run"

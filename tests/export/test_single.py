"""Controllers in single precision: C has the bits of the rounded loop, and laws that lose too much are refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

import parakin as pk
from parakin import control
from parakin.cli import app
from parakin.errors import CExportError
from parakin.export import Precision, export_controller, export_fmu, precision
from tests.c_code import SANITIZED, STRICT, selftest

NARROW = [*STRICT, "-Wdouble-promotion", "-Wfloat-conversion"]
SLOW_LAWS = [law for law in control.LAWS if law != "pid"]


def check(robot: str, law: str, directory: Path, compiler: list[str] = NARROW) -> str:
    files = export_controller(control.law(law, pk.load(robot)).in_single(), directory, "one", force=True)
    assert "double" not in files.source.read_text()
    assert "double" not in files.header.read_text()
    run = selftest(directory, "one", compiler)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def test_c_has_the_bits_of_the_rounded_loop(tmp_path: Path) -> None:
    assert "2000 ticks, 0 values differ, the worst by 0.0e+00" in check("five_bar", "pid", tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("robot", "law"), [*(("five_bar", law) for law in SLOW_LAWS), ("h4", "computed_torque"), ("four_bar", "decoupling")]
)
def test_every_law_has_the_bits_of_its_rounded_loop(robot: str, law: str, tmp_path: Path) -> None:
    assert "2000 ticks, 0 values differ, the worst by 0.0e+00" in check(robot, law, tmp_path)


@pytest.mark.slow
def test_single_precision_is_clean_under_the_sanitizers(tmp_path: Path) -> None:
    check("h4", "computed_torque", tmp_path, SANITIZED)


def test_the_module_for_python_has_narrow_numbers(tmp_path: Path) -> None:
    law = control.law("pid", pk.load("five_bar")).in_single()
    files = export_controller(law, tmp_path, "one")
    page = files.readme.read_text()
    assert "must begin again before 2^24" in page
    assert "2^20" not in page, "there is no longer way for large angles"
    text = files.binding.read_text()
    assert "c_double" not in text
    assert "in single precision as in C" in text


FINE = Precision("pid", "five_bar", "m", (1e-4, 1.009e-4), (3e-4, 3.02e-4))


def test_what_single_precision_may_change() -> None:
    assert FINE.accepted
    assert replace(FINE, rms=(1e-7, 9e-7)).accepted, "less than 1 um"
    assert not replace(FINE, rms=(1e-4, 1.02e-4)).accepted
    assert not replace(FINE, peak=(3e-4, 2.9e-4)).accepted


def test_a_law_that_loses_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parakin.export.controller.SHARE", 0.0)
    monkeypatch.setattr("parakin.export.controller.FLOOR", 1e-15)
    law = control.law("pid", pk.load("five_bar")).in_single()
    with pytest.raises(CExportError, match="export it in double precision, or force it"):
        export_controller(law, tmp_path, "one")
    assert not list(tmp_path.iterdir())
    export_controller(law, tmp_path, "one", force=True)


def test_both_precisions_are_compared_on_one_loop() -> None:
    found = precision(control.law("pid", pk.load("five_bar")))
    assert found.accepted
    assert found.rms[0] != found.rms[1]
    assert "um rms" in str(found)


def test_units_and_models_are_not_narrow(tmp_path: Path) -> None:
    with pytest.raises(CExportError, match="units compute in double precision"):
        export_fmu(control.law("pid", pk.load("five_bar")).in_single(), tmp_path / "one.fmu")
    run = CliRunner().invoke(app, ["export-c", "five_bar", "--float32", "-o", str(tmp_path)])
    assert run.exit_code == 1
    assert "--float32 is for controllers" in run.output


def test_the_commands_take_the_option(tmp_path: Path) -> None:
    options = ["--controller", "pid", "--float32", "-o", str(tmp_path)]
    assert CliRunner().invoke(app, ["export-c", "five_bar", *options]).exit_code == 0
    assert "float tau[2]" in (tmp_path / "five_bar_pid.h").read_text()
    run = CliRunner().invoke(app, ["simulate", "five_bar", *options, "--guard", "--state"])
    assert run.exit_code == 0, run.output
    assert "state.guard_status" in (tmp_path / "log.csv").read_text().splitlines()[0]

"""Gains files: what is written is read again, and gains of another robot, law or period are refused in words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import parakin as pk
from parakin import control
from parakin.cli import app
from parakin.errors import ControlError


@pytest.fixture(scope="module")
def robot() -> pk.Robot:
    return pk.load("five_bar")


@pytest.mark.parametrize("name", ["pid", "predictive_functional"])
def test_gains_are_read_as_they_were_written(name: str, robot: pk.Robot, tmp_path: Path) -> None:
    law = control.law(name, robot)
    rng = np.random.default_rng(5)
    law = law.with_gains(**{g.name: rng.uniform(0.0, 1e4, len(g.values)) for g in law.interface.gains})
    read = control.read_gains(control.write_gains(tmp_path / "gains.toml", law, 'a "source"\nof \\ two lines'))
    assert (read.robot, read.law, read.period) == (robot.name, name, 1e-3)
    assert read.source == 'a "source"?of \\ two lines'
    again = read.applied(control.law(name, robot))
    assert again.gains.tobytes() == law.gains.tobytes()
    assert dict(read.units) == {g.name: g.unit for g in law.interface.gains}


def test_gains_for_something_else_are_refused_unless_forced(robot: pk.Robot, tmp_path: Path) -> None:
    law = control.law("computed_torque", robot).with_gains(K_p=123.0)
    read = control.read_gains(control.write_gains(tmp_path / "g.toml", law))
    others = {
        r"g.toml: robot: the gains are those of five_bar, not of delta": ("computed_torque", "delta", 1e-3),
        r"g.toml: law: the gains are those of computed_torque, not of decoupling: ": ("decoupling", "five_bar", 1e-3),
        r"g.toml: period: the gains are for ticks every 0.001 s, not every 0.00": ("computed_torque", "five_bar", 2e-3),
    }
    for message, (name, other, period) in others.items():
        target = control.law(name, pk.load(other), period)
        with pytest.raises(ControlError, match=message):
            read.applied(target)
        assert read.applied(target, force=True).gains[0] == 123.0
    with pytest.raises(ControlError, match=r"gains.K_p: is in 1/s\^2, and pid takes it in N m/rad"):
        read.applied(control.law("pid", robot), force=True)
    with pytest.raises(ControlError, match=r"gains.K_d: predictive_functional has no such gain; it has K_p, K_v"):
        read.applied(control.law("predictive_functional", robot), force=True)


GOOD = 'robot = "five_bar"\nlaw = "pid"\nperiod = 0.001\nsource = ""\n'
BAD = {
    "robot = 3": "robot: must be a text: write the file with",
    GOOD: "gains: must be a table with one for each gain",
    f"{GOOD}[gains]\nK_p = 3": "gains.K_p: must have a unit",
    f"{GOOD}[gains.K_p]\nunit = '1'\nvalues = [nan]": "gains.K_p: must have a unit",
    f"{GOOD}[gains.K_p]\nunit = '1'\nvalues = [true]": "gains.K_p: must have a unit",
    f"{GOOD}[gains.K_p]\nunit = '1'\nvalues = []": "gains.K_p: must have a unit",
    f"{GOOD}[gains.K_p]\nunit = '1'\nvalues = [1]\nmore = 2": "gains.K_p: must have a unit",
    f"{GOOD}more = 1": "more: is not known here; a gains file has robot, law, period, source, gains",
    "robot = ": "file: is not TOML",
}


@pytest.mark.parametrize("text", BAD)
def test_what_is_wrong_in_a_file_is_said(text: str, tmp_path: Path) -> None:
    (tmp_path / "g.toml").write_text(text)
    with pytest.raises(ControlError) as raised:
        control.read_gains(tmp_path / "g.toml")
    assert BAD[text] in str(raised.value)
    with pytest.raises(ControlError, match="cannot be read: No such file"):
        control.read_gains(tmp_path / "none.toml")
    with pytest.raises(ControlError, match="cannot be written"):
        control.write_gains(tmp_path / "none" / "g.toml", control.law("pid", pk.load("five_bar")))


def test_the_number_of_values_is_checked(robot: pk.Robot, tmp_path: Path) -> None:
    (tmp_path / "g.toml").write_text(f"{GOOD}[gains.K_p]\nunit = 'N m/rad'\nvalues = [1, 2, 3]\n")
    with pytest.raises(ControlError, match=r"gains.K_p: has 3 values, and pid takes 2"):
        control.read_gains(tmp_path / "g.toml").applied(control.law("pid", robot))


def test_commands_refuse_gains_of_others(robot: pk.Robot, tmp_path: Path) -> None:
    law = control.law("pid", robot).with_gains(K_p=(151.0, 152.0), K_d=4.0, K_i=0.0)
    path = str(control.write_gains(tmp_path / "g.toml", law))

    def command(*arguments: str):
        return CliRunner().invoke(app, [*arguments, "--gains", path])

    for words in (
        ("export-c", "five_bar", "--controller", "feedforward"),
        ("export-fmu", "five_bar", "--controller", "feedforward", "-o", str(tmp_path / "f.fmu")),
        ("simulate", "five_bar", "--controller", "feedforward"),
        ("tune", "five_bar", "--controller", "feedforward"),
    ):
        refused = command(*words)
        assert refused.exit_code == 1
        assert "law: the gains are those of pid, not of feedforward" in refused.stderr, words
    assert "a model has none" in command("export-c", "five_bar").stderr
    assert "a plant has none" in command("export-fmu", "five_bar", "-o", str(tmp_path / "f.fmu")).stderr
    assert "leave --gains or --compare out" in command("simulate", "five_bar", "--compare", "pid,feedforward").stderr

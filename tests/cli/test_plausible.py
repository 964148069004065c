"""Values that are hardly what was meant are refused with the likely unit; plausible twins are let through."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
import typer
from typer.testing import CliRunner

import parakin as pk
from parakin import control
from parakin.cli import app
from parakin.cli.loop_options import carried, picked_up
from parakin.cli.plausible import plausible
from parakin.errors import SimulationError

IMPLAUSIBLE = [
    (("simulate", "delta", "--period", "1"), "--period: 1 s is implausible, at most 0.1 s is expected", "0.001"),
    (("tune", "delta", "--period", "2"), "--period: 2 s is implausible", "0.002"),
    (("export-c", "delta", "--period", "1"), "--period: 1 s is implausible", "0.001"),
    (("simulate", "delta", "--period", "1e-9"), "at least 1e-06 s is expected", ""),
    (("simulate", "delta", "--noise", "0.5"), "--noise: 0.5 m or rad is implausible", "0.0005"),
    (("simulate", "delta", "--filter", "0.2"), "--filter: 0.2 Hz is implausible", "200"),
    (("simulate", "delta", "--counts", "1e-5"), "--counts: 1e-05 counts per m or rad is implausible", ""),
    (("excite", "delta", "--use", "90"), "--use: 90 of the limit is implausible", "0.9"),
    (("excite", "delta", "--noise", "2"), "--noise: 2 of the limit is implausible", "0.02"),
    (("excite", "delta", "--rest", "500"), "--rest: 500 s is implausible", "0.5"),
    (("excite", "delta", "--rate", "1"), "--rate: 1 Hz is implausible", "1000"),
    (("excite", "delta", "--period", "1e6"), "--period: 1e+06 s is implausible", "1000"),
    (("identify", "delta", "log.csv", "--average", "50"), "--average: 50 s is implausible", "0.05"),
    (("identify", "delta", "log.csv", "--cutoff", "0.05"), "--cutoff: 0.05 Hz is implausible", "50"),
    (("motion", "delta", "pick_and_place", "--cycle", "1e5"), "--cycle: 100000 s is implausible", "100"),
    (("motion", "delta", "pick_and_place", "--width", "305"), "--width: 305 m is implausible", "0.305"),
    (("motion", "h4", "pick_and_place", "--turn", "-90"), "--turn: -90 rad is implausible", "-1.5708"),
    (("forces", "delta", "lift", "--rate", "2"), "--rate: 2 Hz is implausible", "2000"),
    (("map", "delta", "--of", "force", "--slice", "z=-500"), "--slice: z = -500 m is implausible", "-0.5"),
    (("map", "delta", "--of", "force", "--range", "x=-300:300"), "--range: x = -300 m is implausible", "-0.3"),
    (
        ("map", "gough_stewart", "--of", "force", "--orientation", "30,0,0"),
        "--orientation: rx = 30 rad is implausible, at most 6.5 rad is expected",
        "0.523599",
    ),
    (
        ("workspace", "gough_stewart", "--axes", "x,y", "--orientation", "rx=30"),
        "--orientation: rx = 30 rad is implausible",
        "0.523599",
    ),
    (("workspace", "delta", "--slice", "z=-450"), "--slice: z = -450 m is implausible", "-0.45"),
    (("workspace", "delta", "--clearance", "50"), "--clearance: 50 m is implausible", "0.05"),
    (
        ("map", "four_bar", "--of", "force", "--slice", "crank.angle=90"),
        "crank.angle = 90 rad is implausible",
        "1.5708",
    ),
]


@pytest.mark.parametrize(("call", "message", "meant"), IMPLAUSIBLE)
def test_implausible_values_are_questioned(
    call: tuple[str, ...], message: str, meant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, list(call))
    assert done.exit_code == 1
    assert f"{call[0]}: {message}" in done.stderr or message in done.stderr
    if meant:
        assert done.stderr.endswith(f"meant? Then give {meant}\n"), done.stderr
    assert not list(tmp_path.iterdir())


def judged(value: float | None, *, signed: bool = False) -> float | None:
    judge = plausible("s", least=1e-3, most=10.0, smaller=("ms", 1e-3), larger=("ks", 1e3), signed=signed)
    context = cast(typer.Context, SimpleNamespace(info_name="test", resilient_parsing=False))
    return judge(context, cast(typer.CallbackParam, SimpleNamespace(opts=["-x", "--example"])), value)


@pytest.mark.parametrize("value", [None, 1e-3, 1.0, 10.0, 0.0, -50.0, float("inf"), float("nan")])
def test_plausible_values_and_those_with_rules_of_their_own_pass(value: float | None) -> None:
    assert judged(value) is value


@pytest.mark.parametrize("value", [50.0, 1e-4, 1e9])
def test_what_no_unit_explains_is_refused_without_a_guess(value: float, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit):
        judged(value)
    said = capsys.readouterr().err
    assert said.startswith("test: --example: ")
    assert ("meant?" in said) == (value != 1e9)


def test_negative_angles_are_judged_by_their_size(capsys: pytest.CaptureFixture[str]) -> None:
    assert judged(-5.0, signed=True) == -5.0
    with pytest.raises(typer.Exit):
        judged(-50.0, signed=True)
    assert "Were -50 ms meant? Then give -0.05" in capsys.readouterr().err


def test_payloads_are_weighed_against_the_robot() -> None:
    robot = pk.load("delta")
    with pytest.raises(SimulationError, match=r"300 kg is more than 20 times .* Were 300 g meant\? Then give 0\.3"):
        carried(robot, 300.0)
    found = carried(robot, 3.0)
    assert found is not None
    assert found.mass == 3.0


def test_a_payload_is_picked_up_during_the_motion() -> None:
    robot = pk.load("five_bar")
    still = control.hold(robot, robot.home, 0.5, 1e-3)
    assert picked_up(0.3, still) == 0.3
    with pytest.raises(SimulationError, match=r"300 s is after the end of the motion, .* Then give 0\.3"):
        picked_up(300.0, still)

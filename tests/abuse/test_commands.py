"""Commands with numbers that no one means: an answer in one line, never a traceback, never a half-written file."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from parakin.cli import app

HOSTILE = ("nan", "inf", "-inf", "-1", "0", "1e308", "1e-308")
NUMBERS = {
    "motion": (
        ("pick_and_place",),
        ("--cycle", "--duration", "--width", "--height", "--blend", "--turn", "--payload", "--rate"),
    ),
    "motion circle": (("circle",), ("--diameter", "--speed", "--tilt", "--turns", "--ramp")),
    "forces": (("lift",), ("--payload", "--rate")),
    "simulate": (
        ("--motion", "lift"),
        ("--period", "--payload", "--payload-time", "--counts", "--noise", "--filter", "--mismatch", "--smoothing"),
    ),
}
CASES = [
    (command, option, value) for command, (_, options) in NUMBERS.items() for option in options for value in HOSTILE
]


@pytest.mark.parametrize(("command", "option", "value"), CASES)
def test_no_number_brings_a_traceback(
    command: str, option: str, value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(
        app, [command.split(maxsplit=1)[0], "five_bar", *NUMBERS[command][0], f"{option}={value}"]
    )
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code in (0, 1, 2, 4)
    if done.exit_code in (1, 2):
        assert done.stderr.strip()
        assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "content",
    [b"", b"\x00" * 64, b"t [s]\n", b"t [s],x [m]\n0,1\n", b"PK\x03\x04", "t [s],q.a [rad]\n0,1\n".encode("utf-16")],
)
@pytest.mark.parametrize("command", [("forces", "five_bar"), ("simulate", "five_bar", "--motion")])
def test_files_that_hold_no_motion_are_refused(
    command: tuple[str, ...], content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("m.csv").write_bytes(content)
    done = CliRunner().invoke(app, [*command, "m.csv"])
    assert done.exit_code == 1, done.exception
    assert done.stderr.startswith("m.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["m.csv"]


def test_a_motion_of_another_robot_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(app, ["motion", "delta", "lift", "-o", "m.csv"]).exit_code == 0
    for command in (("forces", "five_bar"), ("simulate", "five_bar", "--motion")):
        done = CliRunner().invoke(app, [*command, "m.csv"])
        assert done.exit_code == 1, done.exception
        assert "the motion is translation, five_bar is planar-translation" in done.stderr

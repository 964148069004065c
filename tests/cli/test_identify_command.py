"""`parakin identify` as it is typed: what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from parakin import control
from parakin.cli import app
from parakin.simulation import Scenario, simulate, write_log
from parakin.trajectory import fourier
from tests.robots import robot_named


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    robot = robot_named("five_bar")
    law = control.law("computed_torque", robot).with_gains(K_p=10_000.0, K_d=90.0, K_i=0.0)
    followed = control.reference(robot, fourier(robot), law.period)
    run = simulate(robot, law, followed, Scenario(noise=1e-6))
    return write_log(tmp_path_factory.mktemp("log") / "log.npz", run)


def identify(log: Path, output: Path, *options: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["identify", "five_bar", str(log), "-o", str(output), *options])
    assert done.exception is None or isinstance(done.exception, SystemExit)
    return done.exit_code, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--cutoff", "nan"), "cutoff: must be finite and > 0 Hz, got nan"),
        (("--cutoff", "600"), "cutoff: must be below half the sampling rate, 500 Hz, got 600"),
        (("--period", "-1"), "period: must be finite and > 0 s, got -1"),
        (("--average", "nan"), "average: must be finite and >= 0 s, got nan"),
        (("--force-delay", "inf"), "force_delay: must be finite, got inf"),
        (("--reversals", "nan"), "reversals: must be finite and >= 0 s, got nan"),
        (("--reversals", "-1"), "reversals: must be finite and >= 0 s, got -1"),
    ],
)
def test_nonsense_is_refused_in_a_line(options: tuple[str, str], message: str, log: Path, tmp_path: Path) -> None:
    code, _, said = identify(log, tmp_path, *options)
    assert (code, message in said) == (1, True), said
    assert not list(tmp_path.iterdir())


def test_an_unknown_method_is_a_wrong_call(log: Path, tmp_path: Path) -> None:
    code, _, said = identify(log, tmp_path, "--method", "magic")
    assert (code, "'magic'" in said) == (2, True), said


def test_a_place_that_cannot_be_written_is_told_before_the_work(log: Path) -> None:
    code, _, said = identify(log, log)
    assert code == 1
    assert f"{log}: cannot be written" in said

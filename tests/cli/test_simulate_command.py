"""`parakin simulate` as it is typed: files as motions, runs that fail, laws that cannot be matched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from parakin import control, simulation, trajectory
from parakin.cli import app
from parakin.robot import Robot
from tests.robots import robot_named

UNSTABLE = ("--period", "0.03", "--delay")
"""A tick so long that gains for 1 kHz are unstable on a Gough-Stewart platform, and leave its reach."""


@pytest.fixture
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """Computed torque with the gains of [Vivas2003] whatever the period; default gains are slower at a longer one."""

    def made(robot: Robot, period: float) -> control.Law:
        return control.computed_torque(robot, period).with_gains(K_p=10_000.0, K_d=90.0, K_i=0.0)

    monkeypatch.setitem(control.LAWS, "computed_torque", made)


def run(*arguments: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.stdout, done.stderr


def test_a_motion_file_is_followed_as_the_motion_it_was_made_of(tmp_path: Path) -> None:
    robot = robot_named("five_bar")
    file = trajectory.write_csv(tmp_path / "m.csv", trajectory.lift(robot).sampled(1000), robot)
    assert run("simulate", "five_bar", "--motion", file, "-o", tmp_path / "a")[0] == 0
    assert run("simulate", "five_bar", "--motion", "lift", "-o", tmp_path / "b")[0] == 0
    assert (tmp_path / "a" / "log.csv").read_bytes() == (tmp_path / "b" / "log.csv").read_bytes()
    code, _, said = run("simulate", "five_bar", "--motion", file, "--period", "0.0007", "-o", tmp_path / "c")
    assert code == 1
    assert "a sample every 0.001 s does not meet ticks every 0.0007 s: sample the motion at 1428.57 Hz" in said


def test_a_path_of_times_and_positions_is_followed_from_rest_to_rest(tmp_path: Path) -> None:
    path = tmp_path / "path.csv"
    path.write_text("t,x,y\n0,0,0.36\n0.2,0.03,0.37\n0.4,0,0.36\n")
    code, _, said = run("simulate", "five_bar", "--motion", path, "-o", tmp_path / "out")
    assert code == 0
    assert "path.csv: velocity and acceleration are derived by a spline through the points of the file" in said
    assert len(simulation.read_log(tmp_path / "out" / "log.csv")) >= 400


def test_an_end_that_still_moves_is_not_held(tmp_path: Path) -> None:
    robot = robot_named("five_bar")
    samples = trajectory.lift(robot).sampled(1000)
    half = trajectory.Samples(
        samples.kind, *(v[:250] for v in (samples.t, samples.pose, samples.velocity, samples.acceleration))
    )
    file = trajectory.write_csv(tmp_path / "m.csv", half)
    assert run("simulate", "five_bar", "--motion", file, "-o", tmp_path / "a")[0] == 0
    assert len(simulation.read_log(tmp_path / "a" / "log.csv")) == 250


@pytest.mark.usefixtures("fast")
@pytest.mark.filterwarnings("always::parakin.errors.LoopWarning")
def test_a_failed_run_says_so_first_and_exits_with_4(tmp_path: Path) -> None:
    code, said, warned = run("simulate", "gough_stewart", *UNSTABLE, "--force", "-o", tmp_path)
    assert code == 4
    assert warned.count("warning: computed_torque on gough_stewart: the loop is unstable: its largest pole is ") == 1
    assert said.startswith("FAILED at ")
    assert "is at its force limit for" in said
    assert {path.name for path in tmp_path.iterdir()} == {"log.csv", "forces.png", "errors.png", "report.html"}
    code, said, _ = run("simulate", "gough_stewart", *UNSTABLE, "--force", "--json", "-o", tmp_path)
    assert (code, json.loads(said)["failed"]) == (4, True)


@pytest.mark.usefixtures("fast")
def test_an_unstable_loop_is_refused_and_nothing_written(tmp_path: Path) -> None:
    code, _, said = run("simulate", "gough_stewart", *UNSTABLE, "-o", tmp_path / "out")
    assert code == 1
    assert "the loop is unstable: its largest pole is " in said
    assert "or force it" in said
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_law_that_cannot_be_matched_is_left_out(tmp_path: Path) -> None:
    call = ("simulate", "gough_stewart", "--period", "0.01", "--delay", "--compare", "pid,computed_torque")
    code, said, _ = run(*call, "--target", "0.08", "-o", tmp_path)
    assert code == 0
    assert said.startswith("pid is left out: it cannot be given a delay margin of 80 ms: it reaches ")
    assert {path.name for path in tmp_path.iterdir()} == {
        "gains_computed_torque.toml",
        "log_computed_torque.csv",
        "forces.png",
        "errors.png",
        "report.html",
    }


@pytest.mark.filterwarnings("ignore::parakin.errors.LoopWarning")
def test_a_machine_as_it_is(tmp_path: Path) -> None:
    """Springs, play and all else are told on the command line, and change what a run does."""
    plain = ("simulate", "five_bar", "--motion", "lift", "--force", "--json")
    springs = ("--elastic", 600, "--backlash", 1e-4, "--breakaway", 150, "--jitter", 2e-5, "--torque-step", 0.01)
    more = ("--ripple", "0.05,24,1.57", "--cable", "0,1,0:20:0.4")
    code, said, _ = run(*plain, *springs, *more, "-o", tmp_path / "out")
    assert code == 0
    assert json.loads(said) != json.loads(run(*plain, "-o", tmp_path / "rigid")[1])


def test_springs_of_a_redundant_machine_are_given_by_their_stiffness(tmp_path: Path) -> None:
    given = ("simulate", "redundant_4rrr", "--stiffness", 5e5, "--elastic-damping", 3, "--json")
    code, said, _ = run(*given, "-o", tmp_path / "out")
    assert code == 0
    assert '"completed"' in said


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--backlash", 1e-4), "rigid drives have neither: give --elastic or --stiffness"),
        (("--elastic", 250, "--stiffness", 10), "elastic: give either frequency or stiffness"),
        (("--elastic", 0.25), "Were 0.25 kHz meant? Then give 250"),
        (("--breakaway", 1.5), "must be at least 100 % of Coulomb friction, got 1.5"),
        (("--ripple", "0.05"), "must read like 0.05,24 or 0.05,24,1.57, got '0.05'"),
        (("--cable", "0,0,1"), "must read like 0,0,0.5:20:0.6 or 0,0,0.5:0:0:5, got '0,0,1'"),
        (("--jitter", 1e-3), "must be >= 0 and less than half a tick, 0.0005 s, got 0.001 s"),
    ],
)
def test_a_machine_that_cannot_be_meant_is_refused(tmp_path: Path, options: tuple[object, ...], words: str) -> None:
    code, _, said = run("simulate", "five_bar", *options, "-o", tmp_path / "out")
    assert code != 0
    assert words in " ".join(said.split())

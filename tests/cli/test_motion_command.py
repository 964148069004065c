"""Motions and their forces as they are typed: made, checked, stretched, written, read again."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import parakin as pk
from parakin import trajectory
from parakin.cli import app
from parakin.cli.loop_options import motion_for
from parakin.cli.motion_options import motion_or_samples
from parakin.errors import MotionFileError, UnknownNameError
from parakin.tables import open_table
from parakin.trajectory.files import actuator_columns
from tests.robots import robot_named


def run(*arguments: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.stdout, done.stderr


def test_a_motion_beyond_limits_is_written_stretched_or_when_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "new" / "m.csv"
    call = ("motion", "delta", "pick_and_place", "--cycle", "0.3", "-o", file)
    code, _, said = run(*call)
    assert (code, file.exists()) == (1, False)
    assert "speed of leg1.arm: -19.34 rad/s" in said
    assert "--stretch slows it down" in said
    code, said, _ = run(*call, "--stretch")
    assert code == 0
    assert "stretched by 1.077" in said
    robot = robot_named("delta")
    samples = trajectory.read_csv(file)
    assert trajectory.check(samples, robot).good
    assert samples.velocity[-1] == pytest.approx(np.zeros(3), abs=1e-12)
    code, said, _ = run(*call, "--anyway")
    assert (code, "not possible" in said) == (0, True)
    assert trajectory.read_csv(file).t[-1] == pytest.approx(0.3)


def test_the_fastest_motion_is_written_in_whole_samples(tmp_path: Path) -> None:
    file, robot = tmp_path / "m.csv", robot_named("delta")
    call = ("motion", "delta", "pick_and_place", "--fastest", "-o", file)
    code, said, _ = run(*call)
    assert code == 0
    assert said.startswith("fastest along its path: 0.234")
    assert "held back by force of leg1.arm" in said
    samples = trajectory.read_csv(file)
    assert trajectory.check(samples, robot).good
    assert samples.t[-1] == pytest.approx(0.235)
    assert samples.velocity[-1] == pytest.approx(np.zeros(3), abs=1e-12)
    code, said, _ = run(*call, "--acceleration", "20", "--json")
    told = json.loads(said)
    assert (code, told["good"]) == (0, True)
    assert told["duration"] > told["fastest"] > 0.3
    assert set(told["held_back"]) >= {"acceleration x", "acceleration z"}
    assert np.abs(trajectory.read_csv(file).acceleration).max() <= 20.0


def test_fastest_goes_with_its_own_options_only(tmp_path: Path) -> None:
    call = ("motion", "delta", "pick_and_place", "-o", tmp_path / "m.csv")
    for wrong in (("--fastest", "--stretch"), ("--fastest", "--anyway"), ("--acceleration", "5")):
        code, _, said = run(*call, *wrong)
        assert code == 2
        assert "--fastest" in said
    code, _, said = run(*call, "--fastest", "--acceleration", "-5")
    assert code == 1
    assert "acceleration: one number or 3, all > 0" in said


def test_set_points_of_actuators_stand_beside_those_of_the_platform(tmp_path: Path) -> None:
    file, robot = tmp_path / "m.csv", robot_named("five_bar")
    assert run("motion", "five_bar", "lift", "--duration", "0.4", "--rate", "500", "-o", file)[0] == 0
    table = open_table(file)
    samples, values = trajectory.read_csv(file), table.read()
    assert table.names[-6:] == actuator_columns(robot)
    assert table.names[-6:][::2] == ("q.side1.arm [rad]", "q_dot.side1.arm [rad/s]", "q_ddot.side1.arm [rad/s^2]")
    assert values[:, -6:-4] == pytest.approx(robot.inverse_kinematics(samples.pose))
    assert values[:, -4:-2] == pytest.approx(robot.actuator_velocity(samples.pose, samples.velocity))
    assert len(samples.t) == 201


@pytest.mark.parametrize("name", sorted(trajectory.MOTIONS))
def test_every_motion_has_a_duration(name: str, tmp_path: Path) -> None:
    code, said, _ = run("motion", "h4", name, "--duration", "4", "--json", "-o", tmp_path / "m.npz")
    assert code == 0
    found = json.loads(said)
    assert (found["good"], found["duration"], found["samples"]) == (True, 4.0, 4001)


def test_options_of_other_motions_are_refused(tmp_path: Path) -> None:
    code, _, said = run("motion", "delta", "circle", "--cycle", "2", "-o", tmp_path / "m.csv")
    assert code == 1
    assert "circle: cycle: is no option of this motion, which has diameter, speed" in said
    code, _, said = run("motion", "delta", "point_to_point", "--start", "0,a", "-o", tmp_path / "m.csv")
    assert (code, "must be numbers with commas between them, got '0,a'" in said) == (1, True)
    code, _, said = run("motion", "delta", "m.csv")
    assert (code, "a file is checked by `parakin forces`" in said) == (1, True)
    code, _, said = run("motion", "delta", "circel")
    assert (code, "did you mean 'circle'?" in said) == (1, True)
    assert not list(tmp_path.iterdir())


def test_poses_are_given_as_numbers(tmp_path: Path) -> None:
    file = tmp_path / "m.csv"
    ends = ("--start", "0.05,0,-0.43", "--goal=-0.05,0,-0.4")
    assert run("motion", "delta", "point_to_point", *ends, "-o", file)[0] == 0
    assert trajectory.read_csv(file).pose[[0, -1]].tolist() == [[0.05, 0.0, -0.43], [-0.05, 0.0, -0.4]]
    via = ("--pose", "0,0,-0.43", "--pose", "0.05,0,-0.43", "--pose", "0,0,-0.43", "--times", "0,0.5,1.5")
    assert run("motion", "delta", "via_points", *via, "-o", file)[0] == 0
    assert trajectory.read_csv(file).pose[500] == pytest.approx([0.05, 0, -0.43])


def test_forces_of_a_file_are_printed_and_written(tmp_path: Path) -> None:
    file, robot = tmp_path / "m.csv", robot_named("delta")
    samples = trajectory.lift(robot).sampled(200)
    trajectory.write_csv(file, samples)
    code, said, _ = run("forces", "delta", file, "-o", tmp_path / "out")
    assert code == 0
    assert said.splitlines()[0].split()[0] == "actuator"
    tau = robot.inverse_dynamics(samples.pose, samples.velocity, samples.acceleration)
    assert f"{abs(tau[:, 0]).max():.4g}" in said.splitlines()[1]
    assert (tmp_path / "out" / "forces.png").read_bytes().startswith(b"\x89PNG")
    table = open_table(tmp_path / "out" / "forces.csv")
    assert table.names[7:] == (
        *(f"tau.leg{k}.arm [N m]" for k in (1, 2, 3)),
        *(f"power.leg{k}.arm [W]" for k in (1, 2, 3)),
    )
    assert np.array_equal(table.read()[:, 7:10], tau)
    code, said, _ = run("forces", "delta", file, "--payload", "1", "--json", "-o", tmp_path / "out")
    heavy = json.loads(said)
    assert heavy["actuators"][0]["force_peak"] > abs(tau[:, 0]).max()


def test_forces_beyond_limits_are_told_first_and_poses_out_of_reach_refused(tmp_path: Path) -> None:
    file, robot = tmp_path / "m.csv", robot_named("delta")
    quick = trajectory.pick_and_place(robot, cycle=0.2).sampled(1000)
    trajectory.write_csv(file, quick)
    code, said, _ = run("forces", "delta", file, "-o", tmp_path / "out")
    assert (code, said.splitlines()[0]) == (0, "beyond limits:")
    far = trajectory.Samples(quick.kind, quick.t, quick.pose - 2.0, quick.velocity, quick.acceleration)
    trajectory.write_csv(file, far)
    code, _, said = run("forces", "delta", file, "-o", tmp_path / "other")
    assert (code, "cannot close" in said, (tmp_path / "other").exists()) == (1, True, False)


def test_a_motion_is_a_name_or_a_file(tmp_path: Path) -> None:
    robot = robot_named("five_bar")
    file = trajectory.write_csv(tmp_path / "m.npz", trajectory.lift(robot).sampled(100), robot)
    assert isinstance(motion_or_samples(str(file), robot), trajectory.Samples)
    assert isinstance(motion_or_samples("lift", robot), trajectory.Motion)
    with pytest.raises(MotionFileError, match="cannot be read: No such file"):
        motion_or_samples("gone.csv", robot)
    with pytest.raises(UnknownNameError, match="did you mean 'lift'"):
        motion_or_samples("lifft", robot)


def test_the_last_sample_is_the_end_at_rest(tmp_path: Path) -> None:
    file = tmp_path / "m.csv"
    assert run("motion", "orthoglide", "circle", "-o", file)[0] == 0
    samples = trajectory.read_csv(file)
    assert samples.t[-1] == pytest.approx(1.414)
    assert np.abs(samples.velocity[-1]).max() < 1e-12


@pytest.mark.parametrize(
    ("robot", "goal", "answer"),
    [
        ("planar_3rrr", "0.05,0.03,10", "--goal: 10 rad is more than a turn. Were 10 degrees meant? Then give 0.1745"),
        ("gough_stewart", "0,0,0.8,0.1,0,0", "has 7 numbers (x, y, z, qw, qx, qy, qz), got 6"),
        ("delta", "0,0", "--goal: a pose of delta has 3 numbers (x, y, z), got 2"),
    ],
)
def test_poses_are_questioned_in_the_words_of_the_command(robot: str, goal: str, answer: str, tmp_path: Path) -> None:
    code, _, said = run("motion", robot, "point_to_point", "--goal", goal, "-o", tmp_path / "m.csv")
    assert code == 1
    assert answer in said


def test_a_peak_of_a_few_milliseconds_is_seen(tmp_path: Path) -> None:
    """A 4-RRR whose forearms point at the middle of its platform: the peak of its forces lies between 2001 states."""
    library = resources.files("parakin.mechanism").joinpath("library", "redundant_4rrr.toml")
    text = library.read_text(encoding="utf-8").replace("0.22, 0.22", "0.16, 0.16")
    for x, y in ((0.15, 0.0), (0.0, 0.15), (-0.15, 0.0), (0.0, -0.15)):
        text = text.replace(f"[{x}, {y}, 0.0]", f"[{0.6 * x - 0.4 * y:.2f}, {0.6 * y + 0.4 * x:.2f}, 0.0]")
    (tmp_path / "pointing.toml").write_text(text)
    code, _, told = run("motion", tmp_path / "pointing.toml", "via_points", "-o", tmp_path / "m.csv")
    assert code == 1
    assert "at 5.446 s" in told
    assert [path.name for path in tmp_path.iterdir()] == ["pointing.toml"]


def test_commands_of_loops_choose_a_motion_that_the_robot_has() -> None:
    assert motion_for(robot_named("delta"), None) == "pick_and_place"
    assert motion_for(pk.load("four_bar"), None) == "via_points"
    assert motion_for(pk.load("four_bar"), "fourier") == "fourier"


def test_a_path_without_velocities_has_forces_and_says_how_they_came(tmp_path: Path) -> None:
    path = tmp_path / "path.csv"
    path.write_text("t,x,y,z\n0,0,0,-0.45\n0.5,0.05,0,-0.45\n1,0.05,0.05,-0.45\n")
    code, out, said = run("forces", "delta", path, "-o", tmp_path / "out")
    assert code == 0
    assert "leg1.arm" in out
    assert "path.csv: velocity and acceleration are derived by a spline" in said

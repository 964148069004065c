"""Pictures and films: nothing is cut off, near hides far, files are written whole or not at all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from PIL import Image
from typer.testing import CliRunner

import parakin as pk
from parakin.cli import app
from parakin.errors import DataError, KernelInputError, LogFileError, UnknownNameError, UnreachablePoseError
from parakin.plots.files import png
from parakin.tables import write_table
from parakin.viewer import frames_at, scene_of
from parakin.viewer.camera import VIEWS
from parakin.viewer.drawing import model_of, painted
from parakin.viewer.film import Film, film
from parakin.viewer.picture import draw, round_length
from parakin.viewer.recording import Recording
from parakin.viewer.recording_files import read_recording
from tests.robots import robot_named


def run(*arguments: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    return done.exit_code, done.stdout, done.stderr


def bytes_of(axes: Axes) -> bytes:
    assert isinstance(axes.figure, Figure)
    return png(axes.figure)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", ["hexaglide", "five_bar", "quattro"])
def test_nothing_is_cut_off(name: str, view: str) -> None:
    axes = draw(robot_named(name), view=view)
    (surface,) = [one for one in axes.collections if isinstance(one, PolyCollection)]
    corners = np.concatenate([np.asarray(path.vertices) for path in surface.get_paths()])
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    assert left < corners[:, 0].min()
    assert corners[:, 0].max() < right
    assert bottom < corners[:, 1].min()
    assert corners[:, 1].max() < top


def test_straight_views_have_axes_with_units_and_all_have_a_scale_bar() -> None:
    robot = robot_named("five_bar")
    for view, labels in {"front": ("x [m]", "z [m]"), "side": ("y [m]", "z [m]"), "top": ("x [m]", "y [m]")}.items():
        axes = draw(robot, view=view)
        assert (axes.get_xlabel(), axes.get_ylabel()) == labels
        assert any(text.get_text().endswith("m") for text in axes.texts)
    axes = draw(robot)
    oblique = {text.get_text() for text in axes.texts}
    assert {"x", "y", "z"} < oblique
    (bar,) = axes.lines
    length = float(np.ptp(np.asarray(bar.get_xdata(), float)))
    assert oblique & {f"{length:g} m", f"{1000 * length:g} mm"}


def test_scale_bars_have_round_lengths() -> None:
    found = [round_length(x) for x in (0.1, 0.19, 0.2, 0.49, 3.0, 0.0051)]
    assert found == pytest.approx([0.1, 0.1, 0.2, 0.2, 2, 5e-3])


def test_what_is_nearer_is_painted_later_and_what_is_inside_is_left_out() -> None:
    robot = robot_named("gough_stewart")
    model = model_of(scene_of(robot))
    top = painted(model, frames_at(robot, robot.home)[0], VIEWS["top"])
    green = np.flatnonzero(top.colours[:, 1] > 1.5 * top.colours[:, 0])
    assert green.min() > len(top.corners) / 2  # the platform is above all legs
    every = sum(len(group) for mesh in model.meshes for group in mesh.faces)
    assert len(top.corners) < every / 2  # those that face away, and more


def test_a_pose_a_view_and_masses_are_drawn() -> None:
    robot = robot_named("five_bar")
    home = bytes_of(draw(robot))
    others = [draw(robot, robot.home + 0.02), draw(robot, view="front"), draw(robot, masses=True)]
    assert len({home, *map(bytes_of, others)}) == 4
    assert bytes_of(draw(robot)) == home
    with pytest.raises(UnreachablePoseError):
        draw(robot, [9.0, 9.0])
    with pytest.raises(UnknownNameError, match="no view 'above'; choose one of front, side, top, iso"):
        draw(robot, view="above")


def test_a_path_in_the_place_of_a_pose_is_told_where_it_belongs() -> None:
    with pytest.raises(KernelInputError, match=r"draw: pose: expected numbers; a picture is saved by .*, got 'x\.png'"):
        pk.draw(pk.load("five_bar"), "x.png")


def test_axes_of_the_caller_are_drawn_into() -> None:
    axes = Figure().add_subplot()
    assert pk.draw(robot_named("five_bar"), ax=axes) is axes


# Films -------------------------------------------------------------------------------------------------------------


def test_a_film_has_a_picture_for_each_moment_and_repeats_where_there_is_no_pose(tmp_path: Path) -> None:
    robot = robot_named("five_bar")
    poses = np.tile(robot.home, (5, 1)) + np.linspace(0, 0.04, 5)[:, None]
    poses[2] = 9.0
    told: list[tuple[int, int]] = []
    moving = Recording("film", np.arange(5) / 25, poses)
    lost = film(robot, moving, tmp_path / "f.gif", Film(), lambda k, n: told.append((k, n)))
    assert lost == 1
    assert told == [(k, 5) for k in range(1, 6)]
    with Image.open(tmp_path / "f.gif") as made:
        assert getattr(made, "n_frames", 1) == 4  # Pillow adds the time of a repeated picture to the one before
        assert made.info["duration"] == 40
    assert [path.name for path in tmp_path.iterdir()] == ["f.gif"]


def test_an_interrupted_film_leaves_what_was_there(tmp_path: Path) -> None:
    target = tmp_path / "f.gif"
    target.write_bytes(b"before")

    def stop(*_: int) -> None:
        raise KeyboardInterrupt

    robot = robot_named("five_bar")
    moving = Recording("film", np.arange(2) / 25, np.tile(robot.home, (2, 1)))
    with pytest.raises(KeyboardInterrupt):
        film(robot, moving, target, Film(), stop)
    assert target.read_bytes() == b"before"
    assert [path.name for path in tmp_path.iterdir()] == ["f.gif"]


def test_films_that_cannot_be_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    robot = robot_named("five_bar")
    moving = Recording("film", np.arange(2.0), np.tile(robot.home, (2, 1)))
    with pytest.raises(DataError, match=r"must end in .gif or .mp4"):
        film(robot, moving, tmp_path / "f.avi", Film())
    monkeypatch.setenv("PATH", "")
    with pytest.raises(DataError, match=r"ffmpeg, which is not installed: install it, or write a .gif"):
        film(robot, moving, tmp_path / "f.mp4", Film())
    long = Recording("film", np.array([0.0, 1e4]), np.tile(robot.home, (2, 1)))
    with pytest.raises(DataError, match=r"at most 1500: give a speed of 1.7e\+02 or more"):
        film(robot, long, tmp_path / "f.gif", Film())
    nowhere = Recording("film", np.arange(2.0), np.full((2, 2), 9.0))
    with pytest.raises(DataError, match="five_bar can be at none of its poses"):
        film(robot, nowhere, tmp_path / "f.gif", Film())
    assert not list(tmp_path.iterdir())


# Recordings --------------------------------------------------------------------------------------------------------


def test_poses_are_read_from_poses_or_from_actuators(tmp_path: Path) -> None:
    robot = robot_named("five_bar")
    t, poses = np.arange(6) / 10, robot.sample(6)
    write_table(tmp_path / "pose.csv", ["t [s]", "pose.x [m]", "pose.y [m]"], np.column_stack([t, poses]))
    write_table(tmp_path / "motion.csv", ["t [s]", "x [m]", "y [m]"], np.column_stack([t, poses]))
    names = [f"q.{name} [rad]" for name in robot.actuator_names]
    write_table(tmp_path / "q.csv", ["t [s]", *names], np.column_stack([t, robot.inverse_kinematics(poses)]))
    for name in ("pose", "motion", "q"):
        found = read_recording(tmp_path / f"{name}.csv", robot)
        assert np.allclose(found.pose, poses, atol=1e-9), name
        assert np.array_equal(found.t, t)
        assert np.allclose(found.sampled(5.0).pose, poses[[0, 2, 4]], atol=1e-9)
    write_table(tmp_path / "bad.csv", ["t [s]", "x [m]"], np.zeros((2, 2)))
    with pytest.raises(LogFileError, match="has columns t"):
        read_recording(tmp_path / "bad.csv", robot)


# Commands ----------------------------------------------------------------------------------------------------------


def test_the_command_draws_robots_and_mechanisms(tmp_path: Path) -> None:
    assert run("draw", "five_bar", "-o", tmp_path / "five.png")[0] == 0
    assert run("draw", "four_bar", "--view", "front", "-o", tmp_path / "four.svg")[0] == 0
    assert (tmp_path / "five.png").read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in (tmp_path / "four.svg").read_bytes()
    code, _, said = run("draw", "five_bar", "-o", tmp_path / "five.gif")
    assert (code, "a film is made of --log or --motion" in said) == (1, True)
    code, _, said = run("draw", "five_bar", "--pose", "0,1", "--motion", "lift", "-o", tmp_path / "five.gif")
    assert (code, "give one of them" in said) == (1, True)
    code, said, _ = run("draw", "four_bar", "--pose", "3.3", "-o", tmp_path / "far.png")
    assert (code, "note: crank.angle is at 3.3 rad" in said) == (0, True)
    code, _, said = run("draw", "five_bar", "-o", tmp_path / "missing" / "five.png")
    assert (code, "there is no directory" in said) == (1, True)


def test_the_command_makes_films_of_motions(tmp_path: Path) -> None:
    code, said, _ = run("draw", "five_bar", "--motion", "lift", "--speed", "4", "-o", tmp_path / "lift.gif")
    assert (code, said) == (0, f"written: {tmp_path / 'lift.gif'}\n")
    with Image.open(tmp_path / "lift.gif") as made:
        assert getattr(made, "n_frames", 1) > 3


def test_a_check_draws_home(tmp_path: Path) -> None:
    code, said, _ = run("check", "five_bar", "--draw", tmp_path / "home.png")
    assert code == 0
    assert "home" in said
    assert (tmp_path / "home.png").read_bytes().startswith(b"\x89PNG")
    code, _, said = run("check", "five_bar", "--draw", tmp_path / "home.pdf")
    assert (code, "a picture ends in .png or .svg" in said) == (1, True)


def test_info_says_how_to_see_it() -> None:
    assert "parakin draw five_bar -o five_bar.png" in run("info", "five_bar")[1]

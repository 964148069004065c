"""`parakin observe`: files, numbers as JSON, pictures from folders, and refusals in words."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner, Result

import parakin as pk
from parakin.cli import app
from parakin.cli.observe_pictures import rendered
from parakin.errors import DataError
from parakin.vision import read_rig

RIG = """
robot = "quattro"
source = "test"
[[cameras]]
name = "top"
size = [512, 512]
focal = [320.0, 320.0]
position = [0, 0, 0]
target = [0, 0, -1]
right = [1, 0, 0]
[[elements]]
name = "*.forearm"
radius = 0.012
"""


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["observe", "quattro", *arguments])


@pytest.fixture
def rig(tmp_path: Path) -> str:
    path = tmp_path / "rig.toml"
    path.write_text(RIG)
    return str(path)


@pytest.mark.slow
def test_a_rendered_run_and_its_pictures_give_the_same_poses(tmp_path: Path, rig: str) -> None:
    common = ("--camera", rig, "--rate", "2", "--per-rod", "2", "--json")
    done = run(*common, "--keep-pictures", "-o", str(tmp_path / "run"))
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert told["lost"] == 0
    assert told["axes"] == ["x", "y", "z", "theta"]
    assert max(told["error"][:3]) < 5e-4
    written = sorted(path.name for path in (tmp_path / "run").iterdir())
    assert written == ["observed.gif", "observed.png", "pictures", "poses.csv"]
    with Image.open(tmp_path / "run" / "observed.gif") as film:
        assert getattr(film, "n_frames", 1) == told["pictures"]
    header, first, *_ = (tmp_path / "run" / "poses.csv").read_text().splitlines()
    assert header.startswith("t [s],status,x [m],y [m],z [m],theta [rad],deviation x [m]")
    near = ",".join(first.split(",")[2:6])
    again = run(
        *(*common, "--images", str(tmp_path / "run" / "pictures"), "--no-film", f"--near={near}"),
        *("-o", str(tmp_path / "again")),
    )
    assert again.exit_code == 0, again.output
    assert json.loads(again.stdout)["error"] is None
    poses = [_poses(tmp_path / name / "poses.csv") for name in ("run", "again")]
    np.testing.assert_allclose(
        poses[1], poses[0], atol=1e-7
    )  # searches that begin elsewhere end to a part of a deviation


def _poses(path: Path) -> np.ndarray:
    return np.array([line.split(",")[2:6] for line in path.read_text().splitlines()[1:]], float)


def test_pictures_without_a_robot_say_so_and_exit_with_4(tmp_path: Path, rig: str) -> None:
    folder = tmp_path / "dark"
    folder.mkdir()
    Image.fromarray(np.full((512, 512), 9, np.uint8)).save(folder / "a.png")
    done = run("--camera", rig, "--images", str(folder), "-o", str(tmp_path / "out"))
    assert done.exit_code == 4
    assert "1 pictures, 1 without a pose" in done.output
    assert "no pose at 0 s: there are 0 sightings" in done.output
    assert "TOO_FEW,nan" in (tmp_path / "out" / "poses.csv").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--camera", "nothing.toml"), "nothing.toml: cannot be read"),
        (("--camera", "{rig}", "--images", "nowhere"), "nowhere: is not a folder"),
        (("--camera", "{rig}", "--rate", "5000"), "pictures, and 400 are rendered at most: try --rate"),
        (("--camera", "{rig}", "--near", "1,2"), "--near"),
        (("--camera", "{rig}", "--motion", "cricle"), "did you mean 'circle'?"),
        (("--camera", "{rig}", "--near", "0,0,-2,0"), "near: must be a pose that the robot can have"),
        (("--camera", "{rig}", "--images", "x", "--motion", "circle"), "--motion: does nothing where --images"),
        (("--camera", "{rig}", "--images", "x", "--keep-pictures"), "--keep-pictures: does nothing where --images"),
        (("--camera", "{rig}", "--visibility", "--images", "x"), "--images: does nothing where --visibility"),
    ],
)
def test_refusals_name_place_and_remedy(tmp_path: Path, rig: str, arguments: tuple[str, ...], message: str) -> None:
    done = run(*(one.format(rig=rig) for one in arguments), "-o", str(tmp_path / "out"))
    assert done.exit_code == 1
    assert message in done.output
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("given", "wrong", "told"),
    [
        ("focal = [320.0, 320.0]", "focal = [4.0, 4.0]", "px wide at home"),
        ("radius = 0.012", "radius = 12", "sizes and focal lengths are in px, positions and radii in m"),
        ("target = [0, 0, -1]", "target = [0, 0, 1]", "no rod is in a picture at home and at 20 other poses"),
    ],
)
def test_rigs_that_see_nothing_are_refused(tmp_path: Path, given: str, wrong: str, told: str) -> None:
    path = tmp_path / "rig.toml"
    path.write_text(RIG.replace(given, wrong))
    done = run("--camera", str(path), "-o", str(tmp_path / "out"))
    assert done.exit_code == 1
    assert told in done.output


@pytest.fixture
def motion(tmp_path: Path) -> str:
    """A file of 2001 states in 1 s: 80 mm along x, and up."""
    t = np.linspace(0.0, 1.0, 2001)
    pose = np.outer(t, [0.08, 0.0, 0.04, 0.0]) + pk.load("quattro").home
    rate = np.tile([0.08, 0.0, 0.04, 0.0], (len(t), 1))
    samples = pk.trajectory.Samples(pk.load("quattro").motion_type, t, pose, rate, 0 * rate)
    return str(pk.trajectory.write_csv(tmp_path / "motion.csv", samples))


def test_a_motion_of_a_file_is_looked_at_as_often_as_asked(tmp_path: Path, rig: str, motion: str) -> None:
    run = rendered(read_rig(rig, pk.load("quattro")), motion, 3.0, noise=0.0, seed=0)
    np.testing.assert_allclose(run.times, [0.0, 1 / 3, 2 / 3, 1.0])
    assert run.truth is not None
    np.testing.assert_allclose(run.truth[:, 0], 0.08 * run.times, atol=1e-12)
    with pytest.raises(DataError, match="1001 pictures, and 400 are rendered at most: try --rate 399"):
        rendered(read_rig(rig, pk.load("quattro")), motion, 1000.0, noise=0.0, seed=0)
    other = pk.trajectory.motion("circle", pk.load("delta")).sampled(100.0)
    wrong = pk.trajectory.write_csv(tmp_path / "delta.csv", other)
    with pytest.raises(DataError, match="quattro moves as"):
        rendered(read_rig(rig, pk.load("quattro")), str(wrong), 3.0, noise=0.0, seed=0)


def test_kept_pictures_are_replaced_and_those_of_others_are_not(tmp_path: Path, rig: str, motion: str) -> None:
    kept = tmp_path / "out" / "pictures"
    for rate, count in (("1", 2), ("0.5", 1)):
        done = run("--camera", rig, "--motion", motion, "--rate", rate, "--keep-pictures", "-o", str(kept.parent))
        assert done.exit_code == 0, done.output
        assert len(list(kept.iterdir())) == count
    (kept / "holiday.png").write_bytes(b"")
    done = run("--camera", rig, "--motion", motion, "--keep-pictures", "-o", str(kept.parent))
    assert done.exit_code == 1
    assert "which holds holiday.png" in done.output
    assert (kept / "holiday.png").exists()


def test_visibility_says_what_is_seen(tmp_path: Path, rig: str) -> None:
    done = run("--camera", rig, "--visibility", "-o", str(tmp_path))
    assert done.exit_code == 0, done.output
    assert "contours of 4 rods: 4 of 4 motions are seen" in done.output
    assert (tmp_path / "visibility_directions.png").exists()

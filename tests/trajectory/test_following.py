"""Paths of frames, followed by mechanisms."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import parakin as pk
from parakin.arrays import Array
from parakin.cli import app
from parakin.errors import MotionError, UnsupportedRobotError
from parakin.motions import MOTIONS, MotionType
from parakin.poses import quaternion_from_matrix
from parakin.robot import Robot
from parakin.trajectory import Motion, Samples, follow, motion, write_csv

SAME_MOTION = 1e-8
"""The motion that a path was made of is found again to this [m, rad and their rates]; Newton ends at 1e-11."""


def frame_path(mechanism: Robot, moved: Motion, kind: MotionType, count: int = 40) -> tuple[Samples, Samples]:
    """Samples of a motion in joint coordinates, and the path of the output frame that belongs to them."""
    t = np.linspace(0.0, moved.duration, count)
    state = moved.at(t)
    out = mechanism.output(*state, near=mechanism.configurations(state.pose))
    parts: dict[int, Array] = {0: out.p, 3: quaternion_from_matrix(out.R)}
    pose = np.concatenate([parts[0], parts[3]], axis=1) if kind.quaternion else out.p[:, list(kind.linear)]
    rows = [*kind.linear, *(3 + axis for axis in kind.angular)]
    return Samples(mechanism.motion_type, t, *state), Samples(kind, t, pose, out.twist[:, rows], out.twist_dot[:, rows])


@pytest.mark.parametrize(("name", "kind"), [("tricept", "translation"), ("agile_eye", "spatial")])
def test_a_path_that_belongs_to_a_motion_gives_it_back(name: str, kind: str) -> None:
    mechanism = pk.load(name).graph
    known, path = frame_path(mechanism, motion("via_points", mechanism), MOTIONS[kind])
    found = follow(path, mechanism)
    assert found.distance.max() < SAME_MOTION
    for what in ("pose", "velocity", "acceleration"):
        np.testing.assert_allclose(getattr(found.samples, what), getattr(known, what), atol=SAME_MOTION)


def test_a_frame_of_a_body_is_followed() -> None:
    crank = pk.load("four_bar").graph
    turning = np.linspace(0.0, 0.8, 30)
    frames = crank.body_frames(crank.home + turning[:, None])
    place = crank.body_names.index("coupler")
    pose = frames.p[:, place]
    path = Samples(MOTIONS["translation"], turning, pose, 0 * pose, 0 * pose)
    found = follow(path, crank, body="coupler")
    np.testing.assert_allclose(found.samples.pose[:, 0], crank.home + turning, atol=1e-7)
    with pytest.raises(MotionError, match="has crank, coupler, rocker, got 'arm'"):
        follow(path, crank, body="arm")


def test_what_a_mechanism_cannot_follow_is_missed_by_as_little_as_may_be() -> None:
    strut = pk.load("tripod_3rps").graph
    t = np.linspace(0.0, 1.0, 30)
    home = strut.platform_frame(strut.home)
    p = home.p + np.outer(t, [0.02, 0.0, 0.03])
    pose = np.concatenate([p, np.tile(quaternion_from_matrix(home.R), (30, 1))], axis=1)
    path = Samples(MOTIONS["spatial"], t, pose, np.zeros((30, 6)), np.zeros((30, 6)))
    found = follow(path, strut)
    assert 1e-3 < found.distance.max() + strut.length * found.angle.max() < 0.05
    assert "misses the path by up to" in str(found)
    there = found.samples.pose[-1]

    def missed(pose: Array) -> float:
        frame = strut.platform_frame(pose)
        turn = frame.R @ home.R.T
        angle = np.arccos((np.trace(turn) - 1) / 2)
        return float(np.sum((frame.p - p[-1]) ** 2) + (strut.length * angle) ** 2)

    least = missed(there)
    assert all(missed(there + step) >= least for step in 1e-3 * np.vstack([np.eye(3), -np.eye(3)]))
    rates = np.gradient(found.samples.pose, t, axis=0)[2:-2]
    np.testing.assert_allclose(found.samples.velocity[2:-2], rates, atol=1e-3)


def test_commands_take_paths_of_the_output(tmp_path: Path) -> None:
    tricept = pk.load("tricept").graph
    _, path = frame_path(tricept, motion("point_to_point", tricept), MOTIONS["translation"])
    write_csv(tmp_path / "path.csv", path)
    said = CliRunner().invoke(app, ["forces", "tricept", str(tmp_path / "path.csv"), "-o", str(tmp_path / "out")])
    assert said.exit_code == 0, said.output
    assert "misses" not in said.output
    assert (tmp_path / "out" / "forces.csv").exists()


def test_paths_that_say_too_little_or_lead_away_are_refused() -> None:
    eye, delta = pk.load("agile_eye").graph, pk.load("delta")
    still = np.zeros((3, 3))
    points = Samples(MOTIONS["translation"], np.arange(3.0), still, still, still)
    with pytest.raises(MotionError, match="does not say all 3 freedoms of agile_eye"):
        follow(points, eye)
    with pytest.raises(UnsupportedRobotError, match="its motion already"):
        follow(points, delta)
    with pytest.raises(MotionError, match="coordinates already"):
        follow(Samples(eye.motion_type, np.arange(3.0), still, still, still), eye)

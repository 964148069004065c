"""The pick-and-place cycle."""

from __future__ import annotations

import numpy as np
import pytest

from parakin.errors import UnsupportedRobotError
from parakin.trajectory import pick_and_place
from tests.trajectory.helpers import is_refused, robot_named


def test_the_pick_and_place_cycle_has_its_sizes() -> None:
    for name, size in (("quattro", 1.0), ("orthoglide", 0.2 / 0.305)):
        motion = pick_and_place(robot_named(name), cycle=0.8)
        pose = motion.at([0.0, 0.2, 0.4, 0.6, 0.8]).pose
        np.testing.assert_allclose(pose[2] - pose[0], size * 0.305 * np.eye(pose.shape[1])[0], atol=1e-12)
        np.testing.assert_allclose((pose[[1, 3], 2] - pose[0, 2]), size * 0.025, atol=1e-12)
        np.testing.assert_allclose(pose[4], pose[0], atol=1e-12)
    assert str(motion) == ("pick_and_place, 0.8 s (16.4-200-16.4 mm: 0.656 of what was asked, to fit the robot's box)")


def test_blending_rounds_the_corners() -> None:
    robot = robot_named("quattro")
    corner = pick_and_place(robot, blend=0.0).at(np.linspace(0.0, 0.15, 50)).velocity
    assert np.max(np.abs(corner[:, 0])) == 0.0
    rounded = pick_and_place(robot, turn=0.5).at([0.12, 0.5])
    assert rounded.velocity[0, 0] > 0.0
    assert rounded.velocity[0, 2] > 0.0
    assert rounded.pose[1, 3] == pytest.approx(0.5)


def test_the_cycle_lies_about_the_middle_of_the_box() -> None:
    robot = robot_named("quattro")
    pose = pick_and_place(robot).at([0.0, 0.25, 0.5]).pose - robot.home
    centre = (robot.box[0] + robot.box[1])[:3] / 2
    np.testing.assert_allclose(pose[0, :3], centre - [0.305 / 2, 0.0, 0.025 / 2], atol=1e-12)
    np.testing.assert_allclose(pose[1, :3], centre - [0.0, 0.0, -0.025 / 2], atol=1e-12)


def test_cycles_that_cannot_be_are_refused() -> None:
    is_refused(lambda r: pick_and_place(r, blend=2.0), r"pick_and_place: blend: must be from 0 to 1, got 2")
    is_refused(lambda r: pick_and_place(r, blend=-0.1), r"pick_and_place: blend: must be from 0 to 1, got -0\.1")
    is_refused(lambda r: pick_and_place(r, cycle=0.0), r"pick_and_place: cycle: must be finite and > 0 s, got 0")
    with pytest.raises(UnsupportedRobotError, match=r"delta: its platform does not turn: leave out turn = 0\.5 rad"):
        pick_and_place(robot_named("delta"), turn=0.5)
    assert pick_and_place(robot_named("quattro"), blend=1.0).at(0.01).velocity[0] > 0.0

"""Pictures one after the other: poses with honest deviations, captured from afar, lost and found again."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from parakin.vision import Appearance, observe, render
from parakin.vision.capturing import captured
from parakin.vision.estimates import EstimateStatus
from tests.vision.rigs import quattro

HONEST = 5.0
"""Standard deviations that no error of a dozen exceeds, but for one in a hundred thousand."""
NEAR_ENOUGH = np.array([0.012, 0.012, 0.012, 0.04])
"""How near a search must come for edges to be found: about 10 px [m, rad]."""


@functools.cache
def picture(x: float, y: float, z: float, theta: float) -> np.ndarray:
    return render(quattro(), [x, y, z, theta], appearance=Appearance(noise=2.0), seed=1)


@pytest.mark.slow
def test_poses_are_as_good_as_their_deviations_say() -> None:
    rig = quattro()
    poses = rig.robot.home + np.array([[0.0, 0.0, 0.0, 0.0], [0.01, -0.005, 0.004, 0.02], [0.02, -0.01, 0.008, 0.04]])
    found = observe(rig, [[picture(*pose)] for pose in poses], rig.robot.home + np.array([0.004, 0.003, 0.0, 0.01]))
    assert [one.estimate.status.name for one in found.instants] == ["GOOD"] * 3
    assert found.lost == 0
    assert (np.abs(found.pose - poses) < HONEST * found.deviation).all()
    assert found.deviation[:, :3].max() < 2e-4
    assert all(one.found == len(one.reports) == 2 * len(one.regions) for one in found.instants)


def test_a_picture_without_the_robot_is_lost_and_the_next_one_found() -> None:
    rig = quattro()
    home = rig.robot.home
    empty = np.full((1024, 1024), 70, np.uint8)
    found = observe(rig, [[picture(*home)], [empty], [picture(*home)]], home)
    assert [one.estimate.status == EstimateStatus.GOOD for one in found.instants] == [True, False, True]
    assert found.lost == 1
    assert np.isnan(found.pose[1]).all()
    assert np.isnan(found.deviation[1]).all()
    assert found.instants[1].estimate.words


def test_a_robot_far_from_where_it_was_expected_is_searched_for() -> None:
    rig = quattro()
    pose = rig.robot.home + np.array([0.12, -0.08, 0.05, 0.2])
    span = np.subtract(*rig.robot.box[::-1])
    coarse = captured(rig, [picture(*pose)], rig.robot.home, 0.3 * span)
    assert (np.abs(coarse - pose) < NEAR_ENOUGH).all()
    found = observe(rig, [[picture(*pose)]], rig.robot.home)
    assert (np.abs(found.pose[0] - pose) < HONEST * found.deviation[0]).all()


@pytest.mark.slow
def test_most_poses_of_the_box_are_found_from_home() -> None:
    rig = quattro()
    poses = rig.robot.sample(12, seed=5)
    found = [observe(rig, [[render(rig, pose, appearance=Appearance(noise=2.0))]], rig.robot.home) for pose in poses]
    good = [one.lost == 0 for one in found]
    assert sum(good) >= 9
    for one, pose, there in zip(found, poses, good, strict=True):
        assert not there or (np.abs(one.pose[0] - pose) < HONEST * one.deviation[0]).all()

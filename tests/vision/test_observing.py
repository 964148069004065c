"""Pictures one after the other: poses with honest deviations, captured from afar, lost and found again."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pytest

import parakin as pk
from parakin.errors import VisionError
from parakin.motions.offsets import offset_between
from parakin.robot import Status
from parakin.vision import Appearance, observe, read_rig, regions_at, render
from parakin.vision.estimation import pose_search
from parakin.vision.estimation.estimates import EstimateStatus
from parakin.vision.estimation.observing import FEWEST_AGREEING, PER_ROD, PLENTY_AGREEING, _looked  # pyright: ignore[reportPrivateUsage]
from parakin.vision.estimation.pose_search import captured
from parakin.vision.rigs.rods import RodLines
from tests.vision.rigs import quattro

EXAMPLE = Path(__file__).parents[2] / "examples" / "quattro_rig.toml"
HONEST = 5.0
"""Standard deviations that no error of a dozen exceeds, but for one in a hundred thousand."""
MOST_IN_DEVIATIONS = 1.35
"""Root mean square of errors in the deviations that are told: 1.2 where regions touch, 2.1 where 64 overlap."""
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


def test_a_start_from_which_other_rods_are_seen_gives_way_to_the_right_pose() -> None:
    rig = quattro()
    home = rig.robot.home
    near = [-0.06, -0.04, -0.73, 0.06]
    wrong = _looked(rig, [picture(*home)], np.array(near), per_rod=PER_ROD, polarity=0)
    assert wrong.estimate.status != EstimateStatus.GOOD or wrong.agreement < FEWEST_AGREEING
    found = observe(rig, [[picture(*home)]], near)
    assert found.instants[0].agreement > PLENTY_AGREEING
    assert (np.abs(found.pose[0] - home) < HONEST * found.deviation[0]).all()


@pytest.mark.parametrize(("hidden", "lost"), [((0,), 0), ((0, 2), 1)])
def test_three_rods_of_four_are_enough_and_two_are_not(hidden: tuple[int, ...], lost: int) -> None:
    rig = quattro()
    pose = rig.robot.home + np.array([0.08, -0.05, 0.02, 0.1])
    seen = picture(*pose).copy()
    for region in (region for region in regions_at(rig, pose, per_rod=PER_ROD) if region.rod in hidden):
        seen[region.row - 40 : region.row + 88, region.column - 40 : region.column + 88] = 70
    found = observe(rig, [[seen]], pose)
    assert found.lost == lost
    assert not lost or "edges that it should show" in found.instants[0].estimate.words
    assert lost or (np.abs(found.pose[0] - pose) < HONEST * found.deviation[0]).all()


def test_where_a_motion_leads_out_of_reach_the_last_pose_is_expected_again() -> None:
    rig = quattro()
    low = rig.robot.home - np.array([0.0, 0.0, 0.25, 0.0])
    assert rig.robot.check(low - np.array([0.0, 0.0, 0.25, 0.0])) == Status.UNREACHABLE
    found = observe(rig, [[picture(*rig.robot.home)], [picture(*low)], [picture(*low)]], rig.robot.home)
    assert found.lost == 0
    assert (np.abs(found.pose[1:] - low) < HONEST * found.deviation[1:]).all()


def test_a_search_ends_at_a_pose_that_the_robot_can_have(monkeypatch: pytest.MonkeyPatch) -> None:
    """Best poses are on both sides of where the platform is too near the base; their mean is there."""
    rig = quattro()
    assert rig.robot.check([0.0, 0.0, -0.38, 0.0]) == Status.UNREACHABLE

    def two_sides(*given: object) -> np.ndarray:
        lines = next(one for one in given if isinstance(one, RodLines))
        x, _, z = (lines.A + lines.d[..., None] * lines.x).mean(axis=1).T
        score = -np.abs(np.abs(x) - 0.55) - np.abs(z + 0.33)
        return np.where(lines.status == 0, score, pose_search.NOT_REACHED)

    monkeypatch.setattr(pose_search, "_scores", two_sides)
    monkeypatch.setattr(pose_search, "ROUNDS", pose_search.ROUNDS[:1])  # later ones draw on one side only
    for seed in range(5):
        found = captured(rig, [], np.array([0.0, 0.0, -0.45, 0.0]), np.array([0.4, 0.05, 0.1, 0.1]), seed=seed)
        assert rig.robot.check(found) != Status.UNREACHABLE


def test_a_start_out_of_reach_is_refused() -> None:
    with pytest.raises(VisionError, match="near: must be a pose that the robot can have"):
        observe(quattro(), [], [0.0, 0.0, -2.0, 0.0])


@pytest.mark.slow
@pytest.mark.parametrize("rate", range(5, 13))
def test_poses_are_honest_however_seldom_pictures_are_taken(rate: int) -> None:
    robot = pk.load("quattro")
    rig = read_rig(EXAMPLE, robot)
    poses = pk.trajectory.motion("circle", robot).sampled(rate).pose
    pictures = ([render(rig, pose, appearance=Appearance(noise=2.0, seed=k))] for k, pose in enumerate(poses))
    found = observe(rig, pictures, poses[0])
    good = np.isfinite(found.pose).all(axis=1)
    assert good.mean() >= 0.8
    assert (np.abs(offset_between(robot.motion_type, poses, found.pose))[good] < HONEST * found.deviation[good]).all()


@pytest.mark.slow
@pytest.mark.parametrize("per_rod", [16, 64])
def test_deviations_are_honest_however_many_regions_are_asked_for(per_rod: int) -> None:
    rig = quattro()
    poses = rig.robot.sample(16, seed=3)
    pictures = [render(rig, pose, appearance=Appearance(noise=2.0, seed=k)) for k, pose in enumerate(poses)]
    found = [observe(rig, [[one]], pose, per_rod=per_rod) for one, pose in zip(pictures, poses, strict=True)]
    ratios = [(one.pose[0] - pose) / one.deviation[0] for one, pose in zip(found, poses, strict=True)]
    assert np.sqrt(np.mean(np.square(ratios))) < MOST_IN_DEVIATIONS


@pytest.mark.slow
def test_most_poses_of_the_box_are_found_from_home() -> None:
    rig = quattro()
    poses = rig.robot.sample(12, seed=5)
    found = [observe(rig, [[render(rig, pose, appearance=Appearance(noise=2.0))]], rig.robot.home) for pose in poses]
    good = [one.lost == 0 for one in found]
    assert sum(good) >= 9
    for one, pose, there in zip(found, poses, good, strict=True):
        assert not there or (np.abs(one.pose[0] - pose) < HONEST * one.deviation[0]).all()

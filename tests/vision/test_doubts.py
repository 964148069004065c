"""Poses that are precise and wrong: rigs that are off, double exposures, mirrored pictures, poses that look alike."""

from __future__ import annotations

import functools
from dataclasses import replace

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter

import parakin as pk
from parakin.motions.offsets import offset_between
from parakin.vision import Appearance, Camera, estimate_all, observe, render, rig_of, sightings_at
from parakin.vision.estimation.doubts import SAME_POSE, similar_pose
from parakin.vision.estimation.estimates import EstimateStatus
from parakin.vision.estimation.pose_search import captured
from parakin.vision.rigs.rods import reached
from tests.vision.drawn import drawn, noisy
from tests.vision.rigs import UP, quattro

POSE = (0.03, -0.02, -0.73, 0.05)
"""A pose of the Quattro that is not its own mirror image."""


@functools.cache
def picture(noise: float = 2.0, clutter: float = 0.0) -> np.ndarray:
    return render(quattro(), POSE, appearance=Appearance(noise=noise, clutter=clutter), seed=1)


def status(
    pictures: np.ndarray, rig: pk.vision.Rig | None = None, near: tuple[float, ...] | np.ndarray = POSE
) -> tuple[str, str]:
    found = observe(rig or quattro(), [[pictures]], near).instants[0].estimate
    assert np.isfinite(found.pose).all() == (found.status == EstimateStatus.GOOD)
    return found.status.name, found.words


@pytest.mark.parametrize("off", [0.01, -0.01])
def test_a_camera_that_is_not_where_the_rig_has_it_is_noticed(off: float) -> None:
    rig = quattro()
    wrong = replace(rig, cameras=(replace(rig.cameras[0], p_OK=np.array([0.0, 0.0, off])),))
    name, words = status(picture(), wrong)
    assert name == "INCONSISTENT"
    assert "calibrate the rig" in words


@functools.cache
def light(number: int) -> tuple[np.ndarray, np.ndarray]:
    """One of the poses of the box and its picture, which parakin did not draw."""
    pose = quattro().robot.sample(4, seed=11)[number]
    return pose, drawn(quattro(), pose)


@pytest.mark.parametrize("number", range(1, 4))
@pytest.mark.parametrize("noise", [6.0, 12.0])
def test_a_rig_that_is_off_is_noticed_in_noisy_pictures_too(number: int, noise: float) -> None:
    """Whole edges are moved, at these poses by little beside the noise: the pose was 12 mm and 80 to 260 deviations
    off, and called good."""
    pose, exposed = light(number)
    rig, taken = quattro(), noisy(exposed, noise, number)
    assert status(taken, near=pose)[0] == "GOOD"
    wrong = replace(rig, cameras=(replace(rig.cameras[0], p_OK=np.array([0.0, 0.0, 0.01])),))
    assert status(taken, wrong, pose)[0] in ("INCONSISTENT", "LOST")


@pytest.mark.parametrize("grey_levels", [3.0, 6.0])
def test_pictures_before_an_uneven_background_are_believed_with_larger_deviations(grey_levels: float) -> None:
    """Patches of 5 px behind the rods scatter edges by more than they say."""
    pose, exposed = light(1)
    patches = gaussian_filter(np.random.default_rng(1).normal(size=exposed.shape), 5)
    uneven = exposed + grey_levels * patches / patches.std() * (exposed < 75)
    found = observe(quattro(), [[noisy(uneven, 2.0, 1)]], pose)
    assert found.lost == 0
    even = observe(quattro(), [[noisy(exposed, 2.0, 1)]], pose)
    assert (found.deviation > even.deviation).all()
    assert (np.abs(offset_between(quattro().robot.motion_type, pose, found.pose[0])) < 5 * found.deviation[0]).all()


def test_a_rig_whose_radii_are_known_exactly_is_doubted_like_any_other() -> None:
    exact = replace(quattro(), rods=tuple(replace(rod, radius_deviation=0.0) for rod in quattro().rods))
    assert status(picture(), exact) == ("GOOD", "")


@pytest.mark.parametrize("second", [0.5, 0.3])
@pytest.mark.parametrize(("axis", "shift"), [(0, 12), (1, -12)])
def test_a_double_exposure_is_noticed(axis: int, shift: int, second: float) -> None:
    """Two pictures of the same robot, 12 px apart, as a sensor adds them."""
    single = picture().astype(float)
    both = (1 - second) * single + second * np.roll(single, shift, axis)
    name, words = status(both.round().astype(np.uint8))
    assert name != "GOOD"
    assert name != "INCONSISTENT" or "beside 4 of 4 rods" in words


@pytest.mark.parametrize(("axes", "how"), [(0, "mirrored"), (1, "mirrored"), ((0, 1), "upside down")])
def test_a_turned_picture_is_noticed_where_another_pose_was_expected(axes: int | tuple[int, int], how: str) -> None:
    """The rig is its own mirror image, along both axes: a turned picture is one of the turned pose, and fits as well.

    One from a camera that hangs upside down was called good, 72 mm off.
    """
    name, words = status(np.flip(picture(), axes).copy())
    assert name == "AMBIGUOUS"
    assert f"look whether pictures are {how}" in words


def test_a_mirrored_picture_of_a_pose_near_the_mirror_plane_is_noticed() -> None:
    """Poses 14 mm apart, one of which is found without a search of the whole picture."""
    pose = (0.01, -0.007, -0.73, 0.03)
    turned = np.flip(render(quattro(), pose, appearance=Appearance(noise=2.0), seed=1), 0).copy()
    assert observe(quattro(), [[turned]], pose).instants[0].estimate.status == EstimateStatus.AMBIGUOUS


def test_a_mirrored_picture_is_noticed_from_a_start_beside_the_right_pose() -> None:
    """The right pose and its mirror image are 14 mm apart, and the start is 6 mm beside the right one."""
    pose = np.array([0.01, -0.007, -0.73, 0.03])
    near = pose + np.array([0.005, 0.0, 0.003, 0.0])
    turned = np.flip(noisy(drawn(quattro(), pose), 2.0, 1), 0).copy()
    assert status(turned, near=near)[0] == "AMBIGUOUS"


@pytest.mark.parametrize("noise", [2.0, 10.0])
def test_right_pictures_are_believed(noise: float) -> None:
    assert status(picture(noise)) == ("GOOD", "")


@pytest.mark.parametrize(("rows", "expected"), [(slice(500, 501), "GOOD"), (slice(0, None, 16), "TOO_FEW")])
@pytest.mark.parametrize("level", [np.nan, np.inf])
def test_pixels_that_are_not_finite_show_nothing(rows: slice, level: float, expected: str) -> None:
    """A row of them costs the regions that it crosses; where all regions have some, no edge is found."""
    spoilt = picture().astype(float)
    spoilt[rows] = level
    assert status(spoilt)[0] == expected


def test_a_picture_without_a_finite_pixel_is_searched_in_vain() -> None:
    rig = quattro()
    pose = captured(rig, [np.full((1024, 1024), np.nan)], np.array(POSE), np.full(4, 0.01))
    assert reached(rig, pose)


def telephoto() -> pk.vision.Rig:
    """A hexapod seen from 30 m: tilting it towards the camera or away from it looks the same (Necker's cube)."""
    distant = Camera("distant", (1024, 1024), (25600.0, 25600.0), np.array([0.0, 0.0, -30.0]), UP)
    return rig_of(pk.load("gough_stewart"), distant, "*", radius=0.008)


def test_two_poses_that_one_camera_cannot_distinguish_are_reported() -> None:
    rig = telephoto()
    robot, truth = rig.robot, rig.robot.sample(1, seed=3)[0]
    seen = sightings_at(rig, truth, points=8, deviation=0.04, seed=1)
    right = estimate_all(rig, [seen], truth).row(0)
    apart = np.abs(offset_between(robot.motion_type, truth, right.pose)) / np.sqrt(np.diagonal(right.covariance))
    assert right.status == EstimateStatus.GOOD
    assert apart.max() < SAME_POSE
    doubt = similar_pose(rig, seen, right, robot.home)
    assert doubt is not None
    assert doubt.status == EstimateStatus.AMBIGUOUS
    assert "explain the picture equally well" in doubt.words
    assert similar_pose(rig, seen, right, right.pose) is None  # a start at the right pose decides


def test_a_near_camera_distinguishes_all_poses() -> None:
    rig = quattro()
    seen = sightings_at(rig, POSE, points=8, deviation=0.04, seed=1)
    found = estimate_all(rig, [seen], np.array(POSE)).row(0)
    assert similar_pose(rig, seen, found, rig.robot.home) is None

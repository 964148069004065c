"""Regions: where they are put, what they expect, and when they are read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import parakin as pk
from parakin.errors import VisionError
from parakin.vision import (
    Camera,
    Rig,
    looking_at,
    picture_region,
    region_at,
    regions_at,
    rig_of,
    rod_lines,
    schedule_of,
)
from parakin.vision.edges.regions import Slot
from parakin.vision.observers.beliefs import SIDES
from parakin.vision.rigs.contours import contour_kernel
from tests.vision.raycast import edge
from tests.vision.rigs import RIGS, UP, bent, camera, quattro

CUBIC = 1e-3
"""How far a cubic may be from a contour behind a bent lens, over a region [px]."""


@pytest.mark.parametrize("name", RIGS)
def test_edges_are_expected_where_rays_begin_to_miss_the_rod(name: str) -> None:
    rig = RIGS[name]()
    rig = Rig(rig.robot, (bent(rig.cameras[0]),), rig.rods)
    pose = rig.robot.home
    regions = regions_at(rig, pose)
    assert len(regions) == len(rig.rods)
    for region in regions:
        for side in (0, 1):
            lines = np.array([region.middle - 8, region.middle, region.middle + 8])
            k = lines - region.middle
            own, other = (region.edges[which] @ [k**0, k, k**2, k**3] for which in (side, 1 - side))
            step = np.sign(own - other)

            def pixels(
                along: np.ndarray, lines: np.ndarray = lines, region: pk.vision.PictureRegion = region
            ) -> np.ndarray:
                pair = (along, lines) if region.rows else (lines, along)
                return np.stack(pair, axis=-1) + np.array([region.column, region.row])

            found = edge(rig, pose, region.rod, pixels(own - 3 * step), pixels(own + 3 * step))
            assert np.abs(found - pixels(own)).max() < CUBIC


@pytest.mark.parametrize("name", RIGS)
def test_regions_are_in_the_picture_around_their_rods_and_scanned_across(name: str) -> None:
    rig = RIGS[name]()
    for pose in rig.robot.sample(4, seed=2):
        lines = rod_lines(rig, pose)
        for region in regions_at(rig, pose, per_rod=2):
            assert min(region.column, region.row) >= 0
            assert max(region.column, region.row) + region.size <= 1024
            assert region.size <= 48
            slope = region.edges[:, 1]
            assert np.abs(slope).max() < 1.3  # scan lines are across the rod, by 45 degrees and what it narrows
            eye = rig.cameras[0]
            uv = eye.pixels(
                eye.seen(lines.A[region.rod] + np.linspace(0, lines.d[region.rod], 999)[:, None] * lines.x[region.rod])
            )
            middle = np.array([region.column, region.row]) + region.middle
            assert np.nanmin(np.linalg.norm(uv - middle, axis=-1)) < 30


def test_sizes_follow_the_rods() -> None:
    robot = pk.load("quattro")
    thin = rig_of(robot, camera(), "*.forearm", radius=0.003)
    for region in regions_at(thin, robot.home):
        width = abs(region.edges[1, 0] - region.edges[0, 0])
        assert width + 24 <= region.size < width + 26


def test_ends_and_other_rods_are_kept_out_where_possible() -> None:
    rig = quattro()
    assert all(region.clear for region in regions_at(rig, rig.robot.home, per_rod=2))
    tip = picture_region(rig, rig.robot.home, Slot(0, 0, (0.97, 1.0)))
    assert tip is not None
    assert not tip.clear
    robot = pk.load("gough_stewart")
    eye = Camera(
        "side",
        (1024, 1024),
        (640.0, 640.0),
        np.array([1.2, 0.1, 0.4]),
        looking_at([1.2, 0.1, 0.4], [0, 0, 0.45], [0, 1, 0]),
    )
    legs = rig_of(robot, eye, "*", radius=0.012)
    alone = [picture_region(Rig(robot, (eye,), (rod,)), robot.home, Slot(0, 0)) for rod in legs.rods]
    among = [picture_region(legs, robot.home, Slot(0, k)) for k in range(6)]
    moved = [a.window != b.window for a, b in zip(alone, among, strict=True) if a is not None and b is not None]
    assert any(moved)  # those that another leg crosses are put elsewhere
    assert sum(region is not None and region.clear for region in among) >= 4


def test_rods_through_the_camera_or_out_of_sight_have_no_region() -> None:
    robot = pk.load("quattro")
    lines = rod_lines(quattro(), robot.home)
    on_axis = lines.A[0] - 0.3 * lines.x[0]
    inside = camera().placed(on_axis, looking_at(on_axis, lines.A[0], [1.0, 0.0, 0.0]))
    rig = Rig(robot, (inside,), quattro().rods)
    assert picture_region(rig, robot.home, Slot(0, 0)) is None
    away = camera().placed([0, 0, 1.0], looking_at([0, 0, 1.0], [0, 0, 2.0], [1, 0, 0]))
    assert regions_at(Rig(robot, (away,), quattro().rods), robot.home) == []


def test_schedules_visit_every_rod_and_have_their_own_times() -> None:
    rig = quattro()
    schedule = schedule_of(rig, regions=8, cycle=2e-3)
    assert [schedule.slot(k).rod for k in range(9)] == [0, 1, 2, 3, 0, 1, 2, 3, 0]
    assert {schedule.slot(0).stretch, schedule.slot(4).stretch} == {(0.0, 0.5), (0.5, 1.0)}
    assert schedule.time(1) == pytest.approx(1 / 4000)
    region = picture_region(rig, rig.robot.home, schedule.slot(3), time=schedule.time(3))
    assert region is not None
    assert region.time == schedule.time(3)
    assert region.rod == 3
    with pytest.raises(VisionError, match=r"schedule: must be at least one region in > 0 s, got 0 in 0\.002"):
        schedule_of(rig, regions=0)


@pytest.mark.parametrize("per_rod", [4, 16, 64])
def test_regions_of_a_rod_share_no_pixels(per_rod: int) -> None:
    rig = quattro()
    for pose in (rig.robot.home, *rig.robot.sample(3, seed=1)):
        times_read = np.zeros((len(rig.rods), 1024, 1024), int)
        regions = regions_at(rig, pose, per_rod=per_rod)
        for region in regions:
            column, row, columns, rows = region.window
            times_read[region.rod, row : row + rows, column : column + columns] += 1
        assert times_read.max() == 1
        assert len(regions) >= min(per_rod, 5) * len(rig.rods)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"stretch": (3, 5)}, r"stretch: must be two rising shares from 0 to 1, got \(3, 5\)"),
        ({"stretch": (0.5, 0.5)}, "stretch: must be two rising shares"),
        ({"stretch": (0.0, np.nan)}, "stretch: must be two rising shares"),
        ({"stretch": (0.0,)}, "stretch: must be two rising shares"),
        ({"rod": -1}, "rod: must be a number of the rig, from 0, got -1"),
    ],
)
def test_slots_that_no_rod_has_are_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(VisionError, match=message):
        replace(Slot(0, 0), **change)


def test_what_is_not_before_the_camera_has_no_deviation() -> None:
    """Rods behind the camera, and a rod through the plane of its centre, at places on both sides of it."""
    rig = quattro()
    robot = rig.robot
    assert (region_at(rig, robot.home, rod=0, place=0.5).deviation > 0).all()
    away = Rig(robot, (replace(rig.cameras[0], R_OK=UP),), rig.rods)
    behind = region_at(away, robot.sample(3), rod=0, place=0.5, noise=np.ones(4))
    assert np.isfinite(behind.m).all()
    assert (behind.deviation == 0).all()
    lines = rod_lines(rig, robot.home)
    level = lines.A[0] + 0.4 * lines.d[0] * lines.x[0] + np.array([0.3, 0.2, 0.0])
    beside = Rig(robot, (rig.cameras[0].placed(level, rig.cameras[0].R_OK),), rig.rods)
    for place, seen in ((0.1, False), (0.9, True)):
        shown = region_at(beside, robot.home, rod=0, place=place).deviation
        assert ((shown > 0) == seen).all()


def test_the_depth_of_points_is_that_of_the_contour() -> None:
    """A place as near to the camera's plane as its rod is thick: points of one contour before it, of the other behind.

    Which is which, tangent planes say: P = A + t x - r n, of normals from their own kernel.
    """
    rig = quattro()
    robot, lines = rig.robot, rod_lines(rig, rig.robot.home)
    place, mixed = 0.4, 0
    middle = lines.A[0] + place * lines.d[0] * lines.x[0]
    for up in np.linspace(-0.006, 0.006, 7):
        eye = rig.cameras[0].placed(middle + np.array([0.02, 0.01, up]), rig.cameras[0].R_OK)
        region = region_at(Rig(robot, (eye,), rig.rods), robot.home, rod=0, place=place, width=1e-6)
        A, x = eye.seen(lines.A[0]), lines.x[0] @ eye.R_OK
        n = contour_kernel()(A=A, x=x, radius=0.008)["n"]
        depth = (A + place * lines.d[0] * x - 0.008 * n)[:, 2]
        before = depth[list(SIDES)] > 0
        assert ((region.deviation > 0) == before).all()
        mixed += before.any() and not before.all()
    assert mixed


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"rod": -1}, "quattro: rod: must be from 0 to 3, as the rig has them, got -1"),
        ({"rod": 4}, "rod: must be from 0 to 3"),
        ({"camera": 1}, "camera: must be from 0 to 0"),
        ({"place": 7.0}, "place: must be a share of the rod's length from 0 to 1, got 7.0"),
        ({"place": np.nan}, "place: must be a share"),
    ],
)
def test_regions_of_what_does_not_exist_are_refused(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(VisionError, match=message):
        region_at(quattro(), quattro().robot.home, **({"rod": 0, "place": 0.5} | asked))

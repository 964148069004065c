"""Regions: where they are put, what they expect, and when they are read."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import parakin as pk
from parakin.errors import VisionError
from parakin.vision import (
    Camera,
    Rig,
    looking_at,
    picture_region,
    regions_at,
    rig_of,
    rod_lines,
    schedule_of,
)
from parakin.vision.regions import Slot
from tests.vision.raycast import edge
from tests.vision.rigs import RIGS, bent, camera, quattro

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

"""Poses from one image: figures, covariances by Monte Carlo, SciPy on other residuals, outliers and statuses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import least_squares

from parakin.errors import VisionError
from parakin.motions.offsets import displaced, offset_between
from parakin.vision import (
    Encoders,
    EstimateStatus,
    Rig,
    Sightings,
    estimate,
    estimate_all,
    expected_covariance,
    offsets_at,
    sightings_at,
)
from parakin.vision.rigs.rig import rods_with_radii
from tests.vision.regions import REGIONS, RIGS, delta_from_the_side, noisy, region_sightings
from tests.vision.rigs import camera, delta, quattro
from tests.vision.silhouettes import silhouette_distances

LARGEST_ERROR = {"quattro": 32e-6, "delta": 14e-6, "gough_stewart": 14e-6}
"""Root mean square errors of the position over the box that one image of eight to twelve regions may have [m]."""
SLOWER = ("quattro", "gough_stewart")
"""Robots for which differences of residuals, point by point in Python, take seconds."""
CONSISTENT = 0.2
"""How far covariances may be from those of many draws: 300 leave 4 %."""
SAME_MINIMUM = 1e-2
"""Distance, in standard deviations, between minima of two definitions of a residual which differ to second order."""


def _starts(rig: Rig, poses: np.ndarray, away: float, seed: int) -> np.ndarray:
    """Poses as far away as asked [m], and turned by as much at the robot's length."""
    rng = np.random.default_rng(seed)
    offsets = rng.normal(size=(len(poses), rig.robot.degrees_of_freedom))
    offsets[:, :3] *= away / np.linalg.norm(offsets[:, :3], axis=1, keepdims=True)
    offsets[:, 3:] *= 0.02
    return displaced(rig.robot.motion_type, poses, offsets)


@pytest.mark.parametrize("name", RIGS)
def test_one_image_gives_the_figures_and_is_captured_from_10_mm(name: str) -> None:
    rig = RIGS[name]()
    poses = rig.robot.sample(20, seed=5)
    images = [region_sightings(rig, pose, REGIONS[name], seed) for seed, pose in enumerate(poses)]
    found = estimate_all(rig, images, _starts(rig, poses, 0.01, 1))
    assert (found.status == EstimateStatus.GOOD).all()
    errors = offset_between(rig.robot.motion_type, poses, found.pose)
    assert np.sqrt(np.mean(np.sum(errors[:, :3] ** 2, axis=1))) < LARGEST_ERROR[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", RIGS)
def test_covariances_are_those_of_many_draws(name: str) -> None:
    rig, n = RIGS[name](), RIGS[name]().robot.degrees_of_freedom
    pose = rig.robot.sample(1, seed=2)[0]
    rng = np.random.default_rng(4)
    deviations = np.array([rod.radius_deviation for rod in rig.rods])
    radii = 0.008 + deviations * rng.normal(size=(30, len(rig.rods)))  # of rods that are off as their deviations say
    exact = [region_sightings(replace(rig, rods=rods_with_radii(rig.rods, one)), pose, REGIONS[name]) for one in radii]
    images = [noisy(exact[seed % 30], seed) for seed in range(300)]
    found = estimate_all(rig, images, pose)
    assert (found.status == EstimateStatus.GOOD).all()
    errors = offset_between(rig.robot.motion_type, pose, found.pose)
    assert np.std(errors, axis=0) == pytest.approx(
        np.sqrt(np.mean(np.diagonal(found.covariance, axis1=1, axis2=2), axis=0)), rel=CONSISTENT
    )
    normalised = np.einsum("bi,bij,bj->b", errors, np.linalg.inv(found.covariance), errors)
    assert np.mean(normalised) / n == pytest.approx(1.0, rel=CONSISTENT)
    assert np.mean(found.rms**2) == pytest.approx(1.0, abs=0.05)
    of_radii = (found.radii - np.tile(radii, (10, 1))) / found.radius_deviations
    assert np.mean(of_radii**2) == pytest.approx(1.0, rel=CONSISTENT)
    assert expected_covariance(rig, pose, region_sightings(rig, pose, REGIONS[name])) == pytest.approx(
        np.mean(found.covariance, axis=0), rel=0.02, abs=1e-12
    )


@pytest.mark.parametrize("name", ["delta", *(pytest.param(name, marks=pytest.mark.slow) for name in SLOWER)])
def test_scipy_finds_the_same_pose_with_other_residuals(name: str) -> None:
    rig = RIGS[name]()
    robot, n = rig.robot, rig.robot.degrees_of_freedom
    pose = robot.sample(1, seed=8)[0]
    seen = region_sightings(rig, pose, REGIONS[name], 3)
    found = estimate(rig, seen, pose)
    radii = np.array([rod.radius for rod in rig.rods])
    deviations = np.array([rod.radius_deviation for rod in rig.rods])

    def residuals(step: np.ndarray) -> np.ndarray:
        at = displaced(robot.motion_type, pose, step[:n])
        miss = silhouette_distances(rig, at, radii + deviations * step[n:], seen)
        return np.concatenate([miss / seen.deviation, step[n:]])

    other = least_squares(residuals, np.zeros(n + len(radii)), jac="3-point", xtol=1e-15, ftol=1e-15, gtol=1e-12)
    gap = offset_between(robot.motion_type, displaced(robot.motion_type, pose, other.x[:n]), found.pose)
    assert not found.rejected.any()
    assert gap @ np.linalg.inv(found.covariance) @ gap < SAME_MINIMUM**2
    covariance = np.linalg.inv(other.jac.T @ other.jac)[:n, :n]
    size = np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)))
    assert (np.abs(found.covariance - covariance) < 2e-3 * size).all()


def test_a_biased_edge_costs_little_where_radii_are_estimated() -> None:
    """All edges 0.05 px too far outside: thicker rods, not a nearer platform."""
    rig = quattro()
    trusting = replace(rig, rods=tuple(replace(rod, radius_deviation=0.0) for rod in rig.rods))
    poses = rig.robot.sample(20, seed=5)
    images = [_outwards(rig, pose, sightings_at(rig, pose, points=96, deviation=0.04), 0.05) for pose in poses]
    costs = {}
    for label, chosen in (("estimated", rig), ("trusted", trusting)):
        found = estimate_all(chosen, images, poses)
        assert (found.status == EstimateStatus.GOOD).all()
        costs[label] = np.sqrt(np.mean(np.sum((found.pose - poses)[:, :3] ** 2, axis=1)))
    assert costs["trusted"] > 100e-6
    assert costs["estimated"] < 20e-6
    sure = estimate(trusting, _outwards(rig, poses[0], region_sightings(rig, poses[0], 2), 0.05), poses[0])
    assert sure.status is EstimateStatus.LOST  # averages of 48 points are off by six deviations: it is noticed


def _outwards(rig: Rig, pose: np.ndarray, seen: Sightings, pixels: float | np.ndarray) -> Sightings:
    """The same points farther outside silhouettes; the direction by differences."""
    steps = 1e-7 * np.eye(2)
    ends = [[offsets_at(rig, pose, replace(seen, m=seen.m + s * h)).distance for s in (1, -1)] for h in steps]
    inwards = np.stack([(up - down) / 2e-7 for up, down in ends], axis=-1)
    return replace(seen, m=seen.m - (np.broadcast_to(pixels, len(seen)) / 640)[:, None] * inwards)


def test_outliers_are_rejected_and_told() -> None:
    rig, rng = quattro(), np.random.default_rng(1)
    pose = rig.robot.sample(1, seed=1)[0]
    seen = sightings_at(rig, pose, points=40, deviation=0.04, seed=1)
    wrong = np.arange(len(seen)) % 6 == 0
    off = rng.choice([-1.0, 1.0], len(seen)) * rng.uniform(1, 6, len(seen))  # [px]
    found = estimate(rig, _outwards(rig, pose, seen, np.where(wrong, off, 0.0)), _starts(rig, pose[None], 0.01, 2)[0])
    clean = estimate(rig, seen.chosen(~wrong), pose)
    assert found.status is EstimateStatus.GOOD
    assert found.rejected[wrong].all()
    assert found.rejected[~wrong].sum() <= 1
    apart = found.pose - clean.pose
    assert apart @ np.linalg.inv(clean.covariance) @ apart < 1.0
    assert found.rms == pytest.approx(1.0, abs=0.15)


def test_encoders_and_sightings_add_their_information() -> None:
    rig = quattro()
    robot = rig.robot
    pose = robot.sample(1, seed=3)[0]
    seen = region_sightings(rig, pose, 2)
    deviation = np.full(4, 2e-5)
    q = robot.inverse_kinematics(pose)
    both = estimate(rig, seen, pose + 0.003, Encoders(q, deviation))
    J_qv = robot.jacobian(pose)
    of_encoders = J_qv.T @ J_qv / deviation[0] ** 2
    alone = estimate(rig, seen.chosen(np.zeros(len(seen), bool)), pose + 0.003, Encoders(q, deviation))
    assert alone.status is EstimateStatus.GOOD
    assert alone.pose == pytest.approx(pose, abs=1e-10)
    assert np.linalg.inv(alone.covariance) == pytest.approx(of_encoders, rel=1e-6)
    together = np.linalg.inv(estimate(rig, seen, pose).covariance) + of_encoders
    assert np.linalg.inv(both.covariance) == pytest.approx(together, rel=1e-4)
    assert both.pose == pytest.approx(pose, abs=1e-9)


def test_encoders_go_the_short_way_round_as_for_observers() -> None:
    """Motors that turn are known up to whole turns; lengths of legs are what they are."""
    rig = quattro()
    robot, seen, deviation = rig.robot, region_sightings(rig, rig.robot.home, 2), np.full(4, 1e-4)
    q = robot.inverse_kinematics(robot.home)
    told = estimate(rig, seen, robot.home + 0.003, Encoders(q, deviation))
    turned = estimate(rig, seen, robot.home + 0.003, Encoders(q + 2 * np.pi * np.array([1, -1, 3, 0]), deviation))
    assert turned.status is EstimateStatus.GOOD
    assert turned.pose == pytest.approx(told.pose, abs=1e-12)
    struts = RIGS["gough_stewart"]()
    home, lengths = struts.robot.home, struts.robot.inverse_kinematics(struts.robot.home)
    seen = region_sightings(struts, home, 2)
    longer = [estimate(struts, seen, home, Encoders(lengths + off, np.full(6, 1e-4))) for off in (0.0, 2 * np.pi)]
    assert [found.status for found in longer] == [EstimateStatus.GOOD, EstimateStatus.LOST]


def test_two_cameras_see_more_than_one() -> None:
    rig = quattro()
    beside = camera("beside").placed([0.25, 0.1, 0.0], camera().R_OK)
    two = Rig(rig.robot, (*rig.cameras, beside), rig.rods)
    pose = rig.robot.home
    one_image, both = (region_sightings(r, pose, 2, 1) for r in (rig, two))
    single, double = estimate(rig, one_image, pose), estimate(two, both, pose)
    assert double.status is EstimateStatus.GOOD
    assert np.trace(double.covariance[:3, :3]) < 0.25 * np.trace(single.covariance[:3, :3])


def test_statuses_say_why_and_never_come_with_numbers() -> None:
    rig = quattro()
    home = rig.robot.home
    seen = region_sightings(rig, home, 2, 1)
    images = [
        seen,
        seen.chosen(np.arange(len(seen)) < 3),
        seen.chosen(seen.rod == 0),
        replace(seen, side=1 - seen.side),
        replace(seen, rod=3 - seen.rod),
        seen,
        replace(seen, m=np.where(np.arange(len(seen))[:, None] < 3, np.nan, seen.m)),
        seen,
    ]
    near = np.array([home, home, home, home, home, [9.0, 0, 0, 0], home, np.nan * home])
    found = estimate_all(rig, images, near)
    S = EstimateStatus
    assert found.status.tolist() == [S.GOOD, S.TOO_FEW, S.SINGULAR, S.LOST, S.LOST, S.UNUSABLE, S.GOOD, S.UNUSABLE]
    for k, status in enumerate(found.status):
        numbers = (found.pose[k], found.covariance[k], found.radii[k], found.radius_deviations[k], found.rms[k])
        assert all(np.isfinite(value).all() if status == S.GOOD else np.isnan(value).all() for value in numbers)
        assert bool(found.words[k]) == (status != S.GOOD)
    assert found.rejected[6][:3].all()
    assert "there are 3 sightings" in found.words[1]
    assert "the platform can turn about the axis through [" in found.words[2]
    assert "the radius of" in found.words[3]
    assert "of 32 are off" in found.words[4]
    assert "[9.0, 0.0, 0.0, 0.0] is no pose that quattro reaches" in found.words[5]


def test_from_the_axis_of_a_delta_heights_show_in_widths_alone() -> None:
    """There all rods lie in planes with the axis, and keep to them when the platform sinks; from the side they do not.

    With radii that are not known, only how much narrower a rod becomes along its way is left.
    """
    above, beside = delta(), delta_from_the_side()
    deviations = {}
    for label, rig in (("above", above), ("beside", beside)):
        for how, known in (("known", 0.0), ("unknown", 1.0)):
            rods = tuple(replace(rod, radius_deviation=known) for rod in rig.rods)
            seen = region_sightings(rig, rig.robot.home, 3)
            found = estimate(replace(rig, rods=rods), seen, rig.robot.home)
            assert found.status is EstimateStatus.GOOD
            deviations[label, how] = np.sqrt(np.diagonal(found.covariance))
    assert (
        deviations["above", "unknown"][2] > 5 * deviations["above", "known"][2] > 100 * deviations["above", "known"][0]
    )
    assert deviations["beside", "unknown"][2] < 1.1 * deviations["beside", "known"][2] < 7e-6


def test_large_batches_go_in_parts_with_progress() -> None:
    rig = quattro()
    seen = region_sightings(rig, rig.robot.home, 1, 1)
    told: list[int] = []
    found = estimate_all(rig, [seen] * 300, rig.robot.home, progress=told.append)
    assert told == [256, 300]
    assert len(found) == 300
    assert np.ptp(found.pose, axis=0).max() < 1e-15
    assert len(estimate_all(rig, [], rig.robot.home)) == 0


def test_what_is_no_sighting_or_start_is_refused() -> None:
    rig = quattro()
    seen = region_sightings(rig, rig.robot.home, 1)
    with pytest.raises(VisionError, match=r"quattro: sightings\.rod: must be from 0 to 3"):
        estimate(rig, replace(seen, rod=seen.rod + 1), rig.robot.home)
    with pytest.raises(VisionError, match=r"quattro: near: must be one pose \(4,\), got \(3,\)"):
        estimate(rig, seen, [0.0, 0.0, -0.8])
    with pytest.raises(VisionError, match=r"sightings\.deviation: must be > 0"):
        estimate(rig, replace(seen, deviation=0.0 * seen.deviation), rig.robot.home)
    with pytest.raises(VisionError, match=r"quattro: near: must be \(2, 4\) or \(4,\), got \(3, 4\)"):
        estimate_all(rig, [seen, seen], np.zeros((3, 4)))
    with pytest.raises(VisionError, match=r"quattro: q: must be \(1, 4\) or \(4,\), got \(3,\)"):
        estimate(rig, seen, rig.robot.home, Encoders(np.zeros(3), np.ones(4)))
    with pytest.raises(VisionError, match="encoders: deviation: must be > 0"):
        Encoders(np.zeros(4), np.zeros(4))

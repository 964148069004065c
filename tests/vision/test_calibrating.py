"""Where cameras are: figures, Monte Carlo, SciPy on other residuals, slopes, wrong poses and what is not determined."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import least_squares

import parakin as pk
from parakin.errors import VisionError
from parakin.motions.offsets import displaced
from parakin.quaternions import quaternion_from_vector, rotation_matrix
from parakin.vision import EstimateStatus, Rig, calibrate, encoder_covariance, sightings_at
from parakin.vision.calibration.camera_problem import CameraProblem
from parakin.vision.rigs.sightings import joined
from tests.vision.regions import REGIONS, RIGS, noisy, region_sightings
from tests.vision.rigs import bent, camera, quattro
from tests.vision.silhouettes import silhouette_distances

PLACE, TURN = 8e-6, 15e-6
"""Root mean square errors that 16 poses may leave [m, rad]."""
CONSISTENT = 0.2
"""How far covariances may be from those of many draws: 100 draws of six numbers leave 6 %."""
SAME_MINIMUM = 1e-2
"""Distance, in standard deviations, between minima of two definitions of a residual which differ to second order."""
SLOPE = 1e-6
"""Relative to the largest slope of an unknown: differences, and rounding divided by their steps."""


def _moved(rig: Rig, twist: np.ndarray, which: int = 0) -> Rig:
    """The same rig with a camera displaced by a twist [v; w] in its own frame."""
    cameras = list(rig.cameras)
    old = cameras[which]
    turn = rotation_matrix(quaternion_from_vector(twist[3:]))
    cameras[which] = old.placed(old.p_OK + old.R_OK @ twist[:3], old.R_OK @ turn)
    return replace(rig, cameras=tuple(cameras))


def _twist(before: pk.vision.Camera, p_OK: np.ndarray, R_OK: np.ndarray) -> np.ndarray:
    """The small twist, in its own frame, from a camera to where it was found."""
    turn = before.R_OK.T @ R_OK
    w = 0.5 * np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    return np.concatenate([before.R_OK.T @ (p_OK - before.p_OK), w])


AWAY = np.array([0.01, -0.02, 0.01, 0.02, -0.01, 0.03])
"""How far cameras are from where they are thought to be [m, rad]."""


@pytest.mark.parametrize("name", RIGS)
def test_sixteen_poses_give_the_figures_from_25_mm_and_2_degrees_away(name: str) -> None:
    rig = RIGS[name]()
    poses = rig.robot.sample(16, seed=5)
    exact = [region_sightings(rig, pose, REGIONS[name]) for pose in poses]
    errors = []
    for draw in range(3):
        images = [noisy(seen, 100 * draw + k) for k, seen in enumerate(exact)]
        found = calibrate(_moved(rig, AWAY), poses, images)
        assert found.status is EstimateStatus.GOOD
        errors.append(_twist(rig.cameras[0], found.p_OK[0], found.R_OK[0]))
        expected = np.sqrt(np.trace(found.covariance[0, :3, :3])), np.sqrt(np.trace(found.covariance[0, 3:, 3:]))
        assert expected < (PLACE, TURN)
    rms = np.sqrt(np.mean(np.square(errors), axis=0))
    assert np.linalg.norm(rms[:3]) < PLACE
    assert np.linalg.norm(rms[3:]) < TURN


@pytest.mark.slow
@pytest.mark.parametrize("name", RIGS)
def test_covariances_are_those_of_many_draws(name: str) -> None:
    """Noise of edges, and of encoders that tell poses, drawn anew each time; lenses estimated too in half of them."""
    rig = RIGS[name]()
    robot = rig.robot
    poses = robot.sample(6, seed=7)
    covariances = encoder_covariance(robot, poses, np.full(len(robot.actuator_names), 2e-5))
    roots = np.linalg.cholesky(covariances)
    exact = [region_sightings(rig, pose, REGIONS[name]) for pose in poses]
    rng = np.random.default_rng(3)
    for lens in (False, True):
        normalised = []
        for draw in range(100):
            told = displaced(robot.motion_type, poses, np.einsum("bij,bj->bi", roots, rng.normal(size=roots.shape[:2])))
            images = [noisy(seen, 1000 * draw + k) for k, seen in enumerate(exact)]
            found = calibrate(rig, told, images, covariances=covariances, focal=lens, centre=lens)
            assert found.status is EstimateStatus.GOOD
            e = _twist(rig.cameras[0], found.p_OK[0], found.R_OK[0])
            normalised.append(e @ np.linalg.inv(found.covariance[0]) @ e)
        assert np.mean(normalised) / 6 == pytest.approx(1.0, rel=CONSISTENT)


@pytest.mark.slow
def test_scipy_finds_the_same_place_with_other_residuals() -> None:
    rig = quattro()
    poses = rig.robot.sample(4, seed=9)
    images = [region_sightings(rig, pose, 1, k) for k, pose in enumerate(poses)]
    found = calibrate(rig, poses, images)
    radii = np.array([rod.radius for rod in rig.rods])
    deviations = np.array([rod.radius_deviation for rod in rig.rods])

    def residuals(step: np.ndarray) -> np.ndarray:
        at = _moved(rig, step[:6])
        thick = radii + deviations * step[6:]
        miss = [
            silhouette_distances(at, pose, thick, seen) / seen.deviation
            for pose, seen in zip(poses, images, strict=True)
        ]
        return np.concatenate([*miss, step[6:]])

    other = least_squares(residuals, np.zeros(10), jac="3-point", xtol=1e-15, ftol=1e-15, gtol=1e-12)
    gap = other.x[:6] - _twist(rig.cameras[0], found.p_OK[0], found.R_OK[0])
    assert gap @ np.linalg.inv(found.covariance[0]) @ gap < SAME_MINIMUM**2
    covariance = np.linalg.inv(other.jac.T @ other.jac)[:6, :6]
    size = np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)))
    assert (np.abs(found.covariance[0] - covariance) < 2e-3 * size).all()


def test_slopes_are_derivatives_for_two_bent_cameras() -> None:
    """Twists, lenses, radii and poses, at sightings without noise, where slopes are exact."""
    flat = quattro()
    second = bent(camera("second")).placed([0.2, 0.1, 0.02], camera().R_OK)
    rig = replace(flat, cameras=(bent(flat.cameras[0]), second))
    poses = rig.robot.sample(2, seed=4)
    images = [sightings_at(rig, pose, points=3, deviation=0.04) for pose in poses]
    roots = np.asarray(np.linalg.cholesky(encoder_covariance(rig.robot, poses, np.full(4, 1e-4))), float)
    image = np.repeat([0, 1], [len(seen) for seen in images])
    problem = CameraProblem(rig, poses, roots, image, joined(images), (0, 1, 2, 3))
    state = problem.start()
    rows = problem.rows(state)
    for k, unit in enumerate(np.eye(sum(problem.unknowns))):
        h = 1e-3 if np.abs(rows.slopes[:, k]).max() < 10 else 1e-6  # pixels and deviations; metres and radians
        ends = [problem.rows(problem.moved(state, s * h * unit[None])).e for s in (1, -1)]
        numeric = (ends[0] - ends[1]) / (2 * h)
        assert np.abs(numeric - rows.slopes[:, k]).max() < SLOPE * max(np.abs(rows.slopes[:, k]).max(), 1.0)


def test_a_wrong_lens_is_found_where_it_is_asked_for() -> None:
    true = quattro()
    lens = replace(true.cameras[0], focal=(646.0, 637.0), centre=(515.0, 509.0))
    rig = replace(true, cameras=(lens,))
    poses = true.robot.sample(16, seed=5)
    exact = [region_sightings(true, pose, 2, k) for k, pose in enumerate(poses)]
    # Pixels are what a camera has: the wrong lens makes other points of the normalised picture of them.
    images = [replace(seen, m=lens.normalized(true.cameras[0].pixels_of(seen.m))) for seen in exact]
    assert calibrate(rig, poses, images).status is EstimateStatus.LOST
    found = calibrate(rig, poses, images, focal=True, centre=True)
    assert found.status is EstimateStatus.GOOD
    assert (np.abs(found.lens[0] - [640, 640, 511.5, 511.5]) < 4 * found.lens_deviations[0]).all()
    assert found.rig.cameras[0].focal == pytest.approx((640, 640), abs=0.05)


def test_poses_that_are_wrong_are_left_out_and_told() -> None:
    rig = quattro()
    poses = rig.robot.sample(16, seed=5)
    images = [region_sightings(rig, pose, 2, k) for k, pose in enumerate(poses)]
    told = np.array(poses)
    told[3, 0] += 0.02
    told[7] = [9.0, 0.0, 0.0, 0.0]
    found = calibrate(_moved(rig, AWAY / 4), told, images)
    assert found.status is EstimateStatus.GOOD
    assert np.flatnonzero(found.rejected_poses).tolist() == [3, 7]
    assert found.rejected[7].all()
    assert np.linalg.norm(found.p_OK) < 4 * PLACE


def test_what_is_not_determined_is_said_and_has_no_numbers() -> None:
    rig = quattro()
    home = rig.robot.home
    seen = region_sightings(rig, home, 2, 1)
    two = replace(rig, cameras=(*rig.cameras, camera("blind")))
    cases = [
        (rig, home, seen.chosen(np.arange(len(seen)) < 5), EstimateStatus.TOO_FEW, "there are 5 sightings"),
        (rig, home, seen.chosen(seen.rod == 0), EstimateStatus.SINGULAR, r"camera top can .* of its own frame"),
        (two, home, seen, EstimateStatus.SINGULAR, "camera blind is anywhere at all"),
        (rig, home, replace(seen, rod=3 - seen.rod), EstimateStatus.LOST, "of 32 are off"),
        (rig, np.array([9.0, 0, 0, 0]), seen, EstimateStatus.UNUSABLE, "poses that are reached"),
    ]
    for chosen, pose, sighted, status, words in cases:
        found = calibrate(chosen, pose[None], [sighted])
        assert found.status is status
        assert np.isnan(found.p_OK).all()
        assert np.isnan(found.covariance).all()
        with pytest.raises(VisionError, match=words):
            _ = found.rig


def test_one_pose_of_a_flat_view_does_not_tell_the_lens() -> None:
    rig = quattro()
    seen = region_sightings(rig, rig.robot.home, 2, 1)
    found = calibrate(rig, rig.robot.home[None], [seen.chosen(seen.rod < 2)], focal=True, centre=True)
    assert found.status is EstimateStatus.SINGULAR
    assert "f_u of camera top is another" in found.words


def test_shapes_that_do_not_fit_are_refused() -> None:
    rig = quattro()
    seen = region_sightings(rig, rig.robot.home, 1)
    with pytest.raises(VisionError, match=r"poses: must be one pose for each of 1 images, \(1, 4\), got \(4,\)"):
        calibrate(rig, rig.robot.home, [seen])
    with pytest.raises(VisionError, match="covariances: must be positive definite"):
        calibrate(rig, rig.robot.home[None], [seen], covariances=np.zeros((4, 4)))

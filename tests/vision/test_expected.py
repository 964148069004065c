"""What directions of rods tell of a pose, against what contours tell: theory, and draws of x = n1 x n2."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import least_squares

from parakin.vision import Rig, Sightings, expected_covariance, rod_lines, sightings_at
from tests.vision.regions import noisy, region_sightings
from tests.vision.rigs import quattro

CONSISTENT = 0.2
"""How far covariances may be from those of many draws."""


def _directions(rig: Rig, seen: Sightings, known: np.ndarray) -> np.ndarray:
    """Directions of rods in base axes from lines through the points of their two contours."""
    found = []
    for rod, x in enumerate(known):
        normals = []
        for side in range(2):
            m = seen.m[(seen.rod == rod) & (seen.side == side)]
            middle = m.mean(axis=0)
            across = np.linalg.svd(m - middle)[2][1]
            normals.append([*across, -across @ middle])
        along = np.cross(*normals) @ rig.cameras[0].R_OK.T
        found.append(along / np.linalg.norm(along) * np.sign(along @ x))
    return np.array(found)


def test_directions_alone_lose_what_contours_tell_across_rods() -> None:
    """800 um against 32 um in the trial: the place of a rod across the picture is known to micrometres, and unused."""
    rig = quattro()
    spreads = []
    for pose in rig.robot.sample(30, seed=5):
        seen = sightings_at(rig, pose, points=96, deviation=0.04)
        covariances = [expected_covariance(rig, pose, seen, observe=o) for o in ("contours", "directions")]
        spreads.append([np.sqrt(np.trace(covariance[:3, :3])) for covariance in covariances])
    contours, directions = np.sqrt(np.mean(np.square(spreads), axis=0))
    assert contours < 32e-6
    assert 400e-6 < directions < 800e-6


@pytest.mark.slow
def test_draws_of_directions_spread_as_expected() -> None:
    """Directions by the closed form n1 x n2 from noisy lines, and poses from these by SciPy, spread as theory says."""
    rig = quattro()
    robot, pose = rig.robot, rig.robot.sample(1, seed=3)[0]
    exact = region_sightings(rig, pose, 2)
    known = rod_lines(rig, pose).x
    draws = np.array([_directions(rig, noisy(exact, seed), known) for seed in range(1000)])
    weights = []
    for rod in range(len(known)):
        values, vectors = np.linalg.eigh(np.cov(draws[:, rod].T))
        weights.append((vectors[:, 1:] / np.sqrt(values[1:])).T)  # across x: well known in the picture, poorly in depth
        assert np.sqrt(values[2] / values[1]) > 20

    def residuals(at: np.ndarray, x: np.ndarray) -> np.ndarray:
        lines = rod_lines(rig, at)
        return np.concatenate([W @ (one - other) for W, one, other in zip(weights, lines.x, x, strict=True)])

    poses = np.array([least_squares(residuals, pose, args=(x,), x_scale=1e-4).x for x in draws[:300]])
    expected = expected_covariance(rig, pose, exact, observe="directions")
    assert np.std(poses - pose, axis=0) == pytest.approx(np.sqrt(np.diagonal(expected)), rel=CONSISTENT)
    assert robot.degrees_of_freedom == len(expected)

"""Pseudo-inertias of bodies made of point masses, and the cones of a robot's bodies about its file."""

from __future__ import annotations

import numpy as np
import pytest

from parakin.identification.bodies.pseudo_inertia import _thickened, cones, pseudo_inertia, ten_of
from tests.robots import robot_named

MASSES = np.array([0.5, 1.5, 2.0, 0.7, 1.1])
PLACES = np.random.default_rng(3).normal(size=(5, 3))


def ten_of_points(masses: np.ndarray, places: np.ndarray) -> np.ndarray:
    """The ten parameters by their definition, a sum over point masses."""
    x, y, z = places.T
    sums = [masses, *(masses * places.T), masses * (y * y + z * z), -masses * x * y, -masses * x * z]
    sums += [masses * (x * x + z * z), -masses * y * z, masses * (x * x + y * y)]
    return np.array([np.sum(one) for one in sums])


def moments_of_points(masses: np.ndarray, places: np.ndarray) -> np.ndarray:
    """The sum of m [r; 1] [r; 1]^T."""
    with_one = np.column_stack([places, np.ones(len(places))])
    return np.einsum("k,ki,kj->ij", masses, with_one, with_one)


def test_a_pseudo_inertia_is_the_second_moments_of_the_mass() -> None:
    ten = ten_of_points(MASSES, PLACES)
    P = pseudo_inertia(ten)
    assert pytest.approx(moments_of_points(MASSES, PLACES), abs=1e-12) == P
    assert ten_of(P) == pytest.approx(ten, abs=1e-12)


def test_a_body_that_is_thick_enough_stays_and_a_point_becomes_a_ball() -> None:
    P = moments_of_points(MASSES, PLACES)
    assert _thickened(P, 1e-3) == pytest.approx(P, abs=1e-12)
    r, thin = np.array([0.3, -0.2, 0.5]), 0.01
    point = moments_of_points(np.array([2.0]), r[None])
    ball = point.copy()
    ball[:3, :3] += 2.0 * thin**2 * np.eye(3)
    assert _thickened(point, thin) == pytest.approx(ball, abs=1e-15)


@pytest.mark.parametrize("name", ["five_bar", "delta"])
def test_the_middle_of_a_cone_is_the_body_of_the_file(name: str) -> None:
    """Bodies of these files are thick, so that X = 1 gives their own parameters, those with open spin among them."""
    robot = robot_named(name)
    for cone in cones(robot, False):
        middle = cone.map @ np.eye(cone.size).ravel() + cone.offset
        assert middle == pytest.approx(robot.parameters[cone.places[0]], rel=1e-9, abs=1e-12), cone.name

"""Newton on the closure equations, and each solution kept once."""

from __future__ import annotations

import numpy as np
import pytest

from parakin.assembly.closure import Spheres, Tori
from parakin.assembly.polish import polished
from parakin.motions import PLANAR, SPATIAL, TRANSLATION

CENTRES = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.2, 0.9, 0.1)])
P = np.array([0.3, 0.2, 0.7])
THREE = Spheres(CENTRES, np.sum((P - CENTRES) ** 2, axis=-1), np.zeros((3, 3)))


def test_candidates_become_solutions_each_once() -> None:
    mirrored = P - 2 * (P @ (n := np.cross(CENTRES[1], CENTRES[2]))) / (n @ n) * n
    candidates = np.array([P + 0.01, P - 0.02, np.full(3, np.nan), mirrored + 0.01, P])
    solved = polished(TRANSLATION, candidates, THREE, 1.0)
    assert solved.count == 2
    assert solved.singular == 0
    assert solved.poses == pytest.approx(np.array([P, mirrored]), abs=1e-13), "in the order of the candidates"


def test_the_unit_of_length_does_not_matter() -> None:
    large = Spheres(1e3 * THREE.u, 1e6 * THREE.squared_length, THREE.b)
    solved = polished(TRANSLATION, 1e3 * (P[None] + 0.01), large, 1e3)
    assert solved.poses == pytest.approx(1e3 * P[None], rel=1e-13)


def test_spheres_that_do_not_meet_leave_nothing() -> None:
    short = Spheres(CENTRES, np.full(3, 0.01), THREE.b)
    solved = polished(TRANSLATION, np.stack([P, -P]), short, 1.0)
    assert solved.count == 0
    assert solved.poses.shape == (0, 3)


def test_sets_of_different_size_are_filled_with_nan() -> None:
    short = Spheres(np.stack([CENTRES] * 2), np.stack([THREE.squared_length, np.full(3, 0.01)]), THREE.b)
    solved = polished(TRANSLATION, np.stack([P[None]] * 2), short, 1.0)
    assert solved.count.tolist() == [1, 0]
    assert solved.poses[0, 0] == pytest.approx(P)
    assert np.isnan(solved.poses[1]).all()


def test_a_point_where_spheres_touch_is_singular_and_one() -> None:
    """The centres' plane holds the point: both solutions are one, and Newton knows it to half the digits."""
    p = 0.3 * CENTRES[1] + 0.4 * CENTRES[2]
    touching = Spheres(CENTRES, np.sum((p - CENTRES) ** 2, axis=-1), THREE.b)
    n = np.cross(CENTRES[1], CENTRES[2])
    solved = polished(TRANSLATION, np.stack([p + 1e-3 * n, p - 1e-3 * n]), touching, 1.0)
    assert solved.count == solved.singular == 1


@pytest.mark.parametrize("turns", [-3.0, -1.0, 0.0, 1.0, 2.0])
def test_angles_come_out_within_half_a_turn(turns: float) -> None:
    b = np.array([(-0.2, 0.1, 0.0), (0.3, 0.2, 0.0), (0.0, -0.3, 0.0)])
    angle = 2.5
    R = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    p = np.array([0.4, 0.3, 0.0])
    surfaces = Spheres(3 * b, np.sum((p + b @ R.T - 3 * b) ** 2, axis=-1), b)
    start = np.array([[0.4, 0.3, angle + 2 * np.pi * turns]])
    assert polished(PLANAR, start, surfaces, 1.0).poses == pytest.approx(np.array([[0.4, 0.3, angle]]), abs=1e-12)


def test_quaternions_come_out_with_a_positive_first_component() -> None:
    rng = np.random.default_rng(6)
    u, b = rng.normal(size=(2, 6, 3))
    p = np.array([0.1, 0.2, 1.5])
    surfaces = Spheres(u, np.sum((p + b - u) ** 2, axis=-1), b)
    start = np.array([[*p, -1.0, 0.0, 0.0, 0.0], [*p, 1.0, 0.0, 0.0, 0.0]])
    solved = polished(SPATIAL, start, surfaces, 1.0)
    assert solved.count == 1, "a quaternion and its negative are one pose"
    assert solved.poses == pytest.approx(np.array([[*p, 1.0, 0.0, 0.0, 0.0]]), abs=1e-12)


@pytest.mark.parametrize("away", [1.0, -1.0])
def test_tori_hold_their_attachments_with_the_link_either_way(away: float) -> None:
    """r = away a out + the bar: a link that points towards the attachment or away from it."""
    rng = np.random.default_rng(7)
    u, b = rng.normal(size=(2, 6, 3))
    p, a = np.array([0.1, 0.2, 1.5]), 0.1
    r = p + b - u
    axis = np.cross(r, rng.normal(size=(6, 3)))
    axis = axis / np.linalg.norm(axis, axis=-1, keepdims=True) + 0.3 * r / np.linalg.norm(r, axis=-1, keepdims=True)
    axis /= np.linalg.norm(axis, axis=-1, keepdims=True)
    across = r - np.sum(r * axis, axis=-1, keepdims=True) * axis
    bar = r - away * a * across / np.linalg.norm(across, axis=-1, keepdims=True)
    surfaces = Tori(u, np.sum(bar**2, axis=-1), b, np.full(6, a), axis)
    start = np.array([[*(p + 1e-3), 1.0, 1e-3, 0.0, 0.0]])
    start[:, 3:] /= np.linalg.norm(start[:, 3:])
    solved = polished(SPATIAL, start, surfaces, 1.0)
    assert solved.poses == pytest.approx(np.array([[*p, 1.0, 0.0, 0.0, 0.0]]), abs=1e-11)

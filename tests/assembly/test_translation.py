"""Platforms that do not turn: spheres and circles meet."""

from __future__ import annotations

import numpy as np
import pytest

from parakin.assembly import assembly_modes
from parakin.assembly.closure import Spheres
from parakin.assembly.translation import candidates
from parakin.description import describe, load_description
from tests.assembly.solutions import DATA

CENTRES = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.2, 0.9, 0.1)])


def spheres(lengths: np.ndarray, centres: np.ndarray = CENTRES, b: float = 0.0) -> Spheres:
    """Return spheres about centres of u - b, all b alike."""
    attachments = np.full(centres.shape, b)
    return Spheres(centres + attachments, lengths**2, attachments)


@pytest.mark.parametrize("b", [0.0, 0.3])
def test_both_points_are_on_all_spheres(b: float) -> None:
    p = np.array([0.3, 0.2, 0.7])
    points = candidates(spheres(np.linalg.norm(p - CENTRES, axis=-1), b=b))
    assert np.abs(points - p).max(axis=-1).min() < 1e-14
    normal = np.cross(CENTRES[1], CENTRES[2])
    assert points.mean(axis=0) @ normal == pytest.approx(0.0, abs=1e-14), "mirror images in the plane of the centres"
    assert np.abs((points[0] - points[1]) @ normal) / np.linalg.norm(normal) == pytest.approx(
        2 * abs(p @ normal) / np.linalg.norm(normal)
    )


def test_two_circles_meet_in_their_plane() -> None:
    p, centres = np.array([0.4, 0.5, 0.0]), np.array([(0.0, 0.0, 0.0), (1.0, 0.1, 0.0)])
    points = candidates(spheres(np.linalg.norm(p - centres, axis=-1), centres))
    assert np.abs(points - p).max(axis=-1).min() < 1e-14
    assert np.linalg.norm(points[:, None] - centres, axis=-1) == pytest.approx(
        np.tile(np.linalg.norm(p - centres, axis=-1), (2, 1))
    )
    assert not points[:, 2].any()


def test_spheres_too_far_apart_do_not_meet() -> None:
    assert np.isnan(candidates(spheres(np.array([0.3, 0.3, 0.3])))).all()


@pytest.mark.parametrize("off", [0.0, 1e-11])
def test_centres_in_line_have_no_two_points(off: float) -> None:
    centres = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (2.0, off, 0.0)])
    assert np.isnan(candidates(spheres(np.array([1.5, 1.0, 1.5]), centres))).all()


def test_spheres_that_touch_meet_in_one_point() -> None:
    """In the plane of the centres the height is rounding, of either sign: both points are taken as one."""
    for x in np.linspace(-0.5, 0.5, 11):
        p = np.array([x, 0.3, 0.03333333333333333])
        p = p - p @ np.cross(CENTRES[1], CENTRES[2]) * np.cross(CENTRES[1], CENTRES[2]) / 0.82
        points = candidates(spheres(np.linalg.norm(p - CENTRES, axis=-1)))
        assert np.array_equal(points[0], points[1])
        assert points[0] == pytest.approx(p, abs=1e-12)


def test_touching_circles_are_one_singular_solution() -> None:
    description = load_description(DATA / "fivebar.toml")
    tables = description.model_dump(exclude_defaults=True)
    for leg, x in zip(tables["legs"], (-0.5, 0.5), strict=True):
        leg["root"] = (x, 0.0, 0.0)
        leg["attachment"] = {"b": (0.0, 0.0, 0.0)}
        for element, length in zip(leg["elements"], (0.2, 0.3), strict=True):
            element["length"] = length
        leg["elements"][0]["actuator"] |= {"reference": (1.0, 0.0, 0.0), "zero": 0.0, "sign": 1}
    tables["workspace"]["home"] = (0.0, 0.0)
    modes = assembly_modes(describe(tables, "touching"), [0.0, np.pi])
    assert modes.count == modes.singular == 1
    assert modes.poses[0] == pytest.approx([0.0, 0.0], abs=1e-6)

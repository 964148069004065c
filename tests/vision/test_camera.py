"""A camera maps points to pixels and back, and refuses what is none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from parakin.errors import VisionError
from parakin.vision import Camera, looking_at
from tests.vision.rigs import bent, camera

UNDONE = 1e-9
"""How far a pixel may be off after distortion was undone and done [px]: twelve Newton steps end at rounding."""
SLOPE = 1e-6
"""Differences of 1e-6 give a slope to this part: the square of the step, and rounding divided by it."""


def test_pixels_and_points_are_each_others_inverse() -> None:
    seen = bent(camera())
    pixels = np.random.default_rng(1).uniform(0, 1023, (200, 2))
    m = seen.normalized(pixels)
    assert np.isfinite(m).all()
    assert np.abs(seen.pixels_of(m) - pixels).max() < UNDONE


def test_slopes_are_derivatives_of_pixels() -> None:
    seen = bent(camera())
    m = np.random.default_rng(2).uniform(-0.7, 0.7, (50, 2))
    step = 1e-6 * np.eye(2)
    numeric = np.stack([(seen.pixels_of(m + h) - seen.pixels_of(m - h)) / 2e-6 for h in step], axis=-1)
    assert np.allclose(seen.pixel_slopes(m), numeric, rtol=SLOPE, atol=640 * SLOPE)


def test_a_fold_of_the_lens_gives_nan() -> None:
    folding = replace(camera(), distortion=(-0.6, 0.0, 0.0, 0.0, 0.0))
    assert np.isnan(folding.normalized([1023.0, 1023.0])).all()
    assert np.isfinite(folding.normalized([600.0, 600.0])).all()


def test_points_behind_a_camera_have_no_pixels() -> None:
    assert np.isnan(camera().pixels([[0.1, 0.0, -1.0], [0.1, 0.0, 0.0]])).all()


def test_looking_at_gives_axes_of_the_picture() -> None:
    R = looking_at([0.3, 0.2, 1.0], [0.1, -0.1, -0.5], [0.0, 1.0, 0.3])
    assert np.allclose(R.T @ R, np.eye(3), atol=1e-15)
    assert np.linalg.det(R) == pytest.approx(1.0)
    seen = replace(camera(), p_OK=np.array([0.3, 0.2, 1.0]), R_OK=R)
    assert np.allclose(seen.pixels(seen.seen([0.1, -0.1, -0.5])), seen.middle)
    with pytest.raises(VisionError, match="right: must differ"):
        looking_at([0, 0, 0], [0, 0, 1], [0, 0, 2])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"size": (0, 4)}, "size: must be two whole numbers"),
        ({"size": (1024.5, 1024)}, "size: must be two whole numbers"),
        ({"size": (1024, np.nan)}, "size: must be two whole numbers"),
        ({"size": (1024,)}, "size: must be two whole numbers"),
        ({"focal": (0.0, 1.0)}, "focal: must be two numbers > 0 px"),
        ({"focal": (640.0,)}, "focal: must be two numbers > 0 px"),
        ({"focal": (640.0, 640.0, 640.0)}, "focal: must be two numbers > 0 px"),
        ({"centre": (511.5, 511.5, 0.0)}, "centre: must be two finite numbers"),
        ({"centre": ()}, "centre: must be two finite numbers"),
        ({"R_OK": np.diag([1.0, 1.0, -1.0])}, "R_OK: must be a rotation matrix"),
        ({"p_OK": np.array([0.0, np.nan, 0.0])}, "p_OK: must be three finite numbers"),
        ({"exposure": -1.0}, "exposure: must be >= 0 s"),
    ],
)
def test_impossible_cameras_are_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(VisionError, match=message):
        replace(camera(), **change)


def test_a_camera_keeps_its_numbers() -> None:
    made: Camera = camera()
    with pytest.raises(ValueError, match="read-only"):
        made.p_OK[0] = 1.0

"""Figures of what cameras see show what they are given."""

from __future__ import annotations

import numpy as np
import pytest

from parakin.analysis import Slice, lattice_of
from parakin.errors import DataError, VisionError
from parakin.plots import calibration_figure, estimates_figure, visibility_figure
from parakin.vision import calibrate, estimate_all, views_at
from tests.vision.regions import noisy, region_sightings
from tests.vision.rigs import gough_stewart, quattro


def test_errors_are_drawn_for_images_with_an_estimate() -> None:
    rig = quattro()
    home = rig.robot.home
    seen = region_sightings(rig, home, 2)
    images = [noisy(seen, seed) for seed in range(5)]
    found = estimate_all(rig, [*images, seen.chosen(np.zeros(len(seen), bool))], home)
    figure = estimates_figure(rig.robot, found, home)
    plane = figure.axes[0]
    assert np.asarray(plane.lines[0].get_xdata()) == pytest.approx(1e6 * found.pose[:5, 0])
    assert figure.get_suptitle() == "quattro: 5 poses from one picture each, 1 without"
    ellipse = np.asarray(plane.lines[1].get_xydata())
    covariance = np.mean(found.covariance[:5, :2, :2], axis=0) * 1e12
    assert np.einsum("pi,ij,pj->p", ellipse, np.linalg.inv(covariance), ellipse) == pytest.approx(4.0)
    with pytest.raises(DataError, match="must be GOOD of one image at least"):
        estimates_figure(rig.robot, estimate_all(rig, [seen.chosen(np.zeros(len(seen), bool))], home), home)


def test_images_that_were_left_out_are_drawn_red() -> None:
    rig = quattro()
    poses = rig.robot.sample(8, seed=5)
    images = [region_sightings(rig, pose, 2, k) for k, pose in enumerate(poses)]
    told = np.array(poses)
    told[2, 0] += 0.02
    figure = calibration_figure(calibrate(rig, told, images))
    bars = figure.axes[2].patches
    heights = [bar.get_height() for bar in bars]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType, reportUnknownMemberType]
    assert int(np.argmax(heights)) == 2
    assert bars[2].get_facecolor() != bars[1].get_facecolor()
    with pytest.raises(VisionError, match="there are 0 sightings"):
        calibration_figure(calibrate(rig, poses[:1], [images[0].chosen(np.zeros(len(images[0]), bool))]))


def test_curves_are_drawn_where_signs_change_alone() -> None:
    rig = gough_stewart()
    lattice = lattice_of(rig.robot, Slice(axes=("rx", "ry"), grid=9))
    legs = ["right1.*", "left1.*", "left2.*"]
    figure = visibility_figure(lattice, views_at(rig, lattice.poses, observe="directions", rods=legs))
    assert "a motion is lost" in [text.get_text() for text in figure.legends[0].get_texts()]
    figure = visibility_figure(lattice, views_at(rig, lattice.poses))
    assert "a motion is lost" not in [text.get_text() for text in figure.legends[0].get_texts()]
    line = lattice_of(rig.robot, Slice(axes=("x",), grid=9))
    with pytest.raises(DataError, match="axes: must be two that vary, got 1"):
        visibility_figure(line, views_at(rig, line.poses))

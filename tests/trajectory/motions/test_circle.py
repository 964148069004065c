"""The circle of [Abdellatif2005] sec. 4."""

from __future__ import annotations

import numpy as np

from parakin.trajectory import circle
from tests.trajectory.helpers import is_refused, made, robot_named


def test_the_circle_is_that_of_the_paper() -> None:
    """0.3 m across, 45 degrees to x, once round, 1 m/s between the ramps, horizontal."""
    motion = made("palida", "circle")
    assert motion.note == ""
    states = motion.at(np.linspace(0.0, motion.duration, 3001))
    p, speed = states.pose[:, :3], np.linalg.norm(states.velocity[:, :3], axis=1)
    np.testing.assert_allclose(np.linalg.norm(p - p[[0, 1500]].mean(axis=0), axis=1), 0.15, atol=1e-12)
    np.testing.assert_allclose(p[:, 0] - p[:, 2], p[0, 0] - p[0, 2], atol=1e-12)
    np.testing.assert_allclose(p[-1], p[0], atol=1e-12)
    np.testing.assert_allclose(speed[1001:2000], 1.0, atol=1e-12)
    np.testing.assert_allclose(states.pose[:, 3:], np.tile(robot_named("palida").home[3:], (3001, 1)), atol=1e-15)
    assert np.all(np.diff(speed[:1001]) >= 0)
    assert np.max(speed) < 1.0 + 1e-12


def test_the_circle_starts_outwards_along_x_and_goes_towards_y() -> None:
    robot = robot_named("palida")
    motion = circle(robot, tilt=0.5, turns=1.0, ramp=0.5)
    p = motion.at(motion.duration * np.array([0.0, 0.25, 0.5])).pose[:, :3]
    np.testing.assert_allclose(p[0] - p[2], [0.3 * np.cos(0.5), 0.0, 0.3 * np.sin(0.5)], atol=1e-12)
    assert p[1, 1] > p[0, 1]
    np.testing.assert_allclose((p[0] + p[2]) / 2 - robot.home[:3], (robot.box[0] + robot.box[1])[:3] / 2, atol=1e-12)
    np.testing.assert_allclose(motion.at(motion.duration / 2).velocity, [0, -1, 0, 0, 0, 0], atol=1e-12)


def test_circles_that_do_not_fit_shrink_and_keep_their_times() -> None:
    robot = robot_named("orthoglide")
    large, small = circle(robot, diameter=1.0), circle(robot, diameter=0.1)
    assert small.note == ""
    assert large.note.startswith("diameter ")
    assert large.note.endswith("of what was asked, to fit the robot's box")
    p = large.at(np.linspace(0.0, large.duration, 1001)).pose - robot.home
    assert np.all((p >= robot.box[0] - 1e-12) & (p <= robot.box[1] + 1e-12))
    assert large.duration == 10 * small.duration


def test_circles_that_cannot_be_are_refused() -> None:
    is_refused(lambda r: circle(r, speed=-1.0), r"circle: speed: must be finite and > 0 m/s, got -1")
    is_refused(lambda r: circle(r, diameter=0.0), r"circle: diameter: must be finite and > 0 m, got 0")
    is_refused(lambda r: circle(r, turns=0.0), r"circle: turns: must be finite and > 0, got 0")
    is_refused(
        lambda r: circle(r, ramp=0.6), r"circle: ramp: both ramps must fit into 1 turns: > 0 and at most half, got 0\.6"
    )
    is_refused(lambda r: circle(r, ramp=0.0), r"circle: ramp: both ramps must fit")
    is_refused(lambda r: circle(r, tilt=np.inf), r"circle: tilt: must be finite, got inf rad")
    is_refused(lambda r: circle(r, diameter=1e4), r"circle: delta: its box has no room for this motion")

"""Motions are made smaller where a robot has no room for them, and only there."""

from __future__ import annotations

import numpy as np
import pytest

from parakin.errors import MotionError
from parakin.trajectory.fitting import SMALLEST_SIZE, fitting_factor, fitting_note
from tests.trajectory.helpers import robot_named

FAR = 50.0
"""Further than the orthoglide reaches [m]."""


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_what_does_not_fit_shrinks_to_the_face_it_meets(axis: int, sign: float) -> None:
    robot = robot_named("orthoglide")
    centre = np.array([0.01, -0.02, 0.03])
    way = sign * np.eye(3)[axis]
    room = (robot.box[1] - centre if sign > 0 else centre - robot.box[0])[axis]
    shape = np.linspace(0.0, 1.0, 5)[:, None] * way
    assert fitting_factor("way", robot, centre, room * shape) == 1.0
    assert fitting_factor("way", robot, centre, 0.5 * room * shape) == 1.0
    assert fitting_factor("way", robot, centre, FAR * shape) == pytest.approx(room / FAR)


def test_what_leaves_the_box_and_can_be_driven_stays() -> None:
    robot = robot_named("delta")
    shape = np.array([[0.0, 0.0, 0.0], [1.05 * robot.box[1][0], 0.0, 0.0]])
    assert fitting_factor("way", robot, np.zeros(3), shape) == 1.0
    assert fitting_factor("way", robot, np.zeros(3), 10 * shape) == pytest.approx(1 / 10.5)


def test_what_leaves_the_box_and_its_stroke_shrinks() -> None:
    """0.25 m along x are within the orthoglide's reach, beyond its stroke of 0.2 m and its box of 0.13 m."""
    robot = robot_named("orthoglide")
    x = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    far = robot.home + 0.25 * x[1]
    assert robot.inverse_kinematics(far[None]).max() > robot.strokes.upper.max()
    assert fitting_factor("way", robot, np.zeros(3), 0.15 * x) == 1.0
    assert fitting_factor("way", robot, np.zeros(3), 0.25 * x) == pytest.approx(0.13 / 0.25)
    assert fitting_factor("way", robot, 0.1 * x[1], 0.15 * x) == pytest.approx(0.03 / 0.15)


def test_what_would_all_but_vanish_is_refused() -> None:
    robot = robot_named("orthoglide")
    room = robot.box[1][0]
    shape = np.array([[0.0, 0.0, 0.0], [room / SMALLEST_SIZE, 0.0, 0.0]])
    assert fitting_factor("way", robot, np.zeros(3), 0.99 * shape) == pytest.approx(SMALLEST_SIZE / 0.99)
    with pytest.raises(MotionError, match=r"way: orthoglide: its box has no room for this motion: widen it"):
        fitting_factor("way", robot, np.zeros(3), 1.01 * shape)


def test_only_what_was_made_smaller_says_so() -> None:
    assert fitting_note("10 mm", 1.0) == ""
    assert fitting_note("10 mm", 0.25) == "10 mm: 0.25 of what was asked, to fit the robot's box"

"""The lift of [Vivas2003]."""

from __future__ import annotations

import numpy as np

from parakin.trajectory import lift
from tests.trajectory.helpers import is_refused, robot_named


def test_the_lift_is_that_of_the_paper() -> None:
    """[Vivas2003] sec. 5.1: 0.1 m along z, 0.35 rad of every motor."""
    robot = robot_named("h4")
    ends = lift(robot).at([0.0, 0.5]).pose
    np.testing.assert_allclose(ends[1] - ends[0], [0.0, 0.0, 0.1, 0.0], atol=1e-12)
    np.testing.assert_allclose(np.abs(np.diff(robot.inverse_kinematics(ends), axis=0)), 0.35, atol=0.005)


def test_the_lift_starts_at_the_bottom_below_home() -> None:
    """Which for the hexapod, whose z points down, is the upper end of z."""
    for name, bottom, way in (("h4", 0, 0.1), ("hexapod_sliding", 1, -0.1)):
        robot = robot_named(name)
        ends = lift(robot).at([0.0, 0.5]).pose[:, :3] - robot.home[:3]
        np.testing.assert_allclose(ends[0], [0.0, 0.0, robot.box[bottom][2]], atol=1e-12)
        np.testing.assert_allclose(ends[1] - ends[0], [0.0, 0.0, way], atol=1e-12)


def test_lifts_that_do_not_fit_are_smaller() -> None:
    robot = robot_named("orthoglide")
    motion = lift(robot, height=0.4)
    assert motion.note == "200 mm: 0.5 of what was asked, to fit the robot's box"
    np.testing.assert_allclose(np.diff(motion.at([0.0, 0.5]).pose[:, 2]), 0.2, atol=1e-12)
    is_refused(lambda r: lift(r, height=-1.0), r"lift: height: must be finite and > 0 m, got -1")

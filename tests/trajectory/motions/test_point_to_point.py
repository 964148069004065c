"""From pose to pose: the short way, every actuator on one quintic, no jump to another assembly mode."""

from __future__ import annotations

import numpy as np
import pytest

from parakin.errors import MotionError, QuaternionError, UnsupportedRobotError
from parakin.poses import quaternion_from_vector, quaternion_product
from parakin.trajectory import actuator_point_to_point, point_to_point
from tests.reference import planar_rpr
from tests.trajectory.helpers import is_refused, made, robot_named
from tests.variants import without_strokes


def test_point_to_point_turns_the_short_way_about_one_axis() -> None:
    robot = robot_named("gough_stewart")
    turn = np.array([0.1, -0.05, 0.15])
    goal = np.concatenate([robot.home[:3] + 0.02, -quaternion_product(quaternion_from_vector(turn), robot.home[3:])])
    states = point_to_point(robot, robot.home, goal, 2.0).at([0.0, 1.0, 2.0])
    np.testing.assert_allclose(states.pose[0], robot.home, atol=1e-15)
    np.testing.assert_allclose(states.pose[1, 3:], quaternion_from_vector(turn / 2), atol=1e-15)
    np.testing.assert_allclose(states.pose[2], np.concatenate([goal[:3], -goal[3:]]), atol=1e-15)
    np.testing.assert_allclose(states.velocity[1, 3:], 1.875 * turn / 2.0, atol=1e-14)


@pytest.mark.parametrize("name", ["delta", "h4", "hexapod_sliding"])
def test_actuators_move_on_one_quintic(name: str) -> None:
    robot, motion = robot_named(name), made(name, "actuator_point_to_point")
    u = np.linspace(0.0, 1.0, 11)
    q = robot.inverse_kinematics(motion.at(u * motion.duration).pose)
    share = (10 * u**3 - 15 * u**4 + 6 * u**5)[:, None]
    np.testing.assert_allclose(q, q[0] + share * (q[-1] - q[0]), atol=1e-12)


def test_actuators_do_not_lead_where_no_pose_is() -> None:
    with pytest.raises(
        MotionError, match=r"goal: five_bar has no pose with the actuator positions at 0\.\d+ s: choose"
    ):
        actuator_point_to_point(without_strokes(robot_named("five_bar")), [0.0, 0.36], [0.0, -0.36])
    with pytest.raises(MotionError, match=r"goal: planar_3rpr would jump to another assembly mode at 0\.\d+ s: choose"):
        actuator_point_to_point(robot_named("planar_3rpr"), [0, 0, 0], [0, 0, 2.4])
    with pytest.raises(UnsupportedRobotError, match=r"4 actuators for 3 degrees of freedom cannot be moved one by one"):
        actuator_point_to_point(planar_rpr(4))


def test_unless_told_motions_go_from_the_lower_to_the_upper_corner() -> None:
    robot = robot_named("delta")
    for motion in (point_to_point(robot), actuator_point_to_point(robot)):
        ends = motion.at([0.0, motion.duration]).pose - robot.home
        np.testing.assert_allclose(ends, 0.8 * np.array(robot.box), atol=1e-12)


def test_ends_and_durations_that_cannot_be_are_refused() -> None:
    is_refused(lambda r: point_to_point(r, duration=0.0), r"point_to_point: duration: must be finite and > 0 s, got 0")
    is_refused(lambda r: point_to_point(r, [0, 0, np.nan]), r"point_to_point: start: must be finite")
    is_refused(lambda r: point_to_point(r, goal=[0, 0]), r"goal: poses of delta have shape \(3,\), got \(2,\)")
    spatial = robot_named("gough_stewart")
    with pytest.raises(QuaternionError, match=r"normalise it"):
        point_to_point(spatial, 2 * spatial.home)

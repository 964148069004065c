"""The motion along z of [Vivas2003] sec. 5.1: 0.1 m up, every actuator on a polynomial of degree 5."""

from __future__ import annotations

import dataclasses

import numpy as np

from parakin.robot import Robot
from parakin.trajectory.fitting import fitting_factor, fitting_note
from parakin.trajectory.motions.point_to_point import actuator_point_to_point
from parakin.trajectory.offsets import offset_pose, upwards
from parakin.trajectory.states import Motion, positive

LIFT_HEIGHT = 0.1
"""Height by which the paper lifts the platform [m]."""
DURATION = 0.5
"""Duration of the lift [s]. It is assumed: the paper prints none."""


def lift(robot: Robot, height: float = LIFT_HEIGHT, duration: float = DURATION) -> Motion:
    """Return a motion upwards from the bottom of the robot's box, below home; height in m, duration in s.

    Robots that move in a plane go along y. The motion starts at the bottom because the arms of an H4 turn there by the
    0.35 rad of the paper, and by less higher up.

    >>> motion = pk.trajectory.lift(robot, height=0.05)
    >>> print((motion.at(0.5).pose - motion.at(0.0).pose)[2].round(3))
    0.05
    """
    name = "lift"
    positive(name, "height", height, "m")
    up = upwards(robot)
    lower, upper = robot.box
    bottom = (lower if up.sum() > 0.0 else upper) * abs(up)
    factor = fitting_factor(name, robot, bottom, height * np.linspace(0.0, 1.0, 41)[:, None] * up)
    start, goal = offset_pose(robot, bottom), offset_pose(robot, bottom + factor * height * up)
    motion = actuator_point_to_point(robot, start, goal, duration, name)
    return dataclasses.replace(motion, note=fitting_note(f"{1e3 * factor * height:.4g} mm", factor))

"""Fit published motions to other robots: as published where the robot can make them, smaller where it cannot."""

from __future__ import annotations

import numpy as np

from parakin.arrays import Array
from parakin.errors import MotionError
from parakin.robot import Robot
from parakin.robot.surveys import LARGEST_CONDITION
from parakin.trajectory.offsets import offset_pose

SMALLEST_SIZE = 1e-3
"""Part of the size asked for below which a motion is refused: so little is no motion any more."""
_ON_A_FACE = 1e-12
"""What rounding may put a path that ends on the face of the box outside by [m or rad, or part of the size]."""


def fitting_factor(motion: str, robot: Robot, centre: Array, shape: Array) -> float:
    """Return the size at which the robot can drive along centre + size * shape (N, n), which are offsets from home.

    The size is 1 where that path lies in the robot's box, or is within reach and limits and well-conditioned; else the
    largest that fits the box.
    """
    lower, upper = robot.box[0] - centre, robot.box[1] - centre
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        room = np.where(shape > _ON_A_FACE, upper / shape, np.where(shape < -_ON_A_FACE, lower / shape, np.inf))
    factor = float(np.min(room))
    if factor >= 1.0 - _ON_A_FACE or _drivable(robot, offset_pose(robot, centre + shape)):
        return 1.0
    if factor < SMALLEST_SIZE:
        raise MotionError(motion, robot.name, "its box has no room for this motion: widen it, or give a smaller size")
    return factor


def fitting_note(what: str, factor: float) -> str:
    """Return what a motion says of its size when it was made smaller, or nothing where it was not."""
    return "" if factor == 1.0 else f"{what}: {factor:.3g} of what was asked, to fit the robot's box"


def _drivable(robot: Robot, poses: Array) -> bool:
    kinematics = robot.evaluate("inverse_kinematics", pose=poses)
    return bool(np.all(kinematics.good) and np.all(robot.condition(poses) < LARGEST_CONDITION))

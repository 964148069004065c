"""Published motions on other robots: as published where they fit, smaller where they do not."""

from __future__ import annotations

import numpy as np

from parakin.arrays import Array
from parakin.errors import MotionError
from parakin.kinematics.status import Status
from parakin.robot import Robot
from parakin.robot.surveys import LARGEST_CONDITION
from parakin.trajectory.limits import limits_of
from parakin.trajectory.offsets import offset_pose

SMALLEST = 1e-3
"""Of the size asked for: less is no motion."""
_ROUNDING = 1e-12
"""[m or rad] A path that ends on the face of a box is inside."""


def fitting_factor(motion: str, robot: Robot, centre: Array, shape: Array) -> float:
    """The size at which centre + size * shape (N, n), offsets from home, can be driven.

    1 where that lies in the robot's box, or is within reach, well-conditioned and in stroke; else what fits the box.
    """
    lower, upper = robot.box[0] - centre, robot.box[1] - centre
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.where(shape > _ROUNDING, upper / shape, np.where(shape < -_ROUNDING, lower / shape, np.inf))
    factor = float(np.min(room))
    if factor >= 1.0 - _ROUNDING or _drivable(robot, offset_pose(robot, centre + shape)):
        return 1.0
    if factor < SMALLEST:
        raise MotionError(motion, robot.name, "its box has no room for this motion: widen it, or give a smaller size")
    return factor


def fitting_note(what: str, factor: float) -> str:
    """What a motion says of itself when it was made smaller."""
    return "" if factor == 1.0 else f"{what}: {factor:.3g} of what was asked, to fit the robot's box"


def _drivable(robot: Robot, poses: Array) -> bool:
    found = robot.evaluate("inverse_kinematics", pose=poses)
    limits, q = limits_of(robot), found["q"]
    return bool(
        np.all(found.status == Status.GOOD)
        and np.all((q >= limits.lower) & (q <= limits.upper))
        and np.all(robot.condition(poses) < LARGEST_CONDITION)
    )

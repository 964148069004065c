"""Where a robot with more motors than freedoms comes to rest, if their positions do not fit each other.

Rigid motors could not be at such positions. Elastic drives with the stiffness k give way, and the platform goes to
where they balance, gravity left out:

    sum of k_i (q_i(x) - goal_i)^2 is least        dx = (J_qv^T k J_qv)^-1 J_qv^T k dq
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parakin.analysis.compliance import drive_stiffnesses
from parakin.arrays import Array
from parakin.motions.offsets import displaced
from parakin.units import ANGLE

if TYPE_CHECKING:
    from parakin.analysis.options import Options
    from parakin.analysis.quantity import GoodPoses
    from parakin.robot import Robot

STEPS = 8
"""Steps of the search. The first is the linear answer, and each one after it leaves of the distance a share of the size
of the errors [rad, or of lengths]: enough to tell whether that answer is off by a tenth, which `accuracy` asks."""


def comparable_drives(robot: Robot, options: Options) -> str | None:
    """Return why it is not known how drives share what does not fit, and what would tell it; None if it is known."""
    known = [one is not None for one in drive_stiffnesses(robot, options)]
    units = {actuator.units.stiffness for actuator in robot.actuators}
    if all(known) or (not any(known) and len(units) == 1):
        return None
    why = "some drives have a `stiffness` and others have none" if any(known) else "its motors turn and slide"
    return f"it has more motors than freedoms, and {why}: give `stiffness` of every drive, which tells how they balance"


def fitting_step(robot: Robot, options: Options, jacobian: Array) -> Array:
    """Return the matrix (N, n, m) that takes small changes of motor positions to those of the pose, for J_qv (N, m, n).

    It is J_qv^-1 for as many motors as freedoms.
    """
    roots = np.sqrt([1.0 if one is None else one for one in drive_stiffnesses(robot, options)])
    return np.asarray(np.linalg.pinv(roots[:, None] * jacobian) * roots, float)


def balanced_poses(poses: GoodPoses, goal: Array) -> Array:
    """Return the poses (N, coordinates) at which drives with motors at `goal` (N, m) balance; NaN where none is found.

    Gauss-Newton steps, in which angles of motors go the short way round.
    """
    robot, motion = poses.robot, poses.robot.coordinates
    turning = np.array([actuator.units == ANGLE for actuator in robot.actuators])
    found = poses.poses
    for _ in range(STEPS):
        q = robot.evaluate("inverse_kinematics", near=poses.near, pose=found)["q"]
        jacobian = robot.evaluate("jacobian", near=poses.near, pose=found)["J_qv"]
        error = goal - q
        error = np.where(turning, error - 2 * np.pi * np.round(error / (2 * np.pi)), error)
        good = np.isfinite(error).all(axis=1) & np.isfinite(jacobian).all(axis=(1, 2))
        step = np.full((len(found), jacobian.shape[2]), np.nan)
        matrix = fitting_step(robot, poses.options, jacobian[good])
        step[good] = np.einsum("knm,km->kn", matrix, error[good])
        found = displaced(motion, found, step)
    return found

"""How evenly motors move the platform, or a mechanism's output: condition number, its inverse, and isotropy."""

from __future__ import annotations

import numpy as np

from parakin.analysis.options import Options, directions_of, length_of
from parakin.analysis.quantity import Found, GoodPoses
from parakin.arrays import Array
from parakin.robot import Robot
from parakin.robot.condition import output_way_count, output_ways
from parakin.units import ANGLE


def moved_by_motors(robot: Robot, options: Options) -> str | None:
    """Return why the evenness of a robot's motors has no meaning: too few of them, or an output that stands still."""
    motors, freedoms = len(robot.actuators), robot.degrees_of_freedom
    if motors < freedoms:
        return f"rates of {motors} motors do not determine the motion of {freedoms} freedoms: drive more joints"
    if robot.coordinates.of_joints and options.at != "pose" and not output_way_count(robot):
        return f"no motor moves the {robot.output_name}: ask with at = 'pose'"
    return None


def singular_values(poses: GoodPoses) -> Array:
    """Return the singular values (N, k) of the map from motors to the platform, largest first.

    Of a mechanism that is the map to the twist of its output, in the ways in which it moves at all; or to the rates of
    its independent coordinates, those of J_qv^-1, as of a robot of legs. The characteristic length makes rates of
    lengths and of angles comparable.
    """
    robot, options = poses.robot, poses.options
    if robot.coordinates.of_joints and options.at != "pose":
        return output_ways(robot, poses.poses, poses.near, options.length)
    scaled = poses.jacobian @ directions_of(robot, Options(space="all", length=options.length)).moves
    if robot.coordinates.of_joints:
        # Motors are counted in ways as the coordinates are, for they may be of both units.
        length = length_of(robot, options)
        scaled *= np.array([[length if motor.units == ANGLE else 1.0] for motor in robot.actuators])
    values = np.linalg.svd(scaled, compute_uv=False)
    with np.errstate(divide="ignore"):
        return np.asarray(1 / values[:, ::-1], float)


def condition(poses: GoodPoses) -> Found:
    """Return the condition number: how many times as fast as in the slowest direction the platform moves at most.

    largest singular value / smallest
    """
    values = singular_values(poses)
    with np.errstate(divide="ignore", invalid="ignore"):
        return poses.good(values[:, 0] / values[:, -1])


def dexterity(poses: GoodPoses) -> Found:
    """Return the inverse of the condition number, from 0 where the robot is singular to 1 where it is isotropic."""
    values = singular_values(poses)
    return poses.good(values[:, -1] / values[:, 0])


def isotropy(poses: GoodPoses) -> Found:
    """Return geometric over arithmetic mean of the squared singular values, from 0 to 1 [Kim1991].

    It looks at all directions, where the condition number looks at the best and the worst.
    """
    squares = singular_values(poses) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        return poses.good(np.exp(np.log(squares).mean(axis=1)) / squares.mean(axis=1))

"""How evenly motors move the platform: condition number, its inverse, and isotropy."""

from __future__ import annotations

import numpy as np

from parakin.analysis.options import Options, directions_of
from parakin.analysis.quantity import Found, GoodPoses
from parakin.arrays import Array
from parakin.robot.dexterity import output_ways
from parakin.robot.mechanism import Mechanism


def singular_values(poses: GoodPoses) -> Array:
    """Return the singular values (N, k) of the map between platform and motors, largest first.

    Of a robot of legs those of J_qv S, where S scales turns by the characteristic length; of a mechanism those of the
    map from rates of motors to the twist of its output, in the ways in which it moves at all.
    """
    robot = poses.robot
    if isinstance(robot, Mechanism):
        return output_ways(robot, poses.poses, poses.near)
    moves = directions_of(robot, Options(space="all", length=poses.options.length)).moves
    return np.asarray(np.linalg.svd(poses.jacobian @ moves, compute_uv=False), float)


def condition(poses: GoodPoses) -> Found:
    """Return the condition number: how many times as fast as in the slowest direction the platform moves at most.

    largest singular value / smallest
    """
    values = singular_values(poses)
    with np.errstate(divide="ignore"):
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
    with np.errstate(divide="ignore"):
        return poses.good(np.exp(np.log(squares).mean(axis=1)) / squares.mean(axis=1))

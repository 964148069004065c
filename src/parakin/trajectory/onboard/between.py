"""Between two samples of a motion: a quintic through pose, velocity and acceleration of both, orientation included.

    offset(s) = s h v0 + s^2 h^2 a0/2 + s^3 (10 D - 4 V + A/2) + s^4 (-15 D + 7 V - A) + s^5 (6 D - 3 V + A/2)
    D = d - h v0 - h^2 a0/2,    V = h (v1 - v0) - h^2 a0,    A = h^2 (a1 - a0)

h is the time between the samples, s the share of it that has passed, d the offset from the first sample to the second:
differences and, of an orientation, the rotation vector in base axes, whose derivatives follow from angular velocity and
acceleration. Pose, velocity and acceleration have no jump at a sample; the pose is off by h^6/46080 times the sixth
derivative at most.
"""

from __future__ import annotations

from typing import NamedTuple

import casadi as ca

from parakin.errors import UnsupportedRobotError
from parakin.motions import MotionType
from parakin.spatial import quaternion_product
from parakin.trajectory.onboard.rotation_vectors import (
    Turn,
    angular_acceleration,
    angular_velocity,
    quaternion_of,
    turn_of,
    vector_of,
)


class Set(NamedTuple):
    """A set point of the platform, as expressions."""

    pose: ca.SX
    """Pose (coordinates,) [m, rad; quaternions 1]."""
    velocity: ca.SX
    """Velocity (degrees of freedom,) [m/s, rad/s]."""
    acceleration: ca.SX
    """Acceleration (degrees of freedom,) [m/s^2, rad/s^2]."""


def check_kind(motion: MotionType, robot: str) -> None:
    """Refuse motions whose offsets are not those of a platform or of plain joints: those with balls."""
    if motion.balls:
        reason = "set points on board are not made for coordinates that are turns of a ball"
        raise UnsupportedRobotError(robot, f"{reason}: give the controller set points from outside")


def offset_between(motion: MotionType, start: ca.SX, goal: ca.SX) -> ca.SX:
    """Return the offset (degrees of freedom,) from a pose to another: differences, and a rotation vector."""
    if motion.quaternion is None:
        return goal - start
    first = motion.quaternion.start
    before = start[motion.quaternion]
    turn = quaternion_product(goal[motion.quaternion], ca.vertcat(before[0], -before[1:]))
    return ca.vertcat(goal[:first] - start[:first], vector_of(turn))


def moved(motion: MotionType, start: ca.SX, offset: Set) -> Set:
    """Return the set point at an offset from a pose, the offset being given with two derivatives in time."""
    if motion.quaternion is None:
        return Set(start + offset.pose, offset.velocity, offset.acceleration)
    first = motion.quaternion.start
    turn = Turn(*(part[first:] for part in offset))
    return Set(
        ca.vertcat(
            start[:first] + offset.pose[:first],
            quaternion_product(quaternion_of(turn.vector), start[motion.quaternion]),
        ),
        ca.vertcat(offset.velocity[:first], angular_velocity(turn.vector, turn.rate)),
        ca.vertcat(offset.acceleration[:first], angular_acceleration(turn)),
    )


def between(motion: MotionType, one: Set, other: Set, step: float, share: ca.SX) -> Set:
    """Return the set point at a share (0 to 1) of the time from one sample to the next, which are `step` [s] apart."""
    d = offset_between(motion, one.pose, other.pose)
    end = Set(d, other.velocity, other.acceleration)
    if motion.quaternion is not None:
        first = motion.quaternion.start
        turn = turn_of(d[first:], other.velocity[first:], other.acceleration[first:])
        end = Set(
            d,
            ca.vertcat(other.velocity[:first], turn.rate),
            ca.vertcat(other.acceleration[:first], turn.acceleration),
        )
    s, v0, a0 = share, step * one.velocity, step**2 * one.acceleration
    D, V, A = d - v0 - a0 / 2, step * end.velocity - v0 - a0, step**2 * end.acceleration - a0
    c3, c4, c5 = 10 * D - 4 * V + A / 2, -15 * D + 7 * V - A, 6 * D - 3 * V + A / 2
    return moved(
        motion,
        one.pose,
        Set(
            s * (v0 + s * (a0 / 2 + s * (c3 + s * (c4 + s * c5)))),
            (v0 + s * (a0 + s * (3 * c3 + s * (4 * c4 + s * 5 * c5)))) / step,
            (a0 + s * (6 * c3 + s * (12 * c4 + s * 20 * c5))) / step**2,
        ),
    )

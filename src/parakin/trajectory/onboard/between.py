"""Between two samples of a motion: a quintic through pose, velocity and acceleration of both, orientation included.

    offset(s) = s h v0 + s^2 h^2 a0/2 + s^3 (10 D - 4 V + A/2) + s^4 (-15 D + 7 V - A) + s^5 (6 D - 3 V + A/2)
    D = d - h v0 - h^2 a0/2,    V = h (v1 - v0) - h^2 a0,    A = h^2 (a1 - a0)

h is the time between the samples, s the share of it that has passed, d the offset from the first sample to the second:
differences and, of an orientation, the rotation vector in base axes, whose derivatives follow from angular velocity and
acceleration. Pose, velocity and acceleration have no jump at a sample; the pose is off by h^6/46080 times the sixth
derivative at most.

Rotation vectors need no case for small angles: their functions of u = |r|^2 are entire, and summed.

    quat = exp(r/2),    w = r_dot + a r x r_dot + b r x (r x r_dot)    a = (1 - cos t)/t^2, b = (t - sin t)/t^3, t = |r|

All in base axes: an orientation is exp(r) of the one it is counted from.
"""

from __future__ import annotations

from math import factorial
from typing import NamedTuple

import casadi as ca

from parakin.errors import UnsupportedRobotError
from parakin.motions import MotionType
from parakin.spatial import quaternion_product

TERMS = 16
"""Terms of each series: at half a turn, u = pi^2, the first left out is below 1e-19."""
SMALL = 1e-4
"""Square of the vector part of a quaternion below which its angle is summed: the term left out is below 1e-17."""


class Turn(NamedTuple):
    """A rotation vector with two derivatives."""

    vector: ca.SX
    """r (3,) [rad]."""
    rate: ca.SX
    """r_dot (3,) [rad/s]."""
    acceleration: ca.SX
    """r_ddot (3,) [rad/s^2]."""


def _series(u: ca.SX, terms: list[float]) -> ca.SX:
    """Return terms[0] - terms[1] u + terms[2] u^2 - ..., by Horner's rule."""
    total = ca.SX(terms[-1])
    for term in reversed(terms[:-1]):
        total = term - u * total
    return total


def quaternion_of(r: ca.SX) -> ca.SX:
    """Return the unit quaternion (cos(t/2), sin(t/2) r/t) of a rotation vector of up to half a turn."""
    u = ca.sumsqr(r) / 4
    cosine = _series(u, [1 / factorial(2 * k) for k in range(TERMS)])
    sine = _series(u, [1 / factorial(2 * k + 1) for k in range(TERMS)])
    return ca.vertcat(cosine, 0.5 * sine * r)


def vector_of(quaternion: ca.SX) -> ca.SX:
    """Return the rotation vector of a unit quaternion, the shorter one: of at most half a turn."""
    sign = ca.if_else(quaternion[0] < 0, -1, 1)
    w, v = sign * quaternion[0], sign * quaternion[1:]
    square = ca.sumsqr(v)
    near = square < SMALL
    length = ca.sqrt(ca.if_else(near, 1, square))
    summed = 2 + square * (1 / 3 + square * (3 / 20 + square * (5 / 56)))  # 2 asin(n)/n
    return ca.if_else(near, summed, 2 * ca.atan2(length, w) / length) * v


def angular_velocity(r: ca.SX, r_dot: ca.SX) -> ca.SX:
    """Return the angular velocity that belongs to the rate of a rotation vector."""
    u = ca.sumsqr(r)
    a = _series(u, [1 / factorial(2 * k + 2) for k in range(TERMS)])
    b = _series(u, [1 / factorial(2 * k + 3) for k in range(TERMS)])
    across = ca.cross(r, r_dot)
    return r_dot + a * across + b * ca.cross(r, across)


def rate_of(r: ca.SX, w: ca.SX) -> ca.SX:
    """Return the rate of a rotation vector that belongs to an angular velocity, the inverse of `angular_velocity`.

    r_dot = w - 1/2 r x w + c r x (r x w),    c = (1 - t/2 cot(t/2))/t^2
    """
    u = ca.sumsqr(r) / 4
    sine = _series(u, [1 / factorial(2 * k + 1) for k in range(TERMS)])
    c = _series(u, [(2 * k + 2) / (4 * factorial(2 * k + 3)) for k in range(TERMS)]) / sine
    across = ca.cross(r, w)
    return w - 0.5 * across + c * ca.cross(r, across)


def _drift(r: ca.SX, r_dot: ca.SX) -> ca.SX:
    """Return the angular acceleration where r_ddot = 0."""
    along = ca.SX.sym("r", 3)
    fixed = ca.SX.sym("r_dot", 3)
    w = angular_velocity(along, fixed)
    return ca.Function("drift", [along, fixed], [ca.jtimes(w, along, fixed)])(r, r_dot)


def angular_acceleration(turn: Turn) -> ca.SX:
    """Return the angular acceleration of an orientation that turns as a rotation vector says."""
    return angular_velocity(turn.vector, turn.acceleration) + _drift(turn.vector, turn.rate)


def turn_of(r: ca.SX, w: ca.SX, w_dot: ca.SX) -> Turn:
    """Return the derivatives of a rotation vector that belong to an angular velocity and acceleration."""
    rate = rate_of(r, w)
    return Turn(r, rate, rate_of(r, w_dot - _drift(r, rate)))


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

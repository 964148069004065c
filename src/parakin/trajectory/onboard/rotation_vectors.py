"""Rotation vectors, symbolic, without a case for small angles: their functions of u = |r|^2 are entire, and summed.

quat = exp(r/2),    w = r_dot + a r x r_dot + b r x (r x r_dot)      a = (1 - cos t)/t^2,  b = (t - sin t)/t^3,  t = |r|

All in base axes: an orientation is exp(r) of the one it is counted from.
"""

from __future__ import annotations

from math import factorial
from typing import NamedTuple

import casadi as ca

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

"""From rest to rest along a straight way, as fast as limits of speed, acceleration and jerk allow: seven segments.

    offset(t) = p(t) d,    p(t) = (ramp(t) - ramp(t - T_1))/T_1,    T_1 = T_2 + T_3 + cruise

ramp is the way of a speed that rises from 0 to 1 in T_2 + T_3: its acceleration is a trapezium whose flanks take T_3.
All coordinates move together, and each keeps its limits: 1/v = max |d_k|/v_k, and likewise acceleration and jerk.
[Biagiotti2008] sec. 3.4 has the times.
"""

from __future__ import annotations

from typing import NamedTuple

import casadi as ca

from parakin.trajectory.onboard.between import Set

SHORTEST = 1e-9
"""Time that no part of a move is shorter than [s]: a way of no length has it, so that nothing is divided by zero."""


class Times(NamedTuple):
    """The three times that a move from rest to rest is made of."""

    constant: ca.SX
    """T_2: from the beginning of one flank of the acceleration to the beginning of the other [s]."""
    flank: ca.SX
    """T_3: how long the acceleration takes to rise [s]."""
    cruise: ca.SX
    """How long the speed is constant [s]."""

    @property
    def total(self) -> ca.SX:
        """How long the move takes [s]."""
        return 2 * (self.constant + self.flank) + self.cruise


def times_of(way: ca.SX, velocity: ca.SX, acceleration: ca.SX, jerk: ca.SX) -> Times:
    """Return the times of the fastest move along a way (n,), with limits > 0 of each coordinate (n,)."""
    v, a, j = (
        _largest(ca.fabs(way) / limit, SHORTEST**order)
        for order, limit in enumerate((velocity, acceleration, jerk), start=1)
    )
    flat = a**2 >= v * j  # the acceleration reaches its limit before the speed does
    constant, flank = ca.if_else(flat, a / v, ca.sqrt(j / v)), ca.if_else(flat, j / a, ca.sqrt(j / v))
    cruise = v - (constant + flank)
    short = cruise < 0
    steep = a**3 < 2 * j**2  # nor does it on the way, which is too short for the speed
    third = _cube_root(j / 2)
    half = j / a / 2
    shorter = ca.if_else(steep, third, ca.sqrt(half**2 + a) - half)
    flanks = ca.if_else(steep, third, j / a)
    return Times(ca.if_else(short, shorter, constant), ca.if_else(short, flanks, flank), ca.if_else(short, 0, cruise))


def _largest(values: ca.SX, least: float) -> ca.SX:
    largest = ca.SX(least)
    for k in range(values.numel()):
        largest = ca.if_else(values[k] > largest, values[k], largest)
    return largest


def _cube_root(x: ca.SX) -> ca.SX:
    """Return the cube root of a number > 0; one Newton step takes what the logarithm rounded away."""
    root = ca.exp(ca.log(x) / 3)
    return root - (root - x / root**2) / 3


def _ramp(t: ca.SX, times: Times) -> Set:
    """Return the way, speed and acceleration of a speed that rises from 0 to 1 in T_2 + T_3 and stays there."""
    rise = times.constant + times.flank
    inside = ca.fmin(ca.fmax(t, 0), rise)
    knots = ((1, inside), (-1, inside - times.flank), (-1, inside - times.constant))
    scale = times.constant * times.flank
    cubes, squares, lines = (sum((sign * ca.fmax(x, 0) ** order for sign, x in knots), ca.SX(0)) for order in (3, 2, 1))
    done = t >= rise
    return Set(
        ca.if_else(done, t - rise / 2, cubes / (6 * scale)),
        ca.if_else(done, 1, squares / (2 * scale)),
        ca.if_else(done, 0, lines / scale),
    )


def share_at(t: ca.SX, times: Times) -> Set:
    """Return the share of the way that has been made at a time from the beginning, with two derivatives in time."""
    first = times.constant + times.flank + times.cruise
    up, down = _ramp(t, times), _ramp(t - first, times)
    ended = t >= times.total
    share = ca.if_else(ended, 1, (up.pose - down.pose) / first)
    return Set(share, (up.velocity - down.velocity) / first, (up.acceleration - down.acceleration) / first)

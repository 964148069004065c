"""The largest pace along a path within linear rows: backward what can still be stopped, forward as fast as it goes.

In an interval of length h from x = b_i to y = b_(i+1) the slope is u = (y - x)/(2 h), so that a row reads p x + q y
and, divided by q,

    lower_j - slope_j x <= y <= upper_j - slope_j x

Backward: the largest x from which some y between 0 and the y allowed there can be reached, the rightmost zero of the
convex function f(x) = max_j (lower_j - slope_j x) - min_j (upper_j - slope_j x), by Newton's method from the right,
which on straight pieces ends. Forward: the largest y. This is the method of [Pham2018], with rows at both ends of each
interval.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from parakin.arrays import Array, frozen_arrays

if TYPE_CHECKING:
    from parakin.kernels import Kernel
    from parakin.kernels.program import Program

UNBOUNDED = 1e12
"""Square of a pace [m^2/s^2] that stands for any: nothing moves at 1,000 km/s."""
_NEWTON_LIMIT = 64
"""Most steps; each ends on another straight piece, of which three or four are met as a rule."""
_CLOSE = 1e-13
"""Part of x by which the last step may change it."""
_LEAST_FACTOR = 1e-6
"""Part of a row's size below which a factor of y counts as none, so that the row limits x alone. A row that is tilted
by less would let x grow to where no y but 0 is left."""


@frozen_arrays
class Rows:
    """Rows of every interval that bound y from both sides at a given x."""

    lower: Array
    """Least y at x = 0 (N, rows) [m^2/s^2]."""
    upper: Array
    """Largest y at x = 0 (N, rows) [m^2/s^2]."""
    slope: Array
    """How much both fall with x (N, rows)."""
    fastest: Array
    """Largest x (N,) [m^2/s^2] that rows allow which do not depend on y."""


def rows_of(h: Array, A: Array, B: Array, lower: Array, upper: Array) -> Rows:
    """Return the rows of intervals of lengths h (N,) [m] from those at their two ends, (N, 2, rows) each."""
    twice = 2 * h[:, None]
    p = np.concatenate([twice * B[:, 0] - A[:, 0], -A[:, 1]], axis=1)
    q = np.concatenate([A[:, 0], A[:, 1] + twice * B[:, 1]], axis=1)
    least = np.concatenate([lower[:, 0], lower[:, 1]], axis=1) * twice
    most = np.concatenate([upper[:, 0], upper[:, 1]], axis=1) * twice
    size = np.abs(p) + np.abs(q)
    alone = np.abs(q) <= _LEAST_FACTOR * size
    q = np.where(alone, 1.0, q)
    first, second = least / q, most / q
    with np.errstate(divide="ignore"):
        largest = np.where(alone & (size > 0.0), np.maximum(least / p, most / p), UNBOUNDED)
    return Rows(
        np.where(alone, -UNBOUNDED, np.minimum(first, second)),
        np.where(alone, UNBOUNDED, np.maximum(first, second)),
        np.where(alone, 0.0, p / q),
        np.minimum(UNBOUNDED, largest.min(axis=1)),
    )


def largest_pace(rows: Rows, fastest: Array) -> Array:
    """Return the largest squares of the pace (N + 1,) [m^2/s^2] within rows and below `fastest` (N + 1,).

    It begins and ends at rest; standing still must be within all rows.
    """
    backward, forward = _kernels(rows.slope.shape[1])
    turned = slice(None, None, -1)
    stops = backward(
        reach=0.0,
        fastest=np.minimum(fastest[:-1], rows.fastest)[turned],
        lower=rows.lower[turned],
        upper=rows.upper[turned],
        slope=rows.slope[turned],
    )["stoppable"][turned]
    reach = np.concatenate([stops[1:], [0.0]])
    return np.concatenate([[0.0], forward(x=0.0, reach=reach, upper=rows.upper, slope=rows.slope)["pace"]])


@cache
def _kernels(rows: int) -> tuple[Kernel, Kernel]:
    """Return the two scans for so many rows."""
    from parakin.kernels import Derivation, Kernel

    return (
        Kernel(Derivation(repr(("fastest backward", rows)), lambda: _backward(rows))),
        Kernel(Derivation(repr(("fastest forward", rows)), lambda: _forward(rows))),
    )


def _backward(rows: int) -> Program:
    """Return the scan that finds, from the last interval to the first, the largest x that can still be stopped."""
    import casadi as ca

    from parakin.kernels.program import Program, iterate, scan, stage

    x, reach, fastest = ca.SX.sym("x"), ca.SX.sym("reach"), ca.SX.sym("fastest")
    lower, upper, slope = (ca.SX.sym(name, rows) for name in ("lower", "upper", "slope"))
    floor, floor_slope, roof, roof_slope = ca.SX(0), ca.SX(0), reach, ca.SX(0)
    for j in range(rows):
        least, most = lower[j] - slope[j] * x, upper[j] - slope[j] * x
        higher, nearer = least > floor, most < roof
        floor, floor_slope = ca.if_else(higher, least, floor), ca.if_else(higher, slope[j], floor_slope)
        roof, roof_slope = ca.if_else(nearer, most, roof), ca.if_else(nearer, slope[j], roof_slope)
    missing, rise = floor - roof, roof_slope - floor_slope
    beyond = ca.logic_and(missing > 0, rise > 0)
    next_x = ca.if_else(beyond, ca.fmax(0, x - missing / ca.if_else(beyond, rise, 1)), x)
    done = ca.logic_not(next_x < (1 - _CLOSE) * x)
    names = ["x", "reach", "lower", "upper", "slope"]
    step = ca.Function("step", [x, reach, lower, upper, slope], [next_x, done], names, ["next_x", "done"])
    # Each row by itself against y = 0 or the largest y: from further away a step would lose digits.
    first = fastest
    for j in range(rows):
        steep = ca.fabs(slope[j])
        room = ca.if_else(slope[j] > 0, upper[j], reach - lower[j]) / ca.if_else(steep > 0, steep, 1)
        first = ca.fmin(first, ca.if_else(steep > 0, room, fastest))
    names = ["reach", "fastest", "lower", "upper", "slope"]
    begin = ca.Function("begin", [reach, fastest, lower, upper, slope], [ca.fmax(0, first)], names, ["x"])
    end = ca.Function("end", [x], [x, x], ["x"], ["reach", "stoppable"])
    newton = iterate(stage(step, next_x="x"), until="done", limit=_NEWTON_LIMIT)
    body = begin, newton, end
    loop = scan(*body, inputs=("fastest", "lower", "upper", "slope"), outputs=("stoppable",))
    return Program(loop, outputs=("reach",), name="fastest_backward")


def _forward(rows: int) -> Program:
    """Return the scan that goes from the first interval to the last, as fast as rows and what is to come allow."""
    import casadi as ca

    from parakin.kernels.program import Program, scan, stage

    x, reach = ca.SX.sym("x"), ca.SX.sym("reach")
    upper, slope = (ca.SX.sym(name, rows) for name in ("upper", "slope"))
    y = reach
    for j in range(rows):
        y = ca.fmin(y, upper[j] - slope[j] * x)
    y = ca.fmax(y, 0)
    step = ca.Function("step", [x, reach, upper, slope], [y, y], ["x", "reach", "upper", "slope"], ["next_x", "pace"])
    loop = scan(stage(step, next_x="x"), inputs=("reach", "upper", "slope"), outputs=("pace",))
    return Program(loop, outputs=("x",), name="fastest_forward")

"""What stands still: motors, rails, and the bars between the places where legs begin.

Rails are as long as their carriages need them; parallel rails are equally long.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.viewer.building import joint_parts, nodes_of, stock_of
from parakin.viewer.gauge import Gauge
from parakin.viewer.linkage import BASE, SLIDES, Joint, Linkage, Side
from parakin.viewer.roles import Role
from parakin.viewer.scene import Part
from parakin.viewer.solids import SAME_PLACE, Stock, around, bar, box, distinct, plane_of

ACROSS = 2.6
"""Size of a rail across its direction, in units of the gauge."""
BEYOND = 6.0
"""How far a rail goes on beyond the middles of its carriages, in units of the gauge."""
PARALLEL = 1e-9
"""Rails are parallel whose unit directions differ by no more than this."""


@frozen_arrays
class Rail:
    """A rail from one end to the other, and the slides on it."""

    ends: tuple[Array, Array]
    """Its ends on the base [m]."""
    axis: Array
    """Its direction (3,)."""
    joints: tuple[Joint, ...]
    """The slides on it."""


def rails_of(linkage: Linkage, gauge: Gauge) -> list[Rail]:
    """Return the rails of a robot; slides on one line share a rail."""
    slides = [joint for joint in linkage.joints if joint.kind in SLIDES and joint.a.frame == BASE]
    rails: list[Rail] = []
    for joint in slides:
        if any(joint in rail.joints for rail in rails):
            continue
        axis = joint.a.axis
        along = [other for other in slides if np.max(np.abs(other.a.axis - axis)) <= PARALLEL]
        ways = [float(other.a.p @ axis) + way for other in along for way in gauge.travel[other.name]]
        beyond = BEYOND * gauge.unit
        foot = joint.a.p - float(joint.a.p @ axis) * axis
        ends = foot + (min(ways) - beyond) * axis, foot + (max(ways) + beyond) * axis
        here = tuple(other for other in along if np.linalg.norm(np.cross(other.a.p - foot, axis)) <= SAME_PLACE)
        rails.append(Rail(ends, axis, here))
    return rails


def rail_part(stock: Stock, gauge: Gauge, rail: Rail) -> Part:
    """Return the solid of a rail."""
    size = np.array([float(np.linalg.norm(rail.ends[1] - rail.ends[0])), ACROSS * gauge.unit, ACROSS * gauge.unit])
    return box(stock, Role.RAIL, (rail.ends[0] + rail.ends[1]) / 2, rail.axis, size)


def rail_rings(gauge: Gauge, rails: list[Rail]) -> list[list[Array]]:
    """Return the sets of points that bars connect: both ends of parallel rails, the far ends of others."""
    if len(rails) < 2:
        return []
    sets = [[rail.ends[k] for rail in rails] for k in (0, 1)]
    if all(np.max(np.abs(rail.axis - rails[0].axis)) <= PARALLEL for rail in rails):
        return sets
    return [max(sets, key=lambda ends: float(np.mean([np.linalg.norm(end - gauge.centre) for end in ends])))]


RING = 1.5
"""Radius of the bars of the base, in units of the gauge."""
MOTOR = (3.2, 2.2, 9.0)
"""Radius of a motor, and where it begins and ends along its axis from the joint, in units of the gauge."""
BEHIND = 9.0
"""How far the base of a planar robot is behind the plane of its links, in units of the gauge."""
INSIDE = 0.5
"""A point nearer to the middle than this share of the farthest one is not on the base's ring, but held by spokes."""
MEETING = 1e-6
"""Axes meet that pass one point by no more than this, in distances of the motors from it."""


def base_parts(linkage: Linkage, gauge: Gauge) -> list[Part]:
    """Return the parts of the base."""
    stock = stock_of(linkage, BASE)
    sides = [(joint, side) for joint, side in linkage.sides(BASE) if joint.kind not in ("planar", "free")]
    fixed = [(joint, side) for joint, side in sides if joint.kind not in SLIDES]
    rails = rails_of(linkage, gauge)
    parts = [rail_part(stock, gauge, rail) for rail in rails]
    for joint, side in fixed:
        parts += _mount(linkage, gauge, joint, side)
    behind = np.zeros(3) if gauge.normal is None else -BEHIND * gauge.unit * gauge.normal
    places = _motor_ends(gauge, fixed) or [node.p + behind for node in nodes_of(fixed)]
    for points in (places, *rail_rings(gauge, rails)):
        parts += ring(stock, points, RING * gauge.unit)
    for joint in linkage.joints:
        parts += joint_parts(linkage, gauge, joint, BASE)
    return parts


def _motor_ends(gauge: Gauge, fixed: list[tuple[Joint, Side]]) -> list[Array]:
    """Return the far ends of motors whose axes meet in one point, as those of a spherical robot do; else nothing."""
    if len(fixed) < 3 or any(joint.kind != "revolute" or not joint.driven for joint, _ in fixed):
        return []
    # The point nearest to all axes: sum of (1 - a a^T) (x - p) = 0.
    across: list[Array] = [np.eye(3) - np.outer(side.axis, side.axis) for _, side in fixed]
    total = np.array(across).sum(axis=0)
    if np.linalg.cond(total) > 1 / MEETING:
        return []
    right = np.array([n @ side.p for n, (_, side) in zip(across, fixed, strict=True)]).sum(axis=0)
    centre = np.asarray(np.linalg.solve(total, right), float)  # pyright: ignore[reportUnknownArgumentType]
    missed = max(np.linalg.norm(n @ (side.p - centre)) for n, (_, side) in zip(across, fixed, strict=True))
    away = min(float(np.linalg.norm(side.p - centre)) for _, side in fixed)
    if missed > MEETING * away:
        return []
    return [side.p + MOTOR[2] * gauge.unit * side.axis for _, side in fixed]


def _mount(linkage: Linkage, gauge: Gauge, joint: Joint, side: Side) -> list[Part]:
    """Return the motor of a driven hinge; of a planar robot, behind its plane, with a post for hinges without one."""
    stock = Stock(BASE, f"motor of {joint.name}", joint.leg)
    radius, begin, end = (size * gauge.unit for size in MOTOR)
    axis = -gauge.normal if gauge.normal is not None else side.axis
    if joint.driven and joint.kind == "revolute":
        return [bar(stock, Role.MOTOR, (side.p + begin * axis, side.p + end * axis), radius)]
    if gauge.normal is None:
        return []
    return [bar(stock_of(linkage, BASE), Role.BASE, (side.p, side.p + end * axis), RING * gauge.unit)]


def ring(stock: Stock, points: Sequence[Array], radius: float) -> list[Part]:
    """Return bars from point to point around their middle, and spokes to points well inside; one bar between two."""
    separate = distinct(points)
    if len(separate) < 2:
        return []
    if len(separate) == 2:
        return [bar(stock, Role.BASE, (separate[0], separate[1]), radius)]
    plane = plane_of(separate)
    if plane.spread[1] <= 1e-6 * plane.spread[0]:
        order = sorted(separate, key=lambda p: float((p - plane.middle) @ plane.R[:, 0]))
        return [bar(stock, Role.BASE, (order[0], order[-1]), radius)]
    away = [float(np.linalg.norm(p - plane.middle)) for p in separate]
    outer = [p for p, d in zip(separate, away, strict=True) if d > INSIDE * max(away)]
    inner = [p for p, d in zip(separate, away, strict=True) if d <= INSIDE * max(away)]
    order = around(outer)
    closed = [*order, order[0]] if len(order) > 2 else order
    bars = [bar(stock, Role.BASE, ends, radius) for ends in pairwise(closed)]
    return bars + [bar(stock, Role.BASE, (p, q), radius) for p in inner for q in outer]

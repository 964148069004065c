"""What stands still: motors, rails, and the bars between the places where legs begin."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from parakin.arrays import Array
from parakin.viewer.building import joint_parts, nodes_of, stock_of
from parakin.viewer.gauge import Gauge
from parakin.viewer.linkage import BASE, SLIDES, Joint, Linkage, Side
from parakin.viewer.rails import rail_part, rail_rings, rails_of
from parakin.viewer.roles import Role
from parakin.viewer.scene import Part
from parakin.viewer.solids import Stock, around, bar, distinct, plane_of

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

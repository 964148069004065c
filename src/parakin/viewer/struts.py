"""What slides: the cylinder and the piston of a strut, neither of which changes its length; carriages."""

from __future__ import annotations

import numpy as np

from parakin.viewer.gauge import Gauge
from parakin.viewer.linkage import Joint
from parakin.viewer.roles import Role
from parakin.viewer.scene import Part
from parakin.viewer.solids import Stock, bar, box

CYLINDER, PISTON = 1.9, 1.05
"""Radii of a strut's two parts, in units of the gauge."""
SHARE = 0.58
"""Length of a strut's cylinder, in lengths of the strut at home."""
COVERED = 0.94
"""A cylinder is no longer than this share of the shortest strut."""
OVERLAP = 2.0
"""How far a piston stays in its cylinder at the longest strut, in units of the gauge."""
SHORTEST = 6.0
"""Length of the shortest cylinder, in units of the gauge."""
CARRIAGE = (7.0, 5.0, 5.0)
"""Size of a carriage, along its rail first, in units of the gauge."""


def _strut(gauge: Gauge, joint: Joint, along: tuple[list[float], list[float]]) -> tuple[float, float, float, float]:
    """Return way (1 or -1), where the cylinder starts (from a along way), its length, and where the piston ends.

    The piston's end is counted from b, along way. along: where other joints of the two bodies are along the axis.
    """
    least, at_home, most = gauge.travel[joint.name]
    first, last = along
    ends = [(at_home + v - u, u, v) for u in first or [0.0] for v in last or [0.0]]
    span, start, end = max(ends, key=lambda one: abs(one[0]))
    way = 1.0 if span >= 0 else -1.0
    shortest = min(way * (least + end - start), way * (most + end - start))
    length = max(min(SHARE * abs(span), COVERED * shortest), SHORTEST * gauge.unit)
    return way, way * start, length, way * end


def cylinder(stock: Stock, gauge: Gauge, joint: Joint, along: tuple[list[float], list[float]]) -> Part:
    """Return the outer part of a strut, fixed to the side a of its slide."""
    way, start, length, _ = _strut(gauge, joint, along)
    axis = way * joint.a.axis
    ends = joint.a.p + start * axis, joint.a.p + (start + length) * axis
    return bar(stock, Role.CYLINDER if joint.driven else Role.LINK, ends, CYLINDER * gauge.unit)


def piston(stock: Stock, gauge: Gauge, joint: Joint, along: tuple[list[float], list[float]]) -> Part:
    """Return the inner part of a strut, fixed to the side b; at its longest it still reaches into the cylinder."""
    way, start, length, end = _strut(gauge, joint, along)
    least, _, most = gauge.travel[joint.name]
    longest = max(way * least, way * most) + end - start
    reach = max(longest - length + OVERLAP * gauge.unit, SHORTEST * gauge.unit)
    axis = way * joint.b.axis
    return bar(stock, Role.PISTON, (joint.b.p + (end - reach) * axis, joint.b.p + end * axis), PISTON * gauge.unit)


def carriage(stock: Stock, gauge: Gauge, joint: Joint) -> Part:
    """Return what slides on a rail of the base."""
    role = Role.CARRIAGE if joint.driven else Role.LINK
    return box(stock, role, joint.b.p, joint.b.axis, gauge.unit * np.array(CARRIAGE))

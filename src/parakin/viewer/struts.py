"""What slides: the cylinder and the piston of a strut, neither of which changes its length; carriages."""

from __future__ import annotations

from dataclasses import dataclass

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
SPARE = 0.15
"""How far beyond its box a strut goes without coming apart, in strokes that it makes in the box."""
SHORTEST = 6.0
"""Length of the shortest cylinder, in units of the gauge."""
CARRIAGE = (7.0, 5.0, 5.0)
"""Size of a carriage, along its rail first, in units of the gauge."""


@dataclass(frozen=True)
class Strut:
    """Where a strut's two parts begin and end along its axis, so that they overlap however far it goes."""

    way: float
    """1 if the piston leaves the cylinder along the slide's axis, -1 if against it."""
    start: float
    """Where the cylinder begins, from the slide's point on a, along `way` [m]."""
    length: float
    """Length of the cylinder [m]."""
    end: float
    """Where the piston ends, from the slide's point on b, along `way` [m]."""
    reach: float
    """Length of the piston [m]."""


def strut_of(gauge: Gauge, joint: Joint, along: tuple[list[float], list[float]]) -> Strut:
    """Return the sizes of a strut; along: where other joints of its two bodies are along the axis [m]."""
    least, at_home, most = gauge.travel[joint.name]
    first, last = along
    ends = [(at_home + v - u, u, v) for u in first or [0.0] for v in last or [0.0]]
    span, start, end = max(ends, key=lambda one: abs(one[0]))
    way = 1.0 if span >= 0 else -1.0
    start, end = way * start, way * end
    spare = SPARE * (most - least)
    nearest, farthest = (edge + end for edge in sorted((way * (least - spare), way * (most + spare))))
    nearest, farthest = min(nearest, farthest), max(nearest, farthest)
    overlap, smallest = OVERLAP * gauge.unit, SHORTEST * gauge.unit
    begin = min(start, nearest - overlap)
    covered = min(SHARE * abs(span), COVERED * max(nearest - start, 0.0))
    length = max(covered, smallest, start - begin)
    return Strut(way, begin, length, end, max(farthest - begin - length + overlap, smallest))


def cylinder(stock: Stock, gauge: Gauge, joint: Joint, along: tuple[list[float], list[float]]) -> Part:
    """Return the outer part of a strut, fixed to the side a of its slide."""
    strut = strut_of(gauge, joint, along)
    axis = strut.way * joint.a.axis
    ends = joint.a.p + strut.start * axis, joint.a.p + (strut.start + strut.length) * axis
    return bar(stock, Role.CYLINDER if joint.driven else Role.LINK, ends, CYLINDER * gauge.unit)


def piston(stock: Stock, gauge: Gauge, joint: Joint, along: tuple[list[float], list[float]]) -> Part:
    """Return the inner part of a strut, fixed to the side b of its slide."""
    strut = strut_of(gauge, joint, along)
    axis = strut.way * joint.b.axis
    ends = joint.b.p + (strut.end - strut.reach) * axis, joint.b.p + strut.end * axis
    return bar(stock, Role.PISTON, ends, PISTON * gauge.unit)


def carriage(stock: Stock, gauge: Gauge, joint: Joint) -> Part:
    """Return what slides on a rail of the base."""
    role = Role.CARRIAGE if joint.driven else Role.LINK
    return box(stock, role, joint.b.p, joint.b.axis, gauge.unit * np.array(CARRIAGE))

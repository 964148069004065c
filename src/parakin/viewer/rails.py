"""Rails on the base, as long as their carriages need them, and what holds them; parallel rails are equally long."""

from __future__ import annotations

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.viewer.gauge import Gauge
from parakin.viewer.linkage import BASE, SLIDES, Joint, Linkage
from parakin.viewer.roles import Role
from parakin.viewer.scene import Part
from parakin.viewer.solids import SAME_PLACE, Stock, box

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

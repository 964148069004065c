"""Frames of interest in a scene: three short axes each, x longest, labelled with the frame's name."""

from __future__ import annotations

from parakin.viewer.gauge import Gauge
from parakin.viewer.linkage import Linkage
from parakin.viewer.roles import Role
from parakin.viewer.scene import Part
from parakin.viewer.solids import Stock, bar

LENGTHS = (6.0, 4.0, 4.0)
"""Lengths of the axes x, y and z, in units of the gauge."""
RADIUS = 0.3
"""Radius of an axis, in units of the gauge."""


def mark_parts(linkage: Linkage, gauge: Gauge) -> list[Part]:
    """Return the axes of all frames of interest."""
    parts: list[Part] = []
    for name, place in linkage.marks.items():
        stock = Stock(place.frame, name.replace("_", " "), None)
        for axis, length in zip(place.R.T, LENGTHS, strict=True):
            parts.append(bar(stock, Role.TOOL, (place.p, place.p + length * gauge.unit * axis), RADIUS * gauge.unit))
    return parts

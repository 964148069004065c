"""Units in which logs are written, with their factors to SI. Counts and amperes need more: see `Signal`."""

from __future__ import annotations

import math
from typing import NamedTuple

DEGREE = math.pi / 180
"""One degree [rad]."""


class Unit(NamedTuple):
    """A unit of a log: a number in this unit times `factor` is in SI."""

    dimension: str
    """What the unit measures, such as "angle" or "force"."""
    factor: float
    """SI units in one of this unit."""


UNITS: dict[str, Unit] = {
    "s": Unit("time", 1.0),
    "ms": Unit("time", 1e-3),
    "us": Unit("time", 1e-6),
    "rad": Unit("angle", 1.0),
    "deg": Unit("angle", DEGREE),
    "rev": Unit("angle", 2 * math.pi),
    "m": Unit("length", 1.0),
    "mm": Unit("length", 1e-3),
    "rad/s": Unit("angular velocity", 1.0),
    "deg/s": Unit("angular velocity", DEGREE),
    "m/s": Unit("velocity", 1.0),
    "mm/s": Unit("velocity", 1e-3),
    "N": Unit("force", 1.0),
    "kN": Unit("force", 1e3),
    "N m": Unit("torque", 1.0),
    "mN m": Unit("torque", 1e-3),
    "1": Unit("number", 1.0),
    "counts": Unit("counts", 1.0),
    "A": Unit("current", 1.0),
}
"""Units that a log may use, by the name that stands in brackets after a column's name."""

INSTEAD = {"angle": "counts", "length": "counts", "force": "current", "torque": "current"}
"""Dimensions that may also be logged as counts or current, which the user's factors turn into SI."""


def units_for(dimension: str) -> tuple[str, ...]:
    """Return the names of the units in which a quantity of this dimension may be logged."""
    return tuple(name for name, unit in UNITS.items() if unit.dimension in (dimension, INSTEAD.get(dimension)))

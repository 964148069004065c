"""Units as data: what each quantity of a length or an angle is measured in, and how units of logs become SI.

>>> import parakin as pk
>>> robot = pk.load("delta")
>>> robot.actuators[0].units.force, robot.pose_units
('N m', ('m', 'm', 'm'))
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True)
class CoordinateUnits:
    """The units of everything that belongs to one coordinate, be it an actuator's or a platform's.

    >>> pk.units.ANGLE.velocity, pk.units.LENGTH.force
    ('rad/s', 'N')
    """

    position: str
    """Unit of the coordinate itself."""
    velocity: str
    """Unit of its rate."""
    acceleration: str
    """Unit of its second derivative."""
    force: str
    """Unit of what drives it, a force or a torque; Coulomb friction has it too."""
    inertia: str
    """Unit of what resists its acceleration, a mass or a moment of inertia."""
    viscous: str
    """Unit of its viscous friction, force per rate."""
    stiffness: str
    """Unit of its stiffness, force per deflection."""


LENGTH = CoordinateUnits("m", "m/s", "m/s^2", "N", "kg", "N s/m", "N/m")
"""Units of a coordinate that is a length."""
ANGLE = CoordinateUnits("rad", "rad/s", "rad/s^2", "N m", "kg m^2", "N m s", "N m/rad")
"""Units of a coordinate that is an angle."""
NUMBER = "1"
"""Unit of a number without a unit, such as an entry of a quaternion."""
TIME = "s"
"""Unit of time."""
FIRST_MOMENT = "kg m"
"""Unit of a body's mass times the place of its centre of mass."""


class Unit(NamedTuple):
    """A unit that numbers in a log may have: a number of this unit times `factor` is in SI.

    >>> unit = pk.units.UNITS["deg"]
    >>> unit.dimension, round(90 * unit.factor, 4)
    ('angle', 1.5708)
    """

    dimension: str
    """What is measured in this unit."""
    factor: float
    """SI units in one of this unit."""


DEGREE = math.pi / 180
"""One degree [rad]."""

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
"""Every unit a log may be written in. counts and A need a factor that the user gives: see `Signal`."""

INSTEAD = {"angle": "counts", "length": "counts", "force": "current", "torque": "current"}
"""The dimension in which a quantity may also be logged, with a factor that the user gives."""


def units_for(dimension: str) -> tuple[str, ...]:
    """Return the units in which a quantity of this dimension may be logged.

    >>> pk.units.units_for(pk.units.UNITS["ms"].dimension)
    ('s', 'ms', 'us')
    """
    return tuple(name for name, unit in UNITS.items() if unit.dimension in (dimension, INSTEAD.get(dimension)))

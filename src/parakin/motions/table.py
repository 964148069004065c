"""The motions there are; a new one of platforms is a row here, and those of mechanisms are made of their joints."""

from __future__ import annotations

from parakin.errors import UnknownNameError
from parakin.motions.motion_type import MotionType
from parakin.motions.turns import balls_among
from parakin.units import CoordinateUnits

PLANAR_TRANSLATION = MotionType("planar-translation", ("x", "y"), linear=(0, 1))
"""A point that moves in the plane z = 0, such as the tip of a five-bar."""
PLANAR = MotionType("planar", ("x", "y", "phi"), linear=(0, 1), angular=(2,))
"""A platform that moves and turns in the plane z = 0."""
TRANSLATION = MotionType("translation", ("x", "y", "z"), linear=(0, 1, 2))
"""A platform that keeps its orientation, such as a Delta's."""
SCHOENFLIES = MotionType("schoenflies", ("x", "y", "z", "theta"), linear=(0, 1, 2), angular=(2,))
"""A platform that moves in space and turns about z, such as an H4's."""
SPATIAL = MotionType("spatial", ("x", "y", "z", "qw", "qx", "qy", "qz"), linear=(0, 1, 2), angular=(0, 1, 2))
"""A platform with all six degrees of freedom: position and unit quaternion (w, x, y, z)."""

MOTIONS: dict[str, MotionType] = {
    motion.name: motion for motion in (PLANAR_TRANSLATION, PLANAR, TRANSLATION, SCHOENFLIES, SPATIAL)
}
"""Name in a robot file -> motion."""


def joints(names: tuple[str, ...], units: tuple[CoordinateUnits, ...]) -> MotionType:
    """Return the motion of a mechanism whose pose has coordinates of joints, joint.freedom each, in these units.

    Where the names have wx, wy, wz of one joint in a row, these three are the turns of a ball.

    >>> from parakin.units import ANGLE, LENGTH
    >>> motion = pk.motions.joints(("crank.angle", "slide.travel"), (ANGLE, LENGTH))
    >>> motion.units
    ('rad', 'm')
    """
    return MotionType("joints", names, linear=(), joint_units=units, balls=balls_among(names))


def motion_named(name: str) -> MotionType:
    """Return the motion of this name, or raise an error that lists the names there are.

    >>> pk.motions.motion_named("schoenflies").coordinates
    ('x', 'y', 'z', 'theta')
    """
    if name not in MOTIONS:
        raise UnknownNameError("type of motion", name, tuple(MOTIONS))
    return MOTIONS[name]

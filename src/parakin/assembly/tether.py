"""Describe where one leg keeps its attachment while its actuator is held: about e, at the distance l.

| leg        | e                  | l            | coordinate |
|------------|--------------------|--------------|------------|
| strut      | A                  | |length|     | length     |
| arm        | A + d_1 x_1(angle) | d_2          | angle      |
| rail       | A + length u       | d_2          | length     |
| offset arm | A + d_1 x_1(angle) | d_3, a = d_2 | angle      |

An offset arm has a universal joint whose axes do not meet: arm, link and bar, the link turning about k, which is
fixed in the arm, the bar tilting in the plane of link and k.

Everything is analytic in the coordinate of the driven joint, so that complex coordinates make sense too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from parakin.assembly.result import Numbers
from parakin.description import Actuator, Leg, RobotDescription, Vector
from parakin.description.patterns import described, pattern_of
from parakin.errors import UnsupportedRobotError


@dataclass(frozen=True)
class Tether:
    """One leg: e = A + arm (x cos + y sin) of an arm or A + coordinate x of a rail, and its radius l."""

    pattern: str
    """What the leg is: strut, arm or rail; an offset arm is an arm."""
    A: Vector
    """Root of the leg, in base axes [m]."""
    b: Vector
    """Part of the attachment that turns with the platform, in platform axes [m]."""
    c: Vector
    """Part of the attachment that keeps the base's orientation [m]."""
    x: Vector
    """Direction of an arm at angle 0 or of a rail; zeros for a strut."""
    y: Vector
    """Direction of an arm a quarter turn further about its axis; zeros for rails and struts."""
    arm: float
    """Length of the first element [m]; only arms use it."""
    length: float
    """Length l of the last bar [m]; only arms and rails use it, for a strut's l is its coordinate."""
    sign: int
    """Sense of the actuator, q = sign (coordinate - zero)."""
    zero: float
    """Coordinate of the driven joint where q = 0 [m or rad]."""
    offset: float = 0.0
    """Length a of an offset arm's link [m]; 0 where the bar starts at the elbow."""
    axis: Vector = (0.0, 0.0, 1.0)
    """Unit axis of an offset arm's link, in the frame (x_1, y_1, z) of the arm."""

    def coordinate(self, q: Numbers) -> Numbers:
        """Return the coordinate of the driven joint, sign q + zero."""
        return self.sign * q + self.zero

    def centre(self, coordinate: Numbers) -> Numbers:
        """Return u = e - c (..., 3) [m]."""
        fixed = np.array(self.A) - np.array(self.c) + 0 * coordinate[..., None]
        if self.pattern == "arm":
            return fixed + self.arm * self.turned(self.x, self.y, coordinate)
        return fixed + coordinate[..., None] * np.array(self.x) if self.pattern == "rail" else fixed

    def link_axis(self, coordinate: Numbers) -> Numbers:
        """Return the axis k of an offset arm's link in base axes, (..., 3)."""
        x, y = np.array(self.x), np.array(self.y)
        along, across = self.turned(x, y, coordinate), self.turned(y, -x, coordinate)
        return self.axis[0] * along + self.axis[1] * across + self.axis[2] * np.cross(x, y)

    @staticmethod
    def turned(x: ArrayLike, y: ArrayLike, angle: Numbers) -> Numbers:
        """Return x cos + y sin, the direction at an angle between two across each other."""
        return np.cos(angle)[..., None] * np.array(x) + np.sin(angle)[..., None] * np.array(y)

    def squared_length(self, coordinate: Numbers) -> Numbers:
        """Return l^2 [m^2]: the squared coordinate of a strut, the bar's squared length of every other leg."""
        return coordinate**2 if self.pattern == "strut" else self.length**2 + 0 * coordinate


def tether_of(description: RobotDescription, leg: Leg) -> Tether:
    """Return a leg as a tether, or raise UnsupportedRobotError that says why it is none."""
    pattern = "arm" if _is_offset_arm(leg) else pattern_of(leg)
    first = leg.elements[0]
    driven = [element for element in leg.elements if element.actuator is not None]
    if pattern not in ("strut", "arm", "rail") or driven != [first] or first.actuator is None:
        reason = (
            f"assembly modes need legs that are a strut, an arm, a rail or an offset arm, driven at the first element "
            f"alone; {leg.name} is {described(leg)}, driven at {', '.join(e.name for e in driven) or 'none'}; "
            "some_assembly_modes searches from many starts"
        )
        raise UnsupportedRobotError(description.name, reason)
    x, y = (
        _directions(first.joint.axis, first.actuator) if pattern == "arm" else (first.direction or _NOWHERE, _NOWHERE)
    )
    tether = Tether(
        pattern=pattern,
        A=leg.root,
        b=leg.attachment.b,
        c=leg.attachment.c,
        x=x,
        y=y,
        arm=first.length or 0.0,
        length=leg.elements[-1].length or 0.0,
        sign=first.actuator.sign,
        zero=first.actuator.zero,
    )
    if not _is_offset_arm(leg):
        return tether
    link = leg.elements[1]
    return replace(tether, offset=link.length or 0.0, axis=link.joint.axis or tether.axis)


def _is_offset_arm(leg: Leg) -> bool:
    """Whether a leg is three bars on revolutes, the last about y of the link: across the link and the link's axis."""
    if [(element.type, element.joint.type) for element in leg.elements] != 3 * [("bar", "revolute")]:
        return False
    axis = leg.elements[2].joint.axis
    return axis is not None and axis[0] == 0.0 and axis[2] == 0.0


_NOWHERE: Vector = (0.0, 0.0, 0.0)


def _directions(axis: Vector | None, actuator: Actuator) -> tuple[Vector, Vector]:
    """Return the direction of an arm at angle 0, and that a quarter turn further about its axis."""
    assert axis is not None and actuator.reference is not None  # noqa: PT018
    z, reference = np.array(axis), np.array(actuator.reference)
    x = reference - (reference @ z) * z
    x = x / np.linalg.norm(x)
    y = np.cross(z, x)
    return (float(x[0]), float(x[1]), float(x[2])), (float(y[0]), float(y[1]), float(y[2]))

"""One leg while q is known: where its attachment is kept.

| leg        | e                  | l            | coordinate |
|------------|--------------------|--------------|------------|
| strut      | A                  | |length|     | length     |
| arm        | A + d_1 x_1(angle) | d_2          | angle      |
| rail       | A + length u       | d_2          | length     |
| offset arm | A + d_1 x_1(angle) | d_3, a = d_2 | angle      |

An offset arm has a universal joint whose axes do not meet: arm, link and bar, the link turning about k, which is
fixed in the arm, the bar tilting in the plane of link and k.

Everything is analytic in the coordinate, so that complex coordinates make sense too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parakin.description import Actuator, Leg, RobotDescription, Vector
from parakin.description.patterns import described, pattern_of
from parakin.errors import UnsupportedRobotError

Numbers = NDArray[Any]
"""Real or complex."""


@dataclass(frozen=True)
class Tether:
    """One leg: e = A + turning (x cos + y sin) + sliding x, l^2 = length^2, or the coordinate squared for a strut.

    offset, axis: of an offset arm; the axis of its link in (x_1, y_1, z) of the arm.
    """

    pattern: str
    A: Vector
    b: Vector
    c: Vector
    x: Vector
    y: Vector
    arm: float
    length: float
    sign: int
    zero: float
    offset: float = 0.0
    axis: Vector = (0.0, 0.0, 1.0)

    def coordinate(self, q: Numbers) -> Numbers:
        """q = sign (coordinate - zero)."""
        return self.sign * q + self.zero

    def centre(self, coordinate: Numbers) -> Numbers:
        """e - c, (..., 3)."""
        fixed = np.array(self.A) - np.array(self.c) + 0 * coordinate[..., None]
        if self.pattern == "arm":
            return fixed + self.arm * self.turned(self.x, self.y, coordinate)
        return fixed + coordinate[..., None] * np.array(self.x) if self.pattern == "rail" else fixed

    def link_axis(self, coordinate: Numbers) -> Numbers:
        """k in base axes, (..., 3)."""
        x, y = np.array(self.x), np.array(self.y)
        along, across = self.turned(x, y, coordinate), self.turned(y, -x, coordinate)
        return self.axis[0] * along + self.axis[1] * across + self.axis[2] * np.cross(x, y)

    @staticmethod
    def turned(x: Any, y: Any, angle: Numbers) -> Numbers:
        """x cos + y sin."""
        return np.cos(angle)[..., None] * np.array(x) + np.sin(angle)[..., None] * np.array(y)

    def squared_length(self, coordinate: Numbers) -> Numbers:
        return coordinate**2 if self.pattern == "strut" else self.length**2 + 0 * coordinate


def tether_of(description: RobotDescription, leg: Leg) -> Tether:
    """A leg as a tether, or why it is none."""
    pattern = "arm" if _is_offset_arm(leg) else pattern_of(leg)
    first = leg.elements[0]
    driven = [element for element in leg.elements if element.actuator is not None]
    if pattern not in ("strut", "arm", "rail") or driven != [first] or first.actuator is None:
        reason = (
            f"assembly modes need legs that are a strut, an arm, a rail or an offset arm, driven at the first element "
            f"alone; {leg.name} is {described(leg)}, driven at {', '.join(e.name for e in driven) or 'none'}"
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
    """Three bars on revolutes, the last about y of the link's frame: across the link and the link's own axis."""
    if [(element.type, element.joint.type) for element in leg.elements] != 3 * [("bar", "revolute")]:
        return False
    axis = leg.elements[2].joint.axis
    return axis is not None and axis[0] == 0.0 and axis[2] == 0.0


_NOWHERE: Vector = (0.0, 0.0, 0.0)


def _directions(axis: Vector | None, actuator: Actuator) -> tuple[Vector, Vector]:
    """x, where the angle is 0, and y, a right angle further about the axis."""
    assert axis is not None and actuator.reference is not None  # noqa: PT018
    z, reference = np.array(axis), np.array(actuator.reference)
    x = reference - (reference @ z) * z
    x = x / np.linalg.norm(x)
    y = np.cross(z, x)
    return (float(x[0]), float(x[1]), float(x[2])), (float(y[0]), float(y[1]), float(y[2]))

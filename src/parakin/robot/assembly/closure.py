"""Once q is known, a leg keeps its attachment at a known distance from a known point.

    |p_OE + R_OE b + c - e|^2 = l^2

| leg   | e                     | l        | coordinate |
|-------|-----------------------|----------|------------|
| strut | A                     | |length| | length     |
| arm   | A + d_1 x_1(angle)    | d_2      | angle      |
| rail  | A + length u          | d_2      | length     |

Everything is analytic in the coordinate, so that complex coordinates make sense too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parakin.description import RobotDescription, expanded_legs
from parakin.description.model import DEGREES_OF_FREEDOM, Actuator, Leg, Vector
from parakin.description.patterns import described, pattern_of
from parakin.errors import UnsupportedRobotError
from parakin.kernels import Kernel
from parakin.kinematics.functions import model_of

Numbers = NDArray[Any]
"""Real or complex."""


@dataclass(frozen=True)
class Spheres:
    """|p_OE + R_OE b_i - u_i|^2 = l_i^2, with u = e - c: u (..., m, 3), squared_length (..., m), b (m, 3)."""

    u: Numbers
    squared_length: Numbers
    b: Numbers

    def measured_in(self, length: float) -> Spheres:
        return Spheres(self.u / length, self.squared_length / length**2, self.b / length)


@dataclass(frozen=True)
class Tether:
    """One leg: e = A + turning (x cos + y sin) + sliding x, l^2 = length^2, or the coordinate squared for a strut."""

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

    def coordinate(self, q: Numbers) -> Numbers:
        """q = sign (coordinate - zero)."""
        return self.sign * q + self.zero

    def centre(self, coordinate: Numbers) -> Numbers:
        """e - c, (..., 3)."""
        fixed = np.array(self.A) - np.array(self.c) + 0 * coordinate[..., None]
        if self.pattern == "arm":
            x_1 = np.cos(coordinate)[..., None] * np.array(self.x) + np.sin(coordinate)[..., None] * np.array(self.y)
            return fixed + self.arm * x_1
        return fixed + coordinate[..., None] * np.array(self.x) if self.pattern == "rail" else fixed

    def squared_length(self, coordinate: Numbers) -> Numbers:
        return coordinate**2 if self.pattern == "strut" else self.length**2 + 0 * coordinate


@dataclass(frozen=True)
class Closure:
    """The closure equations of a robot. Hashable: what is found once for a geometry is kept under it."""

    motion: str
    tethers: tuple[Tether, ...]
    length: float
    description: RobotDescription = field(compare=False, repr=False)

    def coordinates(self, q: Numbers) -> Numbers:
        """The joints' own coordinates, without sign and zero."""
        return np.stack([tether.coordinate(q[..., k]) for k, tether in enumerate(self.tethers)], axis=-1)

    def home(self) -> NDArray[np.float64]:
        """The joints' coordinates at home, (m,)."""
        kernel = Kernel(model_of("inverse_kinematics", self.description), status="status")
        return self.coordinates(kernel(self.description.workspace.home)["q"])

    def spheres(self, q: Numbers) -> Spheres:
        """The equations at actuator positions (..., m)."""
        return self.spheres_at(self.coordinates(q))

    def spheres_at(self, coordinates: Numbers) -> Spheres:
        """The same from the joints' own coordinates."""
        columns = [(tether, coordinates[..., k]) for k, tether in enumerate(self.tethers)]
        centres = np.stack([tether.centre(column) for tether, column in columns], axis=-2)
        squared = np.stack([tether.squared_length(column) for tether, column in columns], axis=-1)
        return Spheres(centres, squared, np.array([tether.b for tether in self.tethers]))


def closure_of(description: RobotDescription) -> Closure:
    """The closure equations, or why this robot has none of this form. A shaft has none: its q is the angle itself."""
    legs = [leg for leg in expanded_legs(description) if pattern_of(leg) != "shaft"]
    freedom = DEGREES_OF_FREEDOM[description.motion] - (shaft_index(description) is not None)
    tethers = tuple(_tether(description, leg) for leg in legs)
    if len(tethers) != freedom:
        reason = (
            f"assembly modes need one actuated leg for each of its {freedom} degrees of freedom, it has {len(legs)}"
        )
        raise UnsupportedRobotError(description.name, reason)
    return Closure(description.motion, tethers, description.length, description)


def shaft_index(description: RobotDescription) -> int | None:
    """Which actuator is the shaft that turns the platform, if there is one."""
    actuated = [
        pattern_of(leg) == "shaft"
        for leg in expanded_legs(description)
        for element in leg.elements
        if element.actuator is not None
    ]
    return actuated.index(True) if any(actuated) else None


def shaft_angle(description: RobotDescription, q: Numbers) -> Numbers:
    """The platform's angle from the shaft's actuator position."""
    (element,) = next(leg for leg in expanded_legs(description) if pattern_of(leg) == "shaft").elements
    assert element.actuator is not None
    return element.actuator.sign * q + element.actuator.zero


def _tether(description: RobotDescription, leg: Leg) -> Tether:
    pattern = pattern_of(leg)
    first = leg.elements[0]
    driven = [element for element in leg.elements if element.actuator is not None]
    if pattern not in ("strut", "arm", "rail") or driven != [first] or first.actuator is None:
        reason = (
            f"assembly modes need legs that are a strut, an arm or a rail, driven at the first element alone; "
            f"{leg.name} is {described(leg)}, driven at {', '.join(e.name for e in driven) or 'none'}"
        )
        raise UnsupportedRobotError(description.name, reason)
    x, y = (
        _directions(first.joint.axis, first.actuator) if pattern == "arm" else (first.direction or _NOWHERE, _NOWHERE)
    )
    return Tether(
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


_NOWHERE: Vector = (0.0, 0.0, 0.0)


def _directions(axis: Vector | None, actuator: Actuator) -> tuple[Vector, Vector]:
    """x, where the angle is 0, and y, a right angle further about the axis."""
    assert axis is not None and actuator.reference is not None  # noqa: PT018
    z, reference = np.array(axis), np.array(actuator.reference)
    x = reference - (reference @ z) * z
    x = x / np.linalg.norm(x)
    y = np.cross(z, x)
    return (float(x[0]), float(x[1]), float(x[2])), (float(y[0]), float(y[1]), float(y[2]))

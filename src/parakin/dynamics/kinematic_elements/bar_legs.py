"""Legs of a drive and a bar that is two mass points, and how their masses are added before anything is computed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import casadi as ca

from parakin.description import OPEN_SPIN, Element, Leg
from parakin.description.patterns import pattern_of
from parakin.dynamics.inertia import NOTHING, Inertia
from parakin.dynamics.kinematic_elements.observed import PLANAR, Seen
from parakin.dynamics.mechanics import Mechanics
from parakin.dynamics.two_points import TwoPoints, two_points
from parakin.kinematics.elements import Line


@dataclass(frozen=True)
class Drive:
    """The first element of a leg, on which the bar sits.

    y, lever: v_B = lever rate y; inertia: of the element about its mobility; weight: y·weight is what gravity asks of
    the drive, the bar's mass at B included; z: axis of an arm, None of a rail.
    """

    y: ca.SX
    lever: float
    rate: ca.SX
    rate_dot: ca.SX
    inertia: ca.SX
    weight: ca.SX
    z: ca.SX | None


@dataclass(frozen=True)
class BarLeg:
    """A leg of a drive and a bar. number: of the leg, which is that of its actuator."""

    number: int
    drive: Drive
    bar: TwoPoints
    first: Line
    second: Line

    def a_B(self, factor: ca.SX) -> ca.SX:
        """factor times the acceleration of the bar's root, the factor joined with lengths before it is applied."""
        if self.drive.z is None:
            return (factor * self.drive.rate_dot) * self.drive.y
        return (factor * self.drive.lever) * self.first.x_ddot


def reducible(mechanics: Mechanics) -> bool:
    """Arms and rails driven at their first element, with bars that are two mass points; one leg for each freedom."""
    return len(mechanics.legs) == mechanics.moving.velocity.shape[0] and all(
        pattern_of(leg) in ("arm", "rail")
        and leg.elements[0].actuator is not None
        and _is_two_point(leg, mechanics.description.motion)
        for leg in mechanics.legs
    )


def _is_two_point(leg: Leg, motion: str) -> bool:
    joint = leg.elements[1].joint.type
    return joint in OPEN_SPIN or (joint == "revolute" and pattern_of(leg) == "arm" and motion in PLANAR)


@dataclass(frozen=True)
class BarInertia:
    """Of a leg: what its first element carries of its own, and its bar."""

    carried: Inertia
    bar: TwoPoints


def bar_inertias(mechanics: Mechanics) -> list[BarInertia]:
    bodies = iter(mechanics.parameters.bodies)
    found: list[BarInertia] = []
    for leg in mechanics.legs:
        first, second = leg.elements
        carried, bar = _inertia(first, bodies), _inertia(second, bodies)
        # The axis of a bar in a plane is along that of its arm or against it; a round bar has no h_y to ask for it.
        sense = second.joint.axis[2] if second.joint.axis is not None and second.joint.type == "revolute" else 0.0
        found.append(BarInertia(carried, two_points(bar, second.length or 0.0, sense)))
    return found


def bar_legs(mechanics: Mechanics, observed: Seen) -> list[BarLeg]:
    found: list[BarLeg] = []
    for k, (leg, inertia) in enumerate(zip(mechanics.legs, bar_inertias(mechanics), strict=True)):
        first, second = observed.legs[k]
        if pattern_of(leg) == "rail":
            drive = _rail(first, inertia, mechanics.gravity)
        else:
            drive = _arm(leg.elements[0], first, inertia, mechanics.gravity)
        found.append(BarLeg(k, drive, inertia.bar, first, second))
    return found


def _inertia(element: Element, bodies: Iterator[Inertia]) -> Inertia:
    """All bodies of an element that move with it: those on the root part of a rail do not."""
    total = NOTHING
    for body in element.bodies:
        inertia = next(bodies)
        if element.joint.type != "fixed" or body.part == "tip":
            total = total + inertia
    return total


def _arm(element: Element, line: Line, inertia: BarInertia, g: ca.SX) -> Drive:
    z, lever = ca.SX(ca.DM(element.joint.axis)), element.length or 0.0
    y, h, bar = ca.cross(z, line.x), inertia.carried.h, inertia.bar
    weight = -(h[0] + lever * (bar.AA + bar.AB)) * g + (h[1] - lever * bar.off) * ca.cross(z, g)
    return Drive(y, lever, ca.dot(y, line.x_dot), ca.dot(y, line.x_ddot), inertia.carried.I[2, 2], weight, z)


def _rail(line: Line, inertia: BarInertia, g: ca.SX) -> Drive:
    weight = -(inertia.carried.m + inertia.bar.AA + inertia.bar.AB) * g
    return Drive(line.x, 1.0, line.d_dot, line.d_ddot, inertia.carried.m, weight, None)

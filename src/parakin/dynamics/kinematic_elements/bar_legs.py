"""Describe legs of a drive and a bar that is two mass points, with masses added before anything is computed.

In a leg B is the root of the bar and C its end. `TwoPoints` calls the two ends of any bar A and B, so that AA, AB and
BB of a leg's bar belong to B, to both, and to C.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import casadi as ca

from parakin.description import OPEN_SPIN, Element, Leg
from parakin.description.patterns import pattern_of
from parakin.dynamics.inertia import NOTHING, Inertia
from parakin.dynamics.kinematic_elements.observed import Seen
from parakin.dynamics.mechanics import Mechanics
from parakin.dynamics.two_points import TwoPoints, two_points
from parakin.kinematics.elements import Line
from parakin.spatial import vector


@dataclass(frozen=True)
class Drive:
    """The first element of a leg, an arm or the carriage of a rail, on which the bar sits."""

    y: ca.SX
    """(3,) unit direction in which the bar's root moves, v_B = lever rate y."""
    lever: float
    """Length of an arm [m]; 1 for a rail."""
    rate: ca.SX
    """Rate of the driven joint [rad/s or m/s], not yet in the sense of the actuator."""
    rate_dot: ca.SX
    """Derivative of the rate."""
    inertia: ca.SX
    """Inertia of the element about its mobility [kg m^2 or kg]."""
    weight: ca.SX
    """(3,) vector with y·weight what gravity asks of the drive; the bar's masses at B are in it."""
    z: ca.SX | None
    """(3,) axis of an arm; None for a rail."""


@dataclass(frozen=True)
class BarLeg:
    """A leg of a drive and a bar, as it is observed."""

    number: int
    """Number of the leg, which is that of its actuator."""
    drive: Drive
    """The first element."""
    bar: TwoPoints
    """The bar as two mass points."""
    first: Line
    """Line of the first element."""
    second: Line
    """Line of the bar."""

    def a_B(self, factor: ca.SX) -> ca.SX:
        """Return factor times the acceleration of the bar's root; the factor is joined with lengths first."""
        if self.drive.z is None:
            return (factor * self.drive.rate_dot) * self.drive.y
        return (factor * self.drive.lever) * self.first.x_ddot


def reducible(mechanics: Mechanics) -> bool:
    """Tell whether a robot has one leg for each freedom, all of them driven arms and rails with bars of two points."""
    return len(mechanics.legs) == mechanics.moving.velocity.shape[0] and all(
        pattern_of(leg) in ("arm", "rail")
        and leg.elements[0].actuator is not None
        and _is_two_point(leg, mechanics.moving.motion.planar)
        for leg in mechanics.legs
    )


def _is_two_point(leg: Leg, planar: bool) -> bool:
    """Tell whether a bar is two mass points exactly: its spin is open, or it moves in a plane with its arm."""
    joint = leg.elements[1].joint.type
    return joint in OPEN_SPIN or (joint == "revolute" and pattern_of(leg) == "arm" and planar)


@dataclass(frozen=True)
class BarInertia:
    """The inertia of a leg of a drive and a bar."""

    carried: Inertia
    """All bodies of the first element that move with it."""
    bar: TwoPoints
    """The bar as two mass points."""


def bar_inertias(mechanics: Mechanics) -> list[BarInertia]:
    """Return the inertia of every leg of a `reducible` robot."""
    bodies = iter(mechanics.parameters.bodies)
    inertias: list[BarInertia] = []
    for leg in mechanics.legs:
        first, second = leg.elements
        carried, bar = _inertia(first, bodies), _inertia(second, bodies)
        # The axis of a bar in a plane is along that of its arm or against it; a round bar has no h_y to ask for it.
        sense = second.joint.axis[2] if second.joint.axis is not None and second.joint.type == "revolute" else 0.0
        inertias.append(BarInertia(carried, two_points(bar, second.length or 0.0, sense)))
    return inertias


def bar_legs(mechanics: Mechanics, observed: Seen) -> list[BarLeg]:
    """Return every leg of a `reducible` robot as it is observed."""
    legs: list[BarLeg] = []
    for k, (leg, inertia) in enumerate(zip(mechanics.legs, bar_inertias(mechanics), strict=True)):
        first, second = observed.legs[k]
        if pattern_of(leg) == "rail":
            drive = _rail(first, inertia, mechanics.gravity)
        else:
            drive = _arm(leg.elements[0], first, inertia, mechanics.gravity)
        legs.append(BarLeg(k, drive, inertia.bar, first, second))
    return legs


def _inertia(element: Element, bodies: Iterator[Inertia]) -> Inertia:
    """Return all bodies of an element that move with it as one; those on the root part of a rail do not."""
    total = NOTHING
    for body in element.bodies:
        inertia = next(bodies)
        if element.joint.type != "fixed" or body.part == "tip":
            total = total + inertia
    return total


def _arm(element: Element, line: Line, inertia: BarInertia, g: ca.SX) -> Drive:
    """Return an arm as a drive, y = z x x."""
    assert element.joint.axis is not None, "the loader refuses such a joint without its axis"
    z, lever = vector(element.joint.axis), element.length or 0.0
    y, h, bar = ca.cross(z, line.x), inertia.carried.h, inertia.bar
    weight = -(h[0] + lever * (bar.AA + bar.AB)) * g + (h[1] - lever * bar.off) * ca.cross(z, g)
    return Drive(y, lever, ca.dot(y, line.x_dot), ca.dot(y, line.x_ddot), inertia.carried.I[2, 2], weight, z)


def _rail(line: Line, inertia: BarInertia, g: ca.SX) -> Drive:
    """Return a carriage on its rail as a drive, y = x."""
    weight = -(inertia.carried.m + inertia.bar.AA + inertia.bar.AB) * g
    return Drive(line.x, 1.0, line.d_dot, line.d_ddot, inertia.carried.m, weight, None)

"""How far the parts of a robot of legs are from touching, as expressions: round bars of given radii.

An element with a `radius` is a round bar from its root A to its tip B. A platform with a `radius` is a star of round
bars from E to the points where its legs meet it. Two bars are apart by

    clearance = |p - q| - r_p - r_q,     p and q the nearest points of the two segments

which is the exact distance of two capsules [Ericson2005] sec. 5.1.9. Parts that share a joint are not compared:
elements of one leg, and a leg's last element with the bar of the platform that carries it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from parakin.description import Leg, RobotDescription, expanded_legs
from parakin.robot import Robot

if TYPE_CHECKING:
    import casadi as ca

    from parakin.kinematics.robot_motion import RobotMotion

PARALLEL = 1e-12
"""Squared sine between two bars below which they count as parallel: their nearest points are then not unique."""


@dataclass(frozen=True)
class Bar:
    """A round bar that can touch others."""

    name: str
    """What it is called: leg1.forearm, or platform.leg1 for a bar of the platform."""
    leg: int
    """The number of its leg, or of the leg that a bar of the platform carries."""
    element: int | None
    """The number of the element in its leg; None for a bar of the platform."""
    radius: float
    """Its radius [m]."""


def bars_of(description: RobotDescription) -> tuple[Bar, ...]:
    """Return the bars of a robot whose radius the file gives, leg by leg, those of the platform last."""
    legs = expanded_legs(description)
    bars = [
        Bar(f"{leg.name}.{element.name}", k, m, element.radius)
        for k, leg in enumerate(legs)
        for m, element in enumerate(leg.elements)
        if element.radius is not None
    ]
    radius = description.platform.radius
    star = [
        Bar(f"platform.{leg.name}", k, None, radius)
        for k, leg in enumerate(legs)
        if radius is not None and any((*leg.attachment.b, *leg.attachment.c))
    ]
    return (*bars, *star)


def pairs_of(description: RobotDescription) -> tuple[tuple[Bar, Bar], ...]:
    """Return the pairs of bars that are compared: of two legs, and of a leg with bars of the platform beside its own.

    Elements of a leg are compared with the platform's bar that carries it, too, but for the last, which ends there.
    """
    legs = expanded_legs(description)
    return tuple(pair for pair in combinations(bars_of(description), 2) if _compared(*pair, legs))


def _compared(first: Bar, second: Bar, legs: tuple[Leg, ...]) -> bool:
    if second.element is not None:
        return first.leg != second.leg
    if first.element is None:
        return False
    last = first.element == len(legs[first.leg].elements) - 1
    return not (last and _one_point(legs[first.leg], legs[second.leg]))


def _one_point(a: Leg, b: Leg) -> bool:
    """Tell whether two legs meet the platform in one point, as those of a five-bar do."""
    return (a.attachment.b, a.attachment.c) == (b.attachment.b, b.attachment.c)


def clearance_names(robot: Robot) -> tuple[str, ...]:
    """Return the names of the pairs of parts whose clearance a robot's file lets parakin compute.

    >>> pk.analysis.clearance_names(robot)  # the library's Delta has no radii
    ()
    """
    if not robot.legs:
        return ()
    return tuple(f"{first.name} and {second.name}" for first, second in pairs_of(robot.description))


def clearances(moving: RobotMotion, description: RobotDescription) -> list[ca.SX]:
    """Return the clearance [m] of each pair of `pairs_of`, negative where the two bars overlap."""
    ends = {bar: _ends(moving, bar) for bar in bars_of(description)}
    return [
        apart(ends[first], ends[second]) - (first.radius + second.radius) for first, second in pairs_of(description)
    ]


def _ends(moving: RobotMotion, bar: Bar) -> tuple[ca.SX, ca.SX]:
    if bar.element is None:
        return moving.platform.p_OE, moving.attachments[bar.leg].p
    line = moving.legs[bar.leg].elements[bar.element].line
    return line.A, line.B


def apart(first: tuple[ca.SX, ca.SX], second: tuple[ca.SX, ca.SX]) -> ca.SX:
    """Return the distance of two segments: the nearest points of two lines, each kept on its segment in turn.

    s = clip((b f - c e)/(a e - b^2)),  t = (b s + f)/e clipped,  s = (b t - c)/a clipped again
    """
    import casadi as ca

    (p, p_end), (q, q_end) = first, second
    u, v, r = p_end - p, q_end - q, p - q
    a, e, b = ca.dot(u, u), ca.dot(v, v), ca.dot(u, v)
    c, f = ca.dot(u, r), ca.dot(v, r)
    across = a * e - b**2
    s = ca.if_else(across > PARALLEL * a * e, _clipped((b * f - c * e) / across), 0)
    t = _clipped((b * s + f) / e)
    s = _clipped((b * t - c) / a)
    return ca.norm_2(r + s * u - t * v)


def _clipped(value: ca.SX) -> ca.SX:
    import casadi as ca

    return ca.fmin(ca.fmax(value, 0), 1)

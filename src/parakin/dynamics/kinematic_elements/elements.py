"""Take a robot apart into elements and give each leg a motion basis: steps 1 and 2 of [Ozgur2013] sec. 6.

An element's part of the basis has six rates: x_dot (3), d_dot, the spin w·x that its root forces, and theta_dot of a
joint inside it. A leg's basis is that of its elements, one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca

from parakin.description import Leg
from parakin.description.attachments import turns_inside
from parakin.kinematics.elements import STILL, ElementMotion
from parakin.kinematics.leg import Attached
from parakin.kinematics.platform import PlatformMotion
from parakin.kinematics.robot_motion import RobotMotion
from parakin.spatial import skew, vector

RATES = 6
"""Number of rates of one element."""
X_DOT, D_DOT, SPIN, THETA_DOT = slice(0, 3), 3, 4, 5
"""Where x_dot, d_dot, the spin and theta_dot stand among the six rates of an element."""


@dataclass(frozen=True)
class End:
    """How the platform holds the turn of a leg's tip: rows (w_tip - W v) = 0."""

    rows: ca.SX
    """Directions about which the tip does not turn against what carries the joint there (rows, 3)."""
    W: ca.SX
    """Angular velocity of what carries that joint, w = W v."""


@dataclass(frozen=True)
class Elements:
    """All that the formulation sees of a robot's motion."""

    legs: tuple[tuple[ElementMotion, ...], ...]
    """The elements of each leg, from root to tip."""
    platform: PlatformMotion
    """How the platform moves."""
    M_C: tuple[ca.SX, ...]
    """For each leg the matrix with attachment velocity = M_C v."""
    ends: tuple[End | None, ...]
    """For each leg that turns inside, how the platform holds its tip; None for others."""


def elements_of(moving: RobotMotion, legs: Sequence[Leg]) -> Elements:
    """Return the elements of a robot whose pose is known; legs: its legs, written out."""
    parts = tuple(leg.elements for leg in moving.legs)
    ends = tuple(
        _end(leg, motions[-1], attached) if turns_inside(leg) else None
        for leg, motions, attached in zip(legs, parts, moving.attached, strict=True)
    )
    return Elements(parts, moving.platform, tuple(point.M for point in moving.attachments), ends)


def _end(leg: Leg, last: ElementMotion, attached: Attached) -> End:
    """Return what a revolute joint at the platform holds, all but turns about its axis, or a universal one.

    A universal joint keeps axis a on the platform and axis l on the tip across each other: (l x a)·(w_tip - w) = 0.
    """
    joint, carrier = attached.joint, attached.carrier(leg)
    assert joint.axis is not None, "attachments are complete"
    assert joint.leg_axis is not None, "attachments are complete"
    a = carrier.R @ vector(joint.axis)
    W = 0 * attached.platform.W if carrier is STILL else attached.platform.W
    if joint.type == "revolute":
        return End(skew(a), W)
    return End(ca.cross(last.end.R @ ca.SX(ca.DM(joint.leg_axis)), a).T, W)

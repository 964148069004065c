"""How the end of a leg moves against the platform, in the joint between them: its rates, and its cross."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from parakin.description import OPEN_SPIN, Leg
from parakin.kinematics.elements import ElementMotion, Spin
from parakin.kinematics.leg import Attached
from parakin.spatial import vector


@dataclass(frozen=True)
class Ending:
    """The joint between a leg and the platform in motion."""

    rates: tuple[ca.SX, ...]
    """Rates of the leg against the platform [rad/s]: about the axis, both axes of a universal, the base's of a ball."""
    cross: Spin | None = None
    """The frame of a universal joint's cross: the platform's axis, the leg's axis, their product."""


def ending_of(leg: Leg, attached: Attached, last: ElementMotion) -> Ending:
    """Return the joint between a leg and the platform in motion; last: the leg's last element.

        rates = (w_leg - w_platform)·axes,        w_cross = w_platform + rate_1 axis_1

    A leg whose root leaves its spin open is turned by a universal or revolute joint at the platform; between two balls
    its spin is taken as 0.
    """
    joint, carrier, end = attached.joint, attached.carrier(leg), last.end
    if joint.type in OPEN_SPIN:
        relative = end.w - carrier.w
        return Ending(tuple(relative[k] for k in range(3)))
    if leg.elements[-1].joint.type in OPEN_SPIN:
        from parakin.kinematics.swivel import end_frame

        end = end_frame(last.line, joint, carrier).frame
    relative, relative_dot = end.w - carrier.w, end.w_dot - carrier.w_dot
    assert joint.axis is not None, "attachments are complete"
    a = carrier.R @ vector(joint.axis)
    rate = ca.dot(relative, a)
    if joint.type == "revolute":
        return Ending((rate,))
    b = end.R @ ca.DM(joint.leg_axis)
    a_dot = ca.cross(carrier.w, a)
    rate_dot = ca.dot(relative_dot, a) + ca.dot(relative, a_dot)
    w, w_dot = carrier.w + rate * a, carrier.w_dot + rate_dot * a + rate * a_dot
    return Ending((rate, ca.dot(relative, b)), Spin(ca.horzcat(a, b, ca.cross(a, b)), w, w_dot))

"""Angles of passive joints: what bearings see, and what their limits are about.

    revolute     angle of x about the axis, from the reference made perpendicular to it
    universal    angle 1 of x about axis 1 likewise, angle 2 = asin(x·axis 1), from the plane across axis 1
    spherical    angle between x and the reference, in [0, pi]; the rods of a parallelogram likewise

At the platform the same are angles of the last element's line, its axes and reference being the platform's.

Reference and axes are in the frame of what carries the root. Where a file gives no reference, angles count from x of
that frame (for a forearm: from the line of its arm), or from its y where x lies along the axis.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import casadi as ca
import numpy as np

from parakin.description import (
    OPEN_SPIN,
    Element,
    Friction,
    Joint,
    Leg,
    PlatformJoint,
    RobotDescription,
    Vector,
    attachment_joint,
    expanded_legs,
)
from parakin.kinematics.leg import angle_about
from parakin.kinematics.robot_motion import RobotMotion

ALONG = 1e-6
"""Distance from 1 of the cosine between a direction and an axis below which the direction gives no angle about it."""


@dataclass(frozen=True)
class JointAngle:
    """One angle of a passive joint, with its limits."""

    name: str
    """The joint, such as leg1.forearm.joint; the two angles of a universal joint end in .1 and .2."""
    lower: float
    """Smallest angle [rad]; -inf without a limit."""
    upper: float
    """Largest angle [rad]; inf without a limit."""

    @property
    def limited(self) -> bool:
        """Whether there is any limit."""
        return bool(np.isfinite(self.lower) or np.isfinite(self.upper))


def passive_joints(description: RobotDescription) -> Iterator[tuple[int, int, str, Element]]:
    """Yield every root joint that turns without being driven: number of leg and element, name, element."""
    for k, leg in enumerate(expanded_legs(description)):
        for m, element in enumerate(leg.elements):
            if element.joint.type != "fixed" and not element.drives_root:
                yield k, m, f"{leg.name}.{element.name}.joint", element


def inner_joints(description: RobotDescription) -> Iterator[tuple[int, int, str, bool, Friction]]:
    """Yield every passive slide and turn inside an element whose friction the file gives.

    With it the numbers of its leg and element, its name, whether it turns, and the friction.
    """
    for k, leg in enumerate(expanded_legs(description)):
        for m, element in enumerate(leg.elements):
            name = f"{leg.name}.{element.name}"
            if element.slide_friction is not None:
                yield k, m, f"{name}.slide", False, element.slide_friction
            if element.swivel_friction is not None:
                yield k, m, f"{name}.swivel", True, element.swivel_friction


def attachment_name(leg: Leg) -> str:
    """Return the name of the joint between a leg and the platform."""
    return f"{leg.name}.attachment"


def platform_joints(description: RobotDescription) -> Iterator[tuple[int, str, PlatformJoint]]:
    """Yield every joint between a leg and the platform that the file has a table of and that turns.

    With it the number of its leg, and its name.
    """
    for k, leg in enumerate(expanded_legs(description)):
        if leg.attachment.joint is not None and leg.attachment.joint.type != "rigid":
            yield k, f"{attachment_name(leg)}.joint", attachment_joint(leg, description.motion_type)


def joint_angles(description: RobotDescription) -> tuple[JointAngle, ...]:
    """Return every passive joint angle of a robot with its limits, in the order of the model `joints`.

    Joints at the platform come last, those of which the file has a table.
    """
    roots = [(name, element.joint) for _, _, name, element in passive_joints(description)]
    ends = [(name, joint) for _, name, joint in platform_joints(description)]
    return tuple(angle for name, joint in (*roots, *ends) for angle in _angles(name, joint))


def _angles(name: str, joint: Joint | PlatformJoint) -> list[JointAngle]:
    if joint.type == "universal":
        lower, upper = joint.lower or (-np.inf, -np.inf), joint.upper or (np.inf, np.inf)
        assert isinstance(lower, tuple), "checked as the file is read"
        assert isinstance(upper, tuple), "checked as the file is read"
        return [JointAngle(f"{name}.{n + 1}", lower[n], upper[n]) for n in range(2)]
    if joint.type in OPEN_SPIN:
        return [JointAngle(name, -np.inf, np.inf if joint.cone is None else joint.cone)]
    assert not isinstance(joint.lower, tuple), "checked as the file is read"
    assert not isinstance(joint.upper, tuple), "checked as the file is read"
    return [
        JointAngle(
            name, -np.inf if joint.lower is None else joint.lower, np.inf if joint.upper is None else joint.upper
        )
    ]


def angles_of_motion(moving: RobotMotion, description: RobotDescription) -> ca.SX:
    """Return the passive joint angles [rad] of a robot in motion, in the order of `joint_angles`."""
    values: list[ca.SX] = []
    for k, m, _, element in passive_joints(description):
        motion = moving.legs[k].elements[m]
        values += _values(element.joint, motion.carrier.R.T @ motion.line.x)
    legs = expanded_legs(description)
    for k, _, joint in platform_joints(description):
        x = moving.legs[k].elements[-1].line.x
        values += _values(joint, moving.attached[k].carrier(legs[k]).R.T @ x)
    return ca.vertcat(*values)


def _values(joint: Joint | PlatformJoint, x: ca.SX) -> list[ca.SX]:
    """Return the angles of a line x in a joint, both in the axes of what carries the joint."""
    if joint.type in OPEN_SPIN:
        reference = ca.SX(ca.DM(joint.reference or (1.0, 0.0, 0.0)))
        return [ca.atan2(ca.norm_2(ca.cross(x, reference)), ca.dot(x, reference))]
    assert joint.axis is not None, "the loader refuses a revolute or universal joint without an axis"
    axis = ca.SX(ca.DM(joint.axis))
    about = angle_about(axis, joint.reference or _default(joint.axis), x)
    if joint.type == "revolute":
        return [about]
    along = ca.dot(x, axis)
    return [about, ca.atan2(along, ca.norm_2(x - along * axis))]


def _default(axis: Vector) -> Vector:
    """x of the carrier's frame, or its y where x lies along the axis."""
    return (0.0, 1.0, 0.0) if abs(axis[0]) > 1 - ALONG else (1.0, 0.0, 0.0)

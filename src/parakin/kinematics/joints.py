"""Angles of passive joints: what bearings see, and what their limits are about.

    revolute     angle of x about the axis, from the reference made perpendicular to it
    universal    angle 1 of x about axis 1 likewise, angle 2 = asin(x·axis 1), from the plane across axis 1
    spherical    angle between x and the reference, in [0, pi]; the rods of a parallelogram likewise

At the platform the same are angles of the last element's line, its axes and reference being the platform's.

Reference and axes are in the frame of what carries the root. Where a file gives no reference, angles count from x of
that frame (for a forearm: from the line of its arm), or from its y where x lies along the axis.
"""

from __future__ import annotations

import casadi as ca

from parakin.description import OPEN_SPIN, Joint, PlatformJoint, RobotDescription, expanded_legs
from parakin.kinematics.joint_table import passive_joints, platform_joints
from parakin.kinematics.leg import angle_about
from parakin.kinematics.robot_motion import RobotMotion
from parakin.spatial import angle_between, vector

ALONG = 1e-6
"""Distance from 1 of the cosine between a direction and an axis below which the direction gives no angle about it."""


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
        reference = vector((1.0, 0.0, 0.0) if joint.reference is None else joint.reference)
        return [angle_between(x, reference)]
    assert joint.axis is not None, "the loader refuses a revolute or universal joint without an axis"
    axis = vector(joint.axis)
    reference = _default(axis) if joint.reference is None else joint.reference
    about = angle_about(axis, reference, x)
    if joint.type == "revolute":
        return [about]
    along = ca.dot(x, axis)
    return [about, ca.atan2(along, ca.norm_2(x - along * axis))]


def _default(axis: ca.SX) -> ca.SX:
    """x of the carrier's frame, or its y where x lies along the axis."""
    along = ca.fabs(axis[0]) > 1 - ALONG
    return ca.if_else(along, ca.SX([0, 1, 0]), ca.SX([1, 0, 0]))

"""Solve a leg whose last element turns inside (spindle, screw): its lines as if it did not, its tip from the platform.

Where the tip is decides all lines, by the closed form of the same leg with a bar or telescopic element at its end. How
the platform is turned decides the tip part, through the joint there, as a root joint decides the root part through its
carrier; theta is the angle between the two parts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import casadi as ca

from parakin.description import Leg, PlatformJoint
from parakin.description.patterns import line_pattern, without_swivel
from parakin.kinematics import arm, elbow, rail, strut
from parakin.kinematics.elements import ElementMotion, Line, Spin, revolute_frame, universal_frame
from parakin.kinematics.leg import Attached, LegMotion
from parakin.spatial import vector

LINES: dict[str, Callable[[Leg, Attached], LegMotion]] = {
    "strut": strut.solve,
    "arm": arm.solve,
    "rail": rail.solve,
    "elbow": elbow.solve,
}
"""Pattern of a leg's lines -> its solver."""


def solve(leg: Leg, attached: Attached) -> LegMotion:
    """Return the motion of the leg; an actuator of its last element may drive theta.

    theta_dot = (w_tip - w_root)·x = j r_dot + j_w w_E
    """
    plain = without_swivel(leg)
    solved = LINES[line_pattern(leg)](plain, attached)
    motion = turned_inside(solved.elements[-1], attached.joint, attached.carrier(leg))
    elements = (*solved.elements[:-1], motion)
    solved = replace(solved, elements=elements, j_w=ca.SX(solved.j.shape[0], 3))
    actuator = leg.elements[-1].actuator
    if actuator is None or actuator.coordinate != "spin":
        return solved
    j, j_w = _theta_rows(leg, plain, attached)
    theta, theta_dot, theta_ddot = motion.theta
    from_zero = theta - actuator.zero  # within half a turn, so that q jumps as far from 0 as it can
    return replace(
        solved,
        q=ca.vertcat(solved.q, actuator.sign * ca.atan2(ca.sin(from_zero), ca.cos(from_zero))),
        q_dot=ca.vertcat(solved.q_dot, actuator.sign * theta_dot),
        q_ddot=ca.vertcat(solved.q_ddot, actuator.sign * theta_ddot),
        j=ca.vertcat(solved.j, actuator.sign * j),
        j_w=ca.vertcat(solved.j_w, actuator.sign * j_w),
    )


def turned_inside(element: ElementMotion, joint: PlatformJoint, carrier: Spin) -> ElementMotion:
    """Return an element with the frame of its tip part as the joint at the platform turns it, and with theta.

    tan theta = (y_root x y_tip)·x / y_root·y_tip,    theta_dot = (w_tip - w_root)·x
    """
    line, root = element.line, element.frame
    end = end_frame(line, joint, carrier)
    y_root, y_tip = root.R[:, 1], end.frame.R[:, 1]
    theta = ca.atan2(ca.dot(ca.cross(y_root, y_tip), line.x), ca.dot(y_root, y_tip))
    theta_dot = ca.dot(end.frame.w - root.w, line.x)
    theta_ddot = ca.dot(end.frame.w_dot - root.w_dot, line.x)  # w_tip - w_root is along x, and x_dot across it
    pivot = ca.fmin(element.pivot, end.pivot)
    return replace(element, tip=end.frame, theta=(theta, theta_dot, theta_ddot), pivot=pivot)


def end_frame(line: Line, joint: PlatformJoint, carrier: Spin) -> ElementMotion:
    """Return the line on the joint at the platform as if that were its root: the frame, and the cross of a universal.

    `leg_axis` = (0, c, s) of the frame is x x axis, normalised, of a universal joint, and the axis of a revolute one.
    """
    assert joint.axis is not None, "attachments are complete"
    assert joint.leg_axis is not None, "attachments are complete"
    axis, (_, c, s) = vector(joint.axis), joint.leg_axis
    if joint.type == "revolute":
        motion, turn = revolute_frame(line, carrier, axis), ca.DM([[1, 0, 0], [0, s, -c], [0, c, s]])
    else:
        motion, turn = universal_frame(line, carrier, axis), ca.DM([[1, 0, 0], [0, c, s], [0, -s, c]])
    R = motion.frame.R @ turn
    return replace(motion, frame=Spin(R, motion.frame.w, motion.frame.w_dot))


def _theta_rows(leg: Leg, plain: Leg, attached: Attached) -> tuple[ca.SX, ca.SX]:
    """Return j and j_w with theta_dot = j r_dot + j_w w_E: theta_dot is linear in symbols put in their places."""
    v, w = ca.SX.sym("v", 3), ca.SX.sym("w", 3)
    platform = replace(attached.platform, w_E=w)
    moved = replace(attached, point=replace(attached.point, v=v), platform=platform)
    solved = LINES[line_pattern(leg)](plain, moved)
    rate = turned_inside(solved.elements[-1], moved.joint, moved.carrier(leg)).theta[1]
    return ca.jacobian(rate, v), ca.jacobian(rate, w)

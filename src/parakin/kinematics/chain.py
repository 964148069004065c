"""Move a serial chain of elements by its joint coordinates: what legs without a closed form stand on.

The coordinates of a leg are, element by element: the angle of a revolute root, or the angles about axis 1 and axis 2 of
a universal or spherical root; then the length of a telescopic or screw element; then the turn theta inside a spindle or
screw. Angles of roots count from where the element points at home.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import casadi as ca
import numpy as np

from parakin.description import Leg
from parakin.description.elements import SWIVELLING, VARYING
from parakin.description.patterns import ANGLES
from parakin.kinematics.elements import STILL, ElementMotion, Line, Spin
from parakin.kinematics.leg import frame_of
from parakin.spatial import skew


@dataclass(frozen=True)
class Zero:
    """An element while its joint angles are zero, in the frame of its carrier."""

    direction: ca.DM
    """Unit vector along the element."""
    axes: tuple[ca.DM, ...]
    """Unit axes that its root turns about: none, one or two."""


def zeros(leg: Leg) -> tuple[Zero, ...]:
    """Return where each element points while all angles are zero.

    That is `direction` of the robot file; on a revolute root its part across the axis.
    """
    elements: list[Zero] = []
    orientation = np.eye(3)  # of the carrier
    for element in leg.elements:
        described = orientation.T @ np.array(element.direction)
        axis = np.array(element.joint.axis) if element.joint.axis is not None else some_across(described)
        if element.joint.type == "revolute":
            x = _normal(described - (axis @ described) * axis)
            axes, z = (axis,), axis
        elif element.joint.type == "fixed":
            x = described
            axes, z = (), _normal(axis - (axis @ x) * x)
        else:
            x = described
            second = _normal(np.cross(x, axis))
            axes, z = (axis, second), np.cross(x, second)
        elements.append(Zero(ca.DM(x), tuple(ca.DM(a) for a in axes)))
        orientation = orientation @ np.column_stack([x, np.cross(z, x), z])
    return tuple(elements)


def _normal(v: np.ndarray) -> np.ndarray:
    """Return the unit vector along v."""
    return v / np.linalg.norm(v)


def some_across(direction: np.ndarray) -> np.ndarray:
    """Return some unit vector across a direction: across it and the base axis that is farthest from it."""
    axis = np.eye(3)[int(np.argmin(np.abs(direction)))]
    return _normal(np.cross(direction, axis))


def turned(axis: ca.SX, angle: ca.SX) -> ca.SX:
    """Return the rotation by an angle about a unit axis, R = 1 + sin k~ + (1 - cos) k~ k~ (Rodrigues)."""
    cross = skew(axis)
    return ca.SX.eye(3) + ca.sin(angle) * cross + (1 - ca.cos(angle)) * (cross @ cross)


def _direction(zero: Zero, carrier: Spin, z: ca.SX, z_dot: ca.SX, z_ddot: ca.SX) -> tuple[ca.SX, ca.SX, ca.SX]:
    """Return x, x_dot, x_ddot of an element whose root turns by the angles z about its axes, one after the other.

    w = w_carrier + sum z_dot_k a_k,    x_dot = w x x,    x_ddot = w_dot x x + w x x_dot
    """
    R, w, w_dot = carrier.R, carrier.w, carrier.w_dot
    turn = ca.SX.eye(3)
    for k, axis in enumerate(zero.axes):
        a = R @ turn @ axis
        w_dot = w_dot + z_ddot[k] * a + z_dot[k] * ca.cross(w, a)
        w = w + z_dot[k] * a
        turn = turn @ turned(ca.SX(axis), z[k])
    x = R @ turn @ zero.direction
    x_dot = ca.cross(w, x)
    return x, x_dot, ca.cross(w_dot, x) + ca.cross(w, x_dot)


def _turned_inside(motion: ElementMotion, theta: tuple[ca.SX, ca.SX, ca.SX]) -> ElementMotion:
    """Return an element with its tip part turned about the line: w_tip = w + theta_dot x."""
    (angle, rate, growth), line, root = theta, motion.line, motion.frame
    R = root.R @ turned(ca.SX([1, 0, 0]), angle)
    tip = Spin(R, root.w + rate * line.x, root.w_dot + growth * line.x + rate * line.x_dot)
    return replace(motion, tip=tip, theta=theta)


def chain_motion(leg: Leg, z: ca.SX, z_dot: ca.SX, z_ddot: ca.SX) -> tuple[ElementMotion, ...]:
    """Return the motion of every element of a leg from its joint coordinates and their two derivatives."""
    root = (ca.SX(ca.DM(leg.root)), ca.SX.zeros(3), ca.SX.zeros(3))
    carrier, used = STILL, 0
    motions: list[ElementMotion] = []
    for element, zero in zip(leg.elements, zeros(leg), strict=True):
        angles = slice(used, used + ANGLES[element.joint.type])
        direction = _direction(zero, carrier, z[angles], z_dot[angles], z_ddot[angles])
        used = angles.stop
        length = (ca.SX(element.length or 0.0), ca.SX(0), ca.SX(0))
        if element.type in VARYING:
            length = (z[used], z_dot[used], z_ddot[used])
            used += 1
        motion = frame_of(element, Line(*root, *direction, *length), carrier)
        if element.type in SWIVELLING:
            motion = _turned_inside(motion, (z[used], z_dot[used], z_ddot[used]))
            used += 1
        motions.append(motion)
        root = (motion.line.B, motion.line.B_dot, motion.line.B_ddot)
        carrier = motion.end
    return tuple(motions)

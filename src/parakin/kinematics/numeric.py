"""Solve a leg without a closed form for its rates, once its joint coordinates are known.

The coordinates z are found by Newton in a stage before the models (`closing.py`), which take them as inputs; the rates
are exact, by a linear solve:

    tip(z) = C          J_z z_dot = r_dot          J_z z_ddot = r_ddot - (acceleration of the tip at z_ddot = 0)

Where the tip's place does not decide all coordinates, the joint at the platform does, through how the platform is
turned: an axis b of the leg stays across axes a of the platform,

    b·a = 0          (a x b)·(w_carrier - w_leg) = 0
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from parakin.arrays import Array
from parakin.description import Element, Leg, PlatformJoint
from parakin.description.attachments import turns_inside
from parakin.description.elements import VARYING
from parakin.description.patterns import ANGLES, element_count
from parakin.kinematics.chain import chain_motion, some_across
from parakin.kinematics.elements import ElementMotion, Spin
from parakin.kinematics.leg import Attached, Coordinate, LegMotion, actuated, angle_about
from parakin.linalg.solve import solve_least_squares

LEG_CLOSURE_TOLERANCE = 1e-9
"""Distance from a leg's tip to its attachment [m] above which the leg has not closed; likewise of axes [1]."""


@dataclass(frozen=True)
class Across:
    """An axis b of the leg that stays across an axis a of what carries the joint at the platform."""

    b: ca.SX
    """The leg's axis in base axes."""
    a: ca.SX
    """The platform's axis in base axes."""

    def drift(self, leg: Spin, carrier: Spin) -> ca.SX:
        """Return d^2(b·a)/dt^2 = b_ddot·a + 2 b_dot·a_dot + b·a_ddot, axes being carried along by their frames."""
        b_dot, a_dot = ca.cross(leg.w, self.b), ca.cross(carrier.w, self.a)
        return ca.dot(leg.B @ self.b, self.a) + 2 * ca.dot(b_dot, a_dot) + ca.dot(self.b, carrier.B @ self.a)


def solve(leg: Leg, attached: Attached) -> LegMotion:
    """Return the motion of a chain whose tip is at the attachment: J_z z_dot = r_dot, one linear solve a derivative.

    A leg has three coordinates, or two in a plane, where J_z is tall and the solve is one of least squares; more where
    the joint at the platform decides them, with a row of J_z for each pair of axes that stay across each other.
    """
    z, tip, carrier = attached.z, attached.point, attached.carrier(leg)
    nothing = ca.SX.zeros(z.shape[0])
    still = chain_motion(leg, z, nothing, nothing)
    across = _pairs(attached.joint, still[-1].end, carrier) if turns_inside(leg) else []
    closure = ca.vertcat(tip.p - still[-1].line.B, *(-ca.dot(pair.b, pair.a) for pair in across))
    J_z = ca.jacobian(ca.vertcat(still[-1].line.B, *(ca.dot(pair.b, pair.a) for pair in across)), z)
    inverse, pivot = solve_least_squares(J_z, ca.SX.eye(3 + len(across)))
    turning = ca.vertcat(ca.SX(0, 3), *(-ca.cross(pair.a, pair.b).T for pair in across))
    z_dot = inverse @ ca.vertcat(tip.v, turning @ carrier.w)
    coasting = chain_motion(leg, z, z_dot, nothing)
    drifts = [-pair.drift(coasting[-1].end, carrier) for pair in across]
    z_ddot = inverse @ ca.vertcat(tip.a - coasting[-1].line.B_ddot, *drifts)
    motions = chain_motion(leg, z, z_dot, z_ddot)

    coordinates: list[Coordinate] = []
    used = 0
    for element, motion in zip(leg.elements, motions, strict=True):
        driven = min(used + _driven(element), z.shape[0] - 1)
        used += element_count(element)
        value = _value(element, motion, z[driven])
        coordinates.append(Coordinate(value, z_dot[driven], z_ddot[driven], inverse[driven, :]))
    q, q_dot, q_ddot, j = actuated(leg, tuple(coordinates))
    return LegMotion(
        motions,
        q,
        q_dot,
        q_ddot,
        j[:, :3],
        excess=ca.norm_2(closure) - LEG_CLOSURE_TOLERANCE,
        pivot=pivot,
        j_w=_turned_by_platform(leg, j, turning) if across else None,
        closure=closure,
        z=z,
        z_dot=z_dot,
        z_ddot=z_ddot,
    )


def _turned_by_platform(leg: Leg, j: ca.SX, turning: ca.SX) -> ca.SX:
    """Return what the platform's angular velocity adds to a leg's actuators: nothing on a bar that does not turn."""
    if any(leg.attachment.c) or j.shape[0] == 0:
        return ca.SX(j.shape[0], 3)
    return j[:, 3:] @ turning


def _driven(element: Element) -> int:
    """Return which of an element's coordinates its actuator drives; the first if it has none."""
    angles = ANGLES[element.joint.type]
    places = {"angle": 0, "second": 1, "length": angles, "spin": angles + (element.type in VARYING)}
    return 0 if element.actuator is None else places[element.actuator.coordinate]


def _value(element: Element, motion: ElementMotion, z: ca.SX) -> ca.SX:
    """Return what an element's actuator measures: lengths and turns inside as they are, angles from a reference."""
    actuator = element.actuator
    if actuator is None or actuator.coordinate in ("length", "spin"):
        return z
    axis, x = ca.SX(ca.DM(element.joint.axis)), motion.carrier.R.T @ motion.line.x
    if actuator.reference is not None:
        return angle_about(axis, actuator.reference, x)
    along = ca.dot(x, axis)
    return ca.atan2(along, ca.norm_2(x - along * axis))


def _pairs(joint: PlatformJoint, leg: Spin, carrier: Spin) -> list[Across]:
    """Return the axes that the joint at the platform keeps across each other: one pair of a universal, two else."""
    assert joint.leg_axis is not None, "attachments are complete"
    assert joint.axis is not None, "attachments are complete"
    b, axis = leg.R @ ca.DM(joint.leg_axis), np.array(joint.axis)
    held = [axis] if joint.type == "universal" else _two_across(axis)
    return [Across(b, carrier.R @ ca.DM(a)) for a in held]


def _two_across(axis: Array) -> list[Array]:
    """Return two unit vectors across an axis and each other."""
    first = some_across(axis)
    return [first, np.cross(axis, first)]

"""The whole robot in motion, symbolic: the platform, and every leg solved for it."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import casadi as ca

from parakin.description import Leg, RobotDescription, attachment_joint, expanded_legs
from parakin.description.patterns import coordinate_count, pattern_of
from parakin.kinematics.leg import Attached, LegMotion
from parakin.kinematics.platform import PlatformMotion, Point, platform_motion
from parakin.kinematics.status import SMALLEST_PIVOT
from parakin.kinematics.working_modes import free_branches
from parakin.motions import MotionType


def solver_of(leg: Leg) -> Callable[[Leg, Attached], LegMotion]:
    """Return the solver of a leg: `solve` in the module that is named after its pattern.

    A new leg type is such a module and a row in description.patterns.
    """
    return importlib.import_module(f"parakin.kinematics.{pattern_of(leg)}").solve


@dataclass(frozen=True)
class RobotMotion:
    """Everything that moves, as expressions in pose, velocity and acceleration of the platform."""

    motion: MotionType
    """How the platform may move."""
    pose: ca.SX
    """Symbols of the platform's pose."""
    velocity: ca.SX
    """Symbols of its velocity."""
    acceleration: ca.SX
    """Symbols of its acceleration."""
    platform: PlatformMotion
    """The platform frame in motion."""
    attached: tuple[Attached, ...]
    """What each leg is solved for."""
    legs: tuple[LegMotion, ...]
    """The legs in motion."""
    z: ca.SX
    """Symbols of the joint coordinates of legs without a closed form, found before the models run; empty for most."""
    branches: Mapping[str, ca.SX]
    """Symbols of the legs' branches as an input by name, where they are not numbers; see `working_modes`."""

    @property
    def attachments(self) -> tuple[Point, ...]:
        """The points where the legs meet the platform."""
        return tuple(attached.point for attached in self.attached)

    @property
    def q(self) -> ca.SX:
        """Positions of all actuators [m or rad]."""
        return ca.vertcat(*(leg.q for leg in self.legs))

    @property
    def q_dot(self) -> ca.SX:
        """Rates of all actuators [m/s or rad/s]."""
        return ca.vertcat(*(leg.q_dot for leg in self.legs))

    @property
    def q_ddot(self) -> ca.SX:
        """Accelerations of all actuators [m/s^2 or rad/s^2]."""
        return ca.vertcat(*(leg.q_ddot for leg in self.legs))

    @property
    def J_qv(self) -> ca.SX:
        """The matrix with q_dot = J_qv v: row_i = j_i^T M_Ci. [Ozgur2013] eq. (46)."""
        rows: list[ca.SX] = []
        for leg, point in zip(self.legs, self.attachments, strict=True):
            row = leg.j @ point.M
            rows.append(row if leg.j_w is None else row + leg.j_w @ self.platform.W)
        return ca.vertcat(*rows)

    @property
    def excess(self) -> ca.SX:
        """How far each leg is from closing [m], positive where it cannot."""
        return ca.vertcat(*(leg.excess for leg in self.legs))

    @property
    def closure(self) -> ca.SX:
        """How far the legs without a closed form are from closing [m]; zero where z is right."""
        return ca.vertcat(*(leg.closure for leg in self.legs if leg.closure is not None))

    @property
    def z_dot(self) -> ca.SX:
        """Rates of z."""
        return ca.vertcat(*(leg.z_dot for leg in self.legs if leg.z_dot is not None))

    @property
    def pivot(self) -> ca.SX:
        """What the rates of each leg and the frame of each element are divided by; zero where a leg is singular."""
        frames = (element.pivot for leg in self.legs for element in leg.elements)
        return ca.vertcat(*(leg.pivot for leg in self.legs), *frames)

    @property
    def smallest_pivots(self) -> tuple[float, ...]:
        """For each of `pivot` the size up to which it counts as singular."""
        frames = [SMALLEST_PIVOT for leg in self.legs for _ in leg.elements]
        return (*(leg.smallest_pivot for leg in self.legs), *frames)


def robot_motion(description: RobotDescription, pose: ca.SX | None = None) -> RobotMotion:
    """Solve every leg for a moving platform.

    pose: symbols to use for the pose; a spatial pose may hold the columns of R_OE in place of the quaternion.
    """
    motion = description.motion_type
    if pose is None:
        pose = ca.SX.sym("pose", len(motion.coordinates))
    velocity = ca.SX.sym("velocity", motion.degrees_of_freedom)
    acceleration = ca.SX.sym("acceleration", motion.degrees_of_freedom)
    platform = platform_motion(motion, pose, velocity, acceleration)
    legs = expanded_legs(description)
    points = tuple(platform.point(leg.attachment.b, leg.attachment.c) for leg in legs)
    counts = [coordinate_count(leg) if pattern_of(leg) == "numeric" else 0 for leg in legs]
    z = ca.SX.sym("z", sum(counts))
    attached = tuple(
        Attached(point, platform, z[sum(counts[:k]) : sum(counts[: k + 1])], attachment_joint(legs[k], motion))
        for k, point in enumerate(points)
    )
    solved = tuple(solver_of(leg)(leg, where) for leg, where in zip(legs, attached, strict=True))
    return RobotMotion(motion, pose, velocity, acceleration, platform, attached, solved, z, free_branches(legs))


def coordinate_rates(moving: RobotMotion) -> ca.SX:
    """Return the rates of the pose's coordinates and of z, one below the other."""
    return ca.vertcat(moving.motion.pose_rate(moving.pose, moving.velocity), moving.z_dot)


def rate_along_motion(expression: ca.SX, moving: RobotMotion) -> ca.SX:
    """Return d(expression)/dt for an expression in the pose (and the coordinates z that follow from it)."""
    rate = ca.jtimes(ca.vec(expression), ca.vertcat(moving.pose, moving.z), coordinate_rates(moving))
    return ca.reshape(rate, *expression.shape)

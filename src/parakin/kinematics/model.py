"""The whole robot in motion, symbolic: platform, legs, elements, bodies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca

from parakin.description import RobotDescription, expanded_legs
from parakin.description.model import COORDINATES, DEGREES_OF_FREEDOM, Leg
from parakin.description.patterns import coordinate_count, pattern_of
from parakin.kinematics import arm, elbow, numeric, rail, shaft, strut
from parakin.kinematics.leg import Attached, LegMotion
from parakin.kinematics.platform import PlatformMotion, Point, platform_motion, pose_rate

SOLVERS: dict[str, Callable[[Leg, Attached], LegMotion]] = {
    "strut": strut.solve,
    "arm": arm.solve,
    "rail": rail.solve,
    "shaft": shaft.solve,
    "elbow": elbow.solve,
    "numeric": numeric.solve,
}
"""Pattern -> solver. A new leg type is a file, a row here and a row in description.patterns."""


@dataclass(frozen=True)
class RobotMotion:
    """Everything that moves, as expressions in pose, velocity and acceleration of the platform.

    z: joint coordinates of legs without a closed form, to be found first; empty for most robots.
    """

    pose: ca.SX
    velocity: ca.SX
    acceleration: ca.SX
    platform: PlatformMotion
    attached: tuple[Attached, ...]
    legs: tuple[LegMotion, ...]
    z: ca.SX

    @property
    def attachments(self) -> tuple[Point, ...]:
        """Where each leg meets the platform."""
        return tuple(attached.point for attached in self.attached)

    @property
    def q(self) -> ca.SX:
        return ca.vertcat(*(leg.q for leg in self.legs))

    @property
    def q_dot(self) -> ca.SX:
        return ca.vertcat(*(leg.q_dot for leg in self.legs))

    @property
    def q_ddot(self) -> ca.SX:
        return ca.vertcat(*(leg.q_ddot for leg in self.legs))

    @property
    def J_qv(self) -> ca.SX:
        """q_dot = J_qv v: row_i = j_i^T M_Ci. [Ozgur2013] eq. (46)."""
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
        """Zero where z is right."""
        return ca.vertcat(*(leg.closure for leg in self.legs if leg.closure is not None))

    @property
    def z_dot(self) -> ca.SX:
        return ca.vertcat(*(leg.z_dot for leg in self.legs if leg.z_dot is not None))

    @property
    def pivot(self) -> ca.SX:
        """What each leg's rates and frames are divided by; one of them zero where a leg is singular."""
        frames = (element.pivot for leg in self.legs for element in leg.elements)
        return ca.vertcat(*(leg.pivot for leg in self.legs), *frames)


def robot_motion(description: RobotDescription, pose: ca.SX | None = None) -> RobotMotion:
    """Solve every leg for a moving platform; pose: symbols of one's own, as `platform_motion` takes them."""
    motion = description.motion
    if pose is None:
        pose = ca.SX.sym("pose", len(COORDINATES[motion]))
    velocity = ca.SX.sym("velocity", DEGREES_OF_FREEDOM[motion])
    acceleration = ca.SX.sym("acceleration", DEGREES_OF_FREEDOM[motion])
    platform = platform_motion(motion, pose, velocity, acceleration)
    legs = expanded_legs(description)
    points = tuple(platform.point(leg.attachment.b, leg.attachment.c) for leg in legs)
    counts = [coordinate_count(leg) if pattern_of(leg) == "numeric" else 0 for leg in legs]
    z = ca.SX.sym("z", sum(counts))
    attached = tuple(
        Attached(point, platform, z[sum(counts[:k]) : sum(counts[: k + 1])]) for k, point in enumerate(points)
    )
    solved = tuple(SOLVERS[pattern_of(leg)](leg, where) for leg, where in zip(legs, attached, strict=True))
    return RobotMotion(pose, velocity, acceleration, platform, attached, solved, z)


def rate_along_motion(expression: ca.SX, moving: RobotMotion, motion: str) -> ca.SX:
    """d(expression)/dt for an expression in the pose (and the coordinates z that follow from it)."""
    moves = ca.vertcat(moving.pose, moving.z)
    rates = ca.vertcat(pose_rate(motion, moving.pose, moving.velocity), moving.z_dot)
    rate = ca.jtimes(ca.vec(expression), moves, rates)
    return ca.reshape(rate, *expression.shape)

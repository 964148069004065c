"""The whole robot in motion, symbolic: platform, legs, elements, bodies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca

from parakin.description import RobotDescription, expanded_legs
from parakin.description.model import COORDINATES, DEGREES_OF_FREEDOM, Leg
from parakin.description.patterns import pattern_of
from parakin.kinematics import arm, rail, strut
from parakin.kinematics.leg import LegMotion
from parakin.kinematics.platform import PlatformMotion, Point, platform_motion, pose_rate

SOLVERS: dict[str, Callable[[Leg, Point], LegMotion]] = {"strut": strut.solve, "arm": arm.solve, "rail": rail.solve}
"""Pattern -> solver. A new leg type is a file, a row here and a row in description.patterns."""


@dataclass(frozen=True)
class RobotMotion:
    """Everything that moves, as expressions in pose, velocity and acceleration of the platform."""

    pose: ca.SX
    velocity: ca.SX
    acceleration: ca.SX
    platform: PlatformMotion
    attachments: tuple[Point, ...]
    legs: tuple[LegMotion, ...]

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
        return ca.vertcat(*(leg.j @ point.M for leg, point in zip(self.legs, self.attachments, strict=True)))

    @property
    def excess(self) -> ca.SX:
        """How far each leg is from closing [m], positive where it cannot."""
        return ca.vertcat(*(leg.excess for leg in self.legs))

    @property
    def pivot(self) -> ca.SX:
        """What each leg's rates are divided by; zero where the leg is singular."""
        return ca.vertcat(*(leg.pivot for leg in self.legs))


def robot_motion(description: RobotDescription) -> RobotMotion:
    """Solve every leg for a moving platform."""
    motion = description.motion
    pose = ca.SX.sym("pose", len(COORDINATES[motion]))
    velocity = ca.SX.sym("velocity", DEGREES_OF_FREEDOM[motion])
    acceleration = ca.SX.sym("acceleration", DEGREES_OF_FREEDOM[motion])
    platform = platform_motion(motion, pose, velocity, acceleration)
    legs = expanded_legs(description)
    points = tuple(platform.point(leg.attachment.b, leg.attachment.c) for leg in legs)
    solved = tuple(_solver(leg)(leg, point) for leg, point in zip(legs, points, strict=True))
    return RobotMotion(pose, velocity, acceleration, platform, points, solved)


def _solver(leg: Leg) -> Callable[[Leg, Point], LegMotion]:
    pattern = pattern_of(leg)
    assert pattern is not None, "the loader refuses legs without a solver"
    return SOLVERS[pattern]


def rate_along_motion(expression: ca.SX, moving: RobotMotion, motion: str) -> ca.SX:
    """d(expression)/dt for an expression in the pose alone."""
    rate = ca.jtimes(ca.vec(expression), moving.pose, pose_rate(motion, moving.pose, moving.velocity))
    return ca.reshape(rate, *expression.shape)

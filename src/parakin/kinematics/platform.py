"""Motion of the platform and of its points, for each type of motion."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from parakin.description.model import Vector
from parakin.spatial import quaternion_product, rotation_about_z, rotation_of_quaternion, skew, turning, vector


@dataclass(frozen=True)
class Point:
    """A moving point in base axes: position, velocity, acceleration, and M with velocity = M v."""

    p: ca.SX
    v: ca.SX
    a: ca.SX
    M: ca.SX


@dataclass(frozen=True)
class PlatformMotion:
    """Pose, twist and acceleration of E in base axes, and how they follow from the platform's coordinates.

    v_E = L velocity,    w_E = W velocity

    angle: about z, where that is how the platform turns; 0 otherwise.
    """

    p_OE: ca.SX
    R_OE: ca.SX
    v_E: ca.SX
    w_E: ca.SX
    a_E: ca.SX
    w_E_dot: ca.SX
    L: ca.SX
    W: ca.SX
    angle: ca.SX

    def point(self, b: Vector, c: Vector) -> Point:
        """p = p_OE + R_OE b + c: b turns with the platform, c keeps the base's orientation."""
        r = self.R_OE @ vector(b)
        return Point(
            self.p_OE + r + vector(c),
            self.v_E + ca.cross(self.w_E, r),
            self.a_E + turning(self.w_E, self.w_E_dot) @ r,
            self.L - skew(r) @ self.W,
        )


LINEAR: dict[str, tuple[int, ...]] = {
    "planar-translation": (0, 1),
    "planar": (0, 1),
    "translation": (0, 1, 2),
    "schoenflies": (0, 1, 2),
    "spatial": (0, 1, 2),
}
ANGULAR: dict[str, tuple[int, ...]] = {
    "planar-translation": (),
    "planar": (2,),
    "translation": (),
    "schoenflies": (2,),
    "spatial": (0, 1, 2),
}
"""Which components of v_E and then of w_E a platform's velocity consists of."""


def freedoms(motion: str) -> tuple[ca.SX, ca.SX]:
    """L and W: v_E = L velocity, w_E = W velocity."""
    linear, angular = LINEAR[motion], ANGULAR[motion]
    freedom = len(linear) + len(angular)
    L, W = ca.SX(3, freedom), ca.SX(3, freedom)
    for column, row in enumerate(linear):
        L[row, column] = 1
    for column, row in enumerate(angular):
        W[row, len(linear) + column] = 1
    return L, W


def platform_motion(motion: str, pose: ca.SX, velocity: ca.SX, acceleration: ca.SX) -> PlatformMotion:
    """From the platform's coordinates and their rates (for spatial motion: twist and its derivative).

    A spatial pose may hold the columns of R_OE in place of the quaternion.
    """
    linear, angular = LINEAR[motion], ANGULAR[motion]
    L, W = freedoms(motion)
    p_OE = ca.SX.zeros(3)
    for k, row in enumerate(linear):
        p_OE[row] = pose[k]
    R_OE = _orientation(motion, pose)
    angle = pose[len(linear)] if angular == (2,) else ca.SX(0)
    return PlatformMotion(p_OE, R_OE, L @ velocity, W @ velocity, L @ acceleration, W @ acceleration, L, W, angle)


def _orientation(motion: str, pose: ca.SX) -> ca.SX:
    if motion == "spatial":
        return ca.reshape(pose[3:], 3, 3) if pose.shape[0] == 12 else rotation_of_quaternion(pose[3:])
    return rotation_about_z(pose[len(LINEAR[motion])]) if ANGULAR[motion] else ca.SX.eye(3)


def pose_rate(motion: str, pose: ca.SX, velocity: ca.SX) -> ca.SX:
    """d(pose)/dt: the velocity itself, but quat_dot = 1/2 (0, w) quat for spatial motion."""
    if motion != "spatial":
        return velocity
    return ca.vertcat(velocity[:3], 0.5 * quaternion_product(ca.vertcat(0, velocity[3:]), pose[3:]))


def displacement(motion: str, start: ca.SX, goal: ca.SX) -> ca.SX:
    """The small motion from one pose to another: a difference; for rotations 2 sign(w) (x, y, z) of their quotient."""
    if motion != "spatial":
        return goal - start
    back = ca.vertcat(start[3], -start[4:])
    turn = quaternion_product(goal[3:], back)
    return ca.vertcat(goal[:3] - start[:3], 2 * ca.if_else(turn[0] < 0, -1, 1) * turn[1:])

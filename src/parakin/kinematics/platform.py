"""Motion of the platform and of its points, symbolic."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from parakin.description import Vector
from parakin.motions import MotionType
from parakin.spatial import skew, turning, vector


@dataclass(frozen=True)
class Point:
    """A moving point, in base axes."""

    p: ca.SX
    """Position [m]."""
    v: ca.SX
    """Velocity [m/s]."""
    a: ca.SX
    """Acceleration [m/s^2]."""
    M: ca.SX
    """The matrix with v = M velocity, velocity being the platform's."""


@dataclass(frozen=True)
class PlatformMotion:
    """Pose, twist and acceleration of the platform frame E in base axes."""

    p_OE: ca.SX
    """Position of E [m]."""
    R_OE: ca.SX
    """Orientation of E: takes coordinates in E to coordinates in O."""
    v_E: ca.SX
    """Velocity of E [m/s]."""
    w_E: ca.SX
    """Angular velocity of the platform [rad/s]."""
    a_E: ca.SX
    """Acceleration of E [m/s^2]."""
    w_E_dot: ca.SX
    """Angular acceleration of the platform [rad/s^2]."""
    L: ca.SX
    """v_E = L velocity."""
    W: ca.SX
    """w_E = W velocity."""
    angle: ca.SX
    """The angle about z [rad] where that is how the platform turns; 0 otherwise."""

    def point(self, b: Vector, c: Vector) -> Point:
        """Return the point p = p_OE + R_OE b + c: b turns with the platform, c keeps the base's orientation."""
        r = self.R_OE @ vector(b)
        return Point(
            self.p_OE + r + vector(c),
            self.v_E + ca.cross(self.w_E, r),
            self.a_E + turning(self.w_E, self.w_E_dot) @ r,
            self.L - skew(r) @ self.W,
        )


def platform_motion(motion: MotionType, pose: ca.SX, velocity: ca.SX, acceleration: ca.SX) -> PlatformMotion:
    """Return how the platform moves, from its coordinates and their rates (spatial: twist and its derivative).

    A spatial pose may hold the columns of R_OE in place of the quaternion.
    """
    L, W = motion.twist_maps()
    return PlatformMotion(
        motion.position(pose),
        motion.rotation(pose),
        L @ velocity,
        W @ velocity,
        L @ acceleration,
        W @ acceleration,
        L,
        W,
        motion.angle(pose),
    )

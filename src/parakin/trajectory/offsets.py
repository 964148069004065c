"""Poses as offsets from a reference pose, which are also the coordinates of a robot's box.

Offsets c are added to the reference; for spatial motion they are position and a rotation vector r in base axes,
R_OE = exp(r) R_reference. Of a ball they are a rotation vector in its own axes, R = R_reference exp(r).
"""

from __future__ import annotations

from collections.abc import Callable
from math import factorial

import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array, frozen_arrays
from parakin.errors import MotionError, QuaternionError, UnsupportedRobotError
from parakin.kernels.arguments import as_array
from parakin.motions import QUATERNION_TOLERANCE, MotionType
from parakin.motions.offsets import displaced, unit_length
from parakin.quaternions import quaternion_from_vector, quaternion_product
from parakin.robot import Robot
from parakin.trajectory.profiles import Profile
from parakin.trajectory.states import State

_TERMS = 24
"""Terms of each series; those left out are below the rounding of a double for angles up to 2 pi."""
_K1 = np.array([(-1.0) ** k / factorial(2 * k + 2) for k in range(_TERMS)])
"""Coefficients of k1 = (1 - cos a)/a^2 in powers of a^2: no case at zero, little cancellation up to 2 pi."""
_K2 = np.array([(-1.0) ** k / factorial(2 * k + 3) for k in range(_TERMS)])
"""Coefficients of k2 = (a - sin a)/a^3 in powers of a^2."""
_K1_SLOPE, _K2_SLOPE = (2.0 * np.arange(1.0, _TERMS) * series[1:] for series in (_K1, _K2))
"""Coefficients of the slopes k' = (dk/da)/a = 2 dk/d(a^2) in powers of a^2."""


@frozen_arrays(eq=True)
class Offsets:
    """The function of a motion whose offsets from a reference pose follow a curve."""

    kind: MotionType
    """Type of platform motion, as `robot.motion_type`."""
    reference: Array
    """Pose (coordinates,) that the offsets start from."""
    curve: Callable[[Array], Profile]
    """Map from times (N,) [s] to offsets (N, degrees of freedom) [m, rad] and their derivatives."""

    def __call__(self, t: Array) -> State:
        c, c_dot, c_ddot = self.curve(t)
        if self.kind.quaternion is None:
            velocity, acceleration = np.array(c_dot), np.array(c_ddot)
            for k in self.kind.balls:
                velocity[:, k : k + 3], acceleration[:, k : k + 3] = _turning_of_ball(
                    Profile(c[:, k : k + 3], c_dot[:, k : k + 3], c_ddot[:, k : k + 3])
                )
            return State(displaced(self.kind, self.reference, c), velocity, acceleration)
        n = self.kind.quaternion.start
        quaternion, w, w_dot = turning(Profile(c[:, n:], c_dot[:, n:], c_ddot[:, n:]))
        return State(
            np.concatenate([self.reference[:n] + c[:, :n], quaternion_product(quaternion, self.reference[n:])], axis=1),
            np.concatenate([c_dot[:, :n], w], axis=1),
            np.concatenate([c_ddot[:, :n], w_dot], axis=1),
        )


def _turning_of_ball(vector: Profile) -> tuple[Array, Array]:
    """Return w and w_dot of R = R_reference exp(r) in the axes that R has reached: minus those of exp(-r)."""
    _, w, w_dot = turning(Profile(*(-part for part in vector)))
    return -w, -w_dot


def turning(vector: Profile) -> State:
    """Return the quaternion, w and w_dot of R = exp(r), given the rotation vector r (N, 3) [rad] and its derivatives.

    w     = A r_dot,    A u = u + k1 r x u + k2 r x (r x u)
    w_dot = A r_ddot + (r·r_dot) (k1' r x r_dot + k2' r x (r x r_dot)) + k2 r_dot x (r x r_dot)
    k1 = (1 - cos a)/a^2,  k2 = (a - sin a)/a^3,  a = |r|,  k' = (dk/da)/a
    """
    r, r_dot, r_ddot = vector
    square = np.sum(r * r, axis=-1, keepdims=True)
    along = np.sum(r * r_dot, axis=-1, keepdims=True)
    k1, k2 = _power_series(_K1, square), _power_series(_K2, square)
    turn = np.cross(r, r_dot)
    bend = np.cross(r, turn)
    across = np.cross(r, r_ddot)
    w = r_dot + k1 * turn + k2 * bend
    drift = along * (_power_series(_K1_SLOPE, square) * turn + _power_series(_K2_SLOPE, square) * bend)
    w_dot = r_ddot + k1 * across + k2 * np.cross(r, across) + drift + k2 * np.cross(r_dot, turn)
    return State(quaternion_from_vector(r), w, w_dot)


def _power_series(coefficients: Array, x: Array) -> Array:
    total = np.zeros_like(x)
    for coefficient in coefficients[::-1]:
        total = coefficient + x * total
    return total


def offset_pose(robot: Robot, offset: ArrayLike) -> Array:
    """Return the poses at offsets (..., degrees of freedom) [m, rad] from home."""
    return displaced(robot.motion_type, robot.home, offset)


def checked_poses(motion: str, name: str, robot: Robot, poses: ArrayLike, shape: tuple[int, ...]) -> Array:
    """Return poses (*shape, coordinates) that are finite, with quaternions made exactly unit, or refuse them.

    -1 in the shape stands for any length.
    """
    values = as_array(motion, name, poses)
    asked = (*shape, len(robot.home))
    if len(values.shape) != len(asked) or any(n not in (-1, m) for n, m in zip(asked, values.shape, strict=True)):
        text = str(asked).replace("-1", "N")
        raise MotionError(motion, name, f"poses of {robot.name} have shape {text}, got {values.shape}")
    if not np.isfinite(values).all():
        raise MotionError(motion, name, f"must be finite, got {values.tolist()}")
    kind = robot.motion_type
    if kind.quaternion is None:
        return values
    norm = np.linalg.norm(values[..., kind.quaternion], axis=-1)
    worst = int(np.argmax(np.abs(norm - 1.0)))
    if abs(norm.flat[worst] - 1.0) > QUATERNION_TOLERANCE:
        pose = values.reshape(-1, len(kind.coordinates))[worst]
        raise QuaternionError(tuple(pose.tolist()), float(norm.flat[worst]))
    return unit_length(kind, values)


def linear_axes(robot: Robot) -> int:
    """Return how many of a robot's coordinates are lengths: 2 or 3; refuse a pose of joints, which has no axes."""
    if robot.motion_type.of_joints:
        coordinates = ", ".join(robot.pose_names)
        reason = f"its pose are coordinates of joints ({coordinates}), along no axes in space: choose point_to_point,"
        raise UnsupportedRobotError(robot.name, f"{reason} actuator_point_to_point, via_points or fourier")
    return len(robot.motion_type.linear)


def upwards(robot: Robot) -> Array:
    """Return the unit offset against gravity along z, or along y for robots that move in a plane."""
    axis = linear_axes(robot) - 1
    unit = np.zeros(robot.degrees_of_freedom)
    unit[axis] = -1.0 if robot.description.gravity[axis] > 0.0 else 1.0
    return unit


def middle(robot: Robot) -> Array:
    """Return the offset of the middle of the box's positions, with the orientation of home."""
    lower, upper = robot.box
    centre = (lower + upper) / 2
    centre[linear_axes(robot) :] = 0.0
    return centre

"""The cosine motions of [Sinatra2009] eq. (6): half a period that leads away from home, from rest to rest."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array, frozen_arrays
from parakin.errors import MotionError, UnsupportedRobotError
from parakin.motions import MotionType
from parakin.poses import matrix_from_quaternion, quaternion_from_euler, quaternion_product
from parakin.robot import Robot
from parakin.trajectory.fitting import fitting_factor, fitting_note
from parakin.trajectory.offsets import Offsets, linear_axes, upwards
from parakin.trajectory.profiles import Profile
from parakin.trajectory.states import Motion, State, positive

HALF_PERIOD = 3.0
"""Duration of the paper's motions, Delta t of eq. (24) [s]."""
AMPLITUDES = {"x": 0.1, "z": 0.15, "turn": np.pi / 12}
"""Amplitudes of eq. (24) along x [m], along z [m] and about z [rad]; half a period leads twice as far."""


@frozen_arrays(eq=True)
class Cosine:
    """The function of a motion with the offsets c = c* (1 - cos(pi t/T)) from home.

    Spatial rotations are Euler angles, R_OE = R_x R_y R_z R_home: eq. (5) prints R = R_3 R_2 R_1 from base to platform,
    whose transpose is R_OE.
    """

    kind: MotionType
    """Type of platform motion, as `robot.motion_type`."""
    home: Array
    """Pose (coordinates,) where the motion starts."""
    amplitude: Array
    """Amplitudes c* (degrees of freedom,) [m, rad]."""
    half_period: float
    """Half a period T, which is the duration of the motion [s]."""

    def __call__(self, t: Array) -> State:
        rate = np.pi / self.half_period
        angle = (rate * t)[:, None]
        wave = Profile(1 - np.cos(angle), rate * np.sin(angle), rate**2 * np.cos(angle))
        c, c_dot, c_ddot = (values * self.amplitude for values in wave)
        if self.kind.quaternion is None:
            return Offsets(self.kind, self.home, lambda _: Profile(c, c_dot, c_ddot))(t)
        quaternion, w, w_dot = euler_turning(Profile(c[:, 3:], c_dot[:, 3:], c_ddot[:, 3:]))
        return State(
            np.hstack([self.home[:3] + c[:, :3], quaternion_product(quaternion, self.home[3:])]),
            np.hstack([c_dot[:, :3], w]),
            np.hstack([c_ddot[:, :3], w_dot]),
        )


def euler_turning(angles: Profile) -> State:
    """Return the quaternion, w and w_dot of R = R_x(a_1) R_y(a_2) R_z(a_3), given angles (N, 3) and derivatives.

    w = sum of a_k_dot n_k with n_1 = x, n_2 = R_x y, n_3 = R_x R_y z, each carried by the turns before it
    """
    a, a_dot, a_ddot = angles
    quaternion = quaternion_from_euler("xyz", a)
    w, w_dot = np.zeros_like(a), np.zeros_like(a)
    for k in range(3):
        before = quaternion_from_euler("xyz", a * (np.arange(3) < k))
        n = matrix_from_quaternion(before)[..., k]
        w_dot = w_dot + a_ddot[:, k, None] * n + a_dot[:, k, None] * np.cross(w, n)
        w = w + a_dot[:, k, None] * n
    return State(quaternion, w, w_dot)


def cosine(
    robot: Robot, amplitude: ArrayLike, half_period: float = HALF_PERIOD, name: str = "cosine", note: str = ""
) -> Motion:
    """Return a cosine motion from home with amplitudes (degrees of freedom,) [m, rad] over half a period [s].

    Its acceleration is not zero at the ends.

    >>> pk.trajectory.cosine(robot, [0.05, 0, 0], half_period=1.0).at(1.0).pose.round(3)
    array([ 0.1 ,  0.  , -0.43])
    """
    positive(name, "half_period", half_period, "s")
    values = np.asarray(amplitude, float)
    if values.shape != (robot.degrees_of_freedom,) or not np.isfinite(values).all():
        raise MotionError(name, "amplitude", f"{robot.degrees_of_freedom} finite numbers, got {values.tolist()}")
    path = Cosine(robot.motion_type, robot.home, values, half_period)
    return Motion(name, robot.motion_type, half_period, path, note)


def cosine_z(robot: Robot) -> Motion:
    """Return the paper's first motion: upwards, which for its robot is towards the base.

    >>> pk.trajectory.cosine_z(robot).at(3.0).pose.round(3)
    array([ 0.  ,  0.  , -0.33])
    """
    return _along(robot, "z", upwards(robot))


def cosine_x(robot: Robot) -> Motion:
    """Return the paper's second motion: along x.

    >>> pk.trajectory.cosine_x(robot).at(3.0).pose.round(3)
    array([ 0.2 ,  0.  , -0.43])
    """
    return _along(robot, "x", np.eye(robot.degrees_of_freedom)[0])


def cosine_turn(robot: Robot) -> Motion:
    """Return the paper's third motion: a turn about z.

    >>> pk.trajectory.cosine_turn(pk.load("gough_stewart")).duration
    3.0
    """
    if robot.degrees_of_freedom == linear_axes(robot):
        raise UnsupportedRobotError(robot.name, "its platform does not turn: choose cosine_x or cosine_z")
    return _along(robot, "turn", np.eye(robot.degrees_of_freedom)[-1])


def _along(robot: Robot, direction: str, unit: Array) -> Motion:
    name = f"cosine_{direction}"
    linear_axes(robot)
    way = 2 * AMPLITUDES[direction] * unit
    factor = fitting_factor(name, robot, np.zeros_like(way), np.linspace(0.0, 1.0, 101)[:, None] * way)
    size = f"{2 * factor * AMPLITUDES[direction]:.4g} {'rad' if direction == 'turn' else 'm'}"
    return cosine(robot, factor * way / 2, name=name, note=fitting_note(size, factor))

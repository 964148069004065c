"""What noise on observed directions, and on encoders, does to the computed torques of a five-bar."""

from __future__ import annotations

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.robot import Robot
from parakin.studies.common import rms
from parakin.trajectory import circle

RATE = 1000.0
"""Samples a second along the circle [Hz]."""
WINDOW, DEGREE = 21, 3
"""Samples about each one to which a polynomial is fitted, and its degree; rates and accelerations are its own."""
SIZES = np.geomspace(1e-6, 1e-2, 9)
"""Standard deviations of the noise on every measured angle [rad]."""
SMALL = 1e-5
"""Standard deviation of noise so small that torque errors are linear in it [rad]."""
SEEDS = tuple(range(10))
"""Seeds of the noise along the circle, over which the intervals go."""
TRIALS = 400
"""Draws of the noise in each pose."""
HEIGHTS = np.linspace(0.13, 0.46, 34)
"""Heights y of poses on the line x = 0, from forearms nearly in line to the top of the box [m]."""
LIFTED = 5.0
"""Acceleration upwards in these poses [m/s^2]."""


@frozen_arrays(eq=True)
class Angles:
    """Angles of what is measured, the four bars or the two motors, with their derivatives."""

    angle: Array
    """(..., bars or motors) [rad]"""
    rate: Array
    """(..., bars or motors) [rad/s]"""
    acceleration: Array
    """(..., bars or motors) [rad/s^2]"""


@frozen_arrays(eq=True)
class Sensitivity:
    """Torque errors due to noise; of each pair, the first is from observed directions, the second from encoders."""

    torque: float
    """Rms of the torques along the circle [N m]."""
    angles: tuple[Array, Array]
    """Rms torque errors under noise of SIZES on the angles alone, rates exact, (len(SEEDS), len(SIZES)) each [N m]."""
    rates: tuple[Array, Array]
    """Rms torque errors with rates and accelerations from the noisy angles, (len(SEEDS), len(SIZES)) each [N m]."""
    sine: Array
    """(poses,) Sine of the angle between the forearms, in the poses of HEIGHTS that can be reached."""
    gains: tuple[Array, Array]
    """Torque error per angle error in these poses, (poses,) each [N m/rad]."""


def sensitivity(robot: Robot) -> Sensitivity:
    """Measure torque errors along a circle and towards forearms in line; noise is white, independent, of equal size."""
    samples = circle(robot).sampled(RATE)
    state = samples.pose, samples.velocity, samples.acceleration
    tau = robot.inverse_dynamics(*state)
    bars, motors = angles_of(robot, *state)
    static, derived = np.empty((2, len(SEEDS), len(SIZES))), np.empty((2, len(SEEDS), len(SIZES)))
    for m, seed in enumerate(SEEDS):
        rng = np.random.default_rng(seed)
        for k, size in enumerate(SIZES):
            for way, (true, torque) in enumerate(((bars, observed_torque), (motors, encoder_torque))):
                seen = true.angle + size * rng.normal(size=true.angle.shape)
                exact = torque(robot, Angles(seen, true.rate, true.acceleration))
                static[way, m, k] = rms((exact - tau)[WINDOW:-WINDOW])
                derived[way, m, k] = rms((torque(robot, _derived(seen)) - tau)[WINDOW:-WINDOW])
    return Sensitivity(rms(tau), (static[0], static[1]), (derived[0], derived[1]), *_by_pose(robot))


def angles_of(robot: Robot, pose: Array, velocity: Array, acceleration: Array) -> tuple[Angles, Angles]:
    """Return the exact angles of the bars in the plane, and of the motors."""
    elements = robot.elements(pose, velocity, acceleration)
    x, x_dot, x_ddot = elements.x, elements.x_dot, elements.x_ddot
    bars = Angles(
        np.unwrap(np.arctan2(x[..., 1], x[..., 0]), axis=0),
        np.cross(x, x_dot)[..., 2],
        np.cross(x, x_ddot)[..., 2],
    )
    q = robot.inverse_kinematics(pose)
    motors = Angles(
        q,
        robot.actuator_velocity(pose, velocity),
        robot.actuator_acceleration(pose, velocity, acceleration),
    )
    return bars, motors


def observed_torque(robot: Robot, bars: Angles) -> Array:
    """Compute torques from the bars' directions x = (cos, sin, 0) and the derivatives that belong to them."""
    zero = np.zeros_like(bars.angle)
    x = np.stack([np.cos(bars.angle), np.sin(bars.angle), zero], axis=-1)
    y = np.stack([-np.sin(bars.angle), np.cos(bars.angle), zero], axis=-1)
    rate, acceleration = bars.rate[..., None], bars.acceleration[..., None]
    return robot.inverse_dynamics_observed({"x": x, "x_dot": rate * y, "x_ddot": acceleration * y - rate**2 * x})


def encoder_torque(robot: Robot, motors: Angles) -> Array:
    """Compute torques from the angles of the motors and their derivatives."""
    return robot.inverse_dynamics_from_encoders(motors.angle, motors.rate, motors.acceleration)


def _derived(seen: Array) -> Angles:
    """Return the fitted cubic and its derivatives at each sample, as scipy's savgol_filter does."""
    half = WINDOW // 2
    powers = np.vander(np.arange(-half, half + 1) / RATE, DEGREE + 1, increasing=True)
    weights: Array = np.asarray(np.linalg.pinv(powers), float)
    padded = np.pad(seen, ((half, half), (0, 0)), mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, WINDOW, axis=0)
    return Angles(windows @ weights[0], windows @ weights[1], 2 * windows @ weights[2])


def _by_pose(robot: Robot) -> tuple[Array, tuple[Array, Array]]:
    """Return the sine between the forearms and both gains, pose by pose."""
    pose = np.stack([np.zeros_like(HEIGHTS), HEIGHTS], axis=-1)
    pose = pose[robot.check(pose) == 0]
    still, lifted = np.zeros_like(pose), np.broadcast_to([0.0, LIFTED], pose.shape)
    tau, rng = robot.inverse_dynamics(pose, still, lifted), np.random.default_rng(1)
    x = robot.elements(pose, still, lifted).x
    sine = np.abs(np.cross(x[:, 1], x[:, 3])[:, 2])
    gains: list[Array] = []
    for true, torque in zip(angles_of(robot, pose, still, lifted), (observed_torque, encoder_torque), strict=True):
        seen = true.angle + SMALL * rng.normal(size=(TRIALS, *true.angle.shape))
        rate, acceleration = (np.broadcast_to(v, seen.shape) for v in (true.rate, true.acceleration))
        error = torque(robot, Angles(seen, rate, acceleration)) - tau
        gains.append(np.sqrt(np.mean(error**2, axis=(0, 2))) / SMALL)
    return sine, (gains[0], gains[1])

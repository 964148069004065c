"""What noise on observed directions and on encoders does to the torques of a five-bar."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array
from parakin.robot import Robot
from parakin.studies.common import rms
from parakin.trajectory import circle

RATE = 1000.0
"""[Hz]"""
WINDOW, DEGREE = 21, 3
"""Rates and accelerations are those of a cubic fitted to so many samples about each."""
SIZES = np.geomspace(1e-6, 1e-2, 9)
"""[rad] Standard deviations of every measured angle."""
SMALL = 1e-5
"""[rad] Noise that torques are linear in."""
TRIALS = 400
HEIGHTS = np.linspace(0.13, 0.46, 34)
"""[m] Of poses on the line x = 0, from forearms nearly in line to the top of the box."""
LIFTED = 5.0
"""[m/s^2] Upwards, in these poses."""


@dataclass(frozen=True)
class Angles:
    """Of every measured line, with rates and accelerations [rad, rad/s, rad/s^2]: four bars, or two motors."""

    angle: Array
    rate: Array
    acceleration: Array


@dataclass(frozen=True)
class Sensitivity:
    """Rms errors of torques [N m] under noise of SIZES: angles alone noisy, or rates taken from noisy angles too.

    sine: of the angle between the forearms, by pose; gains: torque error per angle error [N m/rad] in these poses.
    torque: rms of the torques along the circle [N m].
    """

    torque: float
    angles: tuple[Array, Array]
    rates: tuple[Array, Array]
    sine: Array
    gains: tuple[Array, Array]


def sensitivity(robot: Robot) -> Sensitivity:
    """(from observed directions, from encoders) in each pair; noise is white and independent, of equal size."""
    samples = circle(robot).sampled(RATE)
    state = samples.pose, samples.velocity, samples.acceleration
    tau = robot.inverse_dynamics(*state)
    bars, motors = angles_of(robot, *state)
    rng = np.random.default_rng(0)
    static, derived = np.empty((2, len(SIZES))), np.empty((2, len(SIZES)))
    for k, size in enumerate(SIZES):
        for way, (true, torque) in enumerate(((bars, observed_torque), (motors, encoder_torque))):
            seen = true.angle + size * rng.normal(size=true.angle.shape)
            static[way, k] = rms((torque(robot, Angles(seen, true.rate, true.acceleration)) - tau)[WINDOW:-WINDOW])
            derived[way, k] = rms((torque(robot, _derived(seen)) - tau)[WINDOW:-WINDOW])
    return Sensitivity(rms(tau), (static[0], static[1]), (derived[0], derived[1]), *_by_pose(robot))


def angles_of(robot: Robot, pose: Array, velocity: Array, acceleration: Array) -> tuple[Angles, Angles]:
    """Of the bars in the plane, and of the motors."""
    elements = robot.elements(pose, velocity, acceleration)
    x, x_dot, x_ddot = (elements[name] for name in ("x", "x_dot", "x_ddot"))
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
    """x = (cos, sin), with the derivatives that belong to it."""
    zero = np.zeros_like(bars.angle)
    x = np.stack([np.cos(bars.angle), np.sin(bars.angle), zero], axis=-1)
    y = np.stack([-np.sin(bars.angle), np.cos(bars.angle), zero], axis=-1)
    rate, acceleration = bars.rate[..., None], bars.acceleration[..., None]
    return robot.inverse_dynamics_observed({"x": x, "x_dot": rate * y, "x_ddot": acceleration * y - rate**2 * x})


def encoder_torque(robot: Robot, motors: Angles) -> Array:
    return robot.inverse_dynamics_from_encoders(motors.angle, motors.rate, motors.acceleration)


def _derived(seen: Array) -> Angles:
    """The fitted cubic and its derivatives, at each sample (savgol_filter of scipy gives the same)."""
    half = WINDOW // 2
    powers = np.vander(np.arange(-half, half + 1) / RATE, DEGREE + 1, increasing=True)
    weights: Array = np.asarray(np.linalg.pinv(powers), float)
    padded = np.pad(seen, ((half, half), (0, 0)), mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, WINDOW, axis=0)
    return Angles(windows @ weights[0], windows @ weights[1], 2 * windows @ weights[2])


def _by_pose(robot: Robot) -> tuple[Array, tuple[Array, Array]]:
    pose = np.stack([np.zeros_like(HEIGHTS), HEIGHTS], axis=-1)
    pose = pose[robot.check(pose) == 0]
    still, lifted = np.zeros_like(pose), np.broadcast_to([0.0, LIFTED], pose.shape)
    tau, rng = robot.inverse_dynamics(pose, still, lifted), np.random.default_rng(1)
    x = robot.elements(pose, still, lifted)["x"]
    sine = np.abs(np.cross(x[:, 1], x[:, 3])[:, 2])
    gains: list[Array] = []
    for true, torque in zip(angles_of(robot, pose, still, lifted), (observed_torque, encoder_torque), strict=True):
        seen = true.angle + SMALL * rng.normal(size=(TRIALS, *true.angle.shape))
        rate, acceleration = (np.broadcast_to(v, seen.shape) for v in (true.rate, true.acceleration))
        error = torque(robot, Angles(seen, rate, acceleration)) - tau
        gains.append(np.sqrt(np.mean(error**2, axis=(0, 2))) / SMALL)
    return sine, (gains[0], gains[1])

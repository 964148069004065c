"""A reference holds the set points of platform and actuators for every tick, computed before the loop begins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array, lock_arrays
from parakin.errors import MotionError
from parakin.robot import Robot
from parakin.trajectory import Motion, Samples, State

QUANTITIES = ("pose", "velocity", "acceleration", "q", "q_dot", "q_ddot")
"""Names of the quantities of a `Reference`, in the order of its fields."""


@dataclass(frozen=True, eq=False)
class Reference:
    """Set points of the platform and of the actuators at equal distances in time, from t = 0."""

    period: float
    """Time from one set point to the next [s]."""
    pose: Array
    """Poses of the platform (ticks, coordinates) [m, rad; quaternions 1]."""
    velocity: Array
    """Velocities of the platform (ticks, degrees of freedom) [m/s, rad/s]."""
    acceleration: Array
    """Accelerations of the platform (ticks, degrees of freedom) [m/s^2, rad/s^2]."""
    q: Array
    """Actuator positions (ticks, actuators) [m or rad]."""
    q_dot: Array
    """Actuator rates (ticks, actuators) [m/s or rad/s]."""
    q_ddot: Array
    """Actuator accelerations (ticks, actuators) [m/s^2 or rad/s^2]."""

    def __post_init__(self) -> None:
        lock_arrays(self)
        for name in QUANTITIES:
            values: Array = getattr(self, name)
            bad = np.flatnonzero(~np.isfinite(values).all(axis=-1))
            if len(values) != self.ticks:
                raise MotionError("reference", name, f"{self.ticks} set points need as many rows, got {len(values)}")
            if len(bad):
                t = float(bad[0] * self.period)
                raise MotionError("reference", name, f"the robot cannot be there at t = {t:.6g} s: check the motion")

    @property
    def ticks(self) -> int:
        """The number of set points."""
        return len(self.pose)

    @property
    def t(self) -> Array:
        """The time of each set point (ticks,) [s]."""
        return self.period * np.arange(self.ticks, dtype=np.float64)

    def ahead(self, quantity: str, ticks: tuple[int, ...]) -> Array:
        """Return the set points that lie some ticks ahead of each tick; the last one stands for all after it.

        (ticks, size) where one distance is asked for, (ticks, size, k) where k are.
        """
        values: Array = getattr(self, quantity)
        if ticks == (0,):
            return values
        rows = np.minimum(np.arange(self.ticks)[:, None] + np.array(ticks), self.ticks - 1)
        set_points = np.moveaxis(values[rows], 1, -1)
        return set_points[..., 0] if len(ticks) == 1 else set_points


def reference(robot: Robot, motion: Motion, period: float, *, settle: float = 0.0) -> Reference:
    """Sample a motion every `period` s, and hold its end for another `settle` s."""
    samples = motion.sampled(1 / period)
    extra = round(settle / period)
    held = samples.pose[-1:].repeat(extra, axis=0)
    still = np.zeros((extra, robot.degrees_of_freedom))
    return reference_of_states(
        robot,
        State(
            np.concatenate([samples.pose, held]),
            np.concatenate([samples.velocity, still]),
            np.concatenate([samples.acceleration, still]),
        ),
        period,
    )


def reference_of_samples(robot: Robot, samples: Samples) -> Reference:
    """Make a reference of samples at equal distances in time, such as a file holds."""
    steps = np.diff(samples.t)
    if len(steps) == 0 or not np.allclose(steps, steps.mean(), rtol=1e-6, atol=0.0):
        raise MotionError("samples", "t", "must be at least two times at equal distances: sample the motion again")
    state = State(samples.pose, samples.velocity, samples.acceleration)
    return reference_of_states(robot, state, float(steps.mean()))


def reference_of_states(robot: Robot, state: State, period: float) -> Reference:
    """Make a reference of platform states (ticks, ...) that are `period` s apart.

    The robot's geometry gives the set points of the actuators.
    """
    q = robot.inverse_kinematics(state.pose)
    q_dot = robot.actuator_velocity(state.pose, state.velocity)
    q_ddot = robot.actuator_acceleration(state.pose, state.velocity, state.acceleration)
    return Reference(period, *state, q, q_dot, q_ddot)


def hold(robot: Robot, pose: ArrayLike, duration: float, period: float) -> Reference:
    """Make a reference that stays at one pose for `duration` s, and for one tick at least."""
    ticks = max(1, round(duration / period))
    poses = np.broadcast_to(np.asarray(pose, float), (ticks, len(robot.home)))
    still = np.zeros((ticks, robot.degrees_of_freedom))
    return reference_of_states(robot, State(poses, still, still), period)

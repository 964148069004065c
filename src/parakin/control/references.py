"""What a law is to follow, tick by tick: platform and actuators, worked out before the loop begins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array
from parakin.errors import MotionError
from parakin.robot import Robot
from parakin.trajectory import Motion, Samples, State

QUANTITIES = ("pose", "velocity", "acceleration", "q", "q_dot", "q_ddot")


@dataclass(frozen=True, eq=False)
class Reference:
    """Set points (N, ...) every `period` s from t = 0, of the platform and of the actuators."""

    period: float
    pose: Array
    velocity: Array
    acceleration: Array
    q: Array
    q_dot: Array
    q_ddot: Array

    def __post_init__(self) -> None:
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
        return len(self.pose)

    @property
    def t(self) -> Array:
        return self.period * np.arange(self.ticks, dtype=np.float64)

    def ahead(self, quantity: str, ticks: tuple[int, ...]) -> Array:
        """(N, size) for one number of ticks, (N, size, k) for several; the last set point stands for all after it."""
        values: Array = getattr(self, quantity)
        if ticks == (0,):
            return values
        rows = np.minimum(np.arange(self.ticks)[:, None] + np.array(ticks), self.ticks - 1)
        found = np.moveaxis(values[rows], 1, -1)
        return found[..., 0] if len(ticks) == 1 else found


def reference(robot: Robot, motion: Motion, period: float, *, settle: float = 0.0) -> Reference:
    """The motion every `period` s, and then its end held for `settle` s."""
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
    """Of states at equal distances in time, as read from a file."""
    steps = np.diff(samples.t)
    if len(steps) == 0 or not np.allclose(steps, steps.mean(), rtol=1e-6, atol=0.0):
        raise MotionError("samples", "t", "must be at least two times at equal distances: sample the motion again")
    state = State(samples.pose, samples.velocity, samples.acceleration)
    return reference_of_states(robot, state, float(steps.mean()))


def reference_of_states(robot: Robot, state: State, period: float) -> Reference:
    """Of states (N, n) of the platform; the actuators' follow from the robot's geometry."""
    q = robot.inverse_kinematics(state.pose)
    q_dot = robot.actuator_velocity(state.pose, state.velocity)
    q_ddot = robot.actuator_acceleration(state.pose, state.velocity, state.acceleration)
    return Reference(period, *state, q, q_dot, q_ddot)


def hold(robot: Robot, pose: ArrayLike, duration: float, period: float) -> Reference:
    """One pose for so long [s]."""
    ticks = max(1, round(duration / period))
    poses = np.broadcast_to(np.asarray(pose, float), (ticks, len(robot.home)))
    still = np.zeros((ticks, robot.degrees_of_freedom))
    return reference_of_states(robot, State(poses, still, still), period)

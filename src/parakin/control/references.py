"""A reference holds the set points of platform and actuators for every tick, computed before the loop begins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array, lock_arrays
from parakin.errors import MotionError
from parakin.kernels.arguments import as_array
from parakin.kinematics.status import Status
from parakin.robot import Robot
from parakin.trajectory import Motion, Samples, State

STEP_TOLERANCE = 1e-6
"""Part of a step by which the times of samples may differ from equal distances: what a file with six digits has."""
QUANTITIES = ("pose", "velocity", "acceleration", "q", "q_dot", "q_ddot")
"""Names of the quantities of a `Reference`, in the order of its fields."""


@dataclass(frozen=True, eq=False)
class Reference:
    """Set points of the platform and of the actuators at equal distances in time, from t = 0.

    >>> set_points.ticks, set_points.q.shape
    (1101, (1101, 3))
    """

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

        >>> set_points.ahead("q", (0, 6, 12)).shape
        (1101, 3, 3)
        """
        values: Array = getattr(self, quantity)
        if ticks == (0,):
            return values
        rows = np.minimum(np.arange(self.ticks)[:, None] + np.array(ticks), self.ticks - 1)
        set_points = np.moveaxis(values[rows], 1, -1)
        return set_points[..., 0] if len(ticks) == 1 else set_points


def reference(robot: Robot, motion: Motion | Samples, period: float, *, settle: float = 0.0) -> Reference:
    """Return the set points of a motion every `period` s, and hold its end for another `settle` s.

    The motion is an exact one, or samples as `trajectory.read_csv` returns them: at equal distances in time that divide
    the period, so that every set point is one of the samples.

    >>> set_points = pk.control.reference(robot, motion, period=1e-3, settle=0.1)
    >>> set_points.ticks, set_points.q.shape
    (1101, (1101, 3))
    """
    if not (np.isfinite(period) and period > 0.0):
        raise MotionError("reference", "period", f"must be finite and > 0 s, got {period:g}")
    if not (np.isfinite(settle) and settle >= 0.0):
        raise MotionError("reference", "settle", f"must be finite and >= 0 s, got {settle:g}")
    name = motion.name if isinstance(motion, Motion) else "samples"
    if motion.kind != robot.motion_type:
        raise MotionError(name, "robot", f"the motion is {motion.kind}, {robot.name} is {robot.motion_type}")
    samples = motion.sampled(1 / period) if isinstance(motion, Motion) else _thinned(motion, period)
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
        name,
    )


def reference_of_samples(robot: Robot, samples: Samples) -> Reference:
    """Make a reference of samples at equal distances in time, such as a file holds.

    >>> path = pk.trajectory.write_csv("motion.csv", motion.sampled(1000.0))
    >>> pk.control.reference_of_samples(robot, pk.trajectory.read_csv(path)).ticks
    1001
    """
    state = State(samples.pose, samples.velocity, samples.acceleration)
    return reference_of_states(robot, state, _step(samples), "samples")


def _step(samples: Samples) -> float:
    """Return the time from one sample to the next [s], or refuse samples at unequal distances."""
    steps = np.diff(samples.t)
    if len(steps) == 0 or not np.allclose(steps, steps.mean(), rtol=STEP_TOLERANCE, atol=0.0):
        raise MotionError("samples", "t", "must be at least two times at equal distances: sample the motion again")
    return float(steps.mean())


def _thinned(samples: Samples, period: float) -> Samples:
    """Return every k-th sample, where k of them make a period, or refuse samples that do not meet the ticks."""
    step = _step(samples)
    ratio = period / step
    k = round(ratio)
    if k < 1 or abs(ratio - k) > STEP_TOLERANCE * k:
        wanted = f"sample the motion at {1 / period:.6g} Hz, or give a period of {step:.6g} s or a multiple of that"
        raise MotionError(
            "samples", "t", f"a sample every {step:.6g} s does not meet ticks every {period:g} s: {wanted}"
        )
    kept = (values[::k] for values in (samples.t, samples.pose, samples.velocity, samples.acceleration))
    return Samples(samples.kind, *kept)


def reference_of_states(robot: Robot, state: State, period: float, name: str = "reference") -> Reference:
    """Make a reference of platform states (ticks, ...) that are `period` s apart.

    The robot's geometry gives the set points of the actuators. Messages about a state that the robot cannot be in begin
    with `name`.

    >>> state = motion.at(np.arange(0.0, 0.5, 1e-3))
    >>> pk.control.reference_of_states(robot, state, period=1e-3).ticks
    500
    """
    near = robot.configurations(state.pose)
    kinematics = robot.evaluate("inverse_kinematics", near=near, pose=state.pose)
    q = kinematics["q"]
    q_dot = robot.actuator_velocity(state.pose, state.velocity, near=near)
    q_ddot = robot.actuator_acceleration(state.pose, state.velocity, state.acceleration, near=near)
    bad = np.flatnonzero(~np.isfinite(np.concatenate([*state, q, q_dot, q_ddot], axis=1)).all(axis=1))
    if len(bad):
        raise _impossible(
            robot, name, float(bad[0] * period), kinematics.excess[bad[0]], int(kinematics.status[bad[0]])
        )
    return Reference(period, *state, q, q_dot, q_ddot)


def _impossible(robot: Robot, name: str, t: float, excess: Array, status: int) -> MotionError:
    """Return the error that says which state of a motion the robot cannot be in first, and why."""
    reasons = {Status.SINGULAR: "the pose is singular", Status.NOT_CONVERGED: "its loops cannot be closed"}
    if excess.size:
        worst = int(np.argmax(excess))
        missing = f"{robot.legs[worst].name} cannot close, {1e3 * excess[worst]:.3g} mm missing"
        reasons[Status.UNREACHABLE] = missing
    reason = reasons.get(Status(status), "the state is not finite")
    remedy = "trajectory.check lists all such states; choose another motion or a smaller one"
    return MotionError(name, "pose", f"{robot.name} cannot be there at t = {t:.6g} s ({reason}): {remedy}")


def hold(robot: Robot, pose: ArrayLike, duration: float, period: float) -> Reference:
    """Make a reference that stays at one pose for `duration` s, and for one tick at least.

    >>> reference = pk.control.hold(robot, robot.home, duration=0.5, period=1e-3)
    >>> reference.ticks
    500
    """
    ticks = max(1, round(duration / period))
    poses = np.broadcast_to(as_array(robot.name, "pose", pose), (ticks, len(robot.home)))
    still = np.zeros((ticks, robot.degrees_of_freedom))
    return reference_of_states(robot, State(poses, still, still), period)

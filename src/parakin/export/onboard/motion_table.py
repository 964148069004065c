"""A motion as a table in flash: pose, velocity and acceleration at equal distances in time, and what lies between."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from parakin.arrays import Array, lock_arrays
from parakin.errors import MotionError
from parakin.kernels import Kernel
from parakin.motions import MotionType
from parakin.robot import Robot
from parakin.trajectory import Motion, Samples, State
from parakin.trajectory.onboard.between import Set, between, check_kind, offset_between

RATE = 100.0
"""Rate of a table unless told [Hz]: five harmonics of 0.2 Hz are then off by less than 1e-12 m."""
AT_REST = 1e-6
"""Velocity and acceleration, as a share of the largest, below which an end of a motion is at rest."""
STEP_TOLERANCE = 1e-6
"""Part of a step by which the times of samples may differ from equal distances: what a file with six digits has."""


@dataclass(frozen=True, eq=False)
class MotionTable:
    """Samples of a motion that a controller interpolates, and how far that is from the motion."""

    name: str
    """Name of the motion."""
    step: float
    """Time from one row to the next [s]."""
    rows: Array
    """Pose, velocity and acceleration at each time (rows, numbers) [SI]."""
    coordinates: int
    """How many numbers of a row are the pose."""
    error: tuple[float, float, float]
    """Largest error of pose, velocity and acceleration beside the rows, of any coordinate [SI]."""
    looked: int
    """At how many times beside the rows the error was looked for; 0 where the motion is not known there."""

    def __post_init__(self) -> None:
        lock_arrays(self)

    @property
    def duration(self) -> float:
        """Time from the first row to the last [s]."""
        return self.step * (len(self.rows) - 1)

    @property
    def first(self) -> Array:
        """The first pose."""
        return self.rows[0, : self.coordinates]


def motion_table(robot: Robot, motion: Motion | Samples, rate: float = RATE, name: str = "samples") -> MotionTable:
    """Return a motion as a table of about `rate` rows a second [Hz], which begins and ends at rest.

    A motion by name is sampled at a rate that divides its duration. Of samples every k-th is kept, and the end is held
    until a row meets it.
    """
    kind = robot.motion_type
    check_kind(kind, robot.name)
    if motion.kind != kind:
        raise MotionError(name, "robot", f"the motion is {motion.kind}, {robot.name} is {kind}")
    if not (np.isfinite(rate) and rate > 0.0):
        raise MotionError(name, "rate", f"must be finite and > 0 Hz, got {rate:g}")
    if isinstance(motion, Motion):
        intervals = max(1, int(np.ceil(motion.duration * rate - STEP_TOLERANCE)))
        step = motion.duration / intervals
        rows = motion.at(step * np.arange(intervals + 1))
        shares = np.array([0.25, 0.5, 0.75])
        beside = motion.at(np.minimum(step * np.add.outer(np.arange(intervals), shares), motion.duration))
        label = motion.name
    else:
        rows, beside, step, shares = _thinned(motion, rate)
        label = name
    _check_rest(label, rows)
    rows = State(_continued(kind, rows.pose), rows.velocity, rows.acceleration)
    error = _error(kind, rows, beside, step, shares)
    numbers = np.concatenate(rows, axis=1)
    return MotionTable(label, step, numbers, rows.pose.shape[1], error, beside.pose[..., 0].size)


def _thinned(samples: Samples, rate: float) -> tuple[State, State, float, Array]:
    """Return every k-th of the samples, those between (rows - 1, k - 1, ...), the step, and their shares of it."""
    steps = np.diff(samples.t)
    if len(steps) == 0 or not np.allclose(steps, steps.mean(), rtol=STEP_TOLERANCE, atol=0.0):
        raise MotionError("samples", "t", "must be at least two times at equal distances: sample the motion again")
    short = float(steps.mean())
    k = max(1, round(1 / (rate * short)))
    missing = -(len(samples.t) - 1) % k
    padded = State(
        np.concatenate([samples.pose, samples.pose[-1:].repeat(missing, axis=0)]),
        *(
            np.concatenate([values, np.zeros((missing, values.shape[1]))])
            for values in (samples.velocity, samples.acceleration)
        ),
    )
    rows = State(*(values[::k] for values in padded))
    count = len(rows.pose) - 1
    beside = State(*(values[: count * k].reshape(count, k, -1)[:, 1:] for values in padded))
    return rows, beside, k * short, np.arange(1, k) / k


def _check_rest(name: str, rows: State) -> None:
    """Refuse a motion that does not begin and end at rest: a controller is at rest before and after it."""
    for values, unit in ((rows.velocity, "velocity"), (rows.acceleration, "acceleration")):
        allowed = AT_REST * np.abs(values).max()
        for row, end in ((0, "begins"), (-1, "ends")):
            if np.abs(values[row]).max() > allowed:
                reason = f"{end} with {unit} {np.abs(values[row]).max():.3g}, not at rest"
                raise MotionError(name, unit, f"{reason}: blend it in and out, as trajectory.fourier does")


def _continued(kind: MotionType, poses: Array) -> Array:
    """Return poses whose quaternions do not change their sign from row to row."""
    if kind.quaternion is None:
        return poses
    quaternions = poses[:, kind.quaternion]
    turned = np.sign(np.sum(quaternions[1:] * quaternions[:-1], axis=1))
    signs = np.cumprod(np.concatenate([[1.0], np.where(turned < 0.0, -1.0, 1.0)]))
    poses = poses.copy()
    poses[:, kind.quaternion] = signs[:, None] * quaternions
    return poses


def _error(kind: MotionType, rows: State, beside: State, step: float, shares: Array) -> tuple[float, float, float]:
    """Return the largest differences between what is interpolated and what is known beside the rows."""
    if not len(shares):
        return 0.0, 0.0, 0.0
    n, f = len(kind.coordinates), kind.degrees_of_freedom
    sizes = (n, f, f)
    one, other, known = (Set(*(ca.SX.sym(f"{which}{k}", size) for k, size in enumerate(sizes))) for which in "abc")
    share = ca.SX.sym("share")
    point = between(kind, one, other, step, share)
    off = [
        offset_between(kind, known.pose, point.pose),
        point.velocity - known.velocity,
        point.acceleration - known.acceleration,
    ]
    names = [*(f"one{k}" for k in range(3)), *(f"other{k}" for k in range(3)), *(f"known{k}" for k in range(3))]
    function = ca.Function("error", [*one, *other, *known, share], off, [*names, "share"], ["p", "v", "a"])
    count, looks = len(rows.pose) - 1, len(shares)
    around = [np.repeat(values[k : len(values) - 1 + k], looks, axis=0) for k in (0, 1) for values in rows]
    given = dict(zip(names, [*around, *(values.reshape(count * looks, -1) for values in beside)], strict=True))
    errors = Kernel(function).evaluate(given | {"share": np.tile(shares, count)})
    return tuple(float(np.abs(errors[name]).max()) for name in ("p", "v", "a"))  # pyright: ignore[reportReturnType]

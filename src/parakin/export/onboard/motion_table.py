"""A motion as a table in flash: pose, velocity and acceleration at equal distances in time, and what lies between."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import casadi as ca
import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.control.common import PERIOD
from parakin.errors import MotionError
from parakin.kernels import Kernel
from parakin.motions import MotionType
from parakin.robot import Robot
from parakin.trajectory import Motion, Samples, State
from parakin.trajectory.onboard.between import Set, between, check_kind, offset_between

RATE = 100.0
"""Rate of a table that suffices for smooth motions [Hz]: five harmonics of 0.2 Hz are off by less than 1e-12 m."""
ACCURATE = 0.01
"""Error of the acceleration, as a fraction of its peak, that a table has at most unless its rate is given."""
ROUNDING = 1e-6
"""Error of an acceleration that is rounding [m/s^2 or rad/s^2]: that of a pose, 1e-16 m, over the square of a step."""
AT_REST = 1e-6
"""Velocity, as a fraction of the largest, below which an end of a motion is at rest."""
STEP_TOLERANCE = 1e-6
"""Part of a step by which the times of samples may differ from equal distances: what a file with six digits has."""


@frozen_arrays
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

    @property
    def duration(self) -> float:
        """Time from the first row to the last [s]."""
        return self.step * (len(self.rows) - 1)

    @property
    def rate(self) -> float:
        """Rows a second [Hz]."""
        return 1 / self.step

    @property
    def freedoms(self) -> int:
        """How many numbers of a row are the velocity, and as many the acceleration."""
        return (self.rows.shape[1] - self.coordinates) // 2

    @property
    def jump(self) -> float:
        """Largest acceleration of any coordinate with which the motion begins or ends [m/s^2 or rad/s^2]."""
        return float(np.abs(self.rows[[0, -1], -self.freedoms :]).max())

    def accuracy(self, period: float) -> str:
        """Say how far the table is from the motion for ticks of `period` [s]."""
        if abs(round(period / self.step) * self.step - period) < STEP_TOLERANCE * self.step:
            return "every tick meets a row, so that nothing is lost"
        if not self.looked:
            return "it passes through every sample that was given, and nothing is known between them"
        p, v, a = self.error
        peak = np.abs(self.rows[:, -self.freedoms :]).max()
        return (
            f"at {self.looked} times between the rows it is off by at most {p:.1e} m or rad, {v:.1e} m/s or rad/s and "
            f"{a:.1e} m/s^2 or rad/s^2, where the largest acceleration is {peak:.3g}"
        )

    @property
    def first(self) -> Array:
        """The first pose."""
        return self.rows[0, : self.coordinates]


MOST_ROWS = 10**6
"""Rows of a table at most: some 100 MB of C already."""


class _Rows(NamedTuple):
    """Rows of a table, and states of the motion between them."""

    rows: State
    """States at equal distances in time (rows, ...)."""
    step: float
    """Time from one row to the next [s]."""
    beside: State
    """Known states between the rows (rows - 1, looks, ...)."""
    shares: Array
    """Parts of a step at which these are (looks,)."""


def motion_table(
    robot: Robot, motion: Motion | Samples, rate: float | None = None, name: str = "samples", *, period: float = PERIOD
) -> MotionTable:
    """Return a motion as a table of about `rate` rows a second [Hz], which begins and ends with velocity 0.

    Without a rate, it is 100 Hz, or as much more as keeps the acceleration between rows within 1 % of its peak; where
    the acceleration jumps, as that of the fastest motions does, no rate does, and there is a row at every tick of
    `period` [s] or every sample.

    A motion by name is sampled at a rate that divides its duration. Of samples every k-th is kept, and the end is held
    until a row meets it.
    """
    kind = robot.motion_type
    check_kind(kind, robot.name)
    label = motion.name if isinstance(motion, Motion) else name
    if motion.kind != kind:
        raise MotionError(label, "robot", f"the motion is {motion.kind}, {robot.name} is {kind}")
    if rate is not None and not (np.isfinite(rate) and rate > 0.0):
        raise MotionError(label, "rate", f"must be finite and > 0 Hz, got {rate:g}")
    exact = isinstance(motion, Motion)
    found = _of_motion(motion, rate, period) if exact else _of_samples(motion, rate, period)
    table, accurate = _table(kind, label, next(found))
    while not accurate and (finer := next(found, None)) is not None:
        table, accurate = _table(kind, label, finer)
    return table


def _table(kind: MotionType, name: str, found: _Rows) -> tuple[MotionTable, bool]:
    """Return rows as a table, and whether its accelerations are accurate."""
    _check_rest(name, found.rows)
    rows = State(_continued(kind, found.rows.pose), found.rows.velocity, found.rows.acceleration)
    p, v, a = _errors(kind, found._replace(rows=rows))
    error = float(p.max()), float(v.max()), float(a.max())
    looked = found.beside.pose[..., 0].size
    table = MotionTable(name, found.step, np.concatenate(rows, axis=1), rows.pose.shape[1], error, looked)
    return table, _accurate(kind, a, rows.acceleration)


def _of_motion(motion: Motion, rate: float | None, period: float) -> Iterator[_Rows]:
    """Yield rows of a motion at this rate [Hz]; without one at ever higher rates, and at last at every tick."""
    now = RATE if rate is None else rate
    if motion.duration * now > MOST_ROWS:
        reason = f"{motion.duration:.4g} s at {now:.4g} Hz are more than {MOST_ROWS} rows: give a lower rate"
        raise MotionError(motion.name, "rate", reason)
    yield _divided(motion, now)
    if rate is not None:
        return
    while 2 * now < min(1 / period, MOST_ROWS / motion.duration):
        now *= 2
        yield _divided(motion, now)
    if motion.duration / period < MOST_ROWS:
        t = np.arange(np.ceil(motion.duration / period - STEP_TOLERANCE) + 1.0, dtype=np.float64) * period
        yield _thinned(Samples(motion.kind, t, *motion.at(np.minimum(t, motion.duration))), 1)


def _divided(motion: Motion, rate: float) -> _Rows:
    """Return rows of a motion at about this rate [Hz] that divide its duration, and states at quarters of a step."""
    intervals = max(1, int(np.ceil(motion.duration * rate - STEP_TOLERANCE)))
    step = motion.duration / intervals
    shares = np.array([0.25, 0.5, 0.75])
    beside = motion.at(np.minimum(step * np.add.outer(np.arange(intervals), shares), motion.duration))
    return _Rows(motion.at(step * np.arange(intervals + 1)), step, beside, shares)


def _of_samples(samples: Samples, rate: float | None, period: float) -> Iterator[_Rows]:
    """Yield every k-th sample, of this rate [Hz]; without one of ever higher rates, down to ticks or every sample."""
    steps = np.diff(samples.t)
    if len(steps) == 0 or not np.allclose(steps, steps.mean(), rtol=STEP_TOLERANCE, atol=0.0):
        raise MotionError("samples", "t", "must be at least two times at equal distances: sample the motion again")
    step = float(steps.mean())
    k = max(1, round(1 / ((rate or RATE) * step)))
    yield _thinned(samples, k)
    if rate is not None:
        return
    tick = round(period / step)
    finest = tick if tick >= 1 and abs(period / step - tick) < STEP_TOLERANCE * tick else 1
    while k > finest:
        k = max(finest, k // 2)
        yield _thinned(samples, k)


def _thinned(samples: Samples, k: int) -> _Rows:
    """Return every k-th of the samples, and those between; after the last the pose is held until a row meets it."""
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
    step = float(np.diff(samples.t).mean())
    return _Rows(rows, k * step, beside, np.arange(1, k) / k)


def _accurate(kind: MotionType, errors: Array, acceleration: Array) -> bool:
    """Whether errors of accelerations (degrees of freedom,) are small beside the peak of their unit."""
    units = np.array([axis.position for axis in kind.axes])
    peaks = np.abs(acceleration).max(axis=0)
    return all(errors[k] <= ACCURATE * peaks[units == unit].max() + ROUNDING for k, unit in enumerate(units))


def _check_rest(name: str, rows: State) -> None:
    """Refuse a motion that does not begin and end with velocity 0: a controller stands still before and after it.

    Accelerations may jump there, as those of the fastest motions do: the set point stays continuous in pose and
    velocity, and forces jump by what the motion asks for.
    """
    allowed = AT_REST * np.abs(rows.velocity).max()
    for row, end in ((0, "begins"), (-1, "ends")):
        if np.abs(rows.velocity[row]).max() > allowed:
            reason = f"{end} with velocity {np.abs(rows.velocity[row]).max():.3g}, not at rest"
            raise MotionError(name, "velocity", f"{reason}: blend it in and out, as trajectory.fourier does")


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


def _errors(kind: MotionType, found: _Rows) -> tuple[Array, Array, Array]:
    """Return the largest differences (degrees of freedom,) between what is interpolated and what is known beside rows.

    They are those of pose, velocity and acceleration.
    """
    rows, step, beside, shares = found
    n, f = len(kind.coordinates), kind.degrees_of_freedom
    if not len(shares):
        return np.zeros(f), np.zeros(f), np.zeros(f)
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
    p, v, a = (np.abs(errors[name]).reshape(-1, f).max(axis=0) for name in ("p", "v", "a"))
    return p, v, a

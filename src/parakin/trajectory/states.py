"""A motion of the platform, which is a duration and an exact function of time, and its states at sampled times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array, lock_arrays
from parakin.errors import MotionError
from parakin.kernels.arguments import as_array
from parakin.motions import MotionType

TIME_ROUNDING = 1e-9
"""Part of the duration by which a time may lie outside: rounding puts it there, as in 3 * 0.1 > 0.3."""

MOST_STATES = 1e7
"""Most states a motion is sampled at: nearly three hours at 1 kHz, some gigabytes of set points."""


class State(NamedTuple):
    """The pose of the platform at one or many times, with its first two derivatives."""

    pose: Array
    """Pose (..., coordinates) in m and rad; for spatial motion position and unit quaternion (w, x, y, z)."""
    velocity: Array
    """Velocity (..., degrees of freedom) [m/s, rad/s]; for spatial motion the twist in base axes."""
    acceleration: Array
    """Derivative of the velocity (..., degrees of freedom) [m/s^2, rad/s^2]."""


@dataclass(frozen=True, eq=False)
class Samples:
    """States of a motion at given times, as arrays; the shapes are checked.

    >>> t = np.linspace(0.0, 1.0, 5)
    >>> still = np.zeros((5, 3))
    >>> samples = pk.trajectory.Samples(robot.motion_type, t, np.tile(robot.home, (5, 1)), still, still)
    >>> pk.trajectory.check(samples, robot).states
    5
    """

    kind: MotionType
    """Type of platform motion, as `robot.motion_type`."""
    t: Array
    """Times of the states (N,) [s]."""
    pose: Array
    """Poses (N, coordinates) as in `State`."""
    velocity: Array
    """Velocities (N, degrees of freedom) as in `State`."""
    acceleration: Array
    """Accelerations (N, degrees of freedom) as in `State`."""

    def __post_init__(self) -> None:
        lock_arrays(self)
        poses, freedom = len(self.kind.coordinates), self.kind.degrees_of_freedom
        count = np.size(self.t)
        shapes = {"t": (count,), "pose": (count, poses)} | dict.fromkeys(("velocity", "acceleration"), (count, freedom))
        for name, shape in shapes.items():
            given = np.shape(getattr(self, name))
            if given != shape:
                raise MotionError("samples", name, f"{count} states of {self.kind} motion need {shape}, got {given}")


@dataclass(frozen=True, eq=False)
class Motion:
    """What the platform is to do from t = 0 to its duration.

    >>> motion.name, motion.duration
    ('pick_and_place', 1.0)
    """

    name: str
    """Name of the motion, which messages begin with."""
    kind: MotionType
    """Type of platform motion, as `robot.motion_type`."""
    duration: float
    """Time from the first state to the last [s]."""
    function: Callable[[Array], State]
    """Map from times (N,) between 0 and the duration [s] to the states there, with exact derivatives."""
    note: str = ""
    """How the motion was made smaller to fit the robot; empty where it was not."""

    def __post_init__(self) -> None:
        positive(self.name, "duration", self.duration, "s")

    def __str__(self) -> str:
        return f"{self.name}, {self.duration:.6g} s" + (f" ({self.note})" if self.note else "")

    def at(self, t: ArrayLike) -> State:
        """Return the states at times of any shape, which must lie between 0 and the duration [s].

        >>> state = motion.at([0.0, 0.25])
        >>> state.pose.shape, state.velocity.shape
        ((2, 3), (2, 3))
        """
        times = as_array(self.name, "t", t)
        slack = TIME_ROUNDING * self.duration
        outside = ~((times >= -slack) & (times <= self.duration + slack))
        if outside.any():
            first = float(times[outside].flat[0])
            raise MotionError(self.name, "t", f"must be from 0 to {self.duration:.9g} s, got {first:.9g}")
        states = self.function(np.clip(times, 0.0, self.duration).ravel())
        return State(*(values.reshape(*times.shape, values.shape[-1]) for values in states))

    def ticks(self, rate: float) -> int:
        """Return the number of whole steps of 1/rate in the motion, or refuse more than MOST_STATES; rate in Hz.

        >>> motion.ticks(1000.0)
        1000
        """
        positive(self.name, "rate", rate, "Hz")
        if self.duration * rate > MOST_STATES:
            reason = f"{self.duration:.6g} s at {rate:.6g} Hz are {self.duration * rate:.3g} states, more than"
            raise MotionError(
                self.name, "rate", f"{reason} {MOST_STATES:.0e}: give a lower rate in Hz or less time in s"
            )
        return int(np.floor(self.duration * rate * (1 + TIME_ROUNDING)))

    def sampled(self, rate: float) -> Samples:
        """Return the states at 0, 1/rate, 2/rate, ... up to the last tick at or before the end; the rate is in Hz.

        >>> samples = motion.sampled(1000.0)
        >>> robot.inverse_dynamics(samples.pose, samples.velocity, samples.acceleration).shape
        (1001, 3)
        """
        ticks = self.ticks(rate)
        t = np.arange(ticks + 1) / rate
        return Samples(self.kind, t, *self.at(t))

    def stretched(self, factor: float) -> Motion:
        """Return the motion along the same path in `factor` times the time: velocity/factor, acceleration/factor^2.

        >>> slow = motion.stretched(4.0)
        >>> slow.duration / motion.duration
        4.0
        """
        positive(self.name, "factor", factor, "")
        return replace(self, duration=factor * self.duration, function=_Stretched(self.function, factor))


@dataclass(frozen=True)
class _Stretched:
    """A motion y slowed down by k, x(t) = y(t/k):  x_dot = y_dot/k,  x_ddot = y_ddot/k^2."""

    function: Callable[[Array], State]
    factor: float

    def __call__(self, t: Array) -> State:
        pose, velocity, acceleration = self.function(t / self.factor)
        return State(pose, velocity / self.factor, acceleration / self.factor**2)


def positive(motion: str, name: str, value: float, unit: str) -> None:
    """Refuse a value that is not a finite number above zero, naming the motion and the value in its unit."""
    if not (np.isfinite(value) and value > 0.0):
        raise MotionError(motion, name, f"must be finite and > 0 {unit}".rstrip() + f", got {value:g}")

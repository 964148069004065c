"""A motion of the platform: a duration, and an exact function of time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array
from parakin.description.model import COORDINATES, DEGREES_OF_FREEDOM
from parakin.errors import MotionError, UnknownNameError

TIME_ROUNDING = 1e-9
"""Relative to the duration: what rounding may put a time outside by, as in 3 * 0.1 > 0.3."""


class State(NamedTuple):
    """Pose, velocity and acceleration (..., n) of the platform; for spatial motion twist and its derivative."""

    pose: Array
    velocity: Array
    acceleration: Array


@dataclass(frozen=True, eq=False)
class Samples:
    """States at times t (N,) [s]. kind: the type of platform motion, as `robot.motion`."""

    kind: str
    t: Array
    pose: Array
    velocity: Array
    acceleration: Array

    def __post_init__(self) -> None:
        if self.kind not in COORDINATES:
            raise UnknownNameError("type of motion", self.kind, tuple(COORDINATES))
        poses, freedom = len(COORDINATES[self.kind]), DEGREES_OF_FREEDOM[self.kind]
        count = np.size(self.t)
        wanted = {"t": (count,), "pose": (count, poses)} | dict.fromkeys(("velocity", "acceleration"), (count, freedom))
        for name, shape in wanted.items():
            got = np.shape(getattr(self, name))
            if got != shape:
                raise MotionError("samples", name, f"{count} states of {self.kind} motion need {shape}, got {got}")


@dataclass(frozen=True, eq=False)
class Motion:
    """What the platform is to do from t = 0 to `duration` [s].

    function: times (N,) to states (N, n), exact derivatives. note: how the motion was adapted to the robot, if it was.
    """

    name: str
    kind: str
    duration: float
    function: Callable[[Array], State]
    note: str = ""

    def __post_init__(self) -> None:
        positive(self.name, "duration", self.duration, "s")

    def __str__(self) -> str:
        return f"{self.name}, {self.duration:.6g} s" + (f" ({self.note})" if self.note else "")

    def at(self, t: ArrayLike) -> State:
        """States at times of any shape, between 0 and the duration."""
        times = np.asarray(t, float)
        slack = TIME_ROUNDING * self.duration
        outside = ~((times >= -slack) & (times <= self.duration + slack))
        if outside.any():
            worst = float(times[outside].flat[0])
            raise MotionError(self.name, "t", f"must be from 0 to {self.duration:.9g} s, got {worst:.9g}")
        states = self.function(np.clip(times, 0.0, self.duration).ravel())
        return State(*(values.reshape(*times.shape, values.shape[-1]) for values in states))

    def sampled(self, rate: float) -> Samples:
        """States at 0, 1/rate, 2/rate, ..., up to the last tick at or before the end. rate in Hz."""
        positive(self.name, "rate", rate, "Hz")
        ticks = int(np.floor(self.duration * rate * (1 + TIME_ROUNDING)))
        t = np.arange(ticks + 1) / rate
        return Samples(self.kind, t, *self.at(t))

    def stretched(self, factor: float) -> Motion:
        """The same way in `factor` times the time: velocity / factor, acceleration / factor^2."""
        positive(self.name, "factor", factor, "")
        return replace(self, duration=factor * self.duration, function=_Stretched(self.function, factor))


@dataclass(frozen=True)
class _Stretched:
    """x(t) = y(t/k):  x_dot = y_dot/k,  x_ddot = y_ddot/k^2."""

    function: Callable[[Array], State]
    factor: float

    def __call__(self, t: Array) -> State:
        pose, velocity, acceleration = self.function(t / self.factor)
        return State(pose, velocity / self.factor, acceleration / self.factor**2)


def positive(motion: str, name: str, value: float, unit: str) -> None:
    """Refuse what is not a finite number above zero."""
    if not (np.isfinite(value) and value > 0.0):
        raise MotionError(motion, name, f"must be finite and > 0 {unit}".rstrip() + f", got {value:g}")

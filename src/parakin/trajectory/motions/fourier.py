"""Periodic motions for excitation: every coordinate of the box follows a Fourier series of its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array, lock_arrays
from parakin.errors import MotionError
from parakin.robot import Robot
from parakin.trajectory.offsets import Offsets
from parakin.trajectory.profiles import Profile, timed_step
from parakin.trajectory.states import Motion, positive

HARMONICS = 5
"""Number of harmonics of a drawn series."""
FREQUENCY = 0.2
"""Frequency of the first harmonic [Hz]: every robot of the library can follow five harmonics over its whole box."""
BLEND_TIME = 1.0
"""Time from rest at home into the series, and back out of it [s]."""
_FILLED = 0.95
"""Part of the box that a drawn series goes through."""
_SERIES_SEED = 0
"""Seed of the series that is drawn unless told."""


@dataclass(frozen=True, eq=False)
class Series:
    """A Fourier series of offsets from home, which for spatial robots are position and rotation vector.

    c(t) = offset + sum over k = 1, 2, ... of sine_k sin(k W t) + cosine_k cos(k W t),    W = 2 pi frequency

    >>> sine = np.array([[0.05], [0.0], [0.02]])
    >>> series = pk.trajectory.Series(np.zeros(3), sine, np.zeros((3, 1)), frequency=0.5)
    >>> pk.trajectory.fourier(robot, series, blend=0.0).at(0.5).pose.round(3)
    array([ 0.05,  0.  , -0.41])
    """

    offset: Array
    """Mean of each coordinate (degrees of freedom,) [m, rad]."""
    sine: Array
    """Amplitudes of the sines (degrees of freedom, harmonics) [m, rad]."""
    cosine: Array
    """Amplitudes of the cosines (degrees of freedom, harmonics) [m, rad]."""
    frequency: float
    """Frequency of the first harmonic [Hz]."""

    def __post_init__(self) -> None:
        lock_arrays(self)
        name = "fourier"
        positive(name, "frequency", self.frequency, "Hz")
        shape = np.shape(self.sine)
        if len(shape) != 2 or np.shape(self.cosine) != shape or np.shape(self.offset) != shape[:1]:
            shapes = f"{np.shape(self.offset)}, {shape} and {np.shape(self.cosine)}"
            raise MotionError(name, "series", f"offset, sine, cosine must be (n,), (n, k), (n, k), got {shapes}")
        if not all(np.isfinite(values).all() for values in (self.offset, self.sine, self.cosine)):
            raise MotionError(name, "series", "must be finite")

    def __call__(self, t: Array) -> Profile:
        rate = 2 * np.pi * self.frequency * np.arange(1.0, self.sine.shape[1] + 1.0)
        angle = np.multiply.outer(t, rate)
        s, c = np.sin(angle), np.cos(angle)
        return Profile(
            self.offset + s @ self.sine.T + c @ self.cosine.T,
            (c * rate) @ self.sine.T - (s * rate) @ self.cosine.T,
            -(s * rate**2) @ self.sine.T - (c * rate**2) @ self.cosine.T,
        )


@dataclass(frozen=True)
class Blended:
    """A series that starts and ends at rest at home: g(t) c(t - B).

    g rises from 0 to 1 over the first B seconds and falls back over the last B, each time by a quintic step.
    """

    series: Series
    """The series c between the blends."""
    blend: float
    """Duration B of each of the two blends [s]; 0 for the series alone."""
    steady: float
    """Time between the blends, in which the series is undisturbed [s]."""

    def __call__(self, t: Array) -> Profile:
        c = self.series(t - self.blend)
        if self.blend == 0.0:
            return c
        rise, fall = timed_step(t, 0.0, self.blend), timed_step(t, self.blend + self.steady, self.blend)
        g, g_dot, g_ddot = ((up - down)[:, None] for up, down in zip(rise, fall, strict=True))
        return Profile(
            g * c.value,
            g_dot * c.value + g * c.slope,
            g_ddot * c.value + 2 * g_dot * c.slope + g * c.curvature,
        )


def fourier(robot: Robot, series: Series | None = None, periods: int = 1, blend: float = BLEND_TIME) -> Motion:
    """Return a whole number of undisturbed periods between two blends of `blend` seconds, from and to rest at home.

    With blend = 0 the motion is the periods alone, to be repeated. Without a series it is `drawn_series(robot)`.

    >>> motion = pk.trajectory.fourier(robot, periods=2)
    >>> motion.duration  # two periods of 5 s, and two blends
    12.0
    """
    name = "fourier"
    series = drawn_series(robot) if series is None else series
    if len(series.offset) != robot.degrees_of_freedom:
        given = len(series.offset)
        raise MotionError(name, "series", f"{robot.name} has {robot.degrees_of_freedom} coordinates, got {given}")
    if periods < 1 or periods != int(periods):
        raise MotionError(name, "periods", f"a whole number of at least 1, got {periods}")
    if not (np.isfinite(blend) and blend >= 0.0):
        raise MotionError(name, "blend", f"must be finite and >= 0 s, got {blend:g}")
    reach = np.abs(series.offset) + np.hypot(series.sine, series.cosine).sum(axis=1)
    kind = robot.motion_type
    for first in kind.balls if kind.quaternion is None else (3,):
        turn = float(np.linalg.norm(reach[first : first + 3]))
        if turn > np.pi:
            raise MotionError(name, "series", f"rotation vectors must stay below pi rad, got up to {turn:.4g}")
    steady = periods / series.frequency
    curve = Blended(series, float(blend), steady)
    return Motion(name, robot.motion_type, steady + 2 * blend, Offsets(robot.motion_type, robot.home, curve))


def drawn_series(
    robot: Robot,
    seed: int = _SERIES_SEED,
    harmonics: int = HARMONICS,
    frequency: float = FREQUENCY,
    filled: float = _FILLED,
) -> Series:
    """Draw a series that takes every coordinate through the part `filled` of its box.

    The coefficients are random and fall with the harmonic k as 1/k; the frequency is that of the first harmonic [Hz].

    >>> series = pk.trajectory.drawn_series(robot, seed=1, harmonics=3)
    >>> series.sine.shape, series.frequency
    ((3, 3), 0.2)
    """
    if harmonics < 1:
        raise MotionError("fourier", "harmonics", f"at least 1, got {harmonics}")
    if not 0.0 < filled <= 1.0:
        raise MotionError("fourier", "filled", f"a part of the box, above 0 and at most 1, got {filled:g}")
    n = robot.degrees_of_freedom
    sine, cosine = np.random.default_rng(seed).normal(size=(2, n, harmonics)) / np.arange(1, harmonics + 1)
    raw = Series(np.zeros(n), sine, cosine, frequency)
    values = raw(np.linspace(0.0, 1 / frequency, 200 * harmonics)).value
    lowest, highest = values.min(axis=0), values.max(axis=0)
    lower, upper = filled * robot.box[0], filled * robot.box[1]
    scale = (upper - lower) / (highest - lowest)
    return Series(lower - scale * lowest, scale[:, None] * sine, scale[:, None] * cosine, frequency)

"""Periodic motions as Fourier series, for excitation: every coordinate of the box on its own sum of sines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array
from parakin.errors import MotionError
from parakin.robot import Robot
from parakin.trajectory.motion import Motion, positive
from parakin.trajectory.offsets import Offsets
from parakin.trajectory.profiles import Profile, timed_step

HARMONICS = 5
FREQUENCY = 0.2
"""[Hz] Of the first harmonic: every robot of the library can follow five harmonics over its whole box."""
BLEND = 1.0
"""[s] From rest at home into the series, and out of it."""
_FILLED = 0.95
"""Of the box: how far drawn series go."""
_SEED = 0


@dataclass(frozen=True, eq=False)
class Series:
    """c(t) = offset + sum over k = 1, 2, ... of sine_k sin(k W t) + cosine_k cos(k W t),  W = 2 pi frequency.

    offset (n,), sine and cosine (n, harmonics) in m and rad, frequency in Hz. Offsets from home; for spatial robots
    position and rotation vector.
    """

    offset: Array
    sine: Array
    cosine: Array
    frequency: float

    def __post_init__(self) -> None:
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
    """g(t) c(t - B): g rises from 0 to 1 over the first B seconds and falls over the last, both quintic steps."""

    series: Series
    blend: float
    steady: float

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


def fourier(robot: Robot, series: Series | None = None, periods: int = 1, blend: float = BLEND) -> Motion:
    """A whole number of undisturbed periods, between two blends from and to rest at home of `blend` seconds each.

    blend = 0: the periods alone, for motions that are repeated. Without a series: `drawn_series(robot)`.
    """
    name = "fourier"
    series = drawn_series(robot) if series is None else series
    if len(series.offset) != robot.degrees_of_freedom:
        got = len(series.offset)
        raise MotionError(name, "series", f"{robot.name} has {robot.degrees_of_freedom} coordinates, got {got}")
    if periods < 1 or periods != int(periods):
        raise MotionError(name, "periods", f"a whole number of at least 1, got {periods}")
    if not (np.isfinite(blend) and blend >= 0.0):
        raise MotionError(name, "blend", f"must be finite and >= 0 s, got {blend:g}")
    if robot.motion == "spatial":
        reach = np.abs(series.offset) + np.hypot(series.sine, series.cosine).sum(axis=1)
        turn = float(np.linalg.norm(reach[3:]))
        if turn > np.pi:
            raise MotionError(name, "series", f"rotation vectors must stay below pi rad, got up to {turn:.4g}")
    steady = periods / series.frequency
    curve = Blended(series, float(blend), steady)
    return Motion(name, robot.motion, steady + 2 * blend, Offsets(robot.motion, robot.home, curve))


def drawn_series(
    robot: Robot, seed: int = _SEED, harmonics: int = HARMONICS, frequency: float = FREQUENCY, filled: float = _FILLED
) -> Series:
    """Random coefficients, falling with the harmonic as 1/k, that take every coordinate over most of its box."""
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

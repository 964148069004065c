"""The coordinates in which a motion is a Fourier series: the platform's offsets from home, or the actuators'."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.errors import UnsupportedRobotError
from parakin.identification.excitation.options import MOTION_NAME
from parakin.robot import Robot
from parakin.trajectory.motions.fourier import Blended, Series, drawn_series
from parakin.trajectory.offsets import Offsets
from parakin.trajectory.profiles import Profile
from parakin.trajectory.states import Motion, State

_SAMPLED = 500
"""Poses of the box, for the size of actuator coordinates."""


class Space(Protocol):
    """Coordinates in which a motion can be a Fourier series."""

    @property
    def robot(self) -> Robot:
        """The robot that moves."""
        ...

    @property
    def sizes(self) -> Array:
        """A natural unit of each coordinate (n,), for steps and starts."""
        ...

    def states(self, curve: Callable[[Array], Profile]) -> Callable[[Array], State]:
        """Return the motion of the platform in which the coordinates follow the curve."""
        ...

    def drawn(self, seed: int, harmonics: int, frequency: float) -> Series:
        """Draw a random motion over most of the box."""
        ...


@dataclass(frozen=True)
class PlatformSpace:
    """Offsets of the platform from home, as in the robot's box."""

    robot: Robot
    """The robot that moves."""

    @property
    def sizes(self) -> Array:
        """Half the box in each coordinate (n,)."""
        return (self.robot.box[1] - self.robot.box[0]) / 2

    def states(self, curve: Callable[[Array], Profile]) -> Callable[[Array], State]:
        """Return the motion of the platform in which its offsets follow the curve."""
        return Offsets(self.robot.motion_type, self.robot.home, curve)

    def drawn(self, seed: int, harmonics: int, frequency: float) -> Series:
        """Draw a random motion over most of the box."""
        return drawn_series(self.robot, seed, harmonics, frequency)


@dataclass(frozen=True)
class ActuatorSpace:
    """Offsets of the actuators from their positions at home; the pose follows by forward kinematics from home."""

    robot: Robot
    """The robot that moves."""

    def __post_init__(self) -> None:
        actuators, freedom = len(self.robot.actuator_names), self.robot.degrees_of_freedom
        if actuators != freedom:
            reason = f"{actuators} actuators for {freedom} degrees of freedom cannot be moved one by one"
            raise UnsupportedRobotError(self.robot.name, f'{reason}: use space="platform"')

    @property
    def home(self) -> Array:
        """Actuator positions at home (n,) [m or rad]."""
        return self.robot.inverse_kinematics(self.robot.home)

    @property
    def sizes(self) -> Array:
        """Half of what sampled poses of the box ask of each actuator (n,) [m or rad]."""
        q: Array = self.robot.inverse_kinematics(self.robot.sample(_SAMPLED))
        return (np.nanmax(q, axis=0) - np.nanmin(q, axis=0)) / 2

    def states(self, curve: Callable[[Array], Profile]) -> Callable[[Array], State]:
        """Return the motion of the platform in which the actuators follow the curve."""
        return Actuated(self.robot, self.home, curve)

    def drawn(self, seed: int, harmonics: int, frequency: float) -> Series:
        """Draw a random motion of the platform; its actuators' motions are cut off after as many harmonics."""
        series = drawn_series(self.robot, seed, harmonics, frequency)
        t = np.arange(20 * harmonics) / (20 * harmonics * frequency)
        q: Array = self.robot.inverse_kinematics(PlatformSpace(self.robot).states(series)(t).pose) - self.home
        spectrum = np.fft.rfft(np.nan_to_num(q), axis=0)[: harmonics + 1].T / len(t)
        return Series(spectrum[:, 0].real, -2 * spectrum[:, 1:].imag, 2 * spectrum[:, 1:].real, frequency)


@frozen_arrays(eq=True)
class Actuated:
    """A motion of the platform whose actuators follow a curve.

    q = home + curve(t),   J_qv v = q_dot,   J_qv a + J_qv_dot v = q_ddot
    """

    robot: Robot
    """The robot that moves."""
    home: Array
    """Actuator positions from which the curve is counted (n,) [m or rad]."""
    curve: Callable[[Array], Profile]
    """Offsets of the actuators and their derivatives at times t."""

    def __call__(self, t: Array) -> State:
        c, c_dot, c_ddot = self.curve(t)
        pose = self.robot.forward_kinematics(self.home + c)
        velocity = self.robot.platform_velocity(pose, c_dot)
        return State(pose, velocity, self.robot.platform_acceleration(pose, velocity, c_ddot))


def space_of(name: str, robot: Robot) -> Space:
    """Return the coordinates with this name, one of SPACES."""
    return PlatformSpace(robot) if name == "platform" else ActuatorSpace(robot)


def motion_of(space: Space, series: Series, periods: int, rest: float) -> Motion:
    """Return the motion of a series: undisturbed periods between blends of `rest` seconds from and to rest at home."""
    steady = periods / series.frequency
    curve = Blended(series, rest, steady)
    return Motion(MOTION_NAME, space.robot.motion_type, steady + 2 * rest, space.states(curve))


def scaled(series: Series, factor: float) -> Series:
    """Return the series with all coefficients times a factor."""
    return Series(factor * series.offset, factor * series.sine, factor * series.cosine, series.frequency)


def coefficients(series: Series) -> Array:
    """Return offset, sines and cosines as one array (n, 1 + 2 harmonics)."""
    return np.column_stack([series.offset, series.sine, series.cosine])


def series_of(values: Array, frequency: float) -> Series:
    """Return the series with these coefficients (n, 1 + 2 harmonics) and this frequency [Hz]."""
    harmonics = values.shape[1] // 2
    return Series(values[:, 0], values[:, 1 : 1 + harmonics], values[:, 1 + harmonics :], frequency)

"""What an observer of a moving robot assumes: how wrong its model's acceleration is, and when it doubts itself."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import casadi as ca
import numpy as np

from parakin.arrays import Array
from parakin.errors import VisionError


@dataclass(frozen=True)
class ObserverSettings:
    """Numbers that an observer is tuned by; those of turning follow from them by the robot's length.

    >>> settings = pk.vision.ObserverSettings(acceleration_share=0.1)  # a model that is 10 % off
    >>> settings.values.shape
    (18,)
    """

    acceleration_share: float = 0.05
    """By what share the model's acceleration is off as a whole, one standard deviation: masses, constants of motors."""
    acceleration_memory: float = 2.0
    """For how long such a share lasts [s]."""
    disturbance_deviation: float = 0.5
    """How far the acceleration is off beside that where the robot does not accelerate, one standard deviation
    [m/s^2]: friction, cables, hands."""
    disturbance_share: float = 0.02
    """By what share of the acceleration's size it is off in any direction, beside that."""
    disturbance_memory: float = 0.1
    """For how long these keep their sign [s]."""
    radius_drift: float = 1e-6
    """By how much the seen radius of a rod walks in a second [m]."""
    gate: float = 4.0
    """How many of its standard deviations a point may lie beside what is expected; points further off are refused."""
    search_gate: float = 8.0
    """The same while the observer is lost."""
    curvature: float = 2.0
    """How far contours are bent where rows are straight, in squares of the pose's deviation over the depth."""
    time_deviation: float = 0.0
    """Standard deviation of the regions' time stamps [s]."""
    averaging: float = 32.0
    """Over how many regions the shares of refused points and the normalised innovations are averaged."""
    most_refused: float = 0.5
    """Share of refused points beyond which the observer is lost."""
    largest_innovation: float = 2.0
    """Mean square of accepted innovations over their variances beyond which the observer is doubtful; it is 1 where all
    is as told, and above 1.5 hardly ever, averaged over 32 regions."""
    largest_deviation: float = 5e-3
    """Standard deviation of the pose beyond which the observer is lost [m]; turns count times the robot's length."""
    settled_deviation: float = 1e-3
    """Standard deviation of the pose below which an observer that was lost has found the robot again [m]."""
    search_deviation: float = 1e-2
    """Standard deviation of the pose from which it then searches [m]."""
    search_velocity: float = 1.0
    """Standard deviation of the velocity from which it then searches [m/s]."""
    largest_acceleration: float = 1e4
    """Accelerations of the model beyond this are not believed, and taken for none [m/s^2, rad/s^2]."""

    def __post_init__(self) -> None:
        for entry in fields(self):
            value = getattr(self, entry.name)
            if not 0 < value < math.inf and not (value == 0 and entry.name in _MAY_BE_NONE):
                rule = ">= 0" if entry.name in _MAY_BE_NONE else "> 0"
                raise VisionError("observer", entry.name, f"must be finite and {rule}, got {value!r}")
        rules = (
            ("averaging", self.averaging >= 1, "at least 1 region"),
            ("most_refused", self.most_refused <= 1, "a share of at most 1"),
            ("search_gate", self.search_gate >= self.gate, f"at least the gate, {self.gate:g}"),
            (
                "settled_deviation",
                self.settled_deviation <= self.largest_deviation,
                f"at most largest_deviation, {self.largest_deviation:g} m",
            ),
        )
        for name, good, rule in rules:
            if not good:
                raise VisionError("observer", name, f"must be {rule}, got {getattr(self, name)!r}")

    @property
    def values(self) -> Array:
        """All numbers in their order, as kernels take them (settings,)."""
        return np.array([getattr(self, name) for name in SETTING_NAMES], float)


_MAY_BE_NONE = frozenset(
    {
        "acceleration_share",
        "disturbance_deviation",
        "disturbance_share",
        "radius_drift",
        "curvature",
        "time_deviation",
    }
)
"""Settings that may be zero."""
SETTING_NAMES: tuple[str, ...] = tuple(entry.name for entry in fields(ObserverSettings))
"""Names of all settings in their order."""


def setting_symbols(values: ca.SX) -> dict[str, ca.SX]:
    """Return the settings of an observer as expressions by name, from a vector in their order."""
    return dict(zip(SETTING_NAMES, ca.vertsplit(values), strict=True))

"""The limits of a robot's actuators as arrays, in the order of `actuator_names`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array, lock_arrays
from parakin.robot import Robot


@dataclass(frozen=True, eq=False)
class Limits:
    """Limits of all actuators at the joint, not at the motor; infinite where the robot file has none."""

    lower: Array
    """Lower ends of the strokes (actuators,) [m or rad]."""
    upper: Array
    """Upper ends of the strokes (actuators,) [m or rad]."""
    speed: Array
    """Largest speeds in either direction (actuators,) [m/s or rad/s]."""
    force: Array
    """Largest forces or torques in either direction (actuators,) [N or N m]."""
    lengths: tuple[bool, ...]
    """True for each actuator that drives a length, False for one that drives an angle."""

    def __post_init__(self) -> None:
        lock_arrays(self)


def limits_of(robot: Robot) -> Limits:
    """Return the limits that the robot file gives for each actuator."""
    actuators = [element.actuator for leg in robot.legs for element in leg.elements if element.actuator is not None]

    def values(name: str, otherwise: float) -> Array:
        given = [getattr(actuator, name) for actuator in actuators]
        return np.array([otherwise if value is None else value for value in given])

    return Limits(
        values("lower", -np.inf),
        values("upper", np.inf),
        values("speed", np.inf),
        values("force", np.inf),
        tuple(actuator.coordinate == "length" for actuator in actuators),
    )

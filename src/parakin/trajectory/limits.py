"""What a robot's actuators can do, as arrays in the order of `actuator_names`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array
from parakin.robot import Robot


@dataclass(frozen=True, eq=False)
class Limits:
    """Joint side, infinite where the robot file has no limit. lengths: which actuators drive a length, not an angle."""

    lower: Array
    upper: Array
    speed: Array
    force: Array
    lengths: tuple[bool, ...]


def limits_of(robot: Robot) -> Limits:
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

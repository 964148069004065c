"""Speeds and forces of a robot's actuators as arrays, in the order of `actuator_names`; strokes are `robot.strokes`."""

from __future__ import annotations

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.robot import Robot
from parakin.units import LENGTH


@frozen_arrays
class Limits:
    """Limits of all actuators at the joint, not at the motor; infinite where the robot file has none."""

    speed: Array
    """Largest speeds in either direction (actuators,) [m/s or rad/s]."""
    force: Array
    """Largest forces or torques in either direction (actuators,) [N or N m]."""
    lengths: tuple[bool, ...]
    """True for each actuator that drives a length, False for one that drives an angle."""


def limits_of(robot: Robot) -> Limits:
    """Return the speeds and forces that the robot file allows each actuator."""
    speed = [np.inf if one.speed is None else one.speed for one in robot.actuators]
    force = [np.inf if one.force is None else one.force for one in robot.actuators]
    lengths = tuple(one.units == LENGTH for one in robot.actuators)
    return Limits(np.array(speed), np.array(force), lengths)

"""Units of the quantities that laws are told and of the forces that they give, for a given robot.

A robot decides them: an actuator may drive a length or an angle, and a platform may turn or not.
"""

from __future__ import annotations

from collections.abc import Sequence

from parakin.robot import Robot

_ACTUATOR_UNITS = {"q": "position", "q_dot": "velocity", "q_ddot": "acceleration", "tau": "force"}
"""Quantity of the actuators -> its entry of `CoordinateUnits`."""


def unit_of(robot: Robot, quantity: str) -> str:
    """Return the unit of a quantity of a reference or a measurement, or of the forces `tau`.

    One unit where all numbers of the quantity share it, otherwise one for each number, separated by commas. The four
    numbers of a quaternion have the unit 1.
    """
    if quantity == "pose":
        return listed(robot.motion_type.units)
    if quantity in _ACTUATOR_UNITS:
        return listed([getattr(actuator.units, _ACTUATOR_UNITS[quantity]) for actuator in robot.actuators])
    return listed([getattr(axis, quantity) for axis in robot.motion_type.axes])


def listed(units: Sequence[str]) -> str:
    """Return units as one where all are the same, otherwise separated by commas."""
    return units[0] if len(set(units)) == 1 else ", ".join(units)

"""Units of the quantities that laws are told and of the forces that they give, for a given robot.

A robot decides them: an actuator may drive a length or an angle, and a platform may turn or not.
"""

from __future__ import annotations

from collections.abc import Sequence

from parakin.kinematics.platform import ANGULAR, LINEAR
from parakin.robot import Robot
from parakin.trajectory.limits import limits_of

# What a time derivative adds to the unit of a position.
_RATES = {"pose": "", "velocity": "/s", "acceleration": "/s^2", "q": "", "q_dot": "/s", "q_ddot": "/s^2"}


def unit_of(robot: Robot, quantity: str) -> str:
    """Return the unit of a quantity of a reference or a measurement, or of the forces `tau`.

    One unit where all numbers of the quantity share it, otherwise one for each number, separated by commas. The four
    numbers of a quaternion have the unit 1.
    """
    lengths = limits_of(robot).lengths
    if quantity == "tau":
        return _listed(["N" if length else "N m" for length in lengths])
    if quantity.startswith("q"):
        bases = ["m" if length else "rad" for length in lengths]
    else:
        turning = ["1"] * 4 if (quantity, robot.motion) == ("pose", "spatial") else ["rad"] * len(ANGULAR[robot.motion])
        bases = ["m"] * len(LINEAR[robot.motion]) + turning
    return _listed([base + _RATES[quantity] for base in bases])


def _listed(units: Sequence[str]) -> str:
    return units[0] if len(set(units)) == 1 else ", ".join(units)

"""Homing: home switches give the encoders their zeros, and then the pose is found on the branch of home.

home_counts are captured while an actuator's home switch is on
place       one Newton step a tick towards q_home + min(1, k/PATH) (q - q_home), k = 1, ..., PATH + SETTLING
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import casadi as ca

from parakin.control import ControlModel
from parakin.control.judging import is_one
from parakin.export.first_place import PATH, SETTLING

NOT_FOUND = 100
"""Cause of a fault in homing: no pose fits the measured positions. Other causes are the guard's."""
LAST_STEP = PATH + SETTLING
"""Newton steps after which the pose is found, or none fits."""
FOUND = 1e-3
"""How far the found pose may be from the measured positions, and loops open, summed [m, rad]."""
LARGEST = 1e6
"""Size from which a number of a place is no place [m, rad]."""


def at_switches(
    now: Mapping[str, ca.SX], given: Mapping[str, ca.SX], homing: ca.SX, sound: Sequence[ca.SX]
) -> tuple[ca.SX, ca.SX]:
    """Return which actuators have been at their home switches, and their counts there.

    homing: whether switches are looked at; sound: whether the counts of each encoder are believed.
    """
    captured = [
        ca.logic_and(ca.logic_and(homing, is_one(given["home"][k])), ca.logic_and(good, now["homed"][k] < 0.5))
        for k, good in enumerate(sound)
    ]
    homed = [ca.if_else(here, 1, now["homed"][k]) for k, here in enumerate(captured)]
    counts = [ca.if_else(here, given["counts"][k], now["home_counts"][k]) for k, here in enumerate(captured)]
    return ca.vertcat(*homed), ca.vertcat(*counts)


def searched(model: ControlModel, before: ca.SX, steps: ca.SX, q: ca.SX) -> ca.SX:
    """Return the place after so many steps of the search for measured positions; home where that has gone astray."""
    robot = model.robot
    home, at_home = ca.SX(ca.DM(robot.places(robot.home))), ca.SX(ca.DM(robot.inverse_kinematics(robot.home)))
    share = ca.fmin(steps / PATH, 1)
    target = ca.if_else(share < 1, at_home + share * (q - at_home), q)
    place = model.place(ca.if_else(steps > 1, before, home), target, 1)
    return ca.if_else(is_place(place), place, home)


def is_place(place: ca.SX) -> ca.SX:
    """Return whether the numbers of a place are those of one."""
    return ca.sumsqr(place) < LARGEST**2


def fits(model: ControlModel, place: ca.SX, q: ca.SX) -> ca.SX:
    """Return whether a place is at the measured positions and its loops are closed."""
    return ca.norm_1(model.positions(place)[0] - q) + model.residual(place) <= FOUND

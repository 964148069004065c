"""Friction of a robot's drives as numbers: what gains of laws are made of."""

from __future__ import annotations

import casadi as ca
import numpy as np

from parakin.arrays import Array
from parakin.dynamics.mechanics import Acting, Sign
from parakin.robot import Robot


def coulomb_of(robot: Robot) -> Array:
    """Return the Coulomb friction of each drive (actuators,) [N or N m]: all friction where the sign of 0 is 1."""
    return _friction(robot, _forwards, 0.0)


def viscous_of(robot: Robot) -> Array:
    """Return the viscous friction of each drive (actuators,) [N s/m or N m s/rad]: all friction where signs are 0."""
    return _friction(robot, _nowhere, 1.0)


def _friction(robot: Robot, sign: Sign, rate: float) -> Array:
    rates = ca.SX(ca.DM(np.full(len(robot.actuator_names), rate)))
    return np.asarray(ca.evalf(robot.placed(Acting(sign=sign)).drive_friction(rates)), float).ravel()


def _forwards(rate: ca.SX) -> ca.SX:
    return 1 + 0 * rate


def _nowhere(rate: ca.SX) -> ca.SX:
    return 0 * rate

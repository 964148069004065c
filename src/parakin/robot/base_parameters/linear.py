"""A robot whose base parameters are symbols: what regressors of base columns alone are made of."""

from __future__ import annotations

import casadi as ca

from parakin.dynamics.linear_models import mechanics_of_places
from parakin.dynamics.mechanics import Mechanics, Sign
from parakin.robot.base_parameters.result import BaseParameters
from parakin.robot.robot import Robot


def base_mechanics(robot: Robot, base: BaseParameters, sign: Sign = ca.sign) -> tuple[Mechanics, ca.SX]:
    """Return the robot with symbols p in place of its base parameters.

    All other parameters are zero, for their columns are not needed.
    """
    return mechanics_of_places(robot.description, robot.payload, base.places, sign)

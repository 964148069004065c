"""A robot whose base parameters are symbols: what regressors of base columns alone are made of."""

from __future__ import annotations

import casadi as ca

from parakin.dynamics.mechanics import Acting, Mechanics, Sign, mechanics
from parakin.robot.base_parameters.result import BaseParameters
from parakin.robot.core import RobotCore


def base_mechanics(robot: RobotCore, base: BaseParameters, sign: Sign = ca.sign) -> tuple[Mechanics, ca.SX]:
    """Return the robot with symbols p in place of its base parameters.

    All other parameters are zero, for their columns are not needed.
    """
    p, every = ca.SX.sym("p", base.rank), ca.SX.zeros(base.map.shape[1])
    for k, representative in enumerate(base.representatives):
        for place in representative.places:
            every[place] = p[k]
    return mechanics(robot.description, robot.payload, every, Acting(sign=sign)), p

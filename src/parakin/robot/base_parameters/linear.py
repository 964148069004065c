"""A robot whose base parameters are symbols: what regressors of base columns alone are made of."""

from __future__ import annotations

import casadi as ca

from parakin.dynamics.functions import inertia_of
from parakin.dynamics.mechanics import Acting, Mechanics, Sign, mechanics
from parakin.robot.base import RobotBase
from parakin.robot.base_parameters.result import BaseParameters


def base_mechanics(robot: RobotBase, base: BaseParameters, sign: Sign = ca.sign) -> tuple[Mechanics, ca.SX]:
    """The robot and its base parameters p; all other parameters are zero, for their columns are not needed."""
    p, every = ca.SX.sym("p", base.rank), ca.SX.zeros(base.map.shape[1])
    for k, own in enumerate(base.representatives):
        for place in own.places:
            every[place] = p[k]
    carries = bool(robot.payload.mass)
    count = base.map.shape[1] - 10 * carries
    payload = inertia_of(every[count:]) if carries else None
    return mechanics(robot.description, every[:count], Acting(payload=payload, sign=sign)), p

"""Solve a leg without a closed form for its rates, once its joint coordinates are known.

The coordinates z are found by Newton in a stage before the models (`closing.py`), which take them as inputs; the rates
are exact, by a linear solve:

    tip(z) = C          J_z z_dot = r_dot          J_z z_ddot = r_ddot - (acceleration of the tip at z_ddot = 0)
"""

from __future__ import annotations

import casadi as ca

from parakin.description import Leg
from parakin.description.patterns import ANGLES
from parakin.kinematics.chain import chain_motion
from parakin.kinematics.leg import Attached, Coordinate, LegMotion, actuated, angle_about
from parakin.kinematics.solve import solve_least_squares

LEG_CLOSURE_TOLERANCE = 1e-9
"""Distance from a leg's tip to its attachment [m] above which the leg has not closed."""


def solve(leg: Leg, attached: Attached) -> LegMotion:
    """Return the motion of a chain whose tip is at the attachment: J_z z_dot = r_dot, one linear solve a derivative.

    A leg has three coordinates, or two in a plane, where J_z is tall and the solve is one of least squares.
    """
    z, tip = attached.z, attached.point
    nothing = ca.SX.zeros(z.shape[0])
    still = chain_motion(leg, z, nothing, nothing)
    closure = tip.p - still[-1].line.B
    J_z = ca.jacobian(still[-1].line.B, z)
    inverse, pivot = solve_least_squares(J_z, ca.SX.eye(3))
    z_dot = inverse @ tip.v
    coasting = chain_motion(leg, z, z_dot, nothing)
    z_ddot = inverse @ (tip.a - coasting[-1].line.B_ddot)
    motions = chain_motion(leg, z, z_dot, z_ddot)

    coordinates: list[Coordinate] = []
    used = 0
    for element, motion in zip(leg.elements, motions, strict=True):
        driven = used + ANGLES[element.joint.type] if element.type == "telescopic" else used
        used += ANGLES[element.joint.type] + (element.type == "telescopic")
        value = z[driven] if driven < z.shape[0] else ca.SX(0)
        if element.actuator is not None and element.actuator.reference is not None:
            value = angle_about(motion.frame.R[:, 2], element.actuator.reference, motion.line.x)
        driven = min(driven, z.shape[0] - 1)
        coordinates.append(Coordinate(value, z_dot[driven], z_ddot[driven], inverse[driven, :]))
    return LegMotion(
        motions,
        *actuated(leg, tuple(coordinates)),
        excess=ca.norm_2(closure) - LEG_CLOSURE_TOLERANCE,
        pivot=pivot,
        closure=closure,
        z=z,
        z_dot=z_dot,
        z_ddot=z_ddot,
    )

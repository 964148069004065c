"""Steps 1 and 2 of [Ozgur2013] sec. 6: a robot taken apart into elements, and the motion basis of each leg.

An element's part of the basis has six rates: x_dot (3), d_dot, the spin w·x that its root forces, and theta_dot of a
joint inside it. A leg's basis is that of its elements, one after the other.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from parakin.kinematics.elements import ElementMotion
from parakin.kinematics.platform import PlatformMotion
from parakin.kinematics.robot_motion import RobotMotion

RATES = 6
"""Rates of one element."""
X, D, SPIN, THETA = slice(0, 3), 3, 4, 5
"""Where they stand among the six."""


@dataclass(frozen=True)
class Elements:
    """All that the formulation sees of a robot's motion.

    legs: the elements of each; platform: how it moves; M_C: attachment velocity = M_C v, leg by leg.
    """

    legs: tuple[tuple[ElementMotion, ...], ...]
    platform: PlatformMotion
    M_C: tuple[ca.SX, ...]


def elements_of(moving: RobotMotion) -> Elements:
    """The elements of a robot whose pose is known."""
    return Elements(
        tuple(leg.elements for leg in moving.legs), moving.platform, tuple(point.M for point in moving.attachments)
    )


def rates_of(leg: tuple[ElementMotion, ...]) -> ca.SX:
    """The leg's motion in its basis, [Ozgur2013] eq. (26)."""
    return ca.vertcat(*(ca.vertcat(e.line.x_dot, e.line.d_dot, ca.dot(e.frame.w, e.line.x), e.theta[1]) for e in leg))

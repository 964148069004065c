"""Take a robot apart into elements and give each leg a motion basis: steps 1 and 2 of [Ozgur2013] sec. 6.

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
"""Number of rates of one element."""
X_DOT, D_DOT, SPIN, THETA_DOT = slice(0, 3), 3, 4, 5
"""Where x_dot, d_dot, the spin and theta_dot stand among the six rates of an element."""


@dataclass(frozen=True)
class Elements:
    """All that the formulation sees of a robot's motion."""

    legs: tuple[tuple[ElementMotion, ...], ...]
    """The elements of each leg, from root to tip."""
    platform: PlatformMotion
    """How the platform moves."""
    M_C: tuple[ca.SX, ...]
    """For each leg the matrix with attachment velocity = M_C v."""


def elements_of(moving: RobotMotion) -> Elements:
    """Return the elements of a robot whose pose is known."""
    return Elements(
        tuple(leg.elements for leg in moving.legs), moving.platform, tuple(point.M for point in moving.attachments)
    )

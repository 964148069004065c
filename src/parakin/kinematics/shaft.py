"""Solve the telescopic shaft that turns a Delta's tool: a screw element between two universal joints in phase.

The motor turns the lower yoke about the axis about which the platform turns. With yokes in phase the angles at both
ends are equal, so q is the platform's own angle; in between the shaft spins by the Cardan relation, which is that of a
universal joint on a carrier that turns with the motor.
"""

from __future__ import annotations

from dataclasses import replace

import casadi as ca

from parakin.description import Leg
from parakin.kinematics.elements import Line, Spin, universal_frame
from parakin.kinematics.leg import Attached, Coordinate, LegMotion, actuated
from parakin.kinematics.status import SMALLEST_PIVOT
from parakin.kinematics.strut import line_to
from parakin.spatial import rotation_about_z, vector


def solve(leg: Leg, attached: Attached) -> LegMotion:
    """Return the motion of the shaft: d and x as those of a strut, theta the platform's angle, theta_dot = w_E·z.

    No pose is out of its reach: `excess` is a constant -1.
    """
    (element,) = leg.elements
    assert element.joint.axis is not None
    platform = attached.platform
    line: Line = line_to(leg, attached.point)
    motor = Spin(rotation_about_z(platform.angle), platform.w_E, platform.w_E_dot)
    theta = (platform.angle, platform.w_E[2], platform.w_E_dot[2])
    motion = replace(universal_frame(line, motor, vector(element.joint.axis)), theta=theta)
    spin = Coordinate(*theta, ca.SX(1, 3))
    q, q_dot, q_ddot, j = actuated(leg, (spin,))
    sign = element.actuator.sign if element.actuator is not None else 1
    j_w = ca.SX([[0, 0, sign]]) if element.actuator is not None else ca.SX(0, 3)
    return LegMotion((motion,), q, q_dot, q_ddot, j, ca.SX(-1), pivot=line.d, smallest_pivot=SMALLEST_PIVOT, j_w=j_w)

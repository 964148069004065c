"""Computed force along the reference, and feedback passed through the mass matrix. [Abdellatif2005] sec. 2, Fig. 1.

tau = tau(pose_d, v_d, a_d) + M_q(pose_d) (K_p e + K_d e_dot + I),    I grows by period K_i e
"""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca

from parakin.control.common import (
    ACTUATORS,
    BANDWIDTH,
    PERIOD,
    PLATFORM,
    acceleration_gains,
    errors,
    integral_part,
    pole_gains,
)
from parakin.control.law import Given, Interface, Law, Update, assembled
from parakin.control.model import ControlModel, next_integral
from parakin.robot import Robot


def decoupling(robot: Robot, period: float = PERIOD) -> Law:
    """The actuator-space mass matrix at the desired pose, so that no forward kinematics is needed."""
    model = ControlModel(robot)
    count = len(robot.actuator_names)

    def start(_: Given) -> Mapping[str, ca.SX]:
        return {"integral": ca.SX.zeros(count)}

    def step(given: Given) -> Update:
        error, error_dot = errors(given)
        ahead = model.forces(given["desired_pose"], given["desired_velocity"], given["desired_acceleration"])
        grown = given["integral"] + period * given["K_i"] * error
        asked = given["K_p"] * error + given["K_d"] * error_dot + grown
        raw = ahead + model.mass_matrix(given["desired_pose"]) @ asked
        tau = model.saturated(raw)
        return Update({"integral": next_integral(given["integral"], grown, error, raw - tau)}, tau)

    gains = acceleration_gains(pole_gains(BANDWIDTH))
    parts = (integral_part(count, "m/s^2 or rad/s^2"),)
    interface = Interface(gains, parts, (*ACTUATORS, *PLATFORM), ("q", "q_dot"))
    return assembled("decoupling", robot, period, interface, start=start, step=step)

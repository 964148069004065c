"""Computed force along the reference, and decentralised feedback. [Abdellatif2005] sec. 2, Fig. 1 without decoupling.

tau = tau(pose_d, v_d, a_d) + K_p e + K_d e_dot + I,    I grows by period K_i e
"""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca

from parakin.control.common import ACTUATORS, PERIOD, PLATFORM, drive_gains, errors, integral_part
from parakin.control.law import Given, Interface, Law, Update, assembled
from parakin.control.model import ControlModel, next_integral
from parakin.robot import Robot


def feedforward(robot: Robot, period: float = PERIOD) -> Law:
    """The model sees the reference only: no noise passes through it."""
    model = ControlModel(robot)
    count = len(robot.actuator_names)

    def start(_: Given) -> Mapping[str, ca.SX]:
        return {"integral": ca.SX.zeros(count)}

    def step(given: Given) -> Update:
        error, error_dot = errors(given)
        ahead = model.forces(given["desired_pose"], given["desired_velocity"], given["desired_acceleration"])
        grown = given["integral"] + period * given["K_i"] * error
        raw = ahead + given["K_p"] * error + given["K_d"] * error_dot + grown
        tau = model.saturated(raw)
        return Update({"integral": next_integral(given["integral"], grown, error, raw - tau)}, tau)

    parts = (integral_part(count, "N or N m"),)
    interface = Interface(drive_gains(robot), parts, (*ACTUATORS, *PLATFORM), ("q", "q_dot"))
    return assembled("feedforward", robot, period, interface, start=start, step=step)

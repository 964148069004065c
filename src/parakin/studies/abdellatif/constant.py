"""Decoupling by the mass matrix of one pose: what [Abdellatif2005] sec. 4 calls a static parameterised model.

tau = tau(pose_d, v_d, a_d) + M_q(home) (K_p e + K_d e_dot + I)
"""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from parakin.control import ControlModel, Given, Law, Update, assembled, law, next_integral
from parakin.robot import Robot


def constant_decoupling(robot: Robot, period: float) -> Law:
    """As the law `decoupling`, with the actuators' mass matrix at home in the place of that along the reference."""
    model, varying = ControlModel(robot), law("decoupling", robot, period)
    M_home: NDArray[np.float64] = robot.mass_matrix(robot.home, space="actuator")
    M_q = ca.SX(ca.DM(M_home))

    def start(_: Given) -> Mapping[str, ca.SX]:
        return {"integral": ca.SX.zeros(len(robot.actuator_names))}

    def step(given: Given) -> Update:
        error = given["desired_q"] - given["measured_q"]
        error_dot = given["desired_q_dot"] - given["measured_q_dot"]
        ahead = model.forces(given["desired_pose"], given["desired_velocity"], given["desired_acceleration"])
        grown = given["integral"] + period * given["K_i"] * error
        raw = ahead + M_q @ (given["K_p"] * error + given["K_d"] * error_dot + grown)
        tau = model.saturated(raw)
        return Update({"integral": next_integral(given["integral"], grown, error, raw - tau)}, tau)

    return assembled("constant_decoupling", robot, period, varying.interface, start=start, step=step)

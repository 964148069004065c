"""A decoupling law with the mass matrix of one pose: a static parameterised model, [Abdellatif2005] sec. 4.

tau = tau(pose_d, v_d, a_d) + M_q(home) (K_p e + K_d e_dot + I)
and, ahead: + (M_q(home) - M_q(pose_d)) q_ddot_d, so that the computed force has the constant matrix, too
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from parakin.control import ControlModel, Given, Law, Update, Wanted, assembled, next_integral


def constant_decoupling(varying: Law, *, ahead: bool = False) -> Law:
    """Return a law `decoupling` with the actuators' mass matrix at home in the place of that along the reference.

    The constant matrix scales the feedback; with `ahead` it enters the computed force, too.
    """
    robot, period = varying.robot, varying.period
    model = ControlModel(robot)
    M_home: NDArray[np.float64] = robot.mass_matrix(robot.home, space="actuator")
    M_q = ca.SX(ca.DM(M_home))

    def start(_: Given) -> Mapping[str, ca.SX]:
        return {"integral": ca.SX.zeros(len(robot.actuator_names))}

    def step(given: Given) -> Update:
        error = given["desired_q"] - given["measured_q"]
        error_dot = given["desired_q_dot"] - given["measured_q_dot"]
        computed = model.forces(given["desired_pose"], given["desired_velocity"], given["desired_acceleration"])
        if ahead:
            computed += (M_q - model.mass_matrix(given["desired_pose"])) @ given["desired_q_ddot"]
        grown = given["integral"] + period * given["K_i"] * error
        raw = computed + M_q @ (given["K_p"] * error + given["K_d"] * error_dot + grown)
        tau = model.saturated(raw)
        return Update({"integral": next_integral(given["integral"], grown, error, raw - tau)}, tau)

    interface = varying.interface
    if ahead:
        interface = replace(interface, reference=(*interface.reference, Wanted("q_ddot")))
    return assembled("constant_decoupling", robot, period, interface, start=start, step=step)

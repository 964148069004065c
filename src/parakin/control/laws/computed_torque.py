"""Computed torque in actuator coordinates: the model linearises the robot, and a linear loop closes around it.

Gamma = alpha(x) + beta(x) w,    w = q_ddot_d + K_p e + K_d e_dot + I        [Vivas2003] eq. (35), (37)

The paper has no I and calls K_d K_v. alpha + beta w is the inverse dynamics of the measured state with the
acceleration w. Friction of the drives is computed at the desired rate: at the measured one it would undo damping.
"""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca

from parakin.control.common import (
    ACTUATORS,
    PERIOD,
    acceleration_gains,
    acceleration_proposal,
    feedback,
    integral_part,
    pose_part,
)
from parakin.control.definition import Given, Interface, Law, Update, Wanted, assembled
from parakin.control.model import ControlModel
from parakin.robot import Robot

GAINS = (10_000.0, 90.0, 0.0)
"""Default K_p [1/s^2], K_d [1/s] and K_i [1/s^3]: K_p and K_v of [Vivas2003] sec. 4.2, and no integral."""
NEWTON_STEPS = 1
"""Newton steps of forward kinematics in a tick.

The prediction is off by period^2 q_ddot/2, 1e-4 rad at 200 rad/s^2 and 1 kHz; one step leaves about its square.
"""


def computed_torque(robot: Robot, period: float = PERIOD, newton_steps: int = NEWTON_STEPS) -> Law:
    """Make a computed-torque law, which finds the pose by Newton steps from where the last tick saw it going."""
    model = ControlModel(robot)
    count = len(robot.actuator_names)

    def start(given: Given) -> Mapping[str, ca.SX]:
        return {"pose": given["desired_pose"], "integral": ca.SX.zeros(count)}

    def step(given: Given) -> Update:
        back = feedback(given, period)
        pose = model.pose(given["pose"], given["measured_q"], newton_steps)
        velocity = model.velocity(pose, given["measured_q_dot"])
        w = given["desired_q_ddot"] + back.asked
        raw = model.forces_of_masses(pose, velocity, model.acceleration(pose, velocity, w))
        raw += model.drive_friction(given["desired_q_dot"])
        tau = model.saturated(raw)
        integral = back.integral(given["integral"], raw - tau)
        return Update({"pose": model.stepped(pose, period * velocity)} | integral, tau)

    parts = (
        pose_part(robot),
        integral_part(count, "m/s^2 or rad/s^2"),
    )
    set_points = (*ACTUATORS, Wanted("q_ddot"), Wanted("pose"))
    interface = Interface(acceleration_gains(GAINS), parts, set_points, ("q", "q_dot"))
    return assembled(
        "computed_torque", robot, period, interface, start=start, step=step, proposal=acceleration_proposal
    )

"""Computed torque in actuator coordinates: the model linearises the robot, and a linear loop closes around it.

Gamma = alpha(x) + beta(x) w,    w = q_ddot_d + K_p e + K_d e_dot + I        [Vivas2003] eq. (35), (37)

The paper has no I, and calls K_d K_v. alpha + beta w is the inverse dynamics of the measured state with the
acceleration w. Friction of the drives is computed at the desired rate: at the measured one it would undo damping.
"""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca

from parakin.control.carrying import NEWTON_STEPS, CarriedPlace
from parakin.control.common import (
    ACTUATORS,
    PERIOD,
    acceleration_gains,
    acceleration_proposal,
    feedback,
    integral_part,
)
from parakin.control.definition import Given, Interface, Law, Update, Wanted, assembled
from parakin.control.model import ControlModel
from parakin.robot import Robot


def computed_torque(robot: Robot, period: float = PERIOD, newton_steps: int = NEWTON_STEPS) -> Law:
    """Make a computed-torque law, which finds the pose by Newton steps from where the last tick saw it going.

    >>> law = pk.control.computed_torque(robot, period=1e-3, newton_steps=2)
    >>> law.interface.measurement
    ('q', 'q_dot')
    """
    model = ControlModel(robot)
    seen = CarriedPlace(model, "measured_q", newton_steps)
    count = len(robot.actuator_names)

    def start(given: Given) -> Mapping[str, ca.SX]:
        return seen.first(given) | {"integral": ca.SX.zeros(count)}

    def step(given: Given) -> Update:
        back = feedback(given, period)
        place = seen.found(given)
        velocity = model.velocity(place, given["measured_q_dot"])
        w = given["desired_q_ddot"] + back.asked
        raw = model.forces_of_masses(place, velocity, model.acceleration(place, velocity, w))
        raw += model.drive_friction(given["desired_q_dot"])
        tau = model.saturated(raw)
        integral = back.integral(given["integral"], raw - tau)
        return Update(dict(seen.following(place, period * velocity)) | integral, tau)

    parts = (*seen.parts, integral_part(count, "m/s^2 or rad/s^2"))
    set_points = (*ACTUATORS, Wanted("q_ddot"), Wanted("pose"))
    interface = Interface(acceleration_gains(period), parts, set_points, ("q", "q_dot"))
    return assembled(
        "computed_torque", robot, period, interface, start=start, step=step, proposal=acceleration_proposal
    )

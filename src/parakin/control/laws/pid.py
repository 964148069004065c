"""Decentralised PID: every drive on its own, the industrial baseline.

tau = K_p e + K_d e_dot + I,    I grows by period K_i e
"""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca

from parakin.control.common import ACTUATORS, PERIOD, drive_gains, drive_proposal, feedback, integral_part
from parakin.control.definition import Given, Interface, Law, Update, assembled
from parakin.control.model import ControlModel
from parakin.robot import Robot


def pid(robot: Robot, period: float = PERIOD) -> Law:
    """Make a PID controller for each drive, which knows nothing of the robot's dynamics.

    Its integral begins with the forces that held the robot, so that the law takes over without a jump.

    >>> law = pk.control.pid(robot)
    >>> law = law.with_gains(**pk.control.gains_for(law, bandwidth=60.0))
    >>> pk.simulation.simulate(robot, law, set_points).status.name
    'COMPLETED'
    """
    model = ControlModel(robot)
    count = len(robot.actuator_names)

    def start(given: Given) -> Mapping[str, ca.SX]:
        return {"integral": given["holding"]}

    def step(given: Given) -> Update:
        back = feedback(given, period)
        tau = model.saturated(back.asked)
        return Update(back.integral(given["integral"], back.asked - tau), tau)

    interface = Interface(drive_gains(robot, period), (integral_part(count, "N or N m"),), ACTUATORS, ("q", "q_dot"))
    return assembled("pid", robot, period, interface, start=start, step=step, proposal=drive_proposal(robot))

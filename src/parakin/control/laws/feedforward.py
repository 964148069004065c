"""Forces are computed along the reference, and each drive has feedback of its own.

[Abdellatif2005] sec. 2, Fig. 1 without decoupling:

tau = tau(pose_d, v_d, a_d) + K_p e + K_d e_dot + I,    I grows by period K_i e
"""

from __future__ import annotations

from parakin.control.carrying import CarriedPlace
from parakin.control.common import (
    ACTUATORS,
    PERIOD,
    PLATFORM,
    along_reference,
    drive_gains,
    drive_proposal,
    integral_part,
)
from parakin.control.definition import Interface, Law, assembled
from parakin.control.model import ControlModel
from parakin.robot import Robot


def feedforward(robot: Robot, period: float = PERIOD) -> Law:
    """Make a feedforward law; its model sees only the reference, so that no measurement noise passes through it.

    >>> law = pk.control.feedforward(robot.with_payload(0.5))  # the controller knows what is carried
    >>> law.robot.payload.mass
    0.5
    """
    count = len(robot.actuator_names)
    desired = CarriedPlace(ControlModel(robot), "desired_pose")
    parts = (*desired.parts, integral_part(count, "N or N m"))
    interface = Interface(drive_gains(robot, period), parts, (*ACTUATORS, *PLATFORM), ("q", "q_dot"))
    start, step = along_reference(desired, period, lambda _, asked: asked)
    return assembled("feedforward", robot, period, interface, start=start, step=step, proposal=drive_proposal(robot))

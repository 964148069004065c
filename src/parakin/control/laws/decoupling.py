"""Forces are computed along the reference, and feedback passes through the mass matrix.

[Abdellatif2005] sec. 2, Fig. 1:

tau = tau(pose_d, v_d, a_d) + M_q(pose_d) (K_p e + K_d e_dot + I),    I grows by period K_i e
"""

from __future__ import annotations

from parakin.control.carrying import CarriedPlace
from parakin.control.common import (
    ACTUATORS,
    PERIOD,
    PLATFORM,
    acceleration_gains,
    acceleration_proposal,
    along_reference,
    integral_part,
)
from parakin.control.definition import Interface, Law, assembled
from parakin.control.model import ControlModel
from parakin.robot import Robot


def decoupling(robot: Robot, period: float = PERIOD) -> Law:
    """Make a decoupling law; it takes the mass matrix at the desired pose, so that it needs no forward kinematics.

    >>> law = pk.control.decoupling(robot, period=2e-3)
    >>> law.period, [want.quantity for want in law.interface.reference]
    (0.002, ['q', 'q_dot', 'pose', 'velocity', 'acceleration'])
    """
    model = ControlModel(robot)
    count = len(robot.actuator_names)
    gains = acceleration_gains(period)
    desired = CarriedPlace(model, "desired_pose")
    parts = (*desired.parts, integral_part(count, "m/s^2 or rad/s^2"))
    interface = Interface(gains, parts, (*ACTUATORS, *PLATFORM), ("q", "q_dot"))
    start, step = along_reference(desired, period, lambda place, asked: model.mass_matrix(place) @ asked)
    return assembled("decoupling", robot, period, interface, start=start, step=step, proposal=acceleration_proposal)

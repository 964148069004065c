"""Computed torque in platform coordinates, for machines that measure the pose itself.

tau = tau(pose, v, a_d + K_p e + K_d (v_d - v) + I)        [Vivas2003] eq. (35), (37) with the pose in the place of q

e is the displacement from the measured to the desired pose; the rotation of a spatial platform is taken as
2 sign(w) (x, y, z) of the quaternion between the two, in base axes. That of a ball among a mechanism's joints is in the
axes that the ball has reached, and so are v_d and a_d, which a motion gives in the axes of the desired orientation.

Forces are held for a tick, in which a fast platform goes on for millimetres. Midway they are computed for the middle of
the tick: with w made of the mean of a_d now and at the next tick,

    tau = tau(pose moved by v T/2 + w T^2/8, v + w T/2, w)

so that what a held force lacks is of second order in T instead of first.
"""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca

from parakin.control.carrying import CarriedPlace
from parakin.control.common import PERIOD, PLATFORM, acceleration_gains, acceleration_proposal, integral_part
from parakin.control.definition import Given, Interface, Law, Update, Wanted, assembled
from parakin.control.model import ControlModel, next_integral
from parakin.robot import Robot


def computed_torque_platform(robot: Robot, period: float = PERIOD, *, midway: bool = False) -> Law:
    """Make a computed-torque law for machines that measure the pose, so that it needs no forward kinematics.

    midway: compute forces for the middle of the tick over which they are held, rather than for its beginning. It is
    told the desired pose and acceleration of the next tick for that, and follows fast motions several times as closely
    at low rates.

    >>> law = pk.control.computed_torque_platform(robot, midway=True)
    >>> law.interface.measurement
    ('pose', 'velocity')
    """
    model = ControlModel(robot)
    seen = CarriedPlace(model, "measured_pose")
    freedom = robot.degrees_of_freedom

    def start(given: Given) -> Mapping[str, ca.SX]:
        return seen.first(given) | {"integral": ca.SX.zeros(freedom)}

    def step(given: Given) -> Update:
        pose, velocity = given["measured_pose"], given["measured_velocity"]
        place = seen.found(given)
        desired = given["desired_pose"]
        error = robot.motion_type.displacement(pose, desired)
        v_d, a_d = (
            robot.motion_type.seen_from(pose, desired, given[name])
            for name in ("desired_velocity", "desired_acceleration")
        )
        if midway:
            later = given["desired_pose_ahead"], given["desired_acceleration_ahead"]
            a_d = 0.5 * (a_d + robot.motion_type.seen_from(pose, *later))
        grown = given["integral"] + period * given["K_i"] * error
        w = a_d + given["K_p"] * error + grown
        w += given["K_d"] * (v_d - velocity)
        there, then = place, velocity
        if midway:
            there = model.stepped(place, velocity * (period / 2) + w * (period**2 / 8))
            then = velocity + w * (period / 2)
        raw = model.forces_of_masses(there, then, w) + model.drive_friction(given["desired_q_dot"])
        tau = model.saturated(raw)
        excess = model.jacobian(place).T @ (raw - tau)
        integral = {"integral": next_integral(given["integral"], grown, error, excess)}
        return Update(dict(seen.following(place, period * velocity)) | integral, tau)

    parts = (*seen.parts, integral_part(freedom, "m/s^2 or rad/s^2"))
    ahead = (Wanted("pose", ahead=(1,)), Wanted("acceleration", ahead=(1,))) if midway else ()
    wanted = (*PLATFORM, Wanted("q_dot"), *ahead)
    interface = Interface(acceleration_gains(period), parts, wanted, ("pose", "velocity"))
    return assembled(
        "computed_torque_platform", robot, period, interface, start=start, step=step, proposal=acceleration_proposal
    )

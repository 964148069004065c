"""Hand guiding: the drives carry the robot, and a hand moves it.

    tau = g(x) + V q_dot + F s(q_dot/u) - D q_dot - B beyond(q_dot, speed) - K beyond(q, stroke less its margin)

g(x) is the weight at the measured place. V and F give viscous and dry friction of the drives back in part, with
s(y) = y/sqrt(1 + y^2). D is what is left to feel; F/u is less than D, so that dry friction which is not there, or which
comes late, is not made up for by more than is taken away. Faster than `speed` the hand meets B, and near the end of a
stroke the stiffness K. Limits of the drives hold, and a guard can be put around it, as around any law.
"""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca
import numpy as np

from parakin.arrays import Array
from parakin.control.adaptation import beyond
from parakin.control.carrying import CarriedPlace
from parakin.control.common import PERIOD, effective_inertia, force_units
from parakin.control.definition import Gain, Given, Interface, Law, Update, Wanted, assembled
from parakin.control.drive_friction import coulomb_of, viscous_of
from parakin.control.model import SMOOTHING, ControlModel
from parakin.control.units import unit_of
from parakin.dynamics.friction import smooth_sign
from parakin.robot import Robot
from parakin.trajectory.limits import limits_of

FRICTION = 0.8
"""Part of the drives' friction that is given back: less than all of it, for the rest keeps the robot still."""
SLOWING = 5.0
"""Rate at which a robot that was pushed comes to rest [1/s]: D by the inertia that each actuator moves."""
PASSIVE = 0.8
"""F/u by D, by default."""
BRAKING = 60.0
"""Rate at which a robot is slowed down that is faster than a hand should be [1/s]."""
SPEED = 0.25
"""Speed of a hand, as a part of the drives' speed."""
MARGIN = 0.05
"""Part of a stroke at both ends in which a stiffness holds back."""
STIFFNESS = 30.0
"""Root of that stiffness by the inertia that each actuator moves [rad/s]."""
UNLIMITED = 1e6
"""Stands for a limit that the robot file does not have [m, rad, m/s or rad/s]."""


def hand_guiding(robot: Robot, period: float = PERIOD) -> Law:
    """Make a law with which a robot is moved by hand: its drives carry its weight and give friction back.

    The desired pose is looked at before the first tick only, to know where the robot is.

    >>> light = pk.control.hand_guiding(robot)
    >>> still = pk.control.hold(robot, robot.home, 0.3, light.period)
    >>> pushed = pk.simulation.simulate(robot, light, still, pk.simulation.Scenario(wrench=[1.0, 0.0, 0.0]))
    >>> bool(pushed["pose"][-1, 0] > 0.01)
    True
    """
    model = ControlModel(robot)
    seen = CarriedPlace(model, "measured_q")
    lower, upper = _ends(robot)
    middle, half = ca.DM((lower + upper) / 2), ca.SX(ca.DM((upper - lower) / 2))

    def start(given: Given) -> Mapping[str, ca.SX]:
        return seen.first(given)

    def step(given: Given) -> Update:
        q, q_dot, place = given["measured_q"], given["measured_q_dot"], seen.found(given)
        velocity, still = model.velocity(place, q_dot), ca.SX.zeros(robot.degrees_of_freedom)
        weight = model.forces_of_masses(place, still, still)
        held = given["D"] * q_dot + given["B"] * beyond(q_dot, given["speed"]) + given["K"] * beyond(q - middle, half)
        friction = given["V"] * q_dot + given["F"] * smooth_sign(q_dot / given["u"], 1.0)
        tau = model.saturated(weight + friction - held)
        return Update(dict(seen.following(place, period * velocity)), tau)

    interface = Interface(_gains(robot), seen.parts, (Wanted("pose"),), ("q", "q_dot"), lag=np.inf)
    return assembled("hand_guiding", robot, period, interface, start=start, step=step)


def _gains(robot: Robot) -> tuple[Gain, ...]:
    inertia, speed = effective_inertia(robot), np.minimum(SPEED * limits_of(robot).speed, UNLIMITED)
    dry, (stiffness, damping, _) = FRICTION * coulomb_of(robot), force_units(robot)
    rate = np.maximum(dry / (PASSIVE * SLOWING * inertia), SMOOTHING)
    return (
        Gain("V", damping, tuple((FRICTION * viscous_of(robot)).tolist()), "viscous friction that is given back"),
        Gain("F", unit_of(robot, "tau"), tuple(dry.tolist()), "dry friction that is given back"),
        Gain("u", unit_of(robot, "q_dot"), tuple(rate.tolist()), "rate at which most of it is"),
        Gain("D", damping, tuple((SLOWING * inertia).tolist()), "damping"),
        Gain("speed", unit_of(robot, "q_dot"), tuple(speed.tolist()), "rate beyond which B brakes"),
        Gain("B", damping, tuple((BRAKING * inertia).tolist()), "damping of what is faster"),
        Gain("K", stiffness, tuple((STIFFNESS**2 * inertia).tolist()), "stiffness near the ends of a stroke"),
    )


def _ends(robot: Robot) -> tuple[Array, Array]:
    """Return where the ends of strokes begin to be felt (actuators,) [m or rad]."""
    lower, upper = robot.strokes.lower, robot.strokes.upper
    margin = np.nan_to_num(MARGIN * (upper - lower), posinf=0.0)
    return np.maximum(lower + margin, -UNLIMITED), np.minimum(upper - margin, UNLIMITED)

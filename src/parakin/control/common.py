"""What several laws share: default gains, parts of the state, feedback terms."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import casadi as ca
import numpy as np

from parakin.arrays import Array
from parakin.control.carrying import CarriedPlace
from parakin.control.definition import Gain, Given, StatePart, Update, Wanted
from parakin.control.model import next_integral
from parakin.control.tuning.delay import bandwidth_for
from parakin.control.tuning.inertia import effective_inertia, least_inertia
from parakin.control.tuning.proposal import Proposal, Tuning
from parakin.robot import Robot
from parakin.trajectory.limits import limits_of

BANDWIDTH = 60.0
"""Bandwidth from which a guard's damping and comparisons without a target start [rad/s]."""
DAMPING = 1.0
"""Damping ratio of the default gains: both poles are real and equal."""
INTEGRAL_SHARE = 0.1
"""Pole of integral action as a share of the bandwidth: slow enough to leave the other two poles where they are."""
PERIOD = 1e-3
"""Default time from one control tick to the next [s], that of [Vivas2003] sec. 5.1."""


def pole_gains(bandwidth: float, damping: float = DAMPING, share: float = INTEGRAL_SHARE) -> tuple[float, float, float]:
    """Return K_p, K_d, K_i that give a double integrator the poles of (s^2 + 2 damping w s + w^2)(s + share w)."""
    w = bandwidth
    return w**2 * (1 + 2 * damping * share), w * (2 * damping + share), share * w**3


@functools.lru_cache(maxsize=64)
def default_tuning(period: float, inertia: float = 1.0) -> Tuning:
    """Return what K_p, K_d, K_i are tuned for by default: the bandwidth at which the loop bears the delay it should.

    inertia: what feedback meets, as a share of what its gains are made for; 1 where feedback is an acceleration
    """

    def gains(bandwidth: float) -> tuple[float, float, float]:
        K_p, K_d, K_i = pole_gains(bandwidth)
        return K_p / inertia, K_d / inertia, K_i / inertia

    return Tuning(bandwidth_for(period, gains), DAMPING, INTEGRAL_SHARE)


def acceleration_proposal(tuning: Tuning) -> dict[str, Array]:
    """Return K_p, K_d, K_i for a law whose feedback is an acceleration: its loop is a double integrator."""
    values = pole_gains(tuning.bandwidth, tuning.damping, tuning.integral)
    return {name: np.array([value]) for name, value in zip(("K_p", "K_d", "K_i"), values, strict=True)}


def drive_proposal(robot: Robot) -> Proposal:
    """Return how a law whose feedback is a force chooses K_p, K_d, K_i: by the inertia that each actuator moves."""

    def proposed(tuning: Tuning) -> dict[str, Array]:
        inertia = effective_inertia(robot, tuning.pose)
        return {name: value * inertia for name, value in acceleration_proposal(tuning).items()}

    return proposed


def force_units(robot: Robot) -> tuple[str, str, str]:
    """Return the units of K_p, K_d and K_i where they turn errors of the actuators into forces."""
    lengths = set(limits_of(robot).lengths)
    if lengths == {True}:
        return "N/m", "N s/m", "N/(m s)"
    if lengths == {False}:
        return "N m/rad", "N m s/rad", "N m/(rad s)"
    return "N/m or N m/rad", "N s/m or N m s/rad", "N/(m s) or N m/(rad s)"


def drive_gains(robot: Robot, period: float) -> tuple[Gain, ...]:
    """Return default gains that turn errors into forces, each actuator's from the inertia it moves at home."""
    proposed = drive_proposal(robot)(default_tuning(period, least_inertia(robot)))
    rows = zip(proposed.items(), force_units(robot), ("stiffness", "damping", "integral action"), strict=True)
    return tuple(Gain(name, unit, tuple(values.tolist()), meaning) for (name, values), unit, meaning in rows)


def acceleration_gains(period: float) -> tuple[Gain, ...]:
    """Return default gains K_p, K_d, K_i that turn errors into accelerations, one value each for all actuators."""
    proposed = acceleration_proposal(default_tuning(period))
    rows = (("1/s^2", "stiffness"), ("1/s", "damping"), ("1/s^3", "integral action"))
    pairs = zip(proposed.items(), rows, strict=True)
    return tuple(Gain(name, unit, tuple(values.tolist()), meaning) for (name, values), (unit, meaning) in pairs)


def integral_part(size: int, unit: str) -> StatePart:
    """Describe the integral that a law carries in its state."""
    return StatePart("integral", size, unit, "what integral action adds")


ACTUATORS = (Wanted("q"), Wanted("q_dot"))
"""Set points of every law whose feedback compares the actuators' positions and rates."""
PLATFORM = (Wanted("pose"), Wanted("velocity"), Wanted("acceleration"))
"""Set points of every law that computes forces along the reference."""


@dataclass(frozen=True)
class Feedback:
    """The terms of a PID controller on the actuators at one tick."""

    error: ca.SX
    """Error of the actuators' positions, desired less measured (actuators,) [m or rad]."""
    grown: ca.SX
    """Integral with this tick's share (actuators,), in the unit of what the feedback asks for."""
    asked: ca.SX
    """Proportional, derivative and integral terms together (actuators,): forces or accelerations, by the gains."""

    def integral(self, before: ca.SX, excess: ca.SX) -> dict[str, ca.SX]:
        """Return the integral for the next tick as a state; excess is the force asked for less the force given."""
        return {"integral": next_integral(before, self.grown, self.error, excess)}


def feedback(given: Given, period: float) -> Feedback:
    """Write the feedback K_p e + K_d e_dot + I, in which I has grown by period K_i e at this tick."""
    error, error_dot = errors(given)
    grown = given["integral"] + period * given["K_i"] * error
    return Feedback(error, grown, given["K_p"] * error + given["K_d"] * error_dot + grown)


def along_reference(
    desired: CarriedPlace, period: float, through: Callable[[ca.SX, ca.SX], ca.SX]
) -> tuple[Callable[[Given], Mapping[str, ca.SX]], Callable[[Given], Update]]:
    """Return start and step of a law that computes forces along the reference and passes feedback through a function.

        tau = tau(pose_d, v_d, a_d) + through(place_d, K_p e + K_d e_dot + I)        [Abdellatif2005] Fig. 1

    desired: the desired place. Its integral begins at zero.
    """
    model = desired.model

    def start(given: Given) -> Mapping[str, ca.SX]:
        return desired.first(given) | {"integral": ca.SX.zeros(len(model.robot.actuator_names))}

    def step(given: Given) -> Update:
        place, velocity = desired.found(given), given["desired_velocity"]
        ahead = model.forces(place, velocity, given["desired_acceleration"])
        back = feedback(given, period)
        raw = ahead + through(place, back.asked)
        tau = model.saturated(raw)
        state = back.integral(given["integral"], raw - tau)
        return Update(state | dict(desired.following(place, period * velocity)), tau)

    return start, step


def errors(given: Given) -> tuple[ca.SX, ca.SX]:
    """Return the errors of the actuators, desired less measured: of their positions and of their rates."""
    return given["desired_q"] - given["measured_q"], given["desired_q_dot"] - given["measured_q_dot"]

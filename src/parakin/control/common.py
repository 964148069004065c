"""Gains and state that several laws share."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import casadi as ca
import numpy as np

from parakin.arrays import Array
from parakin.control.definition import Gain, Given, StatePart, Update, Wanted
from parakin.control.model import ControlModel, next_integral
from parakin.control.proposal import Proposal, Tuning
from parakin.control.units import unit_of
from parakin.robot import Robot
from parakin.trajectory.limits import limits_of

BANDWIDTH = 60.0
"""[rad/s] Of the default gains where no paper gives any."""
DAMPING = 1.0
INTEGRAL_SHARE = 0.1
"""The integral's pole is this much of the bandwidth: slow enough to leave the other two where they are."""
PERIOD = 1e-3
"""[s] [Vivas2003] sec. 5.1."""


DEFAULT = Tuning(BANDWIDTH, DAMPING, INTEGRAL_SHARE)


def pole_gains(bandwidth: float, damping: float = DAMPING, share: float = INTEGRAL_SHARE) -> tuple[float, float, float]:
    """K_p, K_d, K_i that give a double integrator the poles of (s^2 + 2 damping w s + w^2)(s + share w)."""
    w = bandwidth
    return w**2 * (1 + 2 * damping * share), w * (2 * damping + share), share * w**3


def effective_inertia(robot: Robot, pose: Array | None = None) -> Array:
    """What each actuator moves at a pose (home by default): the diagonal of M_q.

    Of redundant robots, which have no M_q, what each moves with the others free: 1/(J_qv M^-1 J_qv^T)_kk.
    """
    where = robot.home if pose is None else pose
    if len(robot.actuator_names) == robot.degrees_of_freedom:
        M_q: Array = robot.mass_matrix(where, space="actuator")
        return np.diag(M_q)
    J: Array = robot.jacobian(where)
    M: Array = robot.mass_matrix(where)
    return np.reciprocal(np.sum(J * np.linalg.solve(M, J.T).T, axis=1, dtype=np.float64))


def acceleration_proposal(tuning: Tuning) -> dict[str, Array]:
    """Of a loop around a double integrator."""
    values = pole_gains(tuning.bandwidth, tuning.damping, tuning.integral)
    return {name: np.array([value]) for name, value in zip(("K_p", "K_d", "K_i"), values, strict=True)}


def drive_proposal(robot: Robot) -> Proposal:
    """Of a decentralised loop: around the inertia each actuator moves."""

    def proposed(tuning: Tuning) -> dict[str, Array]:
        inertia = effective_inertia(robot, tuning.pose)
        return {name: value * inertia for name, value in acceleration_proposal(tuning).items()}

    return proposed


def force_units(robot: Robot) -> tuple[str, str, str]:
    """Of K_p, K_d, K_i from positions to forces."""
    lengths = set(limits_of(robot).lengths)
    if lengths == {True}:
        return "N/m", "N s/m", "N/(m s)"
    if lengths == {False}:
        return "N m/rad", "N m s/rad", "N m/(rad s)"
    return "N/m or N m/rad", "N s/m or N m s/rad", "N/(m s) or N m/(rad s)"


@functools.cache
def drive_gains(robot: Robot) -> tuple[Gain, ...]:
    """Of a decentralised loop, one set for each actuator, from the inertia it moves at home."""
    proposed = drive_proposal(robot)(DEFAULT)
    rows = zip(proposed.items(), force_units(robot), ("stiffness", "damping", "integral action"), strict=True)
    return tuple(Gain(name, unit, tuple(values.tolist()), meaning) for (name, values), unit, meaning in rows)


def acceleration_gains(values: tuple[float, float, float]) -> tuple[Gain, ...]:
    """Of a loop around a double integrator, the same for all actuators."""
    rows = (("K_p", "1/s^2", "stiffness"), ("K_d", "1/s", "damping"), ("K_i", "1/s^3", "integral action"))
    return tuple(Gain(name, unit, (v,), meaning) for (name, unit, meaning), v in zip(rows, values, strict=True))


def integral_part(size: int, unit: str) -> StatePart:
    return StatePart("integral", size, unit, "what integral action adds")


def pose_part(robot: Robot) -> StatePart:
    meaning = "predicted for the next tick, where Newton starts"
    return StatePart("pose", len(robot.home), unit_of(robot, "pose"), meaning)


ACTUATORS = (Wanted("q"), Wanted("q_dot"))
PLATFORM = (Wanted("pose"), Wanted("velocity"), Wanted("acceleration"))


@dataclass(frozen=True)
class Feedback:
    """error: of the actuators' positions; grown: the integral with this tick's share; asked: all three terms."""

    error: ca.SX
    grown: ca.SX
    asked: ca.SX

    def integral(self, before: ca.SX, excess: ca.SX) -> dict[str, ca.SX]:
        """The next state of laws that carry an integral. excess: forces asked for less those given."""
        return {"integral": next_integral(before, self.grown, self.error, excess)}


def feedback(given: Given, period: float) -> Feedback:
    """K_p e + K_d e_dot + I, I having grown by period K_i e."""
    error, error_dot = errors(given)
    grown = given["integral"] + period * given["K_i"] * error
    return Feedback(error, grown, given["K_p"] * error + given["K_d"] * error_dot + grown)


def without_integral(count: int) -> Callable[[Given], Mapping[str, ca.SX]]:
    """The start of laws whose state is an integral that begins with nothing."""
    return lambda _: {"integral": ca.SX.zeros(count)}


def along_reference(
    model: ControlModel, period: float, through: Callable[[Given, ca.SX], ca.SX]
) -> Callable[[Given], Update]:
    """The step tau = tau(pose_d, v_d, a_d) + through(K_p e + K_d e_dot + I). [Abdellatif2005] Fig. 1."""

    def step(given: Given) -> Update:
        ahead = model.forces(given["desired_pose"], given["desired_velocity"], given["desired_acceleration"])
        back = feedback(given, period)
        raw = ahead + through(given, back.asked)
        tau = model.saturated(raw)
        return Update(back.integral(given["integral"], raw - tau), tau)

    return step


def errors(given: Given) -> tuple[ca.SX, ca.SX]:
    """Of the actuators: position and rate."""
    return given["desired_q"] - given["measured_q"], given["desired_q_dot"] - given["measured_q_dot"]

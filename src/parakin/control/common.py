"""Gains and state that several laws share."""

from __future__ import annotations

import functools

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from parakin.control.law import Gain, Given, StatePart, Wanted
from parakin.control.units import unit_of
from parakin.robot import Robot
from parakin.trajectory.limits import limits_of

Array = NDArray[np.float64]

BANDWIDTH = 60.0
"""[rad/s] Of the default gains where no paper gives any."""
DAMPING = 1.0
INTEGRAL_SHARE = 0.1
"""The integral's pole is this much of the bandwidth: slow enough to leave the other two where they are."""
PERIOD = 1e-3
"""[s] [Vivas2003] sec. 5.1."""


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
    inertia = effective_inertia(robot)
    meanings = ("stiffness", "damping", "integral action")
    found: list[Gain] = []
    for name, unit, value, meaning in zip(
        ("K_p", "K_d", "K_i"), force_units(robot), pole_gains(BANDWIDTH), meanings, strict=True
    ):
        found.append(Gain(name, unit, tuple((value * inertia).tolist()), meaning))
    return tuple(found)


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


def errors(given: Given) -> tuple[ca.SX, ca.SX]:
    """Of the actuators: position and rate."""
    return given["desired_q"] - given["measured_q"], given["desired_q_dot"] - given["measured_q_dot"]

"""Eqs. (29) to (65) of [Ozgur2013] line by line, for the five-bar with uniform bars: what do they cost as printed?

Nothing is regrouped, and nothing of parakin's formulations is used; only what is computed twice is computed once.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
import numpy as np

from parakin.arrays import Array
from parakin.description import Leg, RobotDescription, expanded_legs
from parakin.dynamics.count import TURN, Count, paper_count
from parakin.spatial import skew

INPUTS = ("x", "x_dot", "x_ddot")
"""States of the elements (arm, forearm, arm, forearm), one column each: directions with their derivatives."""


@dataclass(frozen=True)
class Bar:
    """A homogeneous and symmetric kinematic element in motion."""

    length: float
    """Length l [m]."""
    mass: float
    """Mass m [kg]."""
    viscous: float
    """Viscous friction of the joint that it turns in [N m s/rad]."""
    coulomb: float
    """Coulomb friction of that joint [N m]."""
    x: ca.SX
    """Unit vector along it."""
    x_dot: ca.SX
    """Its first derivative [1/s]."""
    x_ddot: ca.SX
    """Its second derivative [1/s^2]."""

    @property
    def w(self) -> ca.SX:
        """Rotational velocity, eq. (32)."""
        return ca.cross(self.x, self.x_dot)

    @property
    def w_dot(self) -> ca.SX:
        """Rotational acceleration, eq. (13)."""
        return ca.cross(self.x, self.x_ddot)

    @property
    def torque(self) -> ca.SX:
        """Inertial torque tau*: a thin bar has m l^2/12 about every axis across it."""
        return -self.mass * self.length**2 / 12 * self.w_dot

    def friction(self, w: ca.SX, z: Array) -> ca.SX:
        """Return the torque of its joint's friction at the relative rotational velocity w, eq. (19)."""
        return -self.viscous * w - self.coulomb * ca.sign(ca.dot(w, ca.SX(z))) * z


def transcribed(description: RobotDescription, turn: Array) -> ca.Function:
    """Return Gamma = -A^+ b, eq. (65), as a function of the elements' states.

    turn: a rotation of the robot in space; one that leaves no component zero gives the count in three dimensions
    """
    states = {name: ca.SX.sym(name, 3, 4) for name in INPUTS}
    gravity = turn @ np.array(description.gravity)
    columns: list[ca.SX] = []
    b = ca.SX.zeros(3)
    for k, leg in enumerate(expanded_legs(description)):
        column, part = _leg(leg, [states[name][:, 2 * k : 2 * k + 2] for name in INPUTS], gravity, turn)
        columns.append(column)
        b += part  # eq. (64)
    A = ca.horzcat(*columns)
    squared, projected = A.T @ A, A.T @ b
    determinant = squared[0, 0] * squared[1, 1] - squared[0, 1] ** 2
    Gamma = [
        squared[0, 1] * projected[1] - squared[1, 1] * projected[0],
        squared[0, 1] * projected[0] - squared[0, 0] * projected[1],
    ]
    return ca.Function("eq_65", list(states.values()), [ca.vertcat(*Gamma) / determinant], list(states), ["Gamma"])


def transcribed_count(description: RobotDescription) -> Count:
    """Count the operations of the transcription in three dimensions."""
    function = transcribed(description, TURN)
    inputs = [ca.SX.sym(name, 3, 4) for name in INPUTS]
    return paper_count(ca.Function("counted", inputs, [function(*inputs)], list(INPUTS), ["Gamma"], {"cse": True}))


def _leg(leg: Leg, states: list[ca.SX], gravity: Array, turn: Array) -> tuple[ca.SX, ca.SX]:
    """Return the column of A and the part of b of one leg, eq. (64)."""
    p, a = _bars(leg, states)
    joint, actuator = leg.elements[0].joint, leg.elements[0].actuator
    assert joint.axis is not None and actuator is not None  # noqa: PT018
    z = turn @ np.array(joint.axis)
    y_p = ca.cross(ca.SX(z), p.x)
    force_p = p.mass * gravity - p.mass * (p.length / 2 * p.x_ddot)
    force_a = a.mass * gravity - a.mass * (p.length * p.x_ddot + a.length / 2 * a.x_ddot)
    rotor = -actuator.rotor_inertia * actuator.gear_ratio**2 * p.w_dot  # eq. (17)
    M_p = y_p @ a.x.T / (p.length * ca.dot(a.x, y_p))  # eq. (41)
    M_a = (ca.SX.eye(3) - p.length * M_p) / a.length  # eq. (43)
    torque_p = p.friction(p.w, z) + rotor + p.torque
    F_p = p.length / 2 * force_p + skew(p.x).T @ torque_p + p.length * force_a  # eq. (61)
    F_a = a.length / 2 * force_a + skew(a.x).T @ (a.friction(a.w - p.w, z) + a.torque)  # eq. (53)
    return M_p.T @ y_p, M_p.T @ F_p + M_a.T @ F_a


def _bars(leg: Leg, states: list[ca.SX]) -> tuple[Bar, Bar]:
    bars: list[Bar] = []
    for k, element in enumerate(leg.elements):
        friction = element.actuator.friction if element.actuator else element.joint.friction
        (body,) = element.bodies
        assert element.length is not None
        numbers = (element.length, body.mass, friction.viscous, friction.coulomb)
        bars.append(Bar(*numbers, *(state[:, k] for state in states)))
    return bars[0], bars[1]

"""What control laws and plants ask of a robot, whatever it is made of: a robot at its place.

A *place* is what is carried from tick to tick, so that nothing has to be searched for: all else follows from it by
expressions of fixed length. Of legs with closed forms it is the pose; of legs without, pose and joint coordinates z; of
a mechanism the coordinates of its tree's joints. A place that is not a pose can be wrong by itself, for its loops may
be open: `residual` says how far, and every Newton step closes them.

    place' = stepped(place, step),        J step = -(what is open, and what of the pose or of the motors is missing)

`placed_legs` and `graph.placed` fulfil this; laws, plants and sensors are written on it, once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Self

import casadi as ca


class Placed(ABC):
    """A robot as expressions in the symbols of its place, velocity and acceleration."""

    @property
    @abstractmethod
    def place(self) -> ca.SX:
        """Symbols of the place."""

    @property
    @abstractmethod
    def velocity(self) -> ca.SX:
        """Symbols of the velocity (n,)."""

    @property
    @abstractmethod
    def acceleration(self) -> ca.SX:
        """Symbols of the acceleration (n,)."""

    # Places --------------------------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def pose(self) -> ca.SX:
        """The pose of the place."""

    @property
    @abstractmethod
    def place_rate(self) -> ca.SX:
        """The rate of the place at the velocity."""

    @abstractmethod
    def normalized(self, place: ca.SX) -> ca.SX:
        """Return a place with its quaternions brought to unit length."""

    @abstractmethod
    def stepped(self, twist: ca.SX) -> ca.SX:
        """Return the place after a small displacement: a velocity times a time [m, rad]."""

    @property
    @abstractmethod
    def closed(self) -> ca.SX:
        """The place after one Newton step towards closed loops, at the same pose."""

    @abstractmethod
    def towards_pose(self, pose: ca.SX) -> ca.SX:
        """Return the place after one Newton step towards a pose and closed loops."""

    @abstractmethod
    def towards_actuators(self, q: ca.SX) -> ca.SX:
        """Return the place after one Newton step towards actuator positions and closed loops, by least squares."""

    @property
    @abstractmethod
    def residual(self) -> ca.SX:
        """How far loops are open that a place holds closed [m, rad]: the sum of the sizes of all rows, 0 without rows.

        A sum, for a norm has no derivative where all are closed.
        """

    # Rates ---------------------------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def q(self) -> ca.SX:
        """Positions of the actuators [m or rad]."""

    @property
    @abstractmethod
    def q_dot(self) -> ca.SX:
        """Rates of the actuators."""

    @property
    @abstractmethod
    def q_drift(self) -> ca.SX:
        """Accelerations of the actuators where the robot does not accelerate: J_qv_dot v."""

    @property
    @abstractmethod
    def J_qv(self) -> ca.SX:
        """The matrix with q_dot = J_qv v."""

    @property
    @abstractmethod
    def limited(self) -> Mapping[str, ca.SX]:
        """What can have limits: positions of actuators and coordinates of passive joints, by name [m or rad]."""

    # Whether it is sound -------------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def reached(self) -> ca.SX:
        """Whether every leg reaches its end; NaN does not."""

    @property
    @abstractmethod
    def regular(self) -> ca.SX:
        """Whether no leg and no loop is singular; NaN is not regular."""

    @property
    @abstractmethod
    def orientation(self) -> ca.SX:
        """Numbers whose signs change where the robot goes through a singularity: det J_qv, that of loops."""

    # Forces --------------------------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def tau(self) -> ca.SX:
        """The actuator forces that the motion takes [N or N m]."""

    @property
    @abstractmethod
    def required(self) -> ca.SX:
        """The force conjugate to the velocity that the motion takes (n,) [N, N m]: J_qv^T tau."""

    @abstractmethod
    def without_drive_friction(self) -> Self:
        """Return the robot with viscous friction of its passive joints alone."""

    @abstractmethod
    def drive_friction(self, q_dot: ca.SX) -> ca.SX:
        """Return the friction force in each actuator at the given rates [N or N m]."""

    @property
    @abstractmethod
    def M_q(self) -> ca.SX:
        """The mass matrix in actuator space, which exists for as many actuators as degrees of freedom."""

    @abstractmethod
    def forward_dynamics(self, tau: ca.SX) -> ca.SX:
        """Return the acceleration under actuator forces and all that acts."""

    @abstractmethod
    def regressor(self, p: ca.SX) -> ca.SX:
        """Return Psi (actuators, p) with tau = Psi p, where symbols p are the robot's parameters."""

    @abstractmethod
    def reference_regressor(self, p: ca.SX, v_r: ca.SX, q_ddot_r: ca.SX) -> ca.SX:
        """Return the regressor of [Slotine1987], in which a reference velocity v_r stands beside the true one.

        Psi p = J_qv^-T (M a_r + C(v) v_r + g + friction),    J_qv a_r + J_qv_dot v_r = q_ddot_r
        """

    @property
    @abstractmethod
    def trusted(self) -> ca.SX:
        """Whether elimination in a fixed order is good here; constantly so where rows are exchanged."""


def orientation_of_actuators(J_qv: ca.SX) -> ca.SX:
    """Return det J_qv, whose sign changes where a robot goes through a singularity; 1 for redundant robots.

    Redundant robots therefore have no such guard.
    """
    return ca.det(J_qv) if J_qv.shape[0] == J_qv.shape[1] else ca.SX(1)

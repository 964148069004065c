"""A machine's equation of motion, whatever the machine is made of, as expressions in the symbols of its place.

    M a + h(v) + g + friction and springs = J_qv^T tau + wrench

Kernels, laws, plants and sensors are written on this interface, once; `leg_equation` and `graph.equation` fulfil it.

A *place* is what is carried from tick to tick, so that nothing has to be searched for: all else follows from it by
expressions of fixed length. Of legs with closed forms it is the pose; of legs without, pose and joint coordinates z; of
a mechanism the coordinates of its tree's joints. A place that is not a pose can be wrong by itself, for its loops may
be open: `residual` says how far, and every Newton step closes them.

    place' = stepped(place, step),        J step = -(what is open, and what of the pose or of the motors is missing)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import casadi as ca

from parakin.dynamics.inertia import Inertia
from parakin.dynamics.mechanics import Forces
from parakin.errors import NotLinearInParametersError
from parakin.kinematics.bodies import BodyMotion, Frame
from parakin.kinematics.derivatives import Displacements
from parakin.kinematics.model import Inverse, Quick
from parakin.linalg.solve import solve_pivoted, solve_positive_definite
from parakin.spatial import symmetric


@dataclass(frozen=True)
class Supplied(Forces):
    """Actuator forces, with a quicker way to them if there is one."""

    quick: Quick | None = None
    """The quicker way."""


@dataclass(frozen=True)
class LinearForm:
    """Forces that are linear in parameters: tau = known + Psi p."""

    Psi: ca.SX
    """The matrix (actuators, parameters)."""
    pivot: ca.SX
    """A number that is zero where the matrix that gives Psi is singular."""
    inverse: Inverse | None = None
    """The inverse of J_qv^T, if Psi is written with symbols of it."""


@dataclass(frozen=True)
class Energy:
    """Kinetic and potential energy of a machine."""

    kinetic: ca.SX
    """T, rotors included [J]."""
    potential: ca.SX
    """U, counted from the plane through O across gravity [J]."""


@dataclass(frozen=True)
class JointsInMotion:
    """Joints of a machine: of legs the angles of passive ones, of a mechanism all of them."""

    coordinates: ca.SX
    """Their coordinates [m or rad]."""
    rates: ca.SX
    """Their rates."""
    accelerations: ca.SX
    """Their accelerations."""


class EquationOfMotion(ABC):
    """A machine as expressions in the symbols of its place, velocity and acceleration."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The name of the machine."""

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
    def q_ddot(self) -> ca.SX:
        """Accelerations of the actuators."""

    @property
    @abstractmethod
    def q_drift(self) -> ca.SX:
        """Accelerations of the actuators where the robot does not accelerate: J_qv_dot v."""

    @property
    @abstractmethod
    def J_qv(self) -> ca.SX:
        """The matrix with q_dot = J_qv v."""

    @abstractmethod
    def along_motion(self, expression: ca.SX) -> ca.SX:
        """Return the rate of an expression in the place."""

    @property
    @abstractmethod
    def displacements(self) -> Displacements:
        """How the place moves with the velocity."""

    @property
    @abstractmethod
    def offset_drift(self) -> ca.SX:
        """The matrix by which the velocity turns a small offset of the pose (n, n)."""

    @abstractmethod
    def followed(self, rates: ca.SX) -> tuple[ca.SX, ca.SX]:
        """Return v with J_qv v = rates, by least squares with redundant actuation, and a number that is zero where the
        actuators do not determine the motion.
        """

    # Parts in motion -----------------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def output(self) -> Frame:
        """The platform's frame E, or the output's."""

    @property
    @abstractmethod
    def bodies(self) -> Sequence[BodyMotion]:
        """How all bodies move, in the order of `Robot.body_names`."""

    @property
    @abstractmethod
    def joints(self) -> JointsInMotion:
        """The joints in motion, in the order of `Robot.coordinate_names` and `Robot.joint_names`."""

    @property
    @abstractmethod
    def joint_coordinates(self) -> ca.SX:
        """Coordinates of the joints alone."""

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
    def supplied(self) -> Supplied:
        """The actuator forces that the motion takes [N or N m]; redundant actuators share them."""

    @property
    def tau(self) -> ca.SX:
        """The actuator forces that the motion takes [N or N m]."""
        return self.supplied.tau

    @property
    @abstractmethod
    def static(self) -> Forces:
        """The actuator forces that hold the machine at rest, without friction [N or N m]."""

    @property
    @abstractmethod
    def required(self) -> ca.SX:
        """The force conjugate to the velocity that the motion takes (n,) [N, N m]: J_qv^T tau."""

    @property
    @abstractmethod
    def bias(self) -> ca.SX:
        """h, conjugate to the velocity: Coriolis and centrifugal forces, without gravity, friction and springs."""

    @property
    @abstractmethod
    def gravity(self) -> ca.SX:
        """g, conjugate to the velocity: what holds the machine against gravity."""

    @property
    @abstractmethod
    def M(self) -> ca.SX:
        """The mass matrix by velocities, rotors included."""

    @property
    @abstractmethod
    def C(self) -> ca.SX:
        """The matrix with C v = h and M_dot - 2 C skew."""

    @property
    @abstractmethod
    def energy(self) -> Energy:
        """Kinetic and potential energy, springs included."""

    @abstractmethod
    def without_drive_friction(self) -> Self:
        """Return the robot with viscous friction of its passive joints alone."""

    @abstractmethod
    def drive_friction(self, q_dot: ca.SX) -> ca.SX:
        """Return the friction force in each actuator at the given rates [N or N m]."""

    @property
    def M_q(self) -> ca.SX:
        """The mass matrix in actuator space, which exists for as many actuators as degrees of freedom: J^-T M J^-1."""
        J = self.J_qv
        half, _ = solve_pivoted(J.T, self.M)
        return symmetric(solve_pivoted(J.T, half.T)[0])

    @property
    def h_q(self) -> ca.SX:
        """Coriolis and centrifugal forces in actuator space: J^-T (h - M J^-1 J_dot v)."""
        J = self.J_qv
        coasting, _ = solve_pivoted(J, self.q_drift)
        return solve_pivoted(J.T, self.bias - self.M @ coasting)[0]

    @property
    def g_q(self) -> ca.SX:
        """What holds the machine against gravity, in actuator space: J^-T g."""
        return solve_pivoted(self.J_qv.T, self.gravity)[0]

    @abstractmethod
    def forward_dynamics(self, tau: ca.SX) -> ca.SX:
        """Return the acceleration under actuator forces and all that acts."""

    def linearized(self, tau: ca.SX) -> Linearization:
        """Linearize implicitly: 0 = r = f(place, v, a) - J_qv^T tau gives

        M da = -(dr/dplace S delta + dr/dv dv) + J_qv^T dtau,        delta_dot = dv + (offset_drift) delta
        """
        n, m, moves = self.velocity.shape[0], tau.shape[0], self.displacements
        residual = self.required - self.J_qv.T @ tau
        by_pose = ca.jacobian(residual, moves.x) @ moves.S
        right = ca.horzcat(-by_pose, -ca.jacobian(residual, self.velocity), self.J_qv.T)
        acceleration = self.forward_dynamics(tau)
        solved = solve_positive_definite(self.M, right)
        solved = ca.substitute(solved, self.acceleration, acceleration)
        A = ca.vertcat(ca.horzcat(self.offset_drift, ca.SX.eye(n)), solved[:, : 2 * n])
        B = ca.vertcat(ca.SX(n, m), solved[:, 2 * n :])
        return Linearization(ca.densify(A), ca.densify(B), acceleration)

    @abstractmethod
    def linear_form(self, p: ca.SX, v_r: ca.SX | None = None) -> LinearForm:
        """Return the linear form in symbols p of the machine's parameters, with a reference velocity where given.

        Psi p = J_qv^-T (M a + C(v) v_r + g + friction)
        """

    def regressor(self, p: ca.SX) -> ca.SX:
        """Return Psi (actuators, p) with tau = Psi p, where symbols p are the robot's parameters."""
        return ca.densify(self.linear_form(p).Psi)

    @abstractmethod
    def reference_regressor(self, p: ca.SX, v_r: ca.SX, q_ddot_r: ca.SX) -> ca.SX:
        """Return the regressor of [Slotine1987], in which a reference velocity v_r stands beside the true one.

        Psi p = J_qv^-T (M a_r + C(v) v_r + g + friction),    J_qv a_r + J_qv_dot v_r = q_ddot_r
        """

    @property
    @abstractmethod
    def trusted(self) -> ca.SX:
        """Whether elimination in a fixed order is good here; constantly so where rows are exchanged."""


@dataclass(frozen=True)
class Linearization:
    """The machine about a state: d/dt [delta; dv] = A [delta; dv] + B dtau, delta being a small offset of the pose."""

    A: ca.SX
    """The matrix (2n, 2n)."""
    B: ca.SX
    """The matrix (2n, m)."""
    acceleration: ca.SX
    """The acceleration at the state itself."""


def energy_of(bodies: Iterable[tuple[Inertia, Frame]], gravity: ca.SX) -> Energy:
    """Return T = sum m |v|^2/2 + v·(w x h) + w·I w/2 and U = -sum g·(m p + h), with h and I in base axes."""
    kinetic, potential = ca.SX(0), ca.SX(0)
    for inertia, frame in bodies:
        R, w = frame.spin.R, frame.spin.R.T @ frame.spin.w
        h = R @ inertia.h
        kinetic += inertia.m * ca.sumsqr(frame.v) / 2 + ca.dot(frame.v, ca.cross(frame.spin.w, h))
        kinetic += ca.dot(w, inertia.I @ w) / 2
        potential -= ca.dot(gravity, inertia.m * frame.p + h)
    return Energy(kinetic, potential)


def linear_in(forces: ca.SX, p: ca.SX, machine: str) -> ca.SX:
    """Return the matrix of forces that are linear in p; raise NotLinearInParametersError for others."""
    Psi = ca.jacobian(forces, p)
    if ca.depends_on(Psi, p):
        raise NotLinearInParametersError(machine)
    return Psi


def orientation_of_actuators(J_qv: ca.SX) -> ca.SX:
    """Return det J_qv, whose sign changes where a robot goes through a singularity; 1 for redundant robots.

    Redundant robots therefore have no such guard.
    """
    return ca.det(J_qv) if J_qv.shape[0] == J_qv.shape[1] else ca.SX(1)

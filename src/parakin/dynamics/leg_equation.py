"""The equation of motion of legs and platform: docs/theory/virtual_work.md.

The place is the pose, and the joint coordinates z of legs without a closed form.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

import casadi as ca

from parakin.description import RobotDescription
from parakin.dynamics.body_by_body import required_with_reference
from parakin.dynamics.choices import DEFAULT
from parakin.dynamics.equation import (
    Energy,
    EquationOfMotion,
    JointsInMotion,
    LinearForm,
    Supplied,
    energy_of,
    orientation_of_actuators,
)
from parakin.dynamics.friction import friction_force
from parakin.dynamics.mechanics import Forces, Mechanics, actuator_forces, frictionless, weightless
from parakin.dynamics.parameter_symbols import Friction
from parakin.dynamics.virtual_work.required import mass_matrix, quickly_supplied, required, supplied
from parakin.kinematics.bodies import BodyMotion, Frame, body_motions, platform_frame
from parakin.kinematics.closing import closing_step
from parakin.kinematics.derivatives import Displacements
from parakin.kinematics.joint_table import joint_angles
from parakin.kinematics.joints import angles_of_motion
from parakin.kinematics.model import Quick, actuation_pivot, displacements, inverse_in_order, regular
from parakin.kinematics.robot_motion import RobotMotion, coordinate_rates, rate_along_motion
from parakin.linalg.solve import Order, solve_least_squares, solve_positive_definite


@dataclass(frozen=True, eq=False)
class LegEquation(EquationOfMotion):
    """A robot of legs and platform, with all that acts on it."""

    mechanics: Mechanics
    """What its equation of motion starts from."""
    judged: RobotDescription | None = None
    """The file with the numbers of its dimensions, where those of `mechanics` are symbols."""
    formulation: str = DEFAULT
    """The formulation of its forces."""
    order: Order | None = None
    """An order in which J_qv^T can mostly be eliminated without exchanges, for a quicker way to the forces."""

    @property
    def name(self) -> str:
        """The name of the robot."""
        return self.mechanics.description.name

    @property
    def description(self) -> RobotDescription:
        """The file with numbers."""
        return self.judged or self.mechanics.description

    @property
    def moving(self) -> RobotMotion:
        """Everything that moves."""
        return self.mechanics.moving

    @property
    def place(self) -> ca.SX:
        """Symbols of the pose and, below, of z."""
        return ca.vertcat(self.moving.pose, self.moving.z) if self._searched else self.moving.pose

    @property
    def velocity(self) -> ca.SX:
        """Symbols of the platform's velocity."""
        return self.moving.velocity

    @property
    def acceleration(self) -> ca.SX:
        """Symbols of the platform's acceleration."""
        return self.moving.acceleration

    @property
    def _searched(self) -> bool:
        """Whether some leg has no closed form."""
        return self.moving.z.shape[0] > 0

    # Places --------------------------------------------------------------------------------------------------------

    @property
    def pose(self) -> ca.SX:
        """The first numbers of the place."""
        return self.moving.pose

    @property
    def place_rate(self) -> ca.SX:
        """Rates of the pose's coordinates and of z."""
        if not self._searched:
            return self.moving.motion.pose_rate(self.moving.pose, self.moving.velocity)
        return coordinate_rates(self.moving)

    def normalized(self, place: ca.SX) -> ca.SX:
        """Return a place with the quaternion of its pose, if it has one, brought to unit length."""
        poses = self.moving.pose.shape[0]
        pose = self.moving.motion.normalized(place[:poses])
        return ca.vertcat(pose, place[poses:]) if self._searched else pose

    def stepped(self, twist: ca.SX) -> ca.SX:
        """Return the place after a small displacement of the platform."""
        return self._stepped(twist, ca.SX.zeros(self.moving.z.shape[0]))

    def _stepped(self, twist: ca.SX, closing: ca.SX) -> ca.SX:
        """Step the pose by a twist, and z along with it after steps that close legs."""
        moving = self.moving
        pose = moving.motion.stepped(moving.pose, twist)
        if not self._searched:
            return pose
        return ca.vertcat(pose, moving.z + closing + ca.jacobian(moving.z_dot, moving.velocity) @ twist)

    @property
    def closed(self) -> ca.SX:
        """The place after one Newton step of the legs without a closed form, at the same pose."""
        moving = self.moving
        return ca.vertcat(moving.pose, moving.z + self._closing) if self._searched else moving.pose

    @property
    def _closing(self) -> ca.SX:
        return closing_step(self.moving) if self._searched else ca.SX(0, 1)

    def towards_pose(self, pose: ca.SX) -> ca.SX:
        """Return the place at another pose, with one Newton step of the legs there."""
        if not self._searched:
            return pose
        moving = self.moving
        there = ca.Function("closing", [moving.pose, moving.z], [moving.z + self._closing])
        return ca.vertcat(pose, there(pose, moving.z))

    def towards_actuators(self, q: ca.SX) -> ca.SX:
        """Return the place after one Newton step of forward kinematics: J_qv twist = q - q(place), legs closed."""
        from parakin.kinematics.forward import misfit

        moving, closing = self.moving, self._closing
        missing = misfit(moving, q, self.mechanics.description)
        if self._searched:
            missing -= ca.jtimes(moving.q, moving.z, closing)
        twist, _ = solve_least_squares(moving.J_qv, missing)
        return self._stepped(twist, closing)

    @property
    def residual(self) -> ca.SX:
        """How far legs without a closed form are from their attachments [m]."""
        return ca.norm_1(self.moving.closure) if self._searched else ca.SX(0)

    # Rates ---------------------------------------------------------------------------------------------------------

    @property
    def q(self) -> ca.SX:
        """Positions of the actuators."""
        return self.moving.q

    @property
    def q_dot(self) -> ca.SX:
        """Rates of the actuators."""
        return self.moving.q_dot

    @property
    def q_ddot(self) -> ca.SX:
        """Accelerations of the actuators."""
        return self.moving.q_ddot

    @property
    def q_drift(self) -> ca.SX:
        """Accelerations of the actuators while the platform does not accelerate."""
        return self._coasting(self.moving.q_ddot)

    def _coasting(self, expression: ca.SX) -> ca.SX:
        """Return an expression where the platform does not accelerate."""
        return _without(expression, self.moving.acceleration)

    @property
    def J_qv(self) -> ca.SX:
        """Actuator rates by platform velocities."""
        return self.moving.J_qv

    def along_motion(self, expression: ca.SX) -> ca.SX:
        """Return the rate of an expression in the pose and z."""
        return rate_along_motion(expression, self.moving)

    @property
    def displacements(self) -> Displacements:
        """How the pose and z move with the platform."""
        return displacements(self.moving)

    @property
    def offset_drift(self) -> ca.SX:
        """The matrix by which the velocity turns a small offset of the pose."""
        return self.moving.motion.offset_drift(self.moving.velocity)

    def followed(self, rates: ca.SX) -> tuple[ca.SX, ca.SX]:
        """Return the platform's velocity for rates of the actuators."""
        return solve_least_squares(self.moving.J_qv, rates)[0], self._pivot

    @property
    def _pivot(self) -> ca.SX:
        return actuation_pivot(self.moving, self.description)

    # Parts in motion -----------------------------------------------------------------------------------------------

    @property
    def output(self) -> Frame:
        """The platform's frame E."""
        return platform_frame(self.moving.platform)

    @property
    def bodies(self) -> list[BodyMotion]:
        """How all bodies move."""
        return body_motions(self.moving, self.description)

    @property
    def joints(self) -> JointsInMotion:
        """Angles of passive joints in motion."""
        moving, angle = self.moving, self.joint_coordinates
        rate = self.along_motion(angle)
        growth = self.along_motion(rate) + ca.jtimes(rate, moving.velocity, moving.acceleration)
        return JointsInMotion(angle, rate, growth)

    @property
    def joint_coordinates(self) -> ca.SX:
        """Angles of passive joints."""
        return angles_of_motion(self.moving, self.description)

    @property
    def limited(self) -> Mapping[str, ca.SX]:
        """Positions of actuators, and angles of passive joints."""
        legs = [(leg.name, element) for leg in self.mechanics.legs for element in leg.elements]
        driven = (f"{leg}.{element.name}" for leg, element in legs if element.actuator is not None)
        names = (*driven, *(angle.name for angle in joint_angles(self.description)))
        values = ca.vertcat(self.moving.q, self.joint_coordinates)
        return {name: values[k] for k, name in enumerate(names)}

    # Whether it is sound -------------------------------------------------------------------------------------------

    @property
    def reached(self) -> ca.SX:
        """Whether every leg reaches its attachment."""
        reached = ca.SX(1)
        for k in range(self.moving.excess.shape[0]):
            reached = ca.logic_and(reached, self.moving.excess[k] <= 0)
        return reached

    @property
    def regular(self) -> ca.SX:
        """Whether no leg is singular."""
        return regular(self.moving, None)

    @property
    def orientation(self) -> ca.SX:
        """The determinant of J_qv."""
        return orientation_of_actuators(self.moving.J_qv)

    @property
    def trusted(self) -> ca.SX:
        """Always: rows are exchanged wherever a robot of legs is solved."""
        return ca.SX(1)

    # Forces --------------------------------------------------------------------------------------------------------

    @property
    def supplied(self) -> Supplied:
        """The actuator forces that the motion takes, by the formulation; quickly if an order is known."""
        made = self.mechanics
        if self.formulation != DEFAULT or self.order is None:
            from parakin.dynamics.formulations import FORMULATIONS

            return Supplied(FORMULATIONS[self.formulation].tau(made).tau, self._pivot)
        needed = required(made)
        tau, trusted = quickly_supplied(made, needed, self.order)
        return Supplied(supplied(made, needed).tau, self._pivot, Quick({"tau": tau}, trusted))

    @property
    def static(self) -> Forces:
        """The actuator forces that hold the robot at rest."""
        J, nothing = self.moving.J_qv, ca.SX.zeros(self.moving.q.shape[0])
        return Forces(actuator_forces(J, self.gravity, nothing, self.mechanics.acting.weights).tau, self._pivot)

    @property
    def required(self) -> ca.SX:
        """The force on the platform that the motion takes."""
        needed = required(self.mechanics)
        return needed.f + self.moving.J_qv.T @ needed.drive_force

    @property
    def bias(self) -> ca.SX:
        """Coriolis and centrifugal forces."""
        bare = replace(self, mechanics=weightless(frictionless(self.mechanics)))
        return self._coasting(bare.required)

    @property
    def gravity(self) -> ca.SX:
        """What the platform takes at rest."""
        bare = replace(self, mechanics=frictionless(self.mechanics))
        return _without(bare.required, self.moving.velocity, self.moving.acceleration)

    @property
    def M(self) -> ca.SX:
        """The mass matrix of the platform with all legs."""
        return mass_matrix(self.mechanics)

    @property
    def C(self) -> ca.SX:
        """The sum over mass points of J_p^T J_p_dot dm, and J_qv^T rotors J_qv_dot."""
        v_r = ca.SX.sym("v_r", self.moving.velocity.shape[0])
        needed = required_with_reference(weightless(frictionless(self.mechanics)), v_r)
        f = needed.f + self.moving.J_qv.T @ needed.drive_force
        return ca.jacobian(self._coasting(f), v_r)

    @property
    def energy(self) -> Energy:
        """Energy of all bodies and rotors."""
        q_dot, made = self.moving.q_dot, self.mechanics
        bodies = energy_of(made.bodies, made.gravity)
        return Energy(ca.dot(made.parameters.rotors, q_dot * q_dot) / 2 + bodies.kinetic, bodies.potential)

    def without_drive_friction(self) -> Self:
        """Return the robot without friction of its drives and without Coulomb friction of its passive joints."""
        known = self.mechanics.parameters
        nothing = tuple(Friction(ca.SX(0), ca.SX(0)) for _ in known.actuators)
        joints = {place: Friction(joint.viscous, ca.SX(0)) for place, joint in known.joints.items()}
        bare = replace(self.mechanics, parameters=replace(known, actuators=nothing, joints=joints))
        return replace(self, mechanics=bare)

    def drive_friction(self, q_dot: ca.SX) -> ca.SX:
        """Return the friction force in each actuator."""
        drives, sign = self.mechanics.parameters.actuators, self.mechanics.acting.sign
        return ca.vertcat(*(friction_force(drive, q_dot[k], sign) for k, drive in enumerate(drives)))

    def linear_form(self, p: ca.SX, v_r: ca.SX | None = None) -> LinearForm:
        """Return the linear form: by the inverse of J_qv^T where an order to find that is known, or by elimination."""
        from parakin.dynamics.regressor import regressor, regressor_by_inverse

        if self.order is None:
            return LinearForm(regressor(self.mechanics, p, v_r).tau, self._pivot)
        inverse = inverse_in_order(self.moving.J_qv.shape[0], self.order)
        return LinearForm(regressor_by_inverse(self.mechanics, p, inverse, v_r), self._pivot, inverse)

    def reference_regressor(self, p: ca.SX, v_r: ca.SX, q_ddot_r: ca.SX) -> ca.SX:
        """Return the regressor with a reference velocity."""
        from parakin.dynamics.regressor import regressor

        moving = self.moving
        J_dot = rate_along_motion(moving.J_qv, moving)
        a_r = solve_least_squares(moving.J_qv, q_ddot_r - J_dot @ v_r)[0]
        inputs = [moving.acceleration, v_r, self.place, moving.velocity]
        Psi = ca.Function("of_a", inputs, [regressor(self.mechanics, p, v_r).tau])
        return ca.densify(Psi(a_r, v_r, self.place, moving.velocity))

    def forward_dynamics(self, tau: ca.SX) -> ca.SX:
        """Return a = M^-1 (J_qv^T (tau - drive_force) - f) with what a platform takes that does not accelerate."""
        needed = required(self.mechanics)
        drive = self._coasting(self.moving.J_qv.T @ (tau - needed.drive_force) - needed.f)
        return solve_positive_definite(self.M, drive)


def _without(expression: ca.SX, *rates: ca.SX) -> ca.SX:
    """Return an expression with these rates zero."""
    symbols = ca.vertcat(*rates)
    return ca.substitute(expression, symbols, ca.SX.zeros(symbols.shape[0]))

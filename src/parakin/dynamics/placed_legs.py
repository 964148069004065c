"""A robot of legs at its place: its pose, and the joint coordinates z of legs without a closed form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

import casadi as ca

from parakin.dynamics.friction import friction_force
from parakin.dynamics.mechanics import Mechanics
from parakin.dynamics.parameter_symbols import Friction
from parakin.dynamics.placed import Placed, orientation_of_actuators
from parakin.dynamics.regressor import regressor
from parakin.dynamics.terms import actuator_terms, at_rest, forward_dynamics, required_force
from parakin.dynamics.virtual_work.required import tau
from parakin.kinematics.closing import closing_step
from parakin.kinematics.forward import misfit
from parakin.kinematics.joint_table import joint_angles
from parakin.kinematics.joints import angles_of_motion
from parakin.kinematics.model import regular
from parakin.kinematics.robot_motion import RobotMotion, coordinate_rates, rate_along_motion
from parakin.kinematics.solve import solve_least_squares


@dataclass(frozen=True, eq=False)
class PlacedLegs(Placed):
    """A robot of legs and platform, with all that acts on it."""

    mechanics: Mechanics
    """Its equations of motion."""
    actuators: tuple[str, ...]
    """Names of its actuators."""

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
    def q_drift(self) -> ca.SX:
        """Accelerations of the actuators while the platform does not accelerate."""
        return at_rest(self.moving.q_ddot, self.moving.acceleration)

    @property
    def J_qv(self) -> ca.SX:
        """Actuator rates by platform velocities."""
        return self.moving.J_qv

    @property
    def limited(self) -> Mapping[str, ca.SX]:
        """Positions of actuators, and angles of passive joints."""
        description = self.mechanics.description
        names = (*self.actuators, *(angle.name for angle in joint_angles(description)))
        values = ca.vertcat(self.moving.q, angles_of_motion(self.moving, description))
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
    def tau(self) -> ca.SX:
        """The actuator forces that the motion takes."""
        return tau(self.mechanics).tau

    @property
    def required(self) -> ca.SX:
        """The force on the platform that the motion takes."""
        return required_force(self.mechanics)

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

    def regressor(self, p: ca.SX) -> ca.SX:
        """Return Psi with tau = Psi p."""
        return ca.densify(regressor(self.mechanics, p).tau)

    def reference_regressor(self, p: ca.SX, v_r: ca.SX, q_ddot_r: ca.SX) -> ca.SX:
        """Return the regressor with a reference velocity."""
        moving = self.moving
        J_dot = rate_along_motion(moving.J_qv, moving)
        a_r = solve_least_squares(moving.J_qv, q_ddot_r - J_dot @ v_r)[0]
        inputs = [moving.acceleration, v_r, self.place, moving.velocity]
        Psi = ca.Function("of_a", inputs, [regressor(self.mechanics, p, v_r).tau])
        return ca.densify(Psi(a_r, v_r, self.place, moving.velocity))

    @property
    def M_q(self) -> ca.SX:
        """The mass matrix in actuator space."""
        return actuator_terms(self.mechanics).M

    def forward_dynamics(self, tau: ca.SX) -> ca.SX:
        """Return the platform's acceleration."""
        return forward_dynamics(self.mechanics, tau)

"""The model of a robot that control laws compute with, as functions to be called on expressions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import casadi as ca
import numpy as np

from parakin.dynamics.friction import friction_force, smooth_sign
from parakin.dynamics.mechanics import Acting, Mechanics, mechanics
from parakin.dynamics.parameter_symbols import Friction
from parakin.dynamics.terms import actuator_terms, at_rest
from parakin.dynamics.virtual_work.required import tau
from parakin.errors import UnsupportedRobotError
from parakin.kinematics.forward import misfit
from parakin.kinematics.solve import solve_least_squares
from parakin.robot import Robot
from parakin.trajectory.limits import limits_of

SMOOTHING = 0.01
"""Rate below which the sign in Coulomb friction is smooth [rad/s or m/s]: a step in force would shake the drives."""


def _smooth_sign(rate: ca.SX) -> ca.SX:
    return smooth_sign(rate, SMOOTHING)


@dataclass(frozen=True, eq=False)
class ControlModel:
    """A robot as its controller sees it, which need not be how the plant really is."""

    robot: Robot
    """Robot whose geometry, parameters and payload the controller believes in."""

    @cached_property
    def mechanics(self) -> Mechanics:
        """The equations of motion with numbers for all parameters and with smooth Coulomb friction.

        A robot with a leg that has no closed form is refused, because a law has to run in constant time.
        """
        robot = self.robot
        made = mechanics(robot.description, robot.payload, acting=Acting(sign=_smooth_sign))
        if made.moving.z.shape[0]:
            raise UnsupportedRobotError(robot.name, "a leg has no closed form, and laws run in constant time")
        return made

    @property
    def square(self) -> bool:
        """Whether the robot has as many actuators as degrees of freedom."""
        return len(self.robot.actuator_names) == self.robot.degrees_of_freedom

    # Kinematics ----------------------------------------------------------------------------------------------------

    @cached_property
    def _kinematics(self) -> ca.Function:
        moving = self.mechanics.moving
        drift = at_rest(moving.q_ddot, moving.acceleration)
        return ca.Function("rates", [moving.pose, moving.velocity], [moving.J_qv, drift])

    @cached_property
    def _correction(self) -> ca.Function:
        """One Newton step of forward kinematics: pose, q -> a pose whose actuator positions are closer to q."""
        moving, description = self.mechanics.moving, self.robot.description
        q = ca.SX.sym("q", moving.q.shape[0])
        twist, _ = solve_least_squares(moving.J_qv, misfit(moving, q, description))
        return ca.Function("correction", [moving.pose, q], [moving.motion.stepped(moving.pose, twist)])

    def pose(self, near: ca.SX, q: ca.SX, steps: int) -> ca.SX:
        """Return the pose with actuator positions q, by a fixed number of Newton steps from a pose near it.

        [Vivas2003] eq. (9). The number is fixed so that a law takes the same time at every tick.
        """
        for _ in range(steps):
            near = self._correction(near, q)
        return near

    def stepped(self, pose: ca.SX, twist: ca.SX) -> ca.SX:
        """Return the pose after a small displacement: a velocity times a time [m, rad]."""
        return self.robot.motion_type.stepped(pose, twist)

    def velocity(self, pose: ca.SX, q_dot: ca.SX) -> ca.SX:
        """Return the platform velocity v that belongs to actuator rates: J_qv v = q_dot, in the least-squares sense."""
        J_qv, _ = self._kinematics(pose, ca.SX.zeros(self.robot.degrees_of_freedom))
        return solve_least_squares(J_qv, q_dot)[0]

    def acceleration(self, pose: ca.SX, velocity: ca.SX, q_ddot: ca.SX) -> ca.SX:
        """Return the platform acceleration a that belongs to actuator accelerations: J_qv a + J_qv_dot v = q_ddot."""
        J_qv, drift = self._kinematics(pose, velocity)
        return solve_least_squares(J_qv, q_ddot - drift)[0]

    def jacobian(self, pose: ca.SX) -> ca.SX:
        """Return J_qv (actuators, degrees of freedom), which maps platform velocity to actuator rates."""
        return self._kinematics(pose, ca.SX.zeros(self.robot.degrees_of_freedom))[0]

    # Forces --------------------------------------------------------------------------------------------------------

    @cached_property
    def _forces(self) -> ca.Function:
        return self._function(self.mechanics)

    @cached_property
    def _forces_of_masses(self) -> ca.Function:
        known = self.mechanics.parameters
        nothing = tuple(Friction(ca.SX(0), ca.SX(0)) for _ in known.actuators)
        joints = {place: Friction(joint.viscous, ca.SX(0)) for place, joint in known.joints.items()}
        bare = replace(self.mechanics, parameters=replace(known, actuators=nothing, joints=joints))
        return self._function(bare)

    def _function(self, made: Mechanics) -> ca.Function:
        moving = made.moving
        return ca.Function("forces", [moving.pose, moving.velocity, moving.acceleration], [tau(made).tau])

    def forces(self, pose: ca.SX, velocity: ca.SX, acceleration: ca.SX) -> ca.SX:
        """Return the actuator forces that a motion needs, with all friction [N or N m]."""
        return self._forces(pose, velocity, acceleration)

    def forces_of_masses(self, pose: ca.SX, velocity: ca.SX, acceleration: ca.SX) -> ca.SX:
        """Return the actuator forces that a motion needs without friction of the drives [N or N m].

        Viscous friction of passive joints is included, their Coulomb friction is not.
        """
        return self._forces_of_masses(pose, velocity, acceleration)

    def drive_friction(self, q_dot: ca.SX) -> ca.SX:
        """Return the friction force in each actuator at the given rates [N or N m]."""
        drives = self.mechanics.parameters.actuators
        return ca.vertcat(*(friction_force(drive, q_dot[k], _smooth_sign) for k, drive in enumerate(drives)))

    @cached_property
    def _mass_matrix(self) -> ca.Function:
        made = self.mechanics
        return ca.Function("inertia", [made.moving.pose], [actuator_terms(made).M])

    def mass_matrix(self, pose: ca.SX) -> ca.SX:
        """Return M_q, the mass matrix in actuator space, which exists for as many actuators as degrees of freedom."""
        if not self.square:
            actuators, freedom = len(self.robot.actuator_names), self.robot.degrees_of_freedom
            counts = f"not {actuators} for {freedom}"
            reason = f"its mass matrix in actuator space needs as many actuators as degrees of freedom, {counts}"
            raise UnsupportedRobotError(self.robot.name, reason)
        return self._mass_matrix(pose)

    # Limits --------------------------------------------------------------------------------------------------------

    def saturated(self, raw: ca.SX) -> ca.SX:
        """Return forces cut at the limits of the robot file; a NaN stays one, which fmin and fmax would hide."""
        limits = limits_of(self.robot).force
        return ca.vertcat(*(_held(raw[k], float(limit)) for k, limit in enumerate(limits)))


def _held(value: ca.SX, limit: float) -> ca.SX:
    if not np.isfinite(limit):
        return value
    return ca.if_else(value > limit, limit, ca.if_else(value < -limit, -limit, value))


def next_integral(integral: ca.SX, grown: ca.SX, error: ca.SX, excess: ca.SX) -> ca.SX:
    """Return the integral for the next tick, which does not grow while its error pushes further into a limit.

    This is anti-windup by conditional integration: `grown` is the integral with this tick's share, and `excess` the
    force asked for less the force given, in the coordinates of the error.
    """
    return ca.if_else(excess * error > 0, integral, grown)

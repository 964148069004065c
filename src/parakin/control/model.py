"""What laws know of their robot, as functions to be called on expressions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import casadi as ca
import numpy as np

from parakin.dynamics.friction import friction_force, smooth_sign
from parakin.dynamics.mechanics import Acting, Mechanics, mechanics
from parakin.dynamics.parameters import Friction
from parakin.dynamics.terms import actuator_terms, at_rest
from parakin.dynamics.virtual_work.required import tau
from parakin.errors import UnsupportedRobotError
from parakin.kinematics.forward import misfit, stepped
from parakin.kinematics.solve import solve_least_squares
from parakin.robot import Robot
from parakin.trajectory.limits import limits_of

SMOOTHING = 0.01
"""[rad/s or m/s] Of the sign of a rate in Coulomb friction: a step in force would shake the drives."""


def _smooth_sign(rate: ca.SX) -> ca.SX:
    return smooth_sign(rate, SMOOTHING)


@dataclass(frozen=True, eq=False)
class ControlModel:
    """A robot as its controller sees it: geometry, parameters and payload of `robot`."""

    robot: Robot

    @cached_property
    def mechanics(self) -> Mechanics:
        robot = self.robot
        made = mechanics(robot.description, robot.payload, acting=Acting(sign=_smooth_sign))
        if made.moving.z.shape[0]:
            raise UnsupportedRobotError(robot.name, "a leg has no closed form, and laws run in constant time")
        return made

    @property
    def square(self) -> bool:
        return len(self.robot.actuator_names) == self.robot.degrees_of_freedom

    # Kinematics ----------------------------------------------------------------------------------------------------

    @cached_property
    def _kinematics(self) -> ca.Function:
        moving = self.mechanics.moving
        drift = at_rest(moving.q_ddot, moving.acceleration)
        return ca.Function("rates", [moving.pose, moving.velocity], [moving.J_qv, drift])

    @cached_property
    def _correction(self) -> ca.Function:
        """The pose a Newton step closer to q."""
        moving, description = self.mechanics.moving, self.robot.description
        q = ca.SX.sym("q", moving.q.shape[0])
        twist, _ = solve_least_squares(moving.J_qv, misfit(moving, q, description))
        return ca.Function("correction", [moving.pose, q], [stepped(description.motion, moving.pose, twist)])

    def pose(self, near: ca.SX, q: ca.SX, steps: int) -> ca.SX:
        """Forward kinematics in constant time: a fixed number of Newton steps. [Vivas2003] eq. (9)."""
        for _ in range(steps):
            near = self._correction(near, q)
        return near

    def stepped(self, pose: ca.SX, twist: ca.SX) -> ca.SX:
        """The pose after a small motion."""
        return stepped(self.robot.motion, pose, twist)

    def velocity(self, pose: ca.SX, q_dot: ca.SX) -> ca.SX:
        """v with J_qv v = q_dot."""
        J_qv, _ = self._kinematics(pose, ca.SX.zeros(self.robot.degrees_of_freedom))
        return solve_least_squares(J_qv, q_dot)[0]

    def acceleration(self, pose: ca.SX, velocity: ca.SX, q_ddot: ca.SX) -> ca.SX:
        """a with J_qv a + J_qv_dot v = q_ddot."""
        J_qv, drift = self._kinematics(pose, velocity)
        return solve_least_squares(J_qv, q_ddot - drift)[0]

    def jacobian(self, pose: ca.SX) -> ca.SX:
        return self._kinematics(pose, ca.SX.zeros(self.robot.degrees_of_freedom))[0]

    # Forces --------------------------------------------------------------------------------------------------------

    @cached_property
    def _forces(self) -> ca.Function:
        return self._function(self.mechanics)

    @cached_property
    def _forces_of_masses(self) -> ca.Function:
        known = self.mechanics.parameters
        nothing = tuple(Friction(ca.SX(0), ca.SX(0)) for _ in known.actuators)
        joints = {place: Friction(own.viscous, ca.SX(0)) for place, own in known.joints.items()}
        bare = replace(self.mechanics, parameters=replace(known, actuators=nothing, joints=joints))
        return self._function(bare)

    def _function(self, made: Mechanics) -> ca.Function:
        moving = made.moving
        return ca.Function("forces", [moving.pose, moving.velocity, moving.acceleration], [tau(made).tau])

    def forces(self, pose: ca.SX, velocity: ca.SX, acceleration: ca.SX) -> ca.SX:
        """tau for a motion, all friction included."""
        return self._forces(pose, velocity, acceleration)

    def forces_of_masses(self, pose: ca.SX, velocity: ca.SX, acceleration: ca.SX) -> ca.SX:
        """tau without the friction of the actuators and without Coulomb friction of joints."""
        return self._forces_of_masses(pose, velocity, acceleration)

    def drive_friction(self, q_dot: ca.SX) -> ca.SX:
        """Of each actuator at its rate."""
        own = self.mechanics.parameters.actuators
        return ca.vertcat(*(friction_force(f, q_dot[k], _smooth_sign) for k, f in enumerate(own)))

    @cached_property
    def _mass_matrix(self) -> ca.Function:
        made = self.mechanics
        return ca.Function("inertia", [made.moving.pose], [actuator_terms(made).M])

    def mass_matrix(self, pose: ca.SX) -> ca.SX:
        """M_q, in actuator space: there where there are as many actuators as degrees of freedom."""
        if not self.square:
            actuators, freedom = len(self.robot.actuator_names), self.robot.degrees_of_freedom
            counts = f"not {actuators} for {freedom}"
            reason = f"its mass matrix in actuator space needs as many actuators as degrees of freedom, {counts}"
            raise UnsupportedRobotError(self.robot.name, reason)
        return self._mass_matrix(pose)

    # Limits --------------------------------------------------------------------------------------------------------

    def saturated(self, raw: ca.SX) -> ca.SX:
        """Forces held to the limits of the robot file; a NaN stays one, which fmin and fmax would hide."""
        limits = limits_of(self.robot).force
        return ca.vertcat(*(_held(raw[k], float(limit)) for k, limit in enumerate(limits)))


def _held(value: ca.SX, limit: float) -> ca.SX:
    if not np.isfinite(limit):
        return value
    return ca.if_else(value > limit, limit, ca.if_else(value < -limit, -limit, value))


def next_integral(integral: ca.SX, grown: ca.SX, error: ca.SX, excess: ca.SX) -> ca.SX:
    """Anti-windup by conditional integration: an integral does not grow while its error pushes further into a limit.

    excess: the force asked for less the force given, in the coordinates of the error.
    """
    return ca.if_else(excess * error > 0, integral, grown)

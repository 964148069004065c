"""A mechanism at its place: the coordinates of its tree's joints, with its loops closed by Newton.

Towards positions q of the motors, loops and motors are solved for together. With r the step that closes the loops while
the independent coordinates stand still,

    W u = q - q(c) - r_motors,        J_d step_d = -rows(c) - J_u u        c <- c (+) (step_d, u)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import casadi as ca

from parakin.dynamics.friction import friction_force
from parakin.dynamics.graph import terms
from parakin.dynamics.graph.actuation import linear_forces, motor_forces
from parakin.dynamics.graph.mass import actuator_mass_matrix
from parakin.dynamics.graph.mechanics import (
    GraphMechanics,
    actuator_coordinates,
    actuator_signs,
    frictionless,
    weightless,
)
from parakin.dynamics.parameter_symbols import Friction
from parakin.dynamics.placed import Placed, orientation_of_actuators
from parakin.errors import NotLinearInParametersError
from parakin.kinematics.graph.closing import (
    SMALLEST_SHARE,
    configuration_rates,
    coordinates_of_pose,
    normalized,
    step_towards,
    stepped,
)
from parakin.kinematics.graph.joints import joint_motions
from parakin.kinematics.graph.loops import GraphMotion
from parakin.kinematics.solve import solve_least_squares


@dataclass(frozen=True, eq=False)
class PlacedMechanism(Placed):
    """A mechanism of bodies and joints, with all that acts on it."""

    mechanics: GraphMechanics
    """Its equations of motion."""

    @property
    def moving(self) -> GraphMotion:
        """Everything that moves."""
        return self.mechanics.moving

    @property
    def place(self) -> ca.SX:
        """Symbols of the configuration."""
        return self.moving.c

    @property
    def velocity(self) -> ca.SX:
        """Symbols of the independent velocities."""
        return self.moving.u

    @property
    def acceleration(self) -> ca.SX:
        """Symbols of the independent accelerations."""
        return self.moving.u_dot

    # Places --------------------------------------------------------------------------------------------------------

    @property
    def pose(self) -> ca.SX:
        """The independent coordinates."""
        return coordinates_of_pose(self.moving.plan, self.moving.c)

    @property
    def place_rate(self) -> ca.SX:
        """The rates of the configuration."""
        return configuration_rates(self.moving.plan.skeleton, self.moving.c, self.moving.t)

    def normalized(self, place: ca.SX) -> ca.SX:
        """Return a configuration with the quaternions of its balls brought to unit length."""
        return normalized(self.moving.plan.skeleton, place)

    def stepped(self, twist: ca.SX) -> ca.SX:
        """Return the configuration after a small step of the independent coordinates."""
        return self._after(self.moving.completed(twist))

    def _after(self, step: ca.SX) -> ca.SX:
        return stepped(self.moving.plan.skeleton, self.moving.c, step)

    @property
    def _rows(self) -> ca.SX:
        return self.moving.rows.values[list(self.moving.plan.pivots.rows)]

    @property
    def closed(self) -> ca.SX:
        """The configuration after one Newton step of the dependent coordinates."""
        return self._after(self._closing)

    @cached_property
    def _closing(self) -> ca.SX:
        """The step that closes the loops while the independent coordinates stand still."""
        return self.moving.completed(ca.SX(self.moving.u.shape[0], 1), self._rows)

    def towards_pose(self, pose: ca.SX) -> ca.SX:
        """Return the configuration after one Newton step towards independent coordinates and closed loops.

        A ball whose three turns belong to the pose makes the rotation that is missing, whichever of a quaternion's two
        signs its orientation has.
        """
        motion = self.moving.plan.motion
        if not motion.balls:
            return self._after(step_towards(self.moving, pose - self.pose))
        return self._after(self.moving.completed(motion.displacement(self.pose, pose), self._rows))

    def towards_actuators(self, q: ca.SX) -> ca.SX:
        """Return the configuration after one Newton step towards motor positions and closed loops."""
        signs, driven = ca.SX(ca.DM(actuator_signs(self.moving))), list(self.moving.plan.actuators)
        missing = q - self.q - signs * self._closing[driven]
        u, _ = solve_least_squares(ca.densify(self.mechanics.W), missing)
        return self._after(self.moving.completed(u, self._rows))

    @property
    def residual(self) -> ca.SX:
        """The sum of what all rows are open by."""
        return ca.norm_1(self._rows) if self.moving.plan.pivots.rows else ca.SX(0)

    # Rates ---------------------------------------------------------------------------------------------------------

    @property
    def q(self) -> ca.SX:
        """Positions of the motors."""
        return actuator_coordinates(self.moving)

    @property
    def q_dot(self) -> ca.SX:
        """Rates of the motors."""
        return ca.DM(actuator_signs(self.moving)) * self.moving.t[list(self.moving.plan.actuators)]

    @property
    def q_drift(self) -> ca.SX:
        """Accelerations of the motors while the independent velocities stay as they are."""
        coasting = terms.at_standstill(self.mechanics, rest=False).moving
        return ca.DM(actuator_signs(self.moving)) * coasting.t_dot[list(self.moving.plan.actuators)]

    @property
    def J_qv(self) -> ca.SX:
        """Motor rates by independent velocities."""
        return ca.densify(self.mechanics.W)

    @property
    def limited(self) -> Mapping[str, ca.SX]:
        """Positions of the motors, and coordinates of all other joints that are not spherical."""
        values: dict[str, ca.SX] = {}
        for motion in joint_motions(terms.at_standstill(self.mechanics, rest=True).moving):
            freedoms = motion.joint.kind.freedoms
            if motion.coordinates.shape[0] == len(freedoms):
                values |= {f"{motion.joint.name}.{one.name}": motion.coordinates[k] for k, one in enumerate(freedoms)}
        return values | {name: self.q[k] for k, name in enumerate(self.moving.plan.actuator_names)}

    # Whether it is sound -------------------------------------------------------------------------------------------

    @property
    def reached(self) -> ca.SX:
        """Always: a mechanism has no legs; its loops are judged by `residual`."""
        return ca.SX(1)

    @property
    def regular(self) -> ca.SX:
        """Whether the loops determine the dependent coordinates."""
        return self.moving.regularity > SMALLEST_SHARE

    @property
    def orientation(self) -> ca.SX:
        """The sign of the loops' determinant, and the determinant of J_qv."""
        return ca.vertcat(self.moving.factors.side, orientation_of_actuators(self.J_qv))

    @property
    def trusted(self) -> ca.SX:
        """Whether the plan's order of elimination is good here, where loops are eliminated in that."""
        return ca.SX(1) if self.moving.surely else self.moving.trusted

    # Forces --------------------------------------------------------------------------------------------------------

    @property
    def tau(self) -> ca.SX:
        """The motor forces that the motion takes; of more motors than freedoms the shortest."""
        return motor_forces(self.mechanics).tau

    @property
    def required(self) -> ca.SX:
        """The forces by independent velocities that the motion takes."""
        return self.mechanics.Q

    def without_drive_friction(self) -> Self:
        """Return the mechanism without friction of its motors and without Coulomb friction of its passive joints."""
        known, driven = self.mechanics.parameters, self.moving.plan.actuator_names
        friction = {
            name: Friction(ca.SX(0) if name in driven else one.viscous, ca.SX(0))
            for name, one in known.friction.items()
        }
        return replace(self, mechanics=replace(self.mechanics, parameters=replace(known, friction=friction)))

    def drive_friction(self, q_dot: ca.SX) -> ca.SX:
        """Return the friction force of each motor's freedom."""
        known, sign = self.mechanics.parameters.friction, self.mechanics.acting.sign
        names = self.moving.plan.actuator_names
        return ca.vertcat(*(friction_force(known[name], q_dot[k], sign) for k, name in enumerate(names)))

    def regressor(self, p: ca.SX) -> ca.SX:
        """Return Psi with tau = Psi p."""
        return self._linear(linear_forces(self.mechanics).tau, p)

    def reference_regressor(self, p: ca.SX, v_r: ca.SX, q_ddot_r: ca.SX) -> ca.SX:
        """Return the regressor with a reference velocity.

        h(v) = C(v) v and J_qv_dot v are quadratic in v. With C of Christoffel symbols, for which M_dot - 2 C is skew,
        both are symmetric in the two velocities that they are asked for:

            C(v) v_r = (h(v + v_r) - h(v) - h(v_r))/2
        """
        u, u_dot = self.moving.u, self.moving.u_dot
        coasting = terms.at_standstill(weightless(frictionless(self.mechanics)), rest=False)
        h = ca.Function("h", [self.place, u, p], [linear_forces(coasting).tau])
        drift = ca.Function("drift", [self.place, u], [self.q_drift])
        c, both = self.place, u + v_r
        J_dot_v_r = (drift(c, both) - drift(c, u) - drift(c, v_r)) / 2
        a_r = solve_least_squares(self.J_qv, q_ddot_r - J_dot_v_r)[0]
        accelerated = ca.Function("accelerated", [c, u, u_dot, p], [linear_forces(self.mechanics).tau])(c, u, a_r, p)
        beside = (h(c, both, p) - 3 * h(c, u, p) - h(c, v_r, p)) / 2
        return self._linear(accelerated + beside, p)

    def _linear(self, forces: ca.SX, p: ca.SX) -> ca.SX:
        Psi = ca.jacobian(forces, p)
        if ca.depends_on(Psi, p):
            raise NotLinearInParametersError(self.moving.plan.skeleton.description.name)
        return ca.densify(Psi)

    @property
    def M_q(self) -> ca.SX:
        """The mass matrix by rates of the motors: W^-T M W^-1."""
        return actuator_mass_matrix(self.mechanics)

    def forward_dynamics(self, tau: ca.SX) -> ca.SX:
        """Return the independent accelerations."""
        return terms.forward_dynamics(self.mechanics, tau)

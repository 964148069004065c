"""The equation of motion of bodies and joints: M u_dot + h + g + friction and springs = W^T tau + wrench.

The place is the coordinates of the tree's joints, with its loops closed by Newton.

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
import numpy as np

from parakin.dynamics.equation import (
    Energy,
    EquationOfMotion,
    JointsInMotion,
    LinearForm,
    Supplied,
    energy_of,
    linear_in,
    orientation_of_actuators,
)
from parakin.dynamics.friction import friction_force
from parakin.dynamics.graph.actuation import determined_by_motors, linear_forces, motor_forces
from parakin.dynamics.graph.mass import mass_matrix
from parakin.dynamics.graph.mechanics import (
    GraphMechanics,
    actuator_coordinates,
    actuator_signs,
    compensated,
    frictionless,
    without_gravity,
)
from parakin.dynamics.mechanics import Forces
from parakin.dynamics.parameter_symbols import Friction
from parakin.errors import UnsupportedRobotError
from parakin.errors.capabilities import RATES
from parakin.kinematics.bodies import BodyMotion, Frame
from parakin.kinematics.derivatives import Displacements
from parakin.kinematics.graph.closing import (
    SMALLEST_SHARE,
    configuration_rates,
    coordinates_of_pose,
    displacements,
    normalized,
    step_towards,
    stepped,
)
from parakin.kinematics.graph.joints import cone_angles, file_joints, joint_motions
from parakin.kinematics.graph.links import carried
from parakin.kinematics.graph.loops import GraphMotion
from parakin.kinematics.graph.rod_frames import file_bodies
from parakin.linalg.solve import solve_least_squares, solve_positive_definite
from parakin.mechanism.skeleton import BASE_LINK, Place


@dataclass(frozen=True, eq=False)
class GraphEquation(EquationOfMotion):
    """A mechanism of bodies and joints, with all that acts on it."""

    mechanics: GraphMechanics
    """What its equation of motion starts from."""

    @property
    def name(self) -> str:
        """The name of the mechanism."""
        return self.moving.plan.skeleton.description.name

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

    def still(self, *, rest: bool) -> Self:
        """Return the mechanism without acceleration of its independent velocities; at rest, also without these."""
        moving, nothing = self.moving, ca.SX(self.moving.u.shape[0], 1)
        moving = replace(moving, u=nothing if rest else moving.u, u_dot=nothing)
        return replace(self, mechanics=replace(self.mechanics, moving=moving))

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
    def q_ddot(self) -> ca.SX:
        """Accelerations of the motors."""
        return ca.DM(actuator_signs(self.moving)) * self.moving.t_dot[list(self.moving.plan.actuators)]

    @property
    def q_drift(self) -> ca.SX:
        """Accelerations of the motors while the independent velocities stay as they are."""
        return self.still(rest=False).q_ddot

    @property
    def J_qv(self) -> ca.SX:
        """Motor rates by independent velocities."""
        return ca.densify(self.mechanics.W)

    def along_motion(self, expression: ca.SX) -> ca.SX:
        """Return the rate of an expression in the configuration."""
        return ca.reshape(ca.jtimes(ca.vec(expression), self.moving.c, self.place_rate), *expression.shape)

    @property
    def displacements(self) -> Displacements:
        """How the configuration moves with the independent velocities."""
        return displacements(self.moving)

    @property
    def offset_drift(self) -> ca.SX:
        """The matrix by which the velocity turns a small offset of the pose.

        An offset delta of a ball is in the axes that it has reached, so that delta_dot = du - u x delta.
        """
        plan = self.moving.plan
        if plan.loose_turns:
            loose = ", ".join(plan.loose_turns)
            reason = (
                f"its pose has {loose} of a ball whose other components follow: choose other independent coordinates"
            )
            raise UnsupportedRobotError(self.name, reason)
        return plan.motion.offset_drift(self.moving.u)

    def followed(self, rates: ca.SX) -> tuple[ca.SX, ca.SX]:
        """Return the independent velocities for rates of the motors."""
        return determined_by_motors(self.mechanics, rates)

    # Parts in motion -----------------------------------------------------------------------------------------------

    @property
    def output(self) -> Frame:
        """The frame of the output."""
        return self.moving.tree.at(self.moving.plan.skeleton.output)

    @property
    def bodies(self) -> list[BodyMotion]:
        """How the bodies of the file move."""
        skeleton = self.moving.plan.skeleton
        moving = file_bodies(skeleton, self.moving.tree)
        places = [(body.name, Place(BASE_LINK, np.array(body.com), np.eye(3))) for body in skeleton.file.bodies]
        frames = [carried(moving[name], centre) for name, centre in places]
        return [BodyMotion(one.p, one.v, one.a, one.spin.R, one.spin.w, one.spin.w_dot) for one in frames]

    @property
    def joints(self) -> JointsInMotion:
        """All joints of the file in motion; the angles that cones limit are last among the coordinates."""
        motions = file_joints(self.moving)
        return JointsInMotion(
            ca.vertcat(*(motion.coordinates for motion in motions), *cone_angles(self.moving).values()),
            ca.vertcat(*(motion.rates for motion in motions)),
            ca.vertcat(*(motion.accelerations for motion in motions)),
        )

    @property
    def joint_coordinates(self) -> ca.SX:
        """Coordinates of all joints of the file, and the angles that cones limit."""
        moving = self.still(rest=True).moving
        return ca.vertcat(*(motion.coordinates for motion in file_joints(moving)), *cone_angles(moving).values())

    @property
    def limited(self) -> Mapping[str, ca.SX]:
        """Positions of the motors, coordinates of all other joints that are not spherical, and angles in cones."""
        moving = self.still(rest=True).moving
        values = cone_angles(moving)
        for motion in joint_motions(moving):
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
    def supplied(self) -> Supplied:
        """The motor forces that the motion takes; of more motors than freedoms the shortest."""
        forces = motor_forces(self.mechanics)
        return Supplied(forces.tau, forces.pivot)

    @property
    def static(self) -> Forces:
        """The motor forces that hold the mechanism at rest, where no joint has friction."""
        plan = self.moving.plan
        if plan.undriven:
            more = "more freedoms than motors, which" if len(plan.actuators) < len(plan.independent) else "motors that"
            raise UnsupportedRobotError(self.name, f"it has {more} do not hold it still: ask inverse_dynamics")
        return motor_forces(self.still(rest=True).mechanics)

    @property
    def required(self) -> ca.SX:
        """The forces by independent velocities that the motion takes."""
        return self.mechanics.Q

    @property
    def bias(self) -> ca.SX:
        """Coriolis and centrifugal forces."""
        return self._bare(weightless=True).still(rest=False).required

    @property
    def gravity(self) -> ca.SX:
        """What the mechanism takes at rest."""
        return self._bare(weightless=False).still(rest=True).required

    def _bare(self, *, weightless: bool) -> Self:
        """Return the mechanism without friction and springs, and without gravity too if asked."""
        bare = frictionless(self.mechanics)
        return replace(self, mechanics=without_gravity(bare) if weightless else bare)

    @property
    def M(self) -> ca.SX:
        """The mass matrix by independent velocities."""
        return mass_matrix(self.mechanics)

    @property
    def C(self) -> ca.SX:
        """C of Christoffel symbols, half of dh/dv, for h is quadratic in v."""
        self._refuse_turns("coriolis_matrix")
        return ca.densify(ca.jacobian(self.bias, self.moving.u) / 2)

    def _refuse_turns(self, feature: str, instead: str = "") -> None:
        """Raise CapabilityError where velocities are no rates of coordinates: C is then not that of Christoffel."""
        if self.moving.plan.motion.balls or self.moving.plan.loose_turns:
            raise RATES.error(self.name, feature, instead)

    @property
    def energy(self) -> Energy:
        """Energy of all links, rotors, joints and springs."""
        still = self.still(rest=False)
        made, moving = still.mechanics, still.moving
        known = zip(made.inertias, moving.tree.links, strict=True)
        links = [(inertia, link.frame) for inertia, link in known if inertia is not None]
        turned = [(body.inertia, body.frame) for rod in made.turned_rods for body in rod.bodies]
        bodies = energy_of((*links, *turned), made.gravity)
        kinetic, potential = bodies.kinetic, bodies.potential
        for rod in made.rods:
            P, C = moving.tree.at(rod.cut.parent), moving.tree.at(rod.cut.child)
            kinetic += rod.PC * ca.dot(P.v, C.v)
            potential -= rod.PC * ca.dot(made.gravity, P.p + C.p)
            for place, mass, end in ((rod.cut.parent, rod.PP, P), (rod.cut.child, rod.CC, C)):
                potential -= mass * ca.dot(made.gravity, end.p) if place.link == BASE_LINK else 0
        for name, rotor in made.parameters.rotors.items():
            kinetic += rotor * moving.t[moving.plan.skeleton.velocity_names.index(name)] ** 2 / 2
        for motion, k, inertia in made.own_inertias:
            kinetic += inertia * motion.rates[k] ** 2 / 2
        for link, share, inertia in compensated(made):
            frame = moving.tree.links[link].frame
            potential += share * ca.dot(made.gravity, inertia.m * frame.p + frame.spin.R @ inertia.h)
        for motion, k, _ in made.joint_forces:
            spring = motion.joint.freedom(k).spring
            if spring is not None and made.springs:
                potential += spring.stiffness * (motion.coordinates[k] - spring.rest) ** 2 / 2
        return Energy(kinetic, potential)

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

    def linear_form(self, p: ca.SX, v_r: ca.SX | None = None) -> LinearForm:
        """Return the linear form, for given accelerations of freedoms that no motor drives."""
        forces = linear_forces(self.mechanics)
        tau = forces.tau
        if v_r is not None:
            self._refuse_turns("a regressor with a reference velocity", "regressor without one")
            tau += self._beside(v_r)
        return LinearForm(ca.densify(linear_in(tau, p, self.name)), forces.pivot)

    def _beside(self, v_r: ca.SX) -> ca.SX:
        """Return what motor forces change by with C(v) v_r in place of C(v) v = h(v).

        h is quadratic in v, and C of Christoffel symbols is symmetric in the two velocities that it is asked for:

            C(v) v_r = (h(v + v_r) - h(v) - h(v_r))/2
        """
        h, u = linear_forces(self._bare(weightless=True).still(rest=False).mechanics).tau, self.moving.u
        return (ca.substitute(h, u, u + v_r) - 3 * h - ca.substitute(h, u, v_r)) / 2

    def reference_regressor(self, p: ca.SX, v_r: ca.SX, q_ddot_r: ca.SX) -> ca.SX:
        """Return the regressor with a reference velocity; J_qv_dot v is quadratic in v too."""
        u, u_dot, drift = self.moving.u, self.moving.u_dot, self.q_drift
        J_dot_v_r = (ca.substitute(drift, u, u + v_r) - drift - ca.substitute(drift, u, v_r)) / 2
        a_r = solve_least_squares(self.J_qv, q_ddot_r - J_dot_v_r)[0]
        accelerated = ca.substitute(linear_forces(self.mechanics).tau, u_dot, a_r)
        return ca.densify(linear_in(accelerated + self._beside(v_r), p, self.name))

    def forward_dynamics(self, tau: ca.SX) -> ca.SX:
        """Return u_dot with M u_dot = W^T tau - (what the motion takes without accelerating)."""
        drive = self.mechanics.W.T @ tau - self.still(rest=False).required
        return solve_positive_definite(self.M, drive)

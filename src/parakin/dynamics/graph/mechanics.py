"""A mechanism with all that acts on it, and the forces that its motion takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import casadi as ca

from parakin.dynamics.friction import friction_force
from parakin.dynamics.graph.forces import link_inertias, moved_inertia, tree_forces
from parakin.dynamics.graph.parameters import GraphParameters, all_freedoms
from parakin.dynamics.graph.regrouping import regrouped
from parakin.dynamics.graph.rods import EndMasses, at_links, end_forces, end_masses, with_ends
from parakin.dynamics.inertia import Inertia, Wrench
from parakin.dynamics.mechanics import Acting
from parakin.dynamics.parameter_symbols import Friction
from parakin.kinematics.graph.joints import JointMotion, joint_motions
from parakin.kinematics.graph.loops import GraphMotion
from parakin.kinematics.graph.rows import place_of
from parakin.mechanism.skeleton import BASE_LINK


@dataclass(frozen=True)
class GraphMechanics:
    """A mechanism, its motion, its parameters and its load."""

    moving: GraphMotion
    """Everything that moves."""
    parameters: GraphParameters
    """Inertias and friction, of numbers or of symbols."""
    gravity: ca.SX
    """Acceleration of free fall in base axes [m/s^2]."""
    acting: Acting
    """What else acts on it; the wrench is a force and a moment on the output, at its origin, in base axes."""
    springs: bool = True
    """Whether the springs of its joints act."""
    regroups_symbols: bool = False
    """Whether inertia that is not numbers is moved to neighbours too: it pays where that is done once for many states.
    """

    @cached_property
    def inertias(self) -> list[Inertia | None]:
        """The inertia of each link, what is carried included."""
        skeleton = self.moving.plan.skeleton
        inertias = link_inertias(skeleton, self.parameters.bodies)
        carried, link = self.parameters.payload, skeleton.output.link
        if carried is not None and link != BASE_LINK:
            moved, known = moved_inertia(carried, skeleton.output), inertias[link]
            inertias[link] = moved if known is None else known + moved
        return with_ends(inertias, self.rods)

    @cached_property
    def rods(self) -> list[EndMasses]:
        """Rods with mass that keep a distance, as masses of their ends."""
        return end_masses(self.moving.plan.skeleton, self.parameters.rods)

    @cached_property
    def external(self) -> dict[int, Wrench]:
        """What acts on links from outside, at their origins: the external wrench, and what couples the ends of rods."""
        skeleton, wrench, tree = self.moving.plan.skeleton, self.acting.wrench, self.moving.tree
        acting: dict[int, Wrench] = {}
        link = skeleton.output.link
        if wrench is not None and link != BASE_LINK:
            arm = tree.at(skeleton.output).p - tree.links[link].frame.p
            acting[link] = Wrench(wrench[:3], wrench[3:] + ca.cross(arm, wrench[:3]))
        for link, taken in at_links(end_forces(self.rods, tree, self.gravity), tree):
            known = acting.get(link, Wrench(ca.SX(3, 1), ca.SX(3, 1)))
            acting[link] = Wrench(known.F - taken.F, known.N - taken.N)
        return acting

    @cached_property
    def joint_forces(self) -> list[tuple[JointMotion, int, ca.SX]]:
        """What friction and springs take, as (joint, freedom, force): only where there is any."""
        forces: list[tuple[JointMotion, int, ca.SX]] = []
        for motion in joint_motions(self.moving):
            for k, freedom in enumerate(motion.joint.kind.freedoms):
                friction = self.parameters.friction[f"{motion.joint.name}.{freedom.name}"]
                force = friction_force(friction, motion.rates[k], self.acting.sign)
                spring = motion.joint.freedom(k).spring
                if spring is not None and self.springs:
                    force += spring.stiffness * (motion.coordinates[k] - spring.rest)
                if not force.is_zero():
                    forces.append((motion, k, force))
        return forces

    @cached_property
    def regrouped(self) -> list[Inertia | None]:
        """Inertias with which the motion takes the same forces Q, and joints carry something else."""
        return regrouped(self.moving.plan.skeleton, self.inertias, symbols=self.regroups_symbols)

    @cached_property
    def f(self) -> ca.SX:
        """The forces on the tree's velocities that the motion takes, friction, springs and rotors included."""
        return self._forces(self.inertias)

    def _forces(self, inertias: Sequence[Inertia | None]) -> ca.SX:
        moving, skeleton = self.moving, self.moving.plan.skeleton
        f = tree_forces(skeleton, moving.tree, inertias, self.gravity, self.external)
        for motion, k, force in self.joint_forces:
            f += motion.columns[k, :].T @ force
        for name, rotor in self.parameters.rotors.items():
            k = skeleton.velocity_names.index(name)
            f[k] = f[k] + rotor * moving.t_dot[k]
        return f

    @cached_property
    def Q(self) -> ca.SX:
        """The forces on the independent velocities that the motion takes."""
        return self.moving.projected(self._forces(self.regrouped))

    @cached_property
    def W(self) -> ca.SX:
        """Rates of the actuators for unit independent velocities: q_dot = W u, in the directions in which q counts."""
        plan = self.moving.plan
        signs = ca.SX(ca.DM(actuator_signs(self.moving)))
        if set(plan.actuators) <= set(plan.independent):
            return signs * ca.SX.eye(len(plan.independent))[[plan.independent.index(k) for k in plan.actuators], :]
        t = self.moving.completed(ca.SX.eye(len(plan.independent)))
        return signs * t[list(plan.actuators), :]


def actuator_signs(moving: GraphMotion) -> list[float]:
    """Return which way q of each actuator counts, 1 or -1."""
    settings = {name: freedom for name, _, _, freedom in all_freedoms(moving.plan.skeleton.description)}
    drives = [settings[name].drive for name in moving.plan.actuator_names]
    return [float(drive.sign) for drive in drives if drive is not None]


def actuator_coordinates(moving: GraphMotion) -> ca.SX:
    """Return q = sign (coordinate - zero) of each motor."""
    skeleton = moving.plan.skeleton
    settings = {name: freedom for name, _, _, freedom in all_freedoms(skeleton.description)}
    values: list[ca.SX] = []
    for name in moving.plan.actuator_names:
        drive = settings[name].drive
        assert drive is not None, "actuators are freedoms with a drive"
        _, place = place_of(skeleton, name)
        values.append(drive.sign * (moving.c[place] - drive.zero))
    return ca.vertcat(*values)


def frictionless(mechanics: GraphMechanics) -> GraphMechanics:
    """Return the mechanism without friction and springs."""
    nothing = Friction(ca.SX(0), ca.SX(0))
    known = mechanics.parameters
    return replace(mechanics, parameters=replace(known, friction=dict.fromkeys(known.friction, nothing)), springs=False)


def weightless(mechanics: GraphMechanics) -> GraphMechanics:
    """Return the mechanism without gravity."""
    return replace(mechanics, gravity=ca.SX(3, 1))

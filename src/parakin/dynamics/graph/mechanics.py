"""A mechanism with all that acts on it, and the forces that its motion takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import casadi as ca

from parakin.dynamics.friction import friction_force
from parakin.dynamics.graph.forces import link_inertias, moved_inertia, tree_forces
from parakin.dynamics.graph.parameters import GraphParameters, all_freedoms
from parakin.dynamics.graph.regrouping import regrouped
from parakin.dynamics.graph.rods import EndMasses, at_links, end_forces, end_masses, with_ends
from parakin.dynamics.graph.turned_rods import RodLoad, rod_loads, round_rods
from parakin.dynamics.inertia import Inertia, Wrench
from parakin.dynamics.mechanics import Acting
from parakin.dynamics.parameter_symbols import Friction
from parakin.kinematics.graph.joints import JointMotion, joint_motions
from parakin.kinematics.graph.loops import GraphMotion
from parakin.kinematics.graph.rows import place_of
from parakin.mechanism.kinds import Move
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
        return end_masses(self.moving.plan.skeleton, self._rounded.rods)

    @cached_property
    def _rounded(self) -> GraphParameters:
        """The parameters, bodies of rods among them only where these are not round."""
        return round_rods(self.moving.plan.skeleton.rods, self.parameters)

    @cached_property
    def turned_rods(self) -> list[RodLoad]:
        """What rods with universal joints take beside the masses of their ends: only where there is any."""
        return rod_loads(self.moving, self._rounded, self.gravity, self.acting.sign)

    @cached_property
    def external(self) -> dict[int, Wrench]:
        """What acts on links from outside, at their origins: the external wrench, and what rods take at their ends."""
        skeleton, wrench, tree = self.moving.plan.skeleton, self.acting.wrench, self.moving.tree
        acting: dict[int, Wrench] = {}
        link = skeleton.output.link
        if wrench is not None and link != BASE_LINK:
            arm = tree.at(skeleton.output).p - tree.links[link].frame.p
            acting[link] = Wrench(wrench[:3], wrench[3:] + ca.cross(arm, wrench[:3]))
        for link, carried in self._compensation:
            known = acting.get(link, Wrench(ca.SX(3, 1), ca.SX(3, 1)))
            acting[link] = Wrench(known.F + carried.F, known.N + carried.N)
        taken_at = [
            *end_forces(self.rods, tree, self.gravity),
            *(end for rod in self.turned_rods for end in rod.at_ends),
        ]
        for link, taken in at_links(taken_at, tree):
            known = acting.get(link, Wrench(ca.SX(3, 1), ca.SX(3, 1)))
            acting[link] = Wrench(known.F - taken.F, known.N - taken.N)
        return acting

    @property
    def _compensation(self) -> Iterator[tuple[int, Wrench]]:
        """What carries a fraction k of the weight of bodies: F = -k m g, N = -k h x g at the origin of each link."""
        for link, k, body in compensated(self):
            R = self.moving.tree.links[link].frame.spin.R
            yield link, Wrench(-k * body.m * self.gravity, -k * ca.cross(R @ body.h, self.gravity))

    @cached_property
    def joint_forces(self) -> list[tuple[JointMotion, int, ca.SX]]:
        """What friction, springs and inertias of joints take, as (joint, freedom, force): only where there is any."""
        forces: list[tuple[JointMotion, int, ca.SX]] = []
        for motion in joint_motions(self.moving):
            inertial = self._own_inertia(motion)
            for k, freedom in enumerate(motion.joint.kind.freedoms):
                friction = self.parameters.friction[f"{motion.joint.name}.{freedom.name}"]
                force = friction_force(friction, motion.rates[k], self.acting.sign) + inertial[k]
                spring = motion.joint.freedom(k).spring
                if spring is not None and self.springs:
                    force += spring.stiffness * (motion.coordinates[k] - spring.rest)
                if not force.is_zero():
                    forces.append((motion, k, force))
        return forces

    @property
    def own_inertias(self) -> list[tuple[JointMotion, int, ca.SX]]:
        """The inertias that joints have of their own, as (joint, freedom, inertia)."""
        if not self.parameters.own:
            return []
        return [
            (motion, k, self.parameters.own[name])
            for motion in joint_motions(self.moving)
            for k, freedom in enumerate(motion.joint.kind.freedoms)
            if (name := f"{motion.joint.name}.{freedom.name}") in self.parameters.own
        ]

    def _own_inertia(self, motion: JointMotion) -> ca.SX:
        """Return what a joint's own inertia I takes: I q_ddot, and w x I w more about the axes of a spherical joint."""
        kind = motion.joint.kind
        names = [f"{motion.joint.name}.{freedom.name}" for freedom in kind.freedoms]
        inertia = ca.vertcat(*(self.parameters.own.get(name, ca.SX(0)) for name in names))
        taken = inertia * motion.accelerations
        turns = [k for k, freedom in enumerate(kind.freedoms) if freedom.move is Move.BALL]
        if turns and not inertia.is_zero():
            w = motion.rates[turns]
            taken[turns] += ca.cross(w, inertia[turns] * w)
        return taken

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


def compensated(mechanics: GraphMechanics) -> Iterator[tuple[int, float, Inertia]]:
    """Yield link, compensated fraction of the weight, and inertia on the link, of each body that has any."""
    skeleton = mechanics.moving.plan.skeleton
    for body, inertia, place in zip(
        skeleton.description.bodies, mechanics.parameters.bodies, skeleton.bodies, strict=True
    ):
        if body.gravity_compensation and body.mass and place.link != BASE_LINK:
            yield place.link, body.gravity_compensation, moved_inertia(inertia, place)


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


def without_gravity(mechanics: GraphMechanics) -> GraphMechanics:
    """Return the mechanism without gravity."""
    return replace(mechanics, gravity=ca.SX(3, 1))

"""The terms of a mechanism's equation of motion: M u_dot + h + g + friction and springs = W^T tau + wrench."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca

from parakin.dynamics.graph.mass import mass_matrix
from parakin.dynamics.graph.mechanics import GraphMechanics, compensated, frictionless, weightless
from parakin.dynamics.terms import Energy, Linearization
from parakin.errors import UnsupportedRobotError
from parakin.kinematics.graph.closing import displacements
from parakin.kinematics.solve import solve_positive_definite
from parakin.mechanism.skeleton import BASE_LINK


def at_standstill(mechanics: GraphMechanics, *, rest: bool) -> GraphMechanics:
    """Return the mechanism without acceleration of its independent velocities; at rest, also without these."""
    moving = mechanics.moving
    nothing = ca.SX(moving.u.shape[0], 1)
    return replace(mechanics, moving=replace(moving, u=nothing if rest else moving.u, u_dot=nothing))


def bias_force(mechanics: GraphMechanics) -> ca.SX:
    """Return h: Coriolis and centrifugal forces, without gravity, friction and springs."""
    return at_standstill(weightless(frictionless(mechanics)), rest=False).Q


def gravity_force(mechanics: GraphMechanics) -> ca.SX:
    """Return g: what holds the mechanism against gravity."""
    return at_standstill(frictionless(mechanics), rest=True).Q


def forward_dynamics(mechanics: GraphMechanics, tau: ca.SX) -> ca.SX:
    """Return u_dot with M u_dot = W^T tau - (what the motion takes without accelerating)."""
    drive = mechanics.W.T @ tau - at_standstill(mechanics, rest=False).Q
    return solve_positive_definite(mass_matrix(mechanics), drive)


def linearize(mechanics: GraphMechanics, tau: ca.SX) -> Linearization:
    """Linearize implicitly: 0 = r = Q(c, u, u_dot) - W^T tau gives M du_dot = -(dr/dc S_c delta + dr/du du) + W^T dtau.

    S_c are the rates of the configuration for unit independent velocities. An offset delta of a ball is in the axes
    that it has reached, so that delta_dot = du - u x delta.
    """
    moving = mechanics.moving
    if moving.plan.loose_turns:
        loose = ", ".join(moving.plan.loose_turns)
        reason = f"its pose has {loose} of a ball whose other components follow: choose other independent coordinates"
        raise UnsupportedRobotError(moving.plan.skeleton.description.name, reason)
    n, m = moving.u.shape[0], tau.shape[0]
    residual = mechanics.Q - mechanics.W.T @ tau
    S_c = displacements(moving).S
    right = ca.horzcat(-(ca.jacobian(residual, moving.c) @ S_c), -ca.jacobian(residual, moving.u), mechanics.W.T)
    solved = solve_positive_definite(mass_matrix(mechanics), right)
    acceleration = forward_dynamics(mechanics, tau)
    solved = ca.substitute(solved, moving.u_dot, acceleration)
    A = ca.vertcat(ca.horzcat(moving.plan.motion.offset_drift(moving.u), ca.SX.eye(n)), solved[:, : 2 * n])
    B = ca.vertcat(ca.SX(n, m), solved[:, 2 * n :])
    return Linearization(ca.densify(A), ca.densify(B), acceleration)


def energy(mechanics: GraphMechanics) -> Energy:
    """Return T and U of all links, rotors, joints and springs, as `dynamics.terms.energy` does; U counts from O."""
    mechanics = at_standstill(mechanics, rest=False)
    moving, skeleton = mechanics.moving, mechanics.moving.plan.skeleton
    kinetic, potential = ca.SX(0), ca.SX(0)
    for inertia, link in zip(mechanics.inertias, moving.tree.links, strict=True):
        if inertia is None:
            continue
        frame = link.frame
        R, w = frame.spin.R, frame.spin.R.T @ frame.spin.w
        h = R @ inertia.h
        kinetic += inertia.m * ca.sumsqr(frame.v) / 2 + ca.dot(frame.v, ca.cross(frame.spin.w, h))
        kinetic += ca.dot(w, inertia.I @ w) / 2
        potential -= ca.dot(mechanics.gravity, inertia.m * frame.p + h)
    for rod in mechanics.rods:
        P, C = moving.tree.at(rod.cut.parent), moving.tree.at(rod.cut.child)
        kinetic += rod.PC * ca.dot(P.v, C.v)
        potential -= rod.PC * ca.dot(mechanics.gravity, P.p + C.p)
        for place, mass, end in ((rod.cut.parent, rod.PP, P), (rod.cut.child, rod.CC, C)):
            potential -= mass * ca.dot(mechanics.gravity, end.p) if place.link == BASE_LINK else 0
    for name, rotor in mechanics.parameters.rotors.items():
        kinetic += rotor * moving.t[skeleton.velocity_names.index(name)] ** 2 / 2
    for motion, k, inertia in mechanics.own_inertias:
        kinetic += inertia * motion.rates[k] ** 2 / 2
    for link, share, inertia in compensated(mechanics):
        frame = moving.tree.links[link].frame
        potential += share * ca.dot(mechanics.gravity, inertia.m * frame.p + frame.spin.R @ inertia.h)
    for motion, k, _ in mechanics.joint_forces:
        spring = motion.joint.freedom(k).spring
        if spring is not None and mechanics.springs:
            potential += spring.stiffness * (motion.coordinates[k] - spring.rest) ** 2 / 2
    return Energy(kinetic, potential)

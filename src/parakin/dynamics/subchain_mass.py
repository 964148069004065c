"""Inverse dynamics by mass matrices of the sub-chains and Lagrange's equations on them, [Abdellatif2005].

    M = sum over legs of J_C^T M_j J_C + that of the platform + J_qv^T rotors J_qv          u_dot = J_C velocity

Each leg is a mechanism by itself with minimal coordinates u of its own; no acceleration of a body is ever written. The
derivation is in docs/theory/subchain_mass.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import casadi as ca

from parakin.description import Leg, attachment_joint
from parakin.description.patterns import pattern_of
from parakin.dynamics.friction import drive_forces, required_by_joints
from parakin.dynamics.inertia import Inertia
from parakin.dynamics.mechanics import Forces, Mechanics, actuator_forces, refuse_turns_inside
from parakin.dynamics.parameters import has_open_spin
from parakin.kinematics.bodies import Frame, element_frame
from parakin.kinematics.chain import chain_motion
from parakin.kinematics.elements import ElementMotion
from parakin.kinematics.leg import Attached
from parakin.kinematics.platform import platform_motion
from parakin.kinematics.robot_motion import solver_of
from parakin.motions import SCHOENFLIES, TRANSLATION
from parakin.spatial import skew, symmetric

AT_THE_END = (0.0, 0.0, 0.0)
"""Attachment of a leg by itself: the frame that moves with u has its origin at the leg's end."""


@dataclass(frozen=True)
class Coordinates:
    """Minimal coordinates of a leg as the robot moves it."""

    u: ca.SX
    """Position of the leg's end [m], and the platform's angle if the leg turns with it; or its joint coordinates."""
    u_dot: ca.SX
    """First derivative of u."""
    u_ddot: ca.SX
    """Second derivative of u."""
    J_C: ca.SX
    """(coordinates, freedom) matrix with u_dot = J_C velocity of the platform."""


@dataclass(frozen=True)
class Chain:
    """A leg by itself, M u_ddot + h + g = what acts at its end, where the robot has it."""

    M: ca.SX
    """Mass matrix in the coordinates u."""
    h: ca.SX
    """Centrifugal and Coriolis forces."""
    g: ca.SX
    """Forces of gravity."""
    at: Coordinates
    """The coordinates, rates and accelerations at which these hold."""


@dataclass(frozen=True)
class Mass:
    """A body as Lagrange's equations see it: kinetic energy rates^T metric rates/2."""

    rates: ca.SX
    """Velocities in which the body's metric is constant."""
    metric: ca.SX
    """Matrix of the kinetic energy, constant."""
    moment: ca.SX
    """Mass times the position of the centre of mass, in base axes [kg m]."""


def tau(mechanics: Mechanics) -> Forces:
    """Return the actuator forces: the legs' and the platform's equations of motion, brought to the platform.

    J_qv^T (tau - drives) = sum of J_C^T (M_j u_ddot + h_j + g_j) + joint friction + platform - wrench
    """
    f = required_by_joints(mechanics)
    for chain in chains(mechanics):
        f += chain.at.J_C.T @ (chain.M @ chain.at.u_ddot + chain.h + chain.g)
    for inertia, frame in mechanics.platform_bodies:
        f += _required_by_platform(inertia, frame, mechanics)
    if mechanics.acting.wrench is not None:
        f -= mechanics.acting.wrench
    return actuator_forces(mechanics.moving.J_qv, f, drive_forces(mechanics), mechanics.acting.weights)


def mass_matrix(mechanics: Mechanics) -> ca.SX:
    """Return the mass matrix M in platform coordinates, [Abdellatif2005] eq. (7); rotors included."""
    J_qv = mechanics.moving.J_qv
    rotors = J_qv.T @ ca.diag(mechanics.parameters.rotors) @ J_qv
    legs = (chain.at.J_C.T @ chain.M @ chain.at.J_C for chain in chains(mechanics))
    return symmetric(sum(legs, rotors + platform_mass(mechanics)))


def platform_mass(mechanics: Mechanics) -> ca.SX:
    """Return the platform's part of the mass matrix: sum over its bodies of J^T metric J, in body axes."""
    velocity = mechanics.moving.velocity
    n = velocity.shape[0]
    bodies = [(_metric(inertia), ca.jacobian(_twist(frame), velocity)) for inertia, frame in mechanics.platform_bodies]
    return sum((J.T @ metric @ J for metric, J in bodies), ca.SX.zeros(n, n))


def chains(mechanics: Mechanics) -> Iterator[Chain]:
    """Yield every leg's equation of motion, derived in a few symbols and then put where the robot has the leg."""
    refuse_turns_inside(mechanics, "subchain-mass", solved_as="swivel")
    bodies = iter(mechanics.parameters.bodies)
    for k, leg in enumerate(mechanics.legs):
        at = _coordinates(mechanics, k)
        n = at.u.shape[0]
        u, u_dot = ca.SX.sym("u", n), ca.SX.sym("u_dot", n)
        inertias = [next(bodies) for element in leg.elements for _ in element.bodies]
        masses = list(_masses(leg, _moved(leg, u, u_dot), inertias))
        kinetic = sum((ca.dot(mass.rates, mass.metric @ mass.rates) / 2 for mass in masses), ca.SX(0))
        potential = sum((-ca.dot(mechanics.gravity, mass.moment) for mass in masses), ca.SX(0))
        equation = ca.horzcat(_mass(masses, u_dot), _coriolis(kinetic, u, u_dot), ca.gradient(potential, u))
        equation = ca.substitute(equation, ca.vertcat(u, u_dot), ca.densify(ca.vertcat(at.u, at.u_dot)))
        yield Chain(equation[:, :n], equation[:, n], equation[:, n + 1], at)


def _mass(masses: Sequence[Mass], u_dot: ca.SX) -> ca.SX:
    """Return M_j of a chain, [Abdellatif2005] eq. (5): the sum of J^T metric J with rates = J u_dot."""
    n = u_dot.shape[0]
    bodies = [(mass.metric, ca.jacobian(mass.rates, u_dot)) for mass in masses]
    return sum((J.T @ metric @ J for metric, J in bodies), ca.SX.zeros(n, n))


def _coriolis(kinetic: ca.SX, u: ca.SX, u_dot: ca.SX) -> ca.SX:
    """Return h = M_dot u_dot - dT/du, Christoffel's symbols summed up.

    M u_dot is taken as dT/du_dot, which is shorter than from M itself.
    """
    return ca.jtimes(ca.gradient(kinetic, u_dot), u, u_dot) - ca.gradient(kinetic, u)


def _coordinates(mechanics: Mechanics, k: int) -> Coordinates:
    """Return the minimal coordinates of a leg, [Abdellatif2005] eq. (8) to (10): where its end is.

    A leg that turns with the platform has the platform's angle besides; a leg without a closed form has its joint
    coordinates instead.
    """
    moving, leg = mechanics.moving, mechanics.moving.legs[k]
    if leg.z is not None and leg.z_dot is not None and leg.z_ddot is not None:
        return Coordinates(leg.z, leg.z_dot, leg.z_ddot, ca.jacobian(leg.z_dot, moving.velocity))
    end, platform = moving.attachments[k], moving.platform
    if leg.j_w is None:
        return Coordinates(end.p, end.v, end.a, end.M)
    return Coordinates(
        ca.vertcat(end.p, platform.angle),
        ca.vertcat(end.v, platform.w_E[2]),
        ca.vertcat(end.a, platform.w_E_dot[2]),
        ca.vertcat(end.M, platform.W[2, :]),
    )


def _moved(leg: Leg, u: ca.SX, u_dot: ca.SX) -> tuple[ElementMotion, ...]:
    """Return the elements of a leg by itself from its minimal coordinates; their accelerations are not used."""
    nothing = ca.SX.zeros(u.shape[0])
    if pattern_of(leg) == "numeric":
        return chain_motion(leg, u, u_dot, nothing)
    end_motion = SCHOENFLIES if u.shape[0] == 4 else TRANSLATION
    end = platform_motion(end_motion, u, u_dot, nothing)
    joint = attachment_joint(leg, end_motion)
    return solver_of(leg)(leg, Attached(end.point(AT_THE_END, AT_THE_END), end, ca.SX(0, 1), joint)).elements


def _masses(leg: Leg, motions: tuple[ElementMotion, ...], inertias: list[Inertia]) -> Iterator[Mass]:
    """Yield the bodies of a leg, [Abdellatif2005] eq. (11) in body axes.

    Where the spin is open a body is a line of mass: its points run with A_dot + s x_dot, and no frame is needed.
    """
    remaining = iter(inertias)
    for element, motion in zip(leg.elements, motions, strict=True):
        for body in element.bodies:
            inertia, frame = next(remaining), element_frame(motion, body.part)
            if has_open_spin(element, body.part):
                line, mx = motion.line, inertia.h[0]
                metric = ca.kron(ca.blockcat([[inertia.m, mx], [mx, inertia.I[1, 1]]]), ca.SX.eye(3))
                yield Mass(ca.vertcat(frame.v, line.x_dot), metric, inertia.m * frame.p + mx * line.x)
            else:
                moment = inertia.m * frame.p + frame.spin.R @ inertia.h
                yield Mass(_twist(frame), _metric(inertia), moment)


def _twist(frame: Frame) -> ca.SX:
    """Return [v; w] of a frame in its own axes."""
    return ca.vertcat(frame.spin.R.T @ frame.v, frame.spin.R.T @ frame.spin.w)


def _metric(inertia: Inertia) -> ca.SX:
    """Return the matrix of a body's kinetic energy, T = [v; w]^T metric [v; w]/2 = m v·v/2 + v·(w x h) + w·I w/2."""
    h = skew(inertia.h)
    return ca.blockcat([[inertia.m * ca.SX.eye(3), -h], [h, inertia.I]])


def _required_by_platform(inertia: Inertia, frame: Frame, mechanics: Mechanics) -> ca.SX:
    """Return what a body of the platform asks for, by Kirchhoff's equations in body axes.

    Its velocities are no rates of coordinates, so that Lagrange's equations do not apply.

    [P; L] = metric [v; w],    F = P_dot + w x P - m g,    N = L_dot + w x L + v x P - h x g
    """
    R, w = frame.spin.R, frame.spin.R.T @ frame.spin.w
    v, g = R.T @ frame.v, R.T @ mechanics.gravity
    metric = _metric(inertia)
    momentum = metric @ ca.vertcat(v, w)
    P, L = momentum[:3], momentum[3:]
    grown = metric @ ca.vertcat(R.T @ frame.a - ca.cross(w, v), R.T @ frame.spin.w_dot)
    F = grown[:3] + ca.cross(w, P) - inertia.m * g
    N = grown[3:] + ca.cross(w, L) + ca.cross(v, P) - ca.cross(inertia.h, g)
    return ca.jacobian(_twist(frame), mechanics.moving.velocity).T @ ca.vertcat(F, N)

"""Inverse dynamics by two simplified models; docs/theory/simplified.md says what they leave out.

simplified: the last bar of every leg as two points, [Codourey1997] sec. 4.2; the rest is exact
nacelle: rotors with their arms, and the platform; bars without mass, [Vivas2003] eq. (13)

Friction, payload and external wrench are those of the exact model.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from parakin.description import Element
from parakin.description.patterns import pattern_of
from parakin.dynamics.body_by_body import required_by_bodies
from parakin.dynamics.friction import drive_forces, friction_force, required_by_joints
from parakin.dynamics.inertia import Inertia
from parakin.dynamics.mechanics import Forces, Mechanics, actuator_forces
from parakin.dynamics.parameter_symbols import Friction
from parakin.dynamics.parameters import Label, Quantity
from parakin.dynamics.subchain_mass import platform_mass
from parakin.errors import UnsupportedRobotError
from parakin.kinematics.bodies import Frame
from parakin.kinematics.elements import STILL
from parakin.units import ANGLE, FIRST_MOMENT, LENGTH

AT_ELBOW = 2 / 3
"""Part of a bar's mass that is put at its elbow; the rest is at the platform, [Codourey1997] sec. 4.2.

One third on the platform keeps a uniform bar's inertia about a resting elbow, m l^2/3; two thirds at the elbow keep its
mass. Its centre moves from l/2 to l/3.
"""


@dataclass(frozen=True)
class LumpedForm:
    """A simplified model in its linear form tau = Psi p."""

    Psi: ca.SX
    """(actuators, parameters) regressor."""
    p: ca.SX
    """(parameters,) what the robot's own parameters make of those of the model."""
    labels: tuple[Label, ...]
    """Owner, quantity and unit of each parameter of the model."""


@dataclass(frozen=True)
class DrivenArm:
    """The arm of a leg, as its motor turns it, and the two lumps of the bar that it carries."""

    name: str
    """Name of the leg and of its arm, with a dot between."""
    sign: int
    """Sense of the actuator, +1 or -1."""
    length: float
    """Length of the arm [m]."""
    inertia: Inertia
    """Bodies of the arm, about its root."""
    at_elbow: ca.SX
    """Lump of the bar at the elbow [kg]."""
    at_end: ca.SX
    """Lump of the bar at the platform [kg]."""


def tau(mechanics: Mechanics) -> Forces:
    """Return the actuator forces by virtual work, the last bar of every leg as two points, [Codourey1997] sec. 4.2."""
    required = required_by_bodies(mechanics, _lumped_bodies(mechanics))
    return actuator_forces(mechanics.moving.J_qv, required.f, required.drive_force, mechanics.acting.weights)


def nacelle_tau(mechanics: Mechanics) -> Forces:
    """Return the actuator forces of a robot whose bars have no mass, [Vivas2003] eq. (13).

        tau = I_mot q_ddot + J^T M (x_ddot - G),      J = J_qv^-1

    I_mot is the inertia of rotor and arm about the motor's axis; M has the mass of the platform and its inertia as it
    turns about E. Friction of drives and passive joints and an external wrench are added.
    """
    arms = ca.vertcat(*(arm.inertia.I[2, 2] for arm in _arms(mechanics)))
    straight = len(mechanics.moving.motion.linear)
    whole = platform_mass(mechanics)
    M = ca.diagcat(whole[:straight, :straight], whole[straight:, straight:])
    return _nacelle(mechanics, arms * mechanics.moving.q_ddot + drive_forces(mechanics), M)


def nacelle_form(mechanics: Mechanics) -> LumpedForm:
    """Return tau = Psi p of [Vivas2003] eq. (13) in that model's parameters.

    These are I_mot of each motor, M_nac, I_bc if the platform turns, and friction of each drive; friction of passive
    joints is not in it. Platforms that turn about more than one axis raise UnsupportedRobotError.
    """
    arms, known, motion = _arms(mechanics), mechanics.parameters, mechanics.moving.motion
    turning = len(motion.angular)
    if turning > 1:
        reason = f"this model is of platforms that turn about one axis or not at all, and its motion is {motion}"
        raise UnsupportedRobotError(mechanics.description.name, reason)
    whole = platform_mass(mechanics)
    driven = [arm.name for arm in arms]
    inertias = [known.rotors[k] + arm.inertia.I[2, 2] for k, arm in enumerate(arms)]
    frictions = [value for friction in known.actuators for value in (friction.viscous, friction.coulomb)]
    labels = [Label(name, Quantity.I_MOT, ANGLE.inertia) for name in driven]
    labels += [Label("platform", Quantity.M_NAC, LENGTH.inertia)]
    labels += [Label("platform", Quantity.I_BC, ANGLE.inertia)] * turning
    for name in driven:
        labels += [Label(name, Quantity.VISCOUS, ANGLE.viscous), Label(name, Quantity.COULOMB, ANGLE.force)]
    values = ca.vertcat(*inertias, whole[0, 0], *([whole[-1, -1]] * turning), *frictions)
    p = ca.SX.sym("p", len(labels))
    first, moving, sign = len(arms) + 1 + turning, mechanics.moving, mechanics.acting.sign
    drives = [
        p[k] * moving.q_ddot[k]
        + friction_force(Friction(p[first + 2 * k], p[first + 2 * k + 1]), moving.q_dot[k], sign)
        for k in range(len(arms))
    ]
    M = ca.diag(ca.vertcat(*([p[len(arms)]] * len(motion.linear)), *([p[len(arms) + 1]] * turning)))
    forces = _nacelle(mechanics, ca.vertcat(*drives), M)
    return LumpedForm(ca.densify(ca.jacobian(forces.tau, p)), values, tuple(labels))


def _nacelle(mechanics: Mechanics, drives: ca.SX, M: ca.SX) -> Forces:
    """Return the actuator forces from what the drives need, with all that is fixed to their shafts, and M."""
    moving = mechanics.moving
    f = M @ (moving.acceleration - moving.platform.L.T @ mechanics.gravity) + required_by_joints(mechanics)
    if mechanics.acting.wrench is not None:
        f -= mechanics.acting.wrench
    return actuator_forces(moving.J_qv, f, drives, mechanics.acting.weights)


def lumped_form(mechanics: Mechanics) -> LumpedForm:
    """Return the linear form of the lumped model, [Codourey1997] eq. (45): two columns a leg and one for the platform.

        Psi = [..., g_i e_i, q_ddot_i e_i, ..., J^T (x_ddot - G)]          g_i = -G·dx_i/dq_i
        p = [..., mx of arm and lump, Izz of arm, lump and rotor, ..., m of the platform and lumps]

    It is without friction and external wrench, for robots of driven arms and bars whose platform does not turn. A
    centre of mass off the arm's line has no column: such robots raise UnsupportedRobotError.
    """
    moving, platform = mechanics.moving, mechanics.moving.platform
    arms = _arms(mechanics)
    _refuse_without_form(mechanics)
    columns: list[ca.SX] = []
    p: list[ca.SX] = []
    labels: list[Label] = []
    for k, arm in enumerate(arms):
        y, unit = moving.legs[k].elements[0].frame.R[:, 1], ca.SX.eye(len(arms))[:, k]
        lever = -arm.sign * ca.dot(mechanics.gravity, y)
        columns += [lever * unit, moving.q_ddot[k] * unit]
        turned = mechanics.parameters.rotors[k] + arm.inertia.I[2, 2] + arm.at_elbow * arm.length**2
        p += [arm.inertia.h[0] + arm.at_elbow * arm.length, turned]
        labels += [Label(arm.name, Quantity.MX, FIRST_MOMENT), Label(arm.name, Quantity.IZZ, ANGLE.inertia)]
    carried = [inertia.m for inertia, _ in mechanics.platform_bodies] + [arm.at_end for arm in arms]
    lifted = actuator_forces(moving.J_qv, platform.L.T @ (platform.a_E - mechanics.gravity), ca.SX.zeros(len(arms)))
    Psi = ca.horzcat(*columns, lifted.tau)
    labels.append(Label("platform", Quantity.M, LENGTH.inertia))
    return LumpedForm(Psi, ca.vertcat(*p, sum(carried, ca.SX(0))), tuple(labels))


def _arms(mechanics: Mechanics) -> list[DrivenArm]:
    """Return every leg as an arm on a motor and the lumps of its bar; robots with other legs are refused."""
    bodies = iter(mechanics.parameters.bodies)
    arms: list[DrivenArm] = []
    for leg in mechanics.legs:
        actuator = leg.elements[0].actuator
        if pattern_of(leg) != "arm" or actuator is None:
            reason = f"this model is of legs that are a driven arm and a bar, and {leg.name} is not"
            raise UnsupportedRobotError(mechanics.description.name, reason)
        arm, bar = leg.elements
        assert arm.length is not None
        inertia = sum((next(bodies) for _ in arm.bodies), _point(ca.SX(0)))
        lumps = _shares(bar, [next(bodies).m for _ in bar.bodies])
        arms.append(DrivenArm(f"{leg.name}.{arm.name}", actuator.sign, arm.length, inertia, *lumps))
    return arms


def _lumped_bodies(mechanics: Mechanics) -> list[tuple[Inertia, Frame]]:
    """Return every body with its frame, those of the last bars as points at the elbow and at the platform."""
    remaining = iter(mechanics.bodies)
    lumped: list[tuple[Inertia, Frame]] = []
    for k, leg in enumerate(mechanics.legs):
        *others, bar = leg.elements
        if bar.type != "bar":
            reason = f"only bars are lumped, and the last element of {leg.name} is a {bar.type}"
            raise UnsupportedRobotError(mechanics.description.name, reason)
        lumped += [next(remaining) for element in others for _ in element.bodies]
        elbow, end = _shares(bar, [next(remaining)[0].m for _ in bar.bodies])
        line, tip = mechanics.moving.legs[k].elements[-1].line, mechanics.moving.attachments[k]
        lumped.append((_point(elbow), Frame(line.A, line.A_dot, line.A_ddot, STILL)))
        lumped.append((_point(end), Frame(tip.p, tip.v, tip.a, STILL)))
    return [*lumped, *remaining]


def _shares(bar: Element, masses: list[ca.SX]) -> tuple[ca.SX, ca.SX]:
    """Return the bar's mass at the elbow and at the platform; the ring of its joint stays whole at the elbow."""
    elbow, end = ca.SX(0), ca.SX(0)
    for body, m in zip(bar.bodies, masses, strict=True):
        share = 1.0 if body.part == "ring" else AT_ELBOW
        elbow, end = elbow + share * m, end + (1 - share) * m
    return elbow, end


def _point(m: ca.SX) -> Inertia:
    """Return a mass point at the origin of its frame."""
    return Inertia(m, ca.SX.zeros(3), ca.SX.zeros(3, 3))


def _refuse_without_form(mechanics: Mechanics) -> None:
    """Raise UnsupportedRobotError where a robot of driven arms has no lumped linear form."""
    description, (actuators, freedom) = mechanics.description, mechanics.moving.J_qv.shape
    reason = None
    if description.motion_type.turns:
        reason = f"a platform that does not turn, and its motion is {description.motion}"
    elif actuators != freedom:
        reason = f"as many actuators as degrees of freedom, not {actuators} for {freedom}"
    elif any(body.com[1] != 0.0 for leg in mechanics.legs for body in leg.elements[0].bodies):
        reason = "arms with their centre of mass on their line"
    if reason is not None:
        raise UnsupportedRobotError(description.name, f"the lumped linear form needs {reason}")

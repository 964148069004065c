"""Find the actuator forces in fewer operations, for legs of an arm or a rail and a bar.

A bar that is two mass points transmits along its line alone: the only unknown of a leg is a scalar, the force lambda
along its bar. The tips' forces give all lambda at once, and each drive then sees one scalar equation about its axis:

    sum M_C^T x_2 lambda = f        T = J rate_dot + y·(lever lambda x_2 + AB lever d_2 x_2_ddot + weight) + friction

with AA, AB, BB and off of a bar as in `TwoPoints`. The derivation is in docs/theory/kinematic_elements.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca

from parakin.dynamics.friction import friction_force
from parakin.dynamics.inertia import wrench_of
from parakin.dynamics.kinematic_elements.bar_legs import BarLeg, bar_legs
from parakin.dynamics.kinematic_elements.observed import Seen, platform_seen
from parakin.dynamics.mechanics import Forces, Mechanics
from parakin.dynamics.platform import platform_inertia
from parakin.kinematics.bodies import platform_frame
from parakin.linalg.solve import solve_pivoted


def reduced_tau(mechanics: Mechanics, observed: Seen) -> Forces:
    """Return the actuator forces tau = sign T of a `reducible` robot from observed elements."""
    legs = bar_legs(mechanics, observed)
    braking = [_bar_friction(mechanics, leg) for leg in legs]
    if not mechanics.moving.motion.turns:
        f = _force_at_tip(mechanics, legs, braking)
        columns = ca.horzcat(*(leg.second.x for leg in legs))
    else:
        f, columns = _force_on_platform(mechanics, observed, legs, braking)
    lambdas, pivot = along_bars(columns, f, legs)
    forces: list[ca.SX] = []
    for leg, braked, strain in zip(legs, braking, lambdas, strict=True):
        actuator = mechanics.legs[leg.number].elements[0].actuator
        assert actuator is not None
        forces.append(actuator.sign * drive_force(mechanics, leg, strain, braked))
    return Forces(ca.vertcat(*forces), pivot)


@dataclass(frozen=True)
class Braking:
    """Friction in the root of a bar, as the bar and its arm feel it."""

    force: ca.SX
    """Force at C that friction takes, its opposite being at B [N]."""
    about_axis: ca.SX
    """Moment of the friction about the arm's axis [N m]; 0 for a rail."""


def _bar_friction(mechanics: Mechanics, leg: BarLeg) -> Braking:
    """Return the friction in a bar's root, which acts on the bar's rate against the arm.

    A moment N across the bar is the couple N x x_2/d_2 at C and its opposite at B.
    """
    friction = mechanics.parameters.joints[leg.number, 1]
    if friction.viscous.is_zero() and friction.coulomb.is_zero():
        return Braking(ca.SX(3, 1), ca.SX(0))
    x, x_dot, z = leg.second.x, leg.second.x_dot, leg.drive.z
    if mechanics.legs[leg.number].elements[1].joint.type == "revolute":
        assert z is not None
        y_2 = ca.cross(z, x)
        moment = friction_force(friction, ca.dot(y_2, x_dot) - leg.drive.rate, mechanics.acting.sign)
        return Braking((moment / leg.second.d) * y_2, moment)
    w = ca.cross(x, x_dot) if z is None else ca.cross(x, x_dot) - leg.drive.rate * z
    N = friction.viscous * w
    return Braking(ca.cross(N, x) / leg.second.d, ca.SX(0) if z is None else ca.dot(N, z))


def _force_at_tip(mechanics: Mechanics, legs: list[BarLeg], braking: list[Braking]) -> ca.SX:
    """Return what a platform that does not turn asks of all bars together.

    Masses that share an acceleration are added first.

    f = m a_C + sum (AB a_B - off z x a_B) - weights - wrench,    a_C = a_B + d_2 x_2_ddot of the first leg
    """
    m = sum((leg.bar.BB for leg in legs), platform_inertia(mechanics).m)
    g, lead = mechanics.gravity, legs[0]
    f = (m * lead.second.d) * lead.second.x_ddot
    weight = m * g
    for leg, braked in zip(legs, braking, strict=True):
        f += leg.a_B(leg.bar.AB + m if leg is lead else leg.bar.AB) + braked.force
        weight += leg.bar.AB * g
        if leg.drive.z is not None:
            f -= ca.cross((leg.bar.off * leg.drive.lever) * leg.drive.z, leg.first.x_ddot)
            weight -= ca.cross(leg.bar.off * leg.drive.z, g)
    if mechanics.acting.wrench is not None:
        weight += mechanics.moving.platform.L @ mechanics.acting.wrench
    return f - weight


def _force_on_platform(
    mechanics: Mechanics, observed: Seen, legs: list[BarLeg], braking: list[Braking]
) -> tuple[ca.SX, ca.SX]:
    """Return f, what a platform that turns asks of all bars, and the columns M_C^T x_2."""
    platform = platform_seen(mechanics, observed)
    wrench = wrench_of(
        platform_inertia(mechanics, [leg.bar.BB for leg in legs]), platform_frame(platform), mechanics.gravity
    )
    f = platform.L.T @ wrench.F + platform.W.T @ wrench.N
    if mechanics.acting.wrench is not None:
        f -= mechanics.acting.wrench
    columns: list[ca.SX] = []
    for leg, braked in zip(legs, braking, strict=True):
        attachment = mechanics.legs[leg.number].attachment
        M_C = platform.point(attachment.b, attachment.c).M
        at_C = leg.a_B(leg.bar.AB) - leg.bar.AB * mechanics.gravity + braked.force
        if leg.drive.z is not None:
            axis = leg.bar.off * leg.drive.z
            at_C -= leg.drive.lever * ca.cross(axis, leg.first.x_ddot) - ca.cross(axis, mechanics.gravity)
        f += M_C.T @ at_C
        columns.append(M_C.T @ leg.second.x)
    return f, ca.horzcat(*columns)


def along_bars(columns: ca.SX, f: ca.SX, legs: list[BarLeg]) -> tuple[list[ca.SX], ca.SX]:
    """Return lambda of every leg, with the sum of column lambda = f, and a pivot.

    Two bars in a plane across z, in three components as in two: with t = z x x_22

        lambda_1 = f·t/(x_21·t),    lambda_2 = x_22·(f - lambda_1 x_21)
    """
    if columns.shape[1] != 2:
        lambdas, pivot = solve_pivoted(columns, f)
        return [lambdas[k] for k in range(columns.shape[1])], pivot
    one, two = columns[:, 0], columns[:, 1]
    t = ca.cross(ca.SX([0, 0, 1]) if legs[0].drive.z is None else legs[0].drive.z, two)
    pivot = ca.dot(one, t)
    first = ca.dot(f, t) / pivot
    return [first, ca.dot(two, f - first * one)], pivot


def drive_force(mechanics: Mechanics, leg: BarLeg, strain: ca.SX, braked: Braking) -> ca.SX:
    """Return T of one drive, in the sense of its rate.

        J = inertia + rotor + (AA + AB) lever^2

    An arm has the further term off lever (d_2 x_1·x_2_ddot - lever rate^2), which is lever y·(off z x a_C) with
    x_1·x_1_ddot = -rate^2.
    """
    drive, bar, second = leg.drive, leg.bar, leg.second
    J = drive.inertia + mechanics.parameters.rotors[leg.number] + (bar.AA + bar.AB) * drive.lever**2
    push = (drive.lever * strain) * second.x + (bar.AB * drive.lever * second.d) * second.x_ddot + drive.weight
    of_drive = J * drive.rate_dot + friction_force(
        mechanics.parameters.actuators[leg.number], drive.rate, mechanics.acting.sign
    )
    force = of_drive + ca.dot(drive.y, push - drive.lever * braked.force) - braked.about_axis
    if drive.z is None:
        return force
    swing = (bar.off * drive.lever * second.d) * ca.dot(leg.first.x, second.x_ddot)
    return force + (swing - (bar.off * drive.lever**2) * drive.rate**2)

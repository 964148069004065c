"""Give the forces on each element, [Ozgur2013] eq. (9), one function a type: step 4 of the paper.

Forces act at the origin of a body's frame, moments about it, in base axes; rates are those of a leg's motion basis.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import casadi as ca

from parakin.description import Element
from parakin.dynamics.friction import friction_force
from parakin.dynamics.inertia import Inertia, Wrench
from parakin.dynamics.kinematic_elements.constraints import turning_axes
from parakin.dynamics.kinematic_elements.coordinates import Coordinates
from parakin.dynamics.kinematic_elements.elements import D_DOT, RATES, THETA_DOT
from parakin.dynamics.mechanics import Mechanics
from parakin.dynamics.parameters import has_open_spin
from parakin.kinematics.bodies import Frame
from parakin.kinematics.elements import ElementMotion


@dataclass(frozen=True)
class Joint:
    """A scalar mobility, in the sense of its actuator."""

    row: ca.SX
    """(1, rates) row with rate = row u, u the motion basis of the leg."""
    rate: ca.SX
    """Its rate [rad/s or m/s]."""
    growth: ca.SX
    """Derivative of the rate."""


def in_base_axes(inertia: Inertia, element: Element, motion: ElementMotion, part: str, frame: Frame) -> Inertia:
    """Return a body's inertia in base axes. A body whose spin is open is round about its line, and needs no frame."""
    if has_open_spin(element, part):
        x = motion.line.x
        return Inertia(inertia.m, inertia.h[0] * x, inertia.I[1, 1] * (ca.SX.eye(3) - x @ x.T))
    return turned(inertia, frame.spin.R)


def turned(inertia: Inertia, R: ca.SX) -> Inertia:
    """Return an inertia in the axes to which R takes it: R h and R I R^T."""
    return Inertia(inertia.m, R @ inertia.h, R @ inertia.I @ R.T)


def gravity_force(inertia: Inertia, gravity: ca.SX) -> Wrench:
    """Return gravity of a body, m g at its centre of mass: force and moment about the frame's origin."""
    return Wrench(inertia.m * gravity, ca.cross(inertia.h, gravity))


def inertia_force(inertia: Inertia, frame: Frame) -> Wrench:
    """Return the inertia force -m S_ddot and the moment -d(I w)/dt of a body, about the frame's origin instead of S."""
    w, w_dot, h = frame.spin.w, frame.spin.w_dot, inertia.h
    force = inertia.m * frame.a + ca.cross(w_dot, h) + ca.cross(w, ca.cross(w, h))
    moment = ca.cross(h, frame.a) + inertia.I @ w_dot + ca.cross(w, inertia.I @ w)
    return Wrench(-force, -moment)


def driven_joint(element: Element, k: int, motion: ElementMotion, coordinates: Coordinates) -> Joint:
    """Return what an element's actuator moves, q_dot = sign rate: an angle of its root, its length, or theta."""
    assert element.actuator is not None
    sign, row = element.actuator.sign, ca.SX(1, coordinates.W.shape[1])
    if element.actuator.coordinate in ("angle", "second"):
        second = element.actuator.coordinate == "second"
        axis, held_by = turning_axes(element, motion)[second], motion.ring if second else motion.carrier
        assert held_by is not None, "only a universal joint has a second axis"
        row = axis.T @ (coordinates.W - coordinates.W_carrier)
        relative, relative_dot = motion.frame.w - motion.carrier.w, motion.frame.w_dot - motion.carrier.w_dot
        growth = ca.dot(axis, relative_dot) + ca.dot(ca.cross(held_by.w, axis), relative)
        return Joint(sign * row, sign * ca.dot(axis, relative), sign * growth)
    if element.actuator.coordinate == "length":
        row[RATES * k + D_DOT] = sign
        return Joint(row, sign * motion.line.d_dot, sign * motion.line.d_ddot)
    row[RATES * k + THETA_DOT] = sign
    return Joint(row, sign * motion.theta[1], sign * motion.theta[2])


def actuator_force(mechanics: Mechanics, number: int, joint: Joint) -> ca.SX:
    """Return the force of an actuator's inertia and friction, [Ozgur2013] eq. (17) to (21), for all three kinds."""
    friction = friction_force(mechanics.parameters.actuators[number], joint.rate, mechanics.acting.sign)
    return -mechanics.parameters.rotors[number] * joint.growth - friction


def joint_friction(
    mechanics: Mechanics, place: tuple[int, int], motion: ElementMotion, coordinates: Coordinates
) -> Iterator[tuple[ca.SX, ca.SX]]:
    """Yield the row of the rate and the friction force for every axis of a passive root.

    Friction acts on the rate relative to the carrier, so that its reaction acts on the carrier; [Ozgur2013] Table 2
    leaves that out.
    """
    friction = mechanics.parameters.joints.get(place)
    if friction is None or (friction.viscous.is_zero() and friction.coulomb.is_zero()):
        return
    for axis in turning_axes(mechanics.legs[place[0]].elements[place[1]], motion):
        rate = ca.dot(axis, motion.frame.w - motion.carrier.w)
        row = axis.T @ (coordinates.W - coordinates.W_carrier)
        yield row, -friction_force(friction, rate, mechanics.acting.sign)

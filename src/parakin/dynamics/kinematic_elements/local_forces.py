"""Step 4: the forces of [Ozgur2013] eq. (9) on each element, one function a type.

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
from parakin.dynamics.kinematic_elements.elements import RATES, THETA, D
from parakin.dynamics.mechanics import Mechanics
from parakin.dynamics.parameters import has_open_spin
from parakin.kinematics.bodies import Frame
from parakin.kinematics.elements import ElementMotion


@dataclass(frozen=True)
class Joint:
    """A scalar mobility: rate = row u, and its derivative."""

    row: ca.SX
    rate: ca.SX
    growth: ca.SX


def in_base_axes(inertia: Inertia, element: Element, motion: ElementMotion, part: str, frame: Frame) -> Inertia:
    """h and I in base axes. A body whose spin is open is round about its line, and needs no frame."""
    if has_open_spin(element, part):
        x = motion.line.x
        return Inertia(inertia.m, inertia.h[0] * x, inertia.I[1, 1] * (ca.SX.eye(3) - x @ x.T))
    return turned(inertia, frame.spin.R)


def turned(inertia: Inertia, R: ca.SX) -> Inertia:
    return Inertia(inertia.m, R @ inertia.h, R @ inertia.I @ R.T)


def gravity_force(inertia: Inertia, gravity: ca.SX) -> Wrench:
    """f_g = m g, at the centre of mass."""
    return Wrench(inertia.m * gravity, ca.cross(inertia.h, gravity))


def inertia_force(inertia: Inertia, frame: Frame) -> Wrench:
    """f* = -m S_ddot and the moment -d(I w)/dt, about the frame's origin instead of S."""
    w, w_dot, h = frame.spin.w, frame.spin.w_dot, inertia.h
    force = inertia.m * frame.a + ca.cross(w_dot, h) + ca.cross(w, ca.cross(w, h))
    moment = ca.cross(h, frame.a) + inertia.I @ w_dot + ca.cross(w, inertia.I @ w)
    return Wrench(-force, -moment)


def driven_joint(element: Element, k: int, motion: ElementMotion, coordinates: Coordinates) -> Joint:
    """What an element's actuator moves: the angle of its root, its length, or theta; q_dot = sign rate."""
    assert element.actuator is not None
    sign, row = element.actuator.sign, ca.SX(1, coordinates.W.shape[1])
    if element.actuator.coordinate == "angle":
        axis, w_carrier = turning_axes(element, motion)[0], motion.carrier.w
        row = axis.T @ (coordinates.W - coordinates.W_carrier)
        relative, relative_dot = motion.frame.w - w_carrier, motion.frame.w_dot - motion.carrier.w_dot
        growth = ca.dot(axis, relative_dot) + ca.dot(ca.cross(w_carrier, axis), relative)
        return Joint(sign * row, sign * ca.dot(axis, relative), sign * growth)
    if element.actuator.coordinate == "length":
        row[RATES * k + D] = sign
        return Joint(row, sign * motion.line.d_dot, sign * motion.line.d_ddot)
    row[RATES * k + THETA] = sign
    return Joint(row, sign * motion.theta[1], sign * motion.theta[2])


def actuator_force(mechanics: Mechanics, number: int, joint: Joint) -> ca.SX:
    """Inertia and friction of an actuator, of whichever of the three kinds. [Ozgur2013] eq. (17) to (21)."""
    friction = friction_force(mechanics.parameters.actuators[number], joint.rate, mechanics.acting.sign)
    return -mechanics.parameters.rotors[number] * joint.growth - friction


def joint_friction(
    mechanics: Mechanics, place: tuple[int, int], motion: ElementMotion, coordinates: Coordinates
) -> Iterator[tuple[ca.SX, ca.SX]]:
    """Row of the rate and force, for every axis of a passive root.

    On the rate relative to the carrier, so that the reaction acts on the carrier; [Ozgur2013] Table 2 leaves it out.
    """
    friction = mechanics.parameters.joints.get(place)
    if friction is None or (friction.viscous.is_zero() and friction.coulomb.is_zero()):
        return
    for axis in turning_axes(mechanics.legs[place[0]].elements[place[1]], motion):
        rate = ca.dot(axis, motion.frame.w - motion.carrier.w)
        row = axis.T @ (coordinates.W - coordinates.W_carrier)
        yield row, -friction_force(friction, rate, mechanics.acting.sign)

"""Friction: force = viscous rate + coulomb sign(rate), on the relative rate of a joint.

A spherical root, and rods, brake their relative angular velocity, viscous only. At rest sign(0) = 0: Coulomb friction
neither helps nor resists a joint that stands still.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import casadi as ca

from parakin.description.model import Element
from parakin.dynamics.mechanics import Mechanics
from parakin.dynamics.parameters import Friction
from parakin.kinematics.elements import ElementMotion
from parakin.kinematics.leg import LegMotion


def friction_force(friction: Friction, rate: ca.SX, sign: Callable[[ca.SX], ca.SX]) -> ca.SX:
    return friction.viscous * rate + friction.coulomb * sign(rate)


def relative_rates(element: Element, motion: ElementMotion) -> list[ca.SX]:
    """Of the root joint: about the axis of a revolute, both axes of a universal, the three of a free one."""
    w = motion.frame.w - motion.carrier.w
    if element.joint.type == "revolute":
        return [ca.dot(w, motion.frame.R[:, 2])]
    if element.joint.type == "universal":
        assert motion.ring is not None
        return [ca.dot(w, motion.ring.R[:, 0]), ca.dot(w, motion.ring.R[:, 1])]
    return [w[k] for k in range(3)]


def actuator_friction(mechanics: Mechanics) -> ca.SX:
    """Of each actuator, on its own rate."""
    rates, sign = mechanics.moving.q_dot, mechanics.acting.sign
    return ca.vertcat(*(friction_force(own, rates[k], sign) for k, own in enumerate(mechanics.parameters.actuators)))


def drive_forces(mechanics: Mechanics) -> ca.SX:
    """What the actuators need for themselves: n^2 I q_ddot of their rotors, and their friction."""
    return mechanics.parameters.rotors * mechanics.moving.q_ddot + actuator_friction(mechanics)


def joint_friction(mechanics: Mechanics) -> Iterator[tuple[ca.SX, ca.SX]]:
    """Relative rate and friction force of every passive joint that has any."""
    for k, leg in enumerate(mechanics.moving.legs):
        yield from leg_friction(mechanics, k, leg)


def leg_friction(mechanics: Mechanics, k: int, motion: LegMotion) -> Iterator[tuple[ca.SX, ca.SX]]:
    """The same of leg k, moving as told."""
    for m, element in enumerate(mechanics.legs[k].elements):
        friction = mechanics.parameters.joints.get((k, m))
        if friction is None or (friction.viscous.is_zero() and friction.coulomb.is_zero()):
            continue
        for rate in relative_rates(element, motion.elements[m]):
            yield rate, friction_force(friction, rate, mechanics.acting.sign)

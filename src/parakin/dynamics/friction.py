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


def drive_forces(mechanics: Mechanics) -> ca.SX:
    """What the actuators need for themselves: n^2 I q_ddot of their rotors, and their friction."""
    moving, parameters = mechanics.moving, mechanics.parameters
    friction = [
        friction_force(friction, moving.q_dot[k], mechanics.acting.sign)
        for k, friction in enumerate(parameters.actuators)
    ]
    return parameters.rotors * moving.q_ddot + ca.vertcat(*friction)


def joint_friction(mechanics: Mechanics) -> Iterator[tuple[ca.SX, ca.SX]]:
    """Relative rate and friction force of every passive joint that has any."""
    for (k, m), friction in mechanics.parameters.joints.items():
        if friction.viscous.is_zero() and friction.coulomb.is_zero():
            continue
        for rate in relative_rates(mechanics.legs[k].elements[m], mechanics.moving.legs[k].elements[m]):
            yield rate, friction_force(friction, rate, mechanics.acting.sign)


def required_by_joints(mechanics: Mechanics) -> ca.SX:
    """What the friction of passive joints takes, platform coordinates: the sum of J_rate^T force, rate = J_rate v."""
    velocity = mechanics.moving.velocity
    f = ca.SX.zeros(velocity.shape[0])
    for rate, force in joint_friction(mechanics):
        f += ca.jacobian(rate, velocity).T @ force
    return f

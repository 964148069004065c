"""Friction: force = viscous rate + coulomb sign(rate), on the relative rate of a joint.

A spherical root, and rods, brake their relative angular velocity, viscous only. At rest sign(0) = 0: Coulomb friction
neither helps nor resists a joint that stands still.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import casadi as ca

from parakin.description import Element
from parakin.dynamics.mechanics import Mechanics, Sign
from parakin.dynamics.parameter_symbols import Friction
from parakin.kinematics.elements import ElementMotion


def smooth_sign(rate: ca.SX, smoothing: ca.SX | float) -> ca.SX:
    """Return rate/sqrt(rate^2 + smoothing^2): the sign of a rate far above the smoothing, smooth through zero.

    A square root and a division; tanh(rate/smoothing) would take a third of an H4's forward dynamics.
    """
    return rate / ca.sqrt(rate * rate + smoothing * smoothing)


def friction_force(friction: Friction, rate: ca.SX, sign: Sign) -> ca.SX:
    """Return viscous rate + coulomb sign(rate)."""
    return friction.viscous * rate + friction.coulomb * sign(rate)


def relative_rates(element: Element, motion: ElementMotion) -> list[ca.SX]:
    """Return the rates of a root joint: about its axis, both axes of a universal, the base's of a free one."""
    w = motion.frame.w - motion.carrier.w
    if element.joint.type == "revolute":
        return [ca.dot(w, motion.frame.R[:, 2])]
    if element.joint.type == "universal":
        assert motion.ring is not None
        return [ca.dot(w, motion.ring.R[:, 0]), ca.dot(w, motion.ring.R[:, 1])]
    return [w[k] for k in range(3)]


def actuator_friction(mechanics: Mechanics) -> ca.SX:
    """Return the friction of each actuator on its own rate."""
    rates, sign = mechanics.moving.q_dot, mechanics.acting.sign
    return ca.vertcat(
        *(friction_force(friction, rates[k], sign) for k, friction in enumerate(mechanics.parameters.actuators))
    )


def drive_forces(mechanics: Mechanics) -> ca.SX:
    """Return what the actuators need for themselves: n^2 I q_ddot of their rotors, and their friction."""
    return mechanics.parameters.rotors * mechanics.moving.q_ddot + actuator_friction(mechanics)


def joint_friction(mechanics: Mechanics) -> Iterator[tuple[ca.SX, ca.SX]]:
    """Yield the relative rate and the friction force of every passive joint that has friction."""
    for (k, m), friction in mechanics.parameters.joints.items():
        element, motion = mechanics.legs[k].elements[m], mechanics.moving.legs[k].elements[m]
        yield from root_friction(element, motion, friction, mechanics.acting.sign)
    yield from attachment_friction(mechanics)


def attachment_friction(mechanics: Mechanics) -> Iterator[tuple[ca.SX, ca.SX]]:
    """Yield the relative rate and the friction force of every joint at the platform that has friction.

    And of every slide and turn inside an element, which closed forms of legs know no more of than of the platform's.
    """
    from parakin.kinematics.ending import ending_of

    moving = mechanics.moving
    for (k, m, turns), friction in mechanics.parameters.inside.items():
        motion = moving.legs[k].elements[m]
        rate = motion.theta[1] if turns else motion.line.d_dot
        yield rate, friction_force(friction, rate, mechanics.acting.sign)
    for k, friction in mechanics.parameters.attachments.items():
        if friction.viscous.is_zero() and friction.coulomb.is_zero():
            continue
        for rate in ending_of(mechanics.legs[k], moving.attached[k], moving.legs[k].elements[-1]).rates:
            yield rate, friction_force(friction, rate, mechanics.acting.sign)


def root_friction(
    element: Element, motion: ElementMotion, friction: Friction, sign: Sign
) -> Iterator[tuple[ca.SX, ca.SX]]:
    """Yield the relative rates of an element's root joint with the friction forces on them, if it has friction."""
    if friction.viscous.is_zero() and friction.coulomb.is_zero():
        return
    for rate in relative_rates(element, motion):
        yield rate, friction_force(friction, rate, sign)


def required_by_joints(mechanics: Mechanics) -> ca.SX:
    """Return what the friction of passive joints takes, in platform coordinates."""
    return braking(joint_friction(mechanics), mechanics.moving.velocity)


def braking(frictions: Iterable[tuple[ca.SX, ca.SX]], velocity: ca.SX) -> ca.SX:
    """Return the virtual work of joints (rate, force): the sum of J_rate^T force, rate = J_rate velocity."""
    f = ca.SX.zeros(velocity.shape[0])
    for rate, force in frictions:
        f += ca.jacobian(rate, velocity).T @ force
    return f

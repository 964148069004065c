"""Virtual work body by body, [Codourey1997]: docs/theory/virtual_work.md.

    J_qv^T tau = sum over bodies of J_v^T F + J_w^T N          v = J_v velocity,  w = J_w velocity

with F and N what the body's motion takes at the origin of its frame, linear in the body's ten parameters.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import casadi as ca

from parakin.dynamics.friction import attachment_friction, braking, drive_forces, required_by_joints
from parakin.dynamics.inertia import Inertia, wrench_of
from parakin.dynamics.mechanics import Forces, Mechanics, actuator_forces
from parakin.kinematics.bodies import Frame
from parakin.kinematics.elements import Spin
from parakin.kinematics.robot_motion import rate_along_motion


@dataclass(frozen=True)
class Required:
    """What a motion asks of the drives: J_qv^T (tau - drive_force) = f."""

    f: ca.SX
    """What moves platform and legs, in platform coordinates [N, N m]."""
    drive_force: ca.SX
    """What each drive needs for itself [N or N m]."""


def tau(mechanics: Mechanics) -> Forces:
    """Return the actuators' forces, [Codourey1997] eq. (20)."""
    required = required_by_bodies(mechanics)
    return actuator_forces(mechanics.moving.J_qv, required.f, required.drive_force, mechanics.acting.weights)


def required_by_bodies(mechanics: Mechanics, bodies: Iterable[tuple[Inertia, Frame]] | None = None) -> Required:
    """Return what the motion of all bodies asks, with friction and what acts from outside, [Codourey1997] eq. (18):

    f = sum J_v^T F + J_w^T N + sum J_rate^T (viscous rate + coulomb sign(rate)) - wrench

    bodies: taken in place of the robot's.
    """
    taken = mechanics.bodies if bodies is None else bodies
    f = virtual_work(taken, mechanics.gravity, mechanics.moving.velocity) + required_by_joints(mechanics)
    if mechanics.acting.wrench is not None:
        f -= mechanics.acting.wrench
    return Required(f, drive_forces(mechanics))


def virtual_work(bodies: Iterable[tuple[Inertia, Frame]], gravity: ca.SX, velocity: ca.SX) -> ca.SX:
    """Return the virtual work of bodies along a velocity: sum of J_v^T F + J_w^T N."""
    f = ca.SX.zeros(velocity.shape[0])
    for inertia, frame in bodies:
        wrench = wrench_of(inertia, frame, gravity)
        f += ca.jacobian(frame.v, velocity).T @ wrench.F + ca.jacobian(frame.spin.w, velocity).T @ wrench.N
    return f


def required_by_attachments(mechanics: Mechanics) -> ca.SX:
    """Return what crosses and friction between legs and platform ask, in platform coordinates.

    For formulations that know neither; zero for most robots.
    """
    velocity = mechanics.moving.velocity
    at_work = virtual_work(mechanics.crosses, mechanics.gravity, velocity)
    return at_work + braking(attachment_friction(mechanics), velocity)


def required_with_reference(mechanics: Mechanics, v_r: ca.SX) -> Required:
    """Return what M a + C(v) v_r + g asks with a reference velocity v_r, and the friction of the motion itself.

    A body's frame accelerates by J_v a + J_v_dot v_r and J_w a + J_w_dot v_r, a rotor by J_qv a + J_qv_dot v_r.
    """
    moving = mechanics.moving

    def referred(J: ca.SX) -> ca.SX:
        return J @ moving.acceleration + rate_along_motion(J, moving) @ v_r

    f = required_by_joints(mechanics)
    for inertia, frame in mechanics.bodies:
        J_v, J_w = ca.jacobian(frame.v, moving.velocity), ca.jacobian(frame.spin.w, moving.velocity)
        spin = Spin(frame.spin.R, frame.spin.w, referred(J_w))
        wrench = wrench_of(inertia, Frame(frame.p, frame.v, referred(J_v), spin), mechanics.gravity, J_w @ v_r)
        f += J_v.T @ wrench.F + J_w.T @ wrench.N
    drive_force = drive_forces(mechanics) + mechanics.parameters.rotors * (referred(moving.J_qv) - moving.q_ddot)
    return Required(f, drive_force)

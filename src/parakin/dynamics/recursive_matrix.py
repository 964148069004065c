"""Inverse dynamics by recursion over local frames in unit virtual motions, [Sinatra2009].

    tau_k = sum over joints of (rate in the virtual motion k) (force or moment along the joint) + the platform's part

In the virtual motion k actuator k moves with rate 1 and the others stand still. Everything of a leg is in local axes;
its rates follow from the condition that its end moves with the platform, not from the leg's solver. The derivation is
in docs/theory/recursive_matrix.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import casadi as ca

from parakin.description import OPEN_SPIN, Element, Leg
from parakin.dynamics.friction import attachment_friction, braking, drive_forces, friction_force
from parakin.dynamics.inertia import Inertia, Wrench
from parakin.dynamics.mechanics import Forces, Mechanics, actuator_forces, refuse_turns_inside
from parakin.dynamics.parameter_symbols import Friction
from parakin.kinematics.elements import ElementMotion
from parakin.kinematics.platform import Point
from parakin.linalg.solve import solve_least_squares, solve_pivoted
from parakin.spatial import rotation_about_z, skew, vector

X_AXIS, Y_AXIS, Z_AXIS = ca.DM([1, 0, 0]), ca.DM([0, 1, 0]), ca.DM([0, 0, 1])
"""Axes of a frame, in its own axes."""
NO_FRICTION = Friction(ca.SX(0), ca.SX(0))
"""The friction of a joint that has none."""


@dataclass(frozen=True)
class Link:
    """A frame of a leg and the joint by which it sits on the frame before it."""

    a: ca.SX
    """(3, 3) matrix that takes coordinates in the frame before to coordinates in this one."""
    r: ca.SX
    """(3,) vector from the origin before to this one, in the axes before [m]."""
    axes: ca.DM
    """(3, rates) what the joint turns about or slides along, a column for each rate, in this frame's axes."""
    joint: Literal["turns", "slides", "free"]
    """What the joint does. A free one sets the frame's own angular velocity whatever carries it: an open spin."""
    bodies: tuple[Inertia, ...] = ()
    """Bodies fixed in this frame."""
    friction: Friction = NO_FRICTION
    """Friction of the joint, for each of its rates."""


@dataclass(frozen=True)
class Twist:
    """Angular velocity and velocity of a frame, or their derivatives, in its own axes; a column for each motion."""

    w: ca.SX
    """(3, motions) angular velocity [rad/s], or angular acceleration."""
    v: ca.SX
    """(3, motions) velocity of the origin [m/s], or its acceleration less gravity."""


@dataclass(frozen=True)
class Moved:
    """A leg as the platform moves it."""

    B: ca.SX
    """(rates, freedom) matrix with the leg's joint rates = B velocity of the platform."""
    Q: ca.SX
    """(rates,) force or moment that each joint must give [N or N m]."""


def tau(mechanics: Mechanics) -> Forces:
    """Return the actuator forces by virtual work in unit motions of the actuators, [Sinatra2009] eq. (21).

    With more actuators than freedoms these do not exist: unit motions of the platform, then the least forces.
    """
    refuse_turns_inside(mechanics, "recursive-matrix")
    moving = mechanics.moving
    drives, (actuators, freedom) = drive_forces(mechanics), moving.J_qv.shape
    if actuators != freedom:
        f = _virtual_work(mechanics, ca.SX.eye(freedom))
        return actuator_forces(moving.J_qv, f, drives, mechanics.acting.weights)
    unit_motions, pivot = solve_pivoted(moving.J_qv, ca.SX.eye(freedom))
    return Forces(_virtual_work(mechanics, unit_motions) + drives, pivot)


def _virtual_work(mechanics: Mechanics, motions: ca.SX) -> ca.SX:
    """Return the work that everything that moves needs in virtual motions of the platform, one a column."""
    velocity = mechanics.moving.velocity
    work = ca.SX.zeros(motions.shape[1])
    for leg in _legs(mechanics):
        work += (leg.B @ motions).T @ leg.Q
    for inertia, frame in mechanics.platform_bodies:
        a = frame.spin.R.T
        turning, moved = ca.jacobian(frame.spin.w, velocity), ca.jacobian(frame.v, velocity)
        rates = Twist(a @ frame.spin.w_dot, a @ (frame.a - mechanics.gravity))
        needed = _needed(inertia, a @ frame.spin.w, rates)
        work += (a @ moved @ motions).T @ needed.F + (a @ turning @ motions).T @ needed.N
    work += motions.T @ braking(attachment_friction(mechanics), velocity)
    if mechanics.acting.wrench is not None:
        work -= motions.T @ mechanics.acting.wrench
    return work


def _legs(mechanics: Mechanics) -> Iterator[Moved]:
    """Yield every leg as the platform moves it."""
    bodies = iter(mechanics.parameters.bodies)
    platform = mechanics.moving.platform
    for k, (leg, motion) in enumerate(zip(mechanics.legs, mechanics.moving.legs, strict=True)):
        frictions = [mechanics.parameters.joints.get((k, m), NO_FRICTION) for m in range(len(leg.elements))]
        # A leg that transmits rotation stands on its motor, which turns with the platform.
        motor, led = (), ca.SX(0, platform.W.shape[1])
        if motion.j_w is not None:
            motor = (Link(rotation_about_z(platform.angle).T, ca.SX.zeros(3), Z_AXIS, "turns"),)
            led = platform.W[2, :]
        links = (*motor, *_links(leg, motion.elements, bodies, frictions))
        yield _moved(mechanics, links, mechanics.moving.attachments[k], led)


def _links(
    leg: Leg, motions: Sequence[ElementMotion], bodies: Iterator[Inertia], frictions: Sequence[Friction]
) -> Iterator[Link]:
    """Yield the frames of a leg's elements from root to end; the last is at the end C and has the axes of the base.

    [Sinatra2009] eq. (2), (3), where a_21 and a_32 are the two turns of a universal joint.
    """
    r, orientation = ca.SX.zeros(3), ca.SX.eye(3)
    for element, motion, friction in zip(leg.elements, motions, frictions, strict=True):
        inertias = [(body.part, next(bodies)) for body in element.bodies]
        part = {name: tuple(inertia for p, inertia in inertias if p == name) for name in ("root", "ring", "tip")}
        yield from _root_links(element, motion, r, part, friction)
        length = ca.vertcat(motion.line.d, 0, 0)
        if element.type in ("telescopic", "screw"):
            yield Link(ca.SX.eye(3), length, X_AXIS, "slides", part["tip"])
            length = ca.SX.zeros(3)
        r, orientation = length, motion.frame.R
    yield Link(orientation, r, ca.DM(3, 0), "turns")


def _root_links(
    element: Element, motion: ElementMotion, r: ca.SX, part: dict[str, tuple[Inertia, ...]], friction: Friction
) -> Iterator[Link]:
    """Yield the links of an element's root joint, one for each axis; a follows from the line in the carrier's axes."""
    carrier = motion.carrier.R
    if element.joint.type in ("fixed", *OPEN_SPIN):
        a = motion.frame.R.T @ carrier
        if element.joint.type == "fixed":
            yield Link(a, r, ca.DM(3, 0), "turns", part["root"])
        else:
            yield Link(a, r, ca.horzcat(Y_AXIS, Z_AXIS), "free", part["root"], friction)
        return
    assert element.joint.axis is not None, "the loader refuses such a joint without its axis"
    x, axis = carrier.T @ motion.line.x, vector(element.joint.axis)
    if element.joint.type == "revolute":
        yield Link(ca.horzcat(x, ca.cross(axis, x), axis).T, r, Z_AXIS, "turns", part["root"], friction)
        return
    cosine = ca.dot(x, axis)
    sine = ca.sqrt(1 - cosine**2)
    y = ca.cross(x, axis) / sine
    yield Link(ca.horzcat(axis, y, ca.cross(axis, y)).T, r, X_AXIS, "turns", part["ring"], friction)
    turn = ca.blockcat([[cosine, 0, sine], [0, 1, 0], [-sine, 0, cosine]])
    yield Link(turn, ca.SX.zeros(3), Y_AXIS, "turns", part["root"], friction)


def _moved(mechanics: Mechanics, links: Sequence[Link], end: Point, led: ca.SX) -> Moved:
    """Return a leg whose end moves with the platform: conditions of connectivity, [Sinatra2009] eq. (13), (16).

        J rates = M_C velocity          J rates_dot = a_C - (acceleration of the end while rates_dot = 0)

    `led` has a row for each of the first joints whose rate the platform gives directly: rate = led velocity.
    """
    moving, known = mechanics.moving, led.shape[0]
    count = sum(link.axes.shape[1] for link in links)
    J = _velocities(links, ca.SX.eye(count))[-1].v
    inverse, _ = solve_least_squares(J[:, known:], ca.SX.eye(3))
    B = ca.vertcat(led, inverse @ (end.M - J[:, :known] @ led))
    rates = B @ moving.velocity
    twists = _velocities(links, rates)
    led_ddot = ca.vertcat(led @ moving.acceleration, ca.SX.zeros(count - known))
    coasting = _accelerations(links, twists, rates, led_ddot, mechanics.gravity)[-1].v
    rates_dot = led_ddot + ca.vertcat(ca.SX.zeros(known), inverse @ (end.a - mechanics.gravity - coasting))
    growths = _accelerations(links, twists, rates, rates_dot, mechanics.gravity)
    return Moved(B, _joint_forces(mechanics, links, rates, twists, growths))


def _rates_by_link(links: Sequence[Link], rates: ca.SX) -> list[ca.SX]:
    """Return the leg's rates split among its links."""
    ends = [sum(link.axes.shape[1] for link in links[: k + 1]) for k in range(len(links))]
    return [rates[end - link.axes.shape[1] : end, :] for link, end in zip(links, ends, strict=True)]


def _velocities(links: Sequence[Link], rates: ca.SX) -> list[Twist]:
    """Return the twist of every link, from root to end, [Sinatra2009] eq. (11), (12).

    w = a w_before + axes rates of a turning joint,  v = a (v_before + w_before x r) + axes rates of a sliding one
    """
    w, v = ca.SX.zeros(3, rates.shape[1]), ca.SX.zeros(3, rates.shape[1])
    twists: list[Twist] = []
    for link, link_rates in zip(links, _rates_by_link(links, rates), strict=True):
        joint = link.axes @ link_rates
        v = link.a @ (v - skew(link.r) @ w) + (joint if link.joint == "slides" else 0)
        w = _passed_on(link, w) + (0 if link.joint == "slides" else joint)
        twists.append(Twist(w, v))
    return twists


def _passed_on(link: Link, w: ca.SX) -> ca.SX:
    """Return what a link takes on of its carrier's angular velocity, in the link's axes: nothing at a free joint."""
    return ca.SX.zeros(*w.shape) if link.joint == "free" else link.a @ w


def _accelerations(
    links: Sequence[Link], twists: Sequence[Twist], rates: ca.SX, rates_dot: ca.SX, gravity: ca.SX
) -> list[Twist]:
    """Return the derivative of every link's twist, [Sinatra2009] eq. (18).

    The base accelerates against gravity, so that no weight is left to add.

    e = a e_before + (a w_before) x joint + axes rates_dot
    c = a (c_before + e_before x r + w_before x (w_before x r)) + 2 (a w_before) x joint + axes rates_dot
    """
    w, e, c = ca.SX.zeros(3), ca.SX.zeros(3), -gravity
    growths: list[Twist] = []
    split, split_dot = _rates_by_link(links, rates), _rates_by_link(links, rates_dot)
    for link, twist, rate, rate_dot in zip(links, twists, split, split_dot, strict=True):
        c = link.a @ (c + ca.cross(e, link.r) + ca.cross(w, ca.cross(w, link.r)))
        turned, joint = _passed_on(link, w), link.axes @ rate
        e, grown = _passed_on(link, e), link.axes @ rate_dot
        if link.joint == "slides":
            c += 2 * ca.cross(turned, joint) + grown
        else:
            e += ca.cross(turned, joint) + grown
        w = twist.w
        growths.append(Twist(e, c))
    return growths


def _needed(inertia: Inertia, w: ca.SX, growth: Twist) -> Wrench:
    """Return the force and moment about the origin that a body's motion takes, in its frame.

    [Sinatra2009] eq. (20) without its sign.
    """
    m, h, tensor = inertia.m, inertia.h, inertia.I
    F = m * growth.v + ca.cross(growth.w, h) + ca.cross(w, ca.cross(w, h))
    return Wrench(F, ca.cross(h, growth.v) + tensor @ growth.w + ca.cross(w, tensor @ w))


def _joint_forces(
    mechanics: Mechanics, links: Sequence[Link], rates: ca.SX, twists: Sequence[Twist], growths: Sequence[Twist]
) -> ca.SX:
    """Return the force or moment along every joint, from end to root, [Sinatra2009] eq. (22).

        F = F_bodies + a_next^T F_next          M = M_bodies + a_next^T M_next + r_next x a_next^T F_next

    Friction brakes a joint's own rate; that of a free joint its angular velocity against the carrier's.
    """
    force, moment = ca.SX.zeros(3), ca.SX.zeros(3)
    before = [Twist(ca.SX.zeros(3), ca.SX.zeros(3)), *twists[:-1]]
    taken: list[ca.SX] = []
    everything = list(zip(links, _rates_by_link(links, rates), twists, growths, before, strict=True))
    for link, rate, twist, growth, carrier in reversed(everything):
        for inertia in link.bodies:
            needed = _needed(inertia, twist.w, growth)
            force, moment = force + needed.F, moment + needed.N
        if link.joint == "free":
            braked = link.friction.viscous * (twist.w - link.a @ carrier.w)
            taken.append(link.axes.T @ (moment + braked))
            moment = -braked
        else:
            along = force if link.joint == "slides" else moment
            taken.append(link.axes.T @ along + friction_force(link.friction, rate, mechanics.acting.sign))
        force = link.a.T @ force
        moment = link.a.T @ moment + ca.cross(link.r, force)
    return ca.vertcat(*reversed(taken))

"""Rebuild a robot's motion from its observed elements alone, without a pose.

Observed are x, d and theta of each with two derivatives, as Robot.elements gives them. Roots follow from the elements
before, spins from the joints, and the platform from where the last elements end. Only an observed angle theta, of a
shaft that turns the platform, costs a sine and a cosine.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

import casadi as ca
import numpy as np

from parakin.description import Element, Leg
from parakin.description.patterns import pattern_of
from parakin.dynamics.kinematic_elements.elements import Elements
from parakin.dynamics.mechanics import Mechanics
from parakin.errors import UnsupportedRobotError
from parakin.kinematics.elements import STILL, ElementMotion, Line, Spin
from parakin.kinematics.leg import frame_of
from parakin.kinematics.platform import PlatformMotion
from parakin.spatial import rotation_about_z, vector

DERIVATIVES = ("", "_dot", "_ddot")
"""What is added to the name of a quantity for its derivatives of order 0, 1 and 2."""
Three = tuple[ca.SX, ca.SX, ca.SX]
"""A quantity with its first and second derivative."""


@dataclass(frozen=True)
class Seen:
    """What is observed of a robot, as symbols and as the lines of its legs."""

    inputs: dict[str, ca.SX]
    """Symbols by name, x, d, theta and their derivatives, each with a row for every element of the robot."""
    legs: tuple[tuple[Line, ...], ...]
    """The lines of each leg's elements, made of these symbols."""
    thetas: tuple[Three, ...]
    """For each element of the robot its inner angle theta [rad]; zeros where none is observed."""


def seen(legs: tuple[Leg, ...], flat: bool) -> Seen:
    """Return symbols for what must be observed: x always, d where a length varies, theta where an element turns inside.

    Where `flat` is set all directions lie in the plane z = 0, and their third components are not looked at.
    """
    elements = [element for leg in legs for element in leg.elements]
    kinds, count = {element.type for element in elements}, len(elements)
    inputs = {f"x{order}": ca.SX.sym(f"x{order}", count, 3) for order in DERIVATIVES}
    for name, needed_by in (("d", {"telescopic", "screw"}), ("theta", {"spindle", "screw"})):
        if kinds & needed_by:
            inputs |= {f"{name}{order}": ca.SX.sym(f"{name}{order}", count) for order in DERIVATIVES}
    lines: list[tuple[Line, ...]] = []
    row = 0
    for leg in legs:
        root = (vector(leg.root), ca.SX(3, 1), ca.SX(3, 1))
        leg_lines: list[Line] = []
        for element in leg.elements:
            line = Line(*root, *_direction(element, inputs, row, flat), *_length(element, inputs, row))
            leg_lines.append(line)
            root = (line.B, line.B_dot, line.B_ddot)
            row += 1
        lines.append(tuple(leg_lines))
    return Seen(inputs, tuple(lines), tuple(_scalar(inputs, "theta", k) for k in range(count)))


def _direction(element: Element, inputs: dict[str, ca.SX], row: int, flat: bool) -> Three:
    """Return the direction of an element: observed, or that of a fixed rail."""
    if element.joint.type == "fixed":
        return ca.SX(ca.DM(element.direction)), ca.SX(3, 1), ca.SX(3, 1)
    x, x_dot, x_ddot = (inputs[f"x{order}"][row, :].T for order in DERIVATIVES)
    if not flat:
        return x, x_dot, x_ddot
    return ca.vertcat(x[:2], 0), ca.vertcat(x_dot[:2], 0), ca.vertcat(x_ddot[:2], 0)


def _length(element: Element, inputs: dict[str, ca.SX], row: int) -> Three:
    """Return the length of an element: observed, or that of the robot file."""
    return _scalar(inputs, "d", row) if element.length is None else (ca.SX(element.length), ca.SX(0), ca.SX(0))


def _scalar(inputs: dict[str, ca.SX], name: str, row: int) -> Three:
    """Return an observed scalar of one element; zeros where none of the robot's is observed."""
    if name not in inputs:
        return ca.SX(0), ca.SX(0), ca.SX(0)
    return inputs[name][row], inputs[f"{name}_dot"][row], inputs[f"{name}_ddot"][row]


def elements_seen(mechanics: Mechanics, observed: Seen) -> Elements:
    """Return the robot's elements with their frames, and the platform they carry, as observed."""
    platform = platform_seen(mechanics, observed)
    legs: list[tuple[ElementMotion, ...]] = []
    thetas = iter(observed.thetas)
    for leg, lines in zip(mechanics.legs, observed.legs, strict=True):
        carrier = STILL
        if pattern_of(leg) == "shaft":
            carrier = Spin(platform.R_OE, platform.w_E, platform.w_E_dot)
        motions: list[ElementMotion] = []
        for element, line in zip(leg.elements, lines, strict=True):
            motions.append(replace(frame_of(element, line, carrier), theta=next(thetas)))
            carrier = motions[-1].frame
        legs.append(tuple(motions))
    M_C = tuple(platform.point(leg.attachment.b, leg.attachment.c).M for leg in mechanics.legs)
    return Elements(tuple(legs), platform, M_C, (None,) * len(legs))


def platform_seen(mechanics: Mechanics, observed: Seen) -> PlatformMotion:
    """Return the platform's motion as observed: E from the first leg's tip, once it is known how the platform turns."""
    turning = _turning(mechanics, observed)
    tip, attachment = observed.legs[0][-1], mechanics.legs[0].attachment
    r = turning.R @ vector(attachment.b)
    w, w_dot = turning.w, turning.w_dot
    L, W = mechanics.moving.motion.twist_maps()
    return PlatformMotion(
        p_OE=tip.B - r - vector(attachment.c),
        R_OE=turning.R,
        v_E=tip.B_dot - ca.cross(w, r),
        w_E=w,
        a_E=tip.B_ddot - ca.cross(w_dot, r) - ca.cross(w, ca.cross(w, r)),
        w_E_dot=w_dot,
        L=L,
        W=W,
        angle=ca.SX(0),
    )


def _turning(mechanics: Mechanics, observed: Seen) -> Spin:
    """Return how the platform turns, from a shaft's theta or from the tips of two or three legs."""
    motion = mechanics.moving.motion
    if not motion.turns:
        return STILL
    if not motion.turns_about_z:
        return _by_three_tips(mechanics, observed)
    row = 0
    for leg in mechanics.legs:
        if pattern_of(leg) == "shaft":
            theta, theta_dot, theta_ddot = observed.thetas[row]
            return Spin(rotation_about_z(theta), ca.vertcat(0, 0, theta_dot), ca.vertcat(0, 0, theta_ddot))
        row += len(leg.elements)
    return _by_two_tips(mechanics, observed)


def _by_two_tips(mechanics: Mechanics, observed: Seen) -> Spin:
    """Return how a platform turns about z, as the tips of its two legs that are farthest apart show it.

    With beta from one attachment to the other in E, and u = R beta as the tips show it:

    cos = beta·u/|beta|^2,  sin = (beta x u)·z/|beta|^2,  w = (u x u_dot)·z/|beta|^2,  w_dot = (u x u_ddot)·z/|beta|^2
    """
    b = [np.array(leg.attachment.b) for leg in mechanics.legs]
    first, second = max(combinations(range(len(b)), 2), key=lambda pair: np.hypot(*(b[pair[1]] - b[pair[0]])[:2]))
    beta = (b[second] - b[first])[:2]
    size = float(beta @ beta)
    if size == 0.0:
        raise _hidden(mechanics)
    u, u_dot, u_ddot = _between(mechanics, observed, first, second)
    cosine = (beta[0] * u[0] + beta[1] * u[1]) / size
    sine = (beta[0] * u[1] - beta[1] * u[0]) / size
    R = ca.vertcat(ca.horzcat(cosine, -sine, 0), ca.horzcat(sine, cosine, 0), ca.horzcat(0, 0, 1))
    w, w_dot = ((u[0] * v[1] - u[1] * v[0]) / size for v in (u_dot, u_ddot))
    return Spin(R, ca.vertcat(0, 0, w), ca.vertcat(0, 0, w_dot))


def _by_three_tips(mechanics: Mechanics, observed: Seen) -> Spin:
    """Return how a platform turns in space, as the tips of the three legs with the largest triangle show it.

    With e_1, e_2 unit vectors across each other in the plane of these attachments, combined from u = R beta:

    R = [e_1 e_2 e_1 x e_2] Q^T,    w = 1/2 sum e_k x e_k_dot,    w_dot = 1/2 sum e_k x e_k_ddot

    where the sums run over e_1, e_2 and e_3 = e_1 x e_2, and Q has the same three unit vectors in E.
    """
    b = [np.array(leg.attachment.b) for leg in mechanics.legs]

    def area(three: tuple[int, ...]) -> float:
        return float(np.linalg.norm(np.cross(b[three[1]] - b[three[0]], b[three[2]] - b[three[0]])))

    first, second, third = max(combinations(range(len(b)), 3), key=area, default=(0, 0, 0))
    if area((first, second, third)) <= 1e-9 * mechanics.description.length**2:
        raise _hidden(mechanics)
    beta = np.column_stack([b[second] - b[first], b[third] - b[first]])
    Q, triangle = np.linalg.qr(beta)
    mix = np.linalg.inv(triangle)
    pairs = [_between(mechanics, observed, first, other) for other in (second, third)]
    (e_1, e_1_dot, e_1_ddot), (e_2, e_2_dot, e_2_ddot) = (
        [mix[0, k] * one + mix[1, k] * two for one, two in zip(*pairs, strict=True)] for k in range(2)
    )
    e_3 = ca.cross(e_1, e_2)
    e_3_dot = ca.cross(e_1_dot, e_2) + ca.cross(e_1, e_2_dot)
    e_3_ddot = ca.cross(e_1_ddot, e_2) + 2 * ca.cross(e_1_dot, e_2_dot) + ca.cross(e_1, e_2_ddot)
    R = ca.horzcat(e_1, e_2, e_3) @ ca.DM(np.column_stack([Q, np.cross(Q[:, 0], Q[:, 1])]).T)
    w = (ca.cross(e_1, e_1_dot) + ca.cross(e_2, e_2_dot) + ca.cross(e_3, e_3_dot)) / 2
    w_dot = (ca.cross(e_1, e_1_ddot) + ca.cross(e_2, e_2_ddot) + ca.cross(e_3, e_3_ddot)) / 2
    return Spin(R, w, w_dot)


def _between(mechanics: Mechanics, observed: Seen, one: int, other: int) -> Three:
    """Return R_OE (b_other - b_one) as the tips of two legs show it, with two derivatives."""
    c = np.array(mechanics.legs[other].attachment.c) - np.array(mechanics.legs[one].attachment.c)
    start, end = observed.legs[one][-1], observed.legs[other][-1]
    return end.B - start.B - ca.DM(c), end.B_dot - start.B_dot, end.B_ddot - start.B_ddot


def _hidden(mechanics: Mechanics) -> UnsupportedRobotError:
    """Return the error for a platform that turns unseen."""
    reason = "the legs' attachments do not show how the platform turns, so its inertia cannot be known without a pose"
    return UnsupportedRobotError(mechanics.description.name, reason)

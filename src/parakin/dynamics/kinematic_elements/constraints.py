"""Find the motion constraints u = M v of every leg's motion basis u, [Ozgur2013] eq. (37) to (43) and (55).

This is the second half of the paper's step 3.
"""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca

from parakin.description import OPEN_SPIN, Element, Leg
from parakin.description.elements import SWIVELLING, VARYING
from parakin.description.patterns import ANGLES, coordinate_count, pattern_of
from parakin.dynamics.kinematic_elements.elements import End
from parakin.kinematics.elements import ElementMotion
from parakin.linalg.solve import solve_least_squares
from parakin.spatial import skew

Lines = list[tuple[ca.SX, ca.SX]]
"""The matrices M_x and M_d of each element of a leg: x_dot = M_x v, d_dot = M_d v."""
Turns = list[ca.SX]
"""The row M_theta of each element of a leg: theta_dot = M_theta v."""


def constraints_of(leg: Leg, motions: tuple[ElementMotion, ...], M_C: ca.SX, W_E: ca.SX, end: End | None) -> ca.SX:
    """Return M of one leg, u = M v, with six rows for each element.

    end: how the platform holds the tip of a leg that turns inside; None for others.
    """
    pattern = pattern_of(leg)
    shaft = pattern == "shaft"
    nothing = ca.SX(1, M_C.shape[1])
    W_carrier = W_E if shaft else ca.SX(*M_C.shape)
    rows: list[ca.SX] = []
    turns: Turns = [W_E[2, :] if shaft else nothing for _ in motions]
    if pattern in LINES:
        lines = LINES[pattern](leg, motions, M_C)
    else:
        lines, turns = _chain(leg, motions, M_C, end)
    for element, motion, (M_x, M_d), M_theta in zip(leg.elements, motions, lines, turns, strict=True):
        M_spin = _spin(element, motion, M_x, W_carrier)
        rows += [M_x, M_d, M_spin, M_theta]
        W_carrier = skew(motion.line.x) @ M_x + motion.line.x @ (M_spin if motion.tip is None else M_spin + M_theta)
    return ca.vertcat(*rows)


def _spin(element: Element, motion: ElementMotion, M_x: ca.SX, W_carrier: ca.SX) -> ca.SX:
    """Return the row of the spin w·x, which revolute and universal roots force; zeros where the root leaves it open.

        revolute: w_carrier·x        universal: ((a·x) (a x x)·x_dot + w_carrier·(x - (a·x) a))/(1 - (a·x)^2)

    [Ozgur2013] eq. (12) has no such term; docs/theory/kinematics.md derives it.
    """
    x = motion.line.x
    if element.joint.type == "revolute":
        return x.T @ W_carrier
    if element.joint.type == "universal":
        assert motion.ring is not None
        a = motion.ring.R[:, 0]
        cosine = ca.dot(a, x)
        return (cosine * (ca.cross(a, x).T @ M_x) + (x - cosine * a).T @ W_carrier) / (1 - cosine**2)
    return ca.SX(1, M_x.shape[1])


def _telescope(_: Leg, motions: tuple[ElementMotion, ...], M_C: ca.SX) -> Lines:
    """Return the constraints of a strut or shaft: d_dot = x·r_dot, x_dot = (r_dot - d_dot x)/d."""
    line = motions[0].line
    M_d = line.x.T @ M_C
    return [((M_C - line.x @ M_d) / line.d, M_d)]


def _arm(_: Leg, motions: tuple[ElementMotion, ...], M_C: ca.SX) -> Lines:
    """Return the constraints of an arm and a bar, [Ozgur2013] eq. (41), (43).

        x_1_dot = y x_2·r_dot/(d_1 x_2·y),    x_2_dot = (r_dot - d_1 x_1_dot)/d_2

    y = z x x_1 in place of eq. (10), which is undefined at rest: the rate carries the sign.
    """
    arm, bar = motions
    y, x_2 = arm.frame.R[:, 1], bar.line.x
    M_1 = y @ (x_2.T @ M_C) / (arm.line.d * ca.dot(x_2, y))
    nothing = ca.SX(1, M_C.shape[1])
    return [(M_1, nothing), ((M_C - arm.line.d * M_1) / bar.line.d, nothing)]


def _rail(_: Leg, motions: tuple[ElementMotion, ...], M_C: ca.SX) -> Lines:
    """Return the constraints of a rail and a bar.

    d_1_dot = x_2·r_dot/(x_2·x_1),    x_2_dot = (r_dot - d_1_dot x_1)/d_2
    """
    rail, bar = motions
    u, x_2 = rail.line.x, bar.line.x
    M_d = x_2.T @ M_C / ca.dot(x_2, u)
    return [(ca.SX(*M_C.shape), M_d), ((M_C - u @ M_d) / bar.line.d, ca.SX(1, M_C.shape[1]))]


def _chain(leg: Leg, motions: tuple[ElementMotion, ...], M_C: ca.SX, end: End | None) -> tuple[Lines, Turns]:
    """Return the constraints of any leg: rates of its joints from how each moves the tip, then x_dot = w x x.

    The tip of a leg that turns inside is also held by the joint at the platform, in rows of its angular velocity.
    """
    count, used = coordinate_count(leg), 0
    turning, moving = ca.SX(3, count), ca.SX(3, count)
    lines: Lines = []
    turns: Turns = []
    for element, motion in zip(leg.elements, motions, strict=True):
        turned, M_d, M_theta = ca.SX(3, count), ca.SX(1, count), ca.SX(1, count)
        for k, axis in enumerate(turning_axes(element, motion)[: ANGLES[element.joint.type]]):
            turned[:, used + k] = axis
        used += ANGLES[element.joint.type]
        for row, varies in ((M_d, element.type in VARYING), (M_theta, element.type in SWIVELLING)):
            if varies:
                row[used] = 1
                used += 1
        turning = turned if element.joint.type in OPEN_SPIN else turning + turned
        M_x = -skew(motion.line.x) @ turning
        moving += motion.line.d * M_x + motion.line.x @ M_d
        turning += motion.line.x @ M_theta
        lines.append((M_x, M_d))
        turns.append(M_theta)
    held = [(moving, M_C)] if end is None else [(moving, M_C), (end.rows @ turning, end.rows @ end.W)]
    z_dot, _ = solve_least_squares(*(ca.vertcat(*rows) for rows in zip(*held, strict=True)))
    return [(M_x @ z_dot, M_d @ z_dot) for M_x, M_d in lines], [M_theta @ z_dot for M_theta in turns]


def turning_axes(element: Element, motion: ElementMotion) -> list[ca.SX]:
    """Return the axes that the root lets the element turn about; those of a free root are y, z and x of its frame."""
    if element.joint.type == "revolute":
        return [motion.frame.R[:, 2]]
    if element.joint.type == "universal":
        assert motion.ring is not None
        return [motion.ring.R[:, 0], motion.ring.R[:, 1]]
    if element.joint.type == "fixed":
        return []
    return [motion.frame.R[:, k] for k in (1, 2, 0)]


LINES: dict[str, Callable[[Leg, tuple[ElementMotion, ...], ca.SX], Lines]] = {
    "strut": _telescope,
    "shaft": _telescope,
    "arm": _arm,
    "rail": _rail,
}
"""For each pattern of a leg how its elements follow its tip, where projections do it; `_chain` does all others."""

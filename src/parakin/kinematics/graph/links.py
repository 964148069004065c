"""Motion of the links of a tree, from its coordinates outwards, in base axes.

A link moves as the frame of its joint on the link before it, and on top of that as the joint's moves make it. For a
turn by q about an axis e of the frame reached so far, and for a slide by d along it:

    turn:    w <- w + e q_dot        w_dot <- w_dot + e q_ddot + (w x e) q_dot
    slide:   p <- p + e d            v <- v + w x e d + e d_dot
                                     a <- a + B e d + 2 w x e d_dot + e d_ddot        B = w_dot~ + w~ w~
    ball:    R <- R R(quaternion)    w <- w + R omega        w_dot <- w_dot + R omega_dot + w x R omega

A joint that the tree passes from its child to its parent is undone in the opposite order, with opposite signs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca

from parakin.kinematics.bodies import Frame
from parakin.kinematics.elements import STILL, Spin
from parakin.mechanism.kinds import Move
from parakin.mechanism.skeleton import BASE_LINK, Link, Place, Skeleton
from parakin.spatial import rotation_of_quaternion


@dataclass(frozen=True)
class Axis:
    """How one velocity moves all that is beyond it: as a turn about, or a slide along, a line; in base axes."""

    turn: ca.SX
    """Angular velocity for a unit of it."""
    slide: ca.SX
    """Velocity of its point for a unit of it."""
    point: ca.SX
    """A point of the line [m]."""


@dataclass(frozen=True)
class LinkMotion:
    """One link in motion."""

    frame: Frame
    """The frame of the link."""
    axes: tuple[Axis, ...]
    """One for each freedom of the joint that carries the link, the tree's direction allowed for."""
    own_axes: tuple[Axis, ...]
    """The same in the link's own frame, in which most are constant; their points count from its origin."""


GROUND = Frame(ca.SX.zeros(3), ca.SX.zeros(3), ca.SX.zeros(3), STILL)
"""The base, which does not move."""


@dataclass(frozen=True)
class Tree:
    """All links of a mechanism in motion."""

    links: tuple[LinkMotion, ...]
    """The links, in the order of the skeleton."""

    def at(self, place: Place) -> Frame:
        """Return a frame that is fixed to a link, in motion."""
        return carried(GROUND if place.link == BASE_LINK else self.links[place.link].frame, place)

    def axes(self, place: Place) -> ca.SX:
        """Return the axes of a frame that is fixed to a link, in base axes."""
        turn = ca.SX(ca.sparsify(ca.DM(place.R)))
        return turn if place.link == BASE_LINK else self.links[place.link].frame.spin.R @ turn


def carried(frame: Frame, place: Place) -> Frame:
    """Return a frame at a place of a moving frame: p + R r, v + w x r, a + B r."""
    spin, turn = frame.spin, ca.SX(ca.sparsify(ca.DM(place.R)))
    r = spin.R @ ca.sparsify(ca.DM(place.p))
    R = spin.R @ turn
    return Frame(
        frame.p + r,
        frame.v + ca.cross(spin.w, r),
        frame.a + spin.B @ r,
        Spin(R, spin.w, spin.w_dot),
    )


Turns = Mapping[int, tuple[ca.SX, ca.SX]]
"""Cosine and sine of angles that formulas gave, by the places of the angles in a configuration."""


def tree_motion(skeleton: Skeleton, c: ca.SX, t: ca.SX, t_dot: ca.SX, turns: Turns) -> Tree:
    """Return all links in motion, from the coordinates c of the tree, its velocities t and their derivatives.

    turns: cosines and sines that are known without the angles.
    """
    links: list[LinkMotion] = []
    for link in skeleton.links:
        before = carried(GROUND if link.inner.link == BASE_LINK else links[link.inner.link].frame, link.inner)
        links.append(_moved(link, before, c, t, t_dot, turns))
    return Tree(tuple(links))


def _moved(link: Link, frame: Frame, c: ca.SX, t: ca.SX, t_dot: ca.SX, turns: Turns) -> LinkMotion:  # noqa: PLR0917
    """Return a link beyond its joint, whose frame on the link before it is given."""
    kind, sign = link.joint.kind, -1 if link.backwards else 1
    lead = (link.joint.pitch or 0.0) / (2 * math.pi)
    steps: list[tuple[Move, int, int, int]] = []
    coordinate, velocity = link.coordinate, link.velocity
    for move, axis in kind.moves:
        steps.append((move, axis, coordinate, velocity))
        coordinate, velocity = (coordinate + 4, velocity + 3) if move is Move.BALL else (coordinate + 1, velocity + 1)
    axes: dict[int, Axis] = {}
    own: dict[int, Axis] = {}
    nothing = ca.SX(3, 1)
    for move, axis, k, n in reversed(steps) if link.backwards else steps:
        if move is Move.BALL:
            turn = rotation_of_quaternion(c[k : k + 4])
            frame, turned = _ball(frame, turn, sign * t[n : n + 3], sign * t_dot[n : n + 3], link)
            own = _seen_after(own, turn if not link.backwards else turn.T, nothing)
            for i in range(3):
                axes[n + i] = Axis(sign * turned[:, i], nothing, frame.p)
                seen = turn[:, i] if link.backwards else turn[i, :].T if link.floats else ca.SX.eye(3)[:, i]
                own[n + i] = Axis(sign * seen, nothing, nothing)
            continue
        e, local = frame.spin.R[:, axis], ca.SX.eye(3)[:, axis]
        if move is Move.SLIDE:
            axes[n] = Axis(nothing, sign * e, frame.p)
            own = _seen_after(own, ca.SX.eye(3), local * (sign * c[k]))
            own[n] = Axis(nothing, sign * local, nothing)
            frame = _slide(frame, e, sign * c[k], sign * t[n], sign * t_dot[n])
            continue
        screws = move is Move.SCREW
        axes[n] = Axis(sign * e, sign * lead * e if screws else nothing, frame.p)
        cosine, sine = turns.get(k) or (ca.cos(c[k]), ca.sin(c[k]))
        turn = rotation_about(axis, cosine, sign * sine)
        frame = _turn(frame, axis, turn, sign * t[n], sign * t_dot[n])
        own[n] = Axis(sign * local, sign * lead * local if screws else nothing, nothing)
        own = _seen_after(own, turn, nothing)
        if screws:
            frame = _slide(frame, e, sign * lead * c[k], sign * lead * t[n], sign * lead * t_dot[n])
            own = _seen_after(own, ca.SX.eye(3), local * (sign * lead * c[k]))
    return LinkMotion(frame, tuple(axes[n] for n in sorted(axes)), tuple(own[n] for n in sorted(own)))


def _seen_after(axes: dict[int, Axis], turn: ca.SX, way: ca.SX) -> dict[int, Axis]:
    """Return axes as a frame sees them that has moved by `way` and then turned."""
    return {n: Axis(turn.T @ a.turn, turn.T @ a.slide, turn.T @ (a.point - way)) for n, a in axes.items()}


def rotation_about(axis: int, cosine: ca.SX, sine: ca.SX) -> ca.SX:
    """Return the matrix of a turn about x, y or z, with zeros where they always are."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = ca.SX(3, 3)
    R[axis, axis] = 1
    R[i, i] = R[j, j] = cosine
    R[j, i], R[i, j] = sine, -sine
    return R


def _turn(frame: Frame, axis: int, turn: ca.SX, q_dot: ca.SX, q_ddot: ca.SX) -> Frame:
    """Return a frame turned about one of its axes."""
    w, e = frame.spin.w, frame.spin.R[:, axis]
    turned = frame.spin.R @ turn
    w_dot = frame.spin.w_dot + e * q_ddot + ca.cross(w, e * q_dot)
    return Frame(frame.p, frame.v, frame.a, Spin(turned, w + e * q_dot, w_dot))


def _slide(frame: Frame, e: ca.SX, d: ca.SX, d_dot: ca.SX, d_ddot: ca.SX) -> Frame:
    """Return a frame moved along a direction e that is fixed in it, before any turn about e."""
    spin = frame.spin
    return Frame(
        frame.p + e * d,
        frame.v + ca.cross(spin.w, e * d) + e * d_dot,
        frame.a + spin.B @ (e * d) + 2 * ca.cross(spin.w, e * d_dot) + e * d_ddot,
        spin,
    )


def _ball(frame: Frame, turn: ca.SX, rate: ca.SX, rate_dot: ca.SX, link: Link) -> tuple[Frame, ca.SX]:
    """Return a frame turned by a ball, and the axes in which the rates are given: of the child; floating, of the base.

    In axes of the base there is no w x R omega: w <- w + omega, w_dot <- w_dot + omega_dot.
    """
    R, w = frame.spin.R, frame.spin.w
    beyond = R @ (turn.T if link.backwards else turn)
    given = R if link.backwards or link.floats else beyond
    relative = given @ rate
    w_dot = frame.spin.w_dot + given @ rate_dot + ca.cross(w, relative)
    return Frame(frame.p, frame.v, frame.a, Spin(beyond, w + relative, w_dot)), given

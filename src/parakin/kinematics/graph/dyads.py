"""The configuration of a pose by formulas, loop after loop: see `parakin.mechanism.dyads`.

X, whose frame on the link before it is I, moves a point s of its link; seen from I the other point is at z, and their
distance D is known:

    hinge:  |R_z(q) s - z| = D    =>    A cos q + B sin q = K,    A = s_x z_x + s_y z_y,  B = s_x z_y - s_y z_x,
                                        K = (|s|^2 + |z|^2 - D^2)/2 - s_z z_z
    slide:  |s + d e_z - z| = D   =>    d = -g_z +- sqrt(D^2 - g_x^2 - g_y^2),    g = s - z

Then G turns v, a point of its link, to x:

    hinge:      cos q : sin q = v_x x_x + v_y x_y : v_x x_y - v_y x_x
    universal:  v_x cos q_2 + v_z sin q_2 = x_x;  then q_1 turns what is left about x; two hinges with C = R_12 likewise

Of two solutions that one is taken which `near` has: A and B are evaluated there too, for the sign. Where there is none,
the root is taken for zero, which leaves the loop open by what is missing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import casadi as ca

from parakin.kinematics.graph.links import Turns, rotation_about
from parakin.mechanism.dyads import Dyad, path
from parakin.mechanism.kinds import Move
from parakin.mechanism.plan import Plan
from parakin.mechanism.skeleton import BASE_LINK, Link, Place, Skeleton
from parakin.spatial import rotation_of_quaternion

Axes = tuple[ca.SX, ca.SX]
"""A frame: its origin and its axes."""

NOTHING = 1e-150
"""An area [m^2] whose square is a number still, and which is lost beside any other."""


@dataclass(frozen=True)
class Solved:
    """A configuration in the making, beside the one whose branch is followed."""

    skeleton: Skeleton
    """The mechanism."""
    c: list[ca.SX]
    """Coordinates; NaN where they are not known yet."""
    near: ca.SX
    """A whole configuration on the branch that is wanted."""
    turns: dict[int, Axes]
    """Cosine and sine of the angles that were found, by their places."""


def closed_form(plan: Plan, pose: ca.SX, near: ca.SX) -> tuple[ca.SX, Turns]:
    """Return the configuration of a pose on the branch of `near`; where a loop cannot close it stays open.

    With it come cosines and sines of the angles that were found, so that nobody needs to compute them again.
    """
    skeleton = plan.skeleton
    c = [ca.SX(math.nan)] * skeleton.coordinates
    _place_pose(plan, pose, near, c)
    solved = Solved(skeleton, c, near, {})
    for dyad in plan.dyads:
        _solve(solved, dyad)
    return ca.vertcat(*c), solved.turns


def _place_pose(plan: Plan, pose: ca.SX, near: ca.SX, c: list[ca.SX]) -> None:
    """Fill in the coordinates that a pose gives: joints', and the quaternions of balls whose three turns it has.

    Turns theta_k = 2 atan2(q_k, q_w) are of the quaternion (1, tan(theta/2)), brought to unit length.
    """
    place = {velocity: n for n, velocity in enumerate(plan.independent)}
    for link in plan.skeleton.links:
        k, n = link.coordinate, link.velocity
        for move, _ in link.joint.kind.moves:
            if move is Move.BALL:
                if n in place:
                    turns = ca.vertcat(1, *(ca.tan(pose[place[n + i]] / 2) for i in range(3)))
                    unit = turns / ca.norm_2(turns)
                    same = ca.if_else(ca.dot(unit, near[k : k + 4]) < 0, -1, 1)
                    c[k : k + 4] = ca.vertsplit(same * unit)
                k, n = k + 4, n + 3
            else:
                if n in place:
                    c[k] = pose[place[n]]
                k, n = k + 1, n + 1


# Points and frames along the tree ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Known:
    """Coordinates, with the cosines and sines that are known of them."""

    c: list[ca.SX]
    """Coordinates of the tree's joints."""
    turns: Turns
    """Cosines and sines, by the places of their angles."""


def _moves(link: Link, known: Known) -> list[Axes]:
    """Return the moves of a link's joint, in the tree's direction, each as a way and a turn after it."""
    c = known.c
    found: list[Axes] = []
    k = link.coordinate
    for move, axis in link.joint.kind.moves:
        if move is Move.BALL:
            turn = rotation_of_quaternion(ca.vertcat(*c[k : k + 4]))
            found.append((ca.SX(3, 1), turn.T if link.backwards else turn))
            k += 4
            continue
        value, sign = (-c[k], -1) if link.backwards else (c[k], 1)
        lead = (link.joint.pitch or 0.0) / (2 * ca.pi) if move is Move.SCREW else 1.0
        along = ca.SX.eye(3)[:, axis] * (value * lead)
        slides, turns = move is not Move.TURN, move is not Move.SLIDE
        turn = ca.SX.eye(3)
        if turns:
            cosine, sine = known.turns.get(k) or (ca.cos(c[k]), ca.sin(c[k]))
            turn = rotation_about(axis, cosine, sign * sine)
        found.append((along if slides else ca.SX(3, 1), turn))
        k += 1
    return found[::-1] if link.backwards else found


def _beyond(link: Link, known: Known, frame: Axes) -> Axes:
    """Return the frame of a link from that of its joint on the link before."""
    p, axes = frame
    for way, turn in _moves(link, known):
        p, axes = p + axes @ way, axes @ turn
    return p, axes


def _before(link: Link, known: Known, point: ca.SX) -> ca.SX:
    """Return a point of a link as its joint's frame on the link before sees it."""
    for way, turn in reversed(_moves(link, known)):
        point = way + turn @ point
    return point


def _at(frame: Axes, place: Place) -> Axes:
    return frame[0] + frame[1] @ ca.sparsify(ca.DM(place.p)), frame[1] @ ca.SX(ca.sparsify(ca.DM(place.R)))


_HERE: Axes = ca.SX(3, 1), ca.SX.eye(3)
"""The frame from which others are counted."""


def _frame(skeleton: Skeleton, known: Known, place: Place, root: int = BASE_LINK) -> Axes:
    """Return a frame that is fixed to a link, counted from that of the link `root`."""
    frame = _HERE
    for k in path(skeleton, place):
        if root == BASE_LINK or root in path(skeleton, skeleton.links[k].inner):
            frame = _beyond(skeleton.links[k], known, _at(frame, skeleton.links[k].inner))
    return _at(frame, place)


def _point_in(skeleton: Skeleton, known: Known, place: Place, link: int) -> ca.SX:
    """Return the origin of a frame as a link sees it that is on the way to it."""
    point, k = ca.SX(ca.sparsify(ca.DM(place.p))), place.link
    while k != link:
        inner = skeleton.links[k].inner
        point = ca.sparsify(ca.DM(inner.p)) + ca.sparsify(ca.DM(inner.R)) @ _before(skeleton.links[k], known, point)
        k = inner.link
    return point


# Solving -----------------------------------------------------------------------------------------------------------


def _solve(solved: Solved, dyad: Dyad) -> None:
    """Fill in the coordinates of X, then of G."""
    skeleton, known = solved.skeleton, Known(solved.c, solved.turns)
    cut, simple = skeleton.cuts[dyad.cut], skeleton.links[dyad.simple]
    mine, other = (cut.child, cut.parent) if dyad.pivot in path(skeleton, cut.child) else (cut.parent, cut.child)
    near = Known(ca.vertsplit(solved.near), {})
    sign = _branch(simple, near.c[simple.coordinate], *_distances(skeleton, near, dyad, mine, other)[:2])
    found = _simple(simple, *_distances(skeleton, known, dyad, mine, other), sign)
    if isinstance(found, tuple):
        _take(solved, simple.coordinate, found)
    else:
        solved.c[simple.coordinate] = found
    p, R = _frame(skeleton, known, skeleton.links[dyad.first].inner)
    x = R.T @ (_frame(skeleton, known, other)[0] - p)
    turned = _point_in(skeleton, known, mine, dyad.pivot), _point_in(skeleton, near, mine, dyad.pivot)
    for k, turn in _pivot(skeleton, dyad, turned, x, near.c).items():
        _take(solved, k, turn)


def _take(solved: Solved, k: int, turn: Axes) -> None:
    """Note an angle, given by its cosine and sine, with the whole turns that bring it nearest to `near`."""
    angle, near = ca.atan2(turn[1], turn[0]), solved.near[k]
    solved.turns[k] = turn
    solved.c[k] = angle + 2 * ca.pi * ca.floor((near - angle) / (2 * ca.pi) + 0.5)


def _pivot(skeleton: Skeleton, dyad: Dyad, turned: Axes, x: ca.SX, near: list[ca.SX]) -> dict[int, Axes]:
    """Return cosines and sines of G, by their places, that turn a point of its link, here and at `near`, to x."""
    (v, before), first, pivot = turned, skeleton.links[dyad.first], skeleton.links[dyad.pivot]
    if dyad.first != dyad.pivot:
        C = ca.SX(ca.sparsify(ca.DM(pivot.inner.R)))
        a, b, c = C[2, 0], C[2, 1], C[2, 2]
        side = _side(a * before[0] + b * before[1], b * before[0] - a * before[1], near[pivot.coordinate])
        cosine, sine = _directions(a * v[0] + b * v[1], b * v[0] - a * v[1], x[2] - c * v[2], side)
        u = C @ ca.vertcat(v[0] * cosine - v[1] * sine, v[0] * sine + v[1] * cosine, v[2])
        return {first.coordinate: _turn_to(u[:2], x[:2]), pivot.coordinate: (cosine, sine)}
    k = first.coordinate
    if first.joint.type == "revolute":
        return {k: _turn_to(v[:2], x[:2])}
    cosine, sine = _directions(v[0], v[2], x[0], _side(before[0], before[2], near[k + 1]))
    u = ca.vertcat(v[1], v[2] * cosine - v[0] * sine)
    return {k: _turn_to(u, x[1:]), k + 1: (cosine, sine)}


def _side(A: ca.SX, B: ca.SX, angle: ca.SX) -> ca.SX:
    """Return the sign of A sin q - B cos q; where A and B, or their ratio, are numbers, by counting half turns."""
    if A.is_zero():
        return -ca.sign(B) * _half_turns(angle)
    if B.is_zero():
        return ca.sign(A) * _half_turns(angle - ca.pi / 2)
    return ca.sign(A * ca.sin(angle) - B * ca.cos(angle))


def _half_turns(angle: ca.SX) -> ca.SX:
    """Return the sign of cos q."""
    count = ca.floor(angle / ca.pi + 0.5)
    return 1 - 2 * (count - 2 * ca.floor(count / 2))


def _turn_to(u: ca.SX, x: ca.SX) -> Axes:
    """Return cosine and sine of the angle from one vector of the plane to another, no turn where one is zero."""
    along, across = u[0] * x[0] + u[1] * x[1] + NOTHING, u[0] * x[1] - u[1] * x[0]
    inverse = 1 / ca.sqrt(along**2 + across**2)
    return along * inverse, across * inverse


def _distances(skeleton: Skeleton, known: Known, dyad: Dyad, mine: Place, other: Place) -> tuple[ca.SX, ca.SX, ca.SX]:
    """Return s, z and D^2 of the equation that gives X.

    X beyond G: the distance is that of G from the other side of the cut. X before G, or on the other side: it is that
    of G from the cut, on G's own side.
    """
    simple, first = skeleton.links[dyad.simple], skeleton.links[dyad.first]
    centre = first.inner if dyad.pivot not in path(skeleton, simple.inner) else None
    if centre is None:
        s = _point_in(skeleton, known, mine, dyad.simple)
        p_GI, R_GI = _frame(skeleton, known, simple.inner, dyad.pivot)
        gap = _frame(skeleton, known, other)[0] - _frame(skeleton, known, first.inner)[0]
        return s, -(R_GI.T @ p_GI), ca.sumsqr(gap)
    before = dyad.simple in path(skeleton, first.inner)
    far, target = (centre, other) if before else (other, centre)
    p_OI, R_OI = _frame(skeleton, known, simple.inner)
    z = R_OI.T @ (_frame(skeleton, known, target)[0] - p_OI)
    return _point_in(skeleton, known, far, dyad.simple), z, ca.sumsqr(_point_in(skeleton, known, mine, dyad.pivot))


def _terms(s: ca.SX, z: ca.SX) -> tuple[ca.SX, ca.SX]:
    return s[0] * z[0] + s[1] * z[1], s[0] * z[1] - s[1] * z[0]


def _branch(simple: Link, near: ca.SX, s: ca.SX, z: ca.SX) -> ca.SX:
    """Return which of the two solutions for X a configuration has, 1 or -1."""
    value = -near if simple.backwards else near
    return ca.sign(value + s[2] - z[2]) if simple.joint.type == "prismatic" else _side(*_terms(s, z), value)


def _simple(simple: Link, s: ca.SX, z: ca.SX, squared: ca.SX, sign: ca.SX) -> ca.SX | Axes:
    """Return the coordinate of X: of a slide itself, of a hinge its cosine and sine."""
    if simple.joint.type == "prismatic":
        g = s - z
        way = sign * ca.sqrt(ca.fmax(squared - g[0] ** 2 - g[1] ** 2, 0)) - g[2]
        return -way if simple.backwards else way
    A, B = _terms(s, z)
    cosine, sine = _directions(A, B, (ca.sumsqr(s) + ca.sumsqr(z) - squared) / 2 - s[2] * z[2], sign)
    return cosine, -sine if simple.backwards else sine


def _directions(A: ca.SX, B: ca.SX, K: ca.SX, sign: ca.SX) -> Axes:
    """Return cos q and sin q with A cos q + B sin q = K, sign being that of A sin q - B cos q."""
    inverse = 1 / ca.sqrt(A**2 + B**2)
    along = ca.fmax(ca.fmin(K * inverse, 1), -1)
    across = sign * ca.sqrt((1 - along) * (1 + along))
    return (A * along - B * across) * inverse, (B * along + A * across) * inverse

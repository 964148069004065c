"""Two joints of a loop by formulas: see `parakin.mechanism.dyads`.

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

import casadi as ca

from parakin.kinematics.graph.angles import Solved, directions, side_of, take, turn_to
from parakin.kinematics.graph.ways import Axes, Known, frame_of, point_in
from parakin.mechanism.dyads import Dyad, PivotAlone, path
from parakin.mechanism.invariants import sides
from parakin.mechanism.skeleton import Link, Place, Skeleton


def solve_dyad(solved: Solved, dyad: Dyad) -> None:
    """Fill in the coordinates of X, then of G."""
    skeleton, known, near = solved.skeleton, solved.known, solved.known_near
    simple, (mine, other) = skeleton.links[dyad.simple], sides(skeleton, dyad.cut, dyad.pivot)
    sign = _branch(simple, near.c[simple.coordinate], *_distances(skeleton, near, dyad, mine, other)[:2])
    found = _simple(simple, *_distances(skeleton, known, dyad, mine, other), sign)
    if isinstance(found, tuple):
        take(solved, simple.coordinate, found)
    else:
        solved.c[simple.coordinate] = found
    solve_pivot(solved, dyad)


def solve_pivot(solved: Solved, dyad: Dyad | PivotAlone) -> None:
    """Fill in the coordinates of G."""
    skeleton, known, near = solved.skeleton, solved.known, solved.known_near
    mine, other = sides(skeleton, dyad.cut, dyad.pivot)
    p, R = frame_of(skeleton, known, skeleton.links[dyad.first].inner)
    x = R.T @ (frame_of(skeleton, known, other)[0] - p)
    turned = point_in(skeleton, known, mine, dyad.pivot), point_in(skeleton, near, mine, dyad.pivot)
    for k, turn in _pivot(skeleton, dyad, turned, x, near.c).items():
        take(solved, k, turn)


def _pivot(skeleton: Skeleton, dyad: Dyad | PivotAlone, turned: Axes, x: ca.SX, near: list[ca.SX]) -> dict[int, Axes]:
    """Return cosines and sines of G, by their places, that turn a point of its link, here and at `near`, to x."""
    (v, before), first, pivot = turned, skeleton.links[dyad.first], skeleton.links[dyad.pivot]
    if dyad.first != dyad.pivot:
        C = ca.SX(ca.sparsify(ca.DM(pivot.inner.R)))
        a, b, c = C[2, 0], C[2, 1], C[2, 2]
        side = side_of(a * before[0] + b * before[1], b * before[0] - a * before[1], near[pivot.coordinate])
        cosine, sine = directions(a * v[0] + b * v[1], b * v[0] - a * v[1], x[2] - c * v[2], side)
        u = C @ ca.vertcat(v[0] * cosine - v[1] * sine, v[0] * sine + v[1] * cosine, v[2])
        return {first.coordinate: turn_to(u[:2], x[:2]), pivot.coordinate: (cosine, sine)}
    k = first.coordinate
    if first.joint.type == "revolute":
        return {k: turn_to(v[:2], x[:2])}
    cosine, sine = directions(v[0], v[2], x[0], side_of(before[0], before[2], near[k + 1]))
    u = ca.vertcat(v[1], v[2] * cosine - v[0] * sine)
    return {k: turn_to(u, x[1:]), k + 1: (cosine, sine)}


def _distances(skeleton: Skeleton, known: Known, dyad: Dyad, mine: Place, other: Place) -> tuple[ca.SX, ca.SX, ca.SX]:
    """Return s, z and D^2 of the equation that gives X.

    X beyond G: the distance is that of G from the other side of the cut. X before G, or on the other side: it is that
    of G from the cut, on G's own side.
    """
    simple, first = skeleton.links[dyad.simple], skeleton.links[dyad.first]
    centre = first.inner if dyad.pivot not in path(skeleton, simple.inner) else None
    if centre is None:
        s = point_in(skeleton, known, mine, dyad.simple)
        p_GI, R_GI = frame_of(skeleton, known, simple.inner, dyad.pivot)
        gap = frame_of(skeleton, known, other)[0] - frame_of(skeleton, known, first.inner)[0]
        return s, -(R_GI.T @ p_GI), ca.sumsqr(gap)
    before = dyad.simple in path(skeleton, first.inner)
    far, target = (centre, other) if before else (other, centre)
    p_OI, R_OI = frame_of(skeleton, known, simple.inner)
    z = R_OI.T @ (frame_of(skeleton, known, target)[0] - p_OI)
    return point_in(skeleton, known, far, dyad.simple), z, ca.sumsqr(point_in(skeleton, known, mine, dyad.pivot))


def _terms(s: ca.SX, z: ca.SX) -> tuple[ca.SX, ca.SX]:
    return s[0] * z[0] + s[1] * z[1], s[0] * z[1] - s[1] * z[0]


def _branch(simple: Link, near: ca.SX, s: ca.SX, z: ca.SX) -> ca.SX:
    """Return which of the two solutions for X a configuration has, 1 or -1."""
    value = -near if simple.backwards else near
    return ca.sign(value + s[2] - z[2]) if simple.joint.type == "prismatic" else side_of(*_terms(s, z), value)


def _simple(simple: Link, s: ca.SX, z: ca.SX, squared: ca.SX, sign: ca.SX) -> ca.SX | Axes:
    """Return the coordinate of X: of a slide itself, of a hinge its cosine and sine."""
    if simple.joint.type == "prismatic":
        g = s - z
        way = sign * ca.sqrt(ca.fmax(squared - g[0] ** 2 - g[1] ** 2, 0)) - g[2]
        return -way if simple.backwards else way
    A, B = _terms(s, z)
    cosine, sine = directions(A, B, (ca.sumsqr(s) + ca.sumsqr(z) - squared) / 2 - s[2] * z[2], sign)
    return cosine, -sine if simple.backwards else sine

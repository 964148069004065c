"""One coordinate of a row by a formula: see `parakin.mechanism.dyads`.

All else that the row depends on is known. A row's value f in the angle q of a hinge, or in the way d of a slide, is

    hinge:   f = A cos q + B sin q - K      A = (f(0) - f(pi))/2,   K = -(f(0) + f(pi))/2,   B = f(pi/2) + K
    slide:   f = f(0) + b d,                b = f(1) - f(0);      a distance row has d^2/(2 length) besides

Of two solutions that one is taken which `near` has.
"""

from __future__ import annotations

from dataclasses import replace

import casadi as ca

from parakin.kinematics.graph.angles import Solved, directions, side_of, take
from parakin.kinematics.graph.rows import place_of
from parakin.kinematics.graph.ways import Axes, Known, frame_of
from parakin.mechanism.dyads import SingleRow, owner_of, path, row_of
from parakin.mechanism.kinds import Move
from parakin.mechanism.skeleton import BASE_LINK, Cut, Skeleton


def solve_single_row(solved: Solved, single: SingleRow) -> None:
    """Fill in the coordinate that a row gives."""
    skeleton = solved.skeleton
    k = place_of(skeleton, skeleton.velocity_names[single.velocity])[1]
    link, n = owner_of(skeleton, single.velocity)
    known, near = _filled(solved), solved.known_near
    of_cut = row_of(skeleton, single.row)
    if isinstance(of_cut, int):
        _linear(solved, known, of_cut, k)
    elif link.joint.kind.freedoms[n].move is Move.SLIDE:
        cut = of_cut[0]
        ways = (_along(skeleton, at, of_cut, k) for at in (known, near))
        solved.c[k] = _slid(cut, *next(ways), side=(next(ways), near.c[k]))
    else:
        A, B, K = _around(skeleton, known, of_cut, k)
        A_near, B_near, _ = _around(skeleton, near, of_cut, k)
        take(solved, k, directions(A, B, K, side_of(A_near, B_near, near.c[k])))


def _filled(solved: Solved) -> Known:
    """Return what is known, with zeros for what is not: a row does not depend on these."""
    c = list(solved.c)
    for link in solved.skeleton.links:
        for n, value in enumerate(link.joint.kind.home):
            entry = c[link.coordinate + n]
            if entry.is_constant() and not entry.is_regular():
                c[link.coordinate + n] = ca.SX(value)
    return Known(c, solved.turns)


def _linear(solved: Solved, known: Known, coupling: int, k: int) -> None:
    """Fill in a coordinate of a coupling: sum(factor coordinate) = constant."""
    one = solved.skeleton.description.couplings[coupling]
    factor, rest = 0.0, ca.SX(one.constant)
    for term in one.terms:
        place = place_of(solved.skeleton, term.coordinate)[1]
        if place == k:
            factor += term.factor
        else:
            rest -= term.factor * known.c[place]
    solved.c[k] = rest * (1 / factor)


def _around(skeleton: Skeleton, known: Known, row: tuple[Cut, int], k: int) -> tuple[ca.SX, ca.SX, ca.SX]:
    """Return A, B and K of a row in the angle at place k."""
    one, nothing = ca.SX(1), ca.SX(0)
    quarters: tuple[Axes, ...] = ((one, nothing), (nothing, one), (-one, nothing))
    at = [_value(skeleton, replace(known, turns={**known.turns, k: turn}), row) for turn in quarters]
    K = -(at[0] + at[2]) / 2
    return (at[0] - at[2]) / 2, at[1] + K, K


def _along(skeleton: Skeleton, known: Known, row: tuple[Cut, int], k: int) -> tuple[ca.SX, ca.SX]:
    """Return a row's value with the slide at place k at zero, and how it then changes with the slide."""
    at: list[ca.SX] = []
    for way in (0, 1):
        c = list(known.c)
        c[k] = ca.SX(way)
        at.append(_value(skeleton, Known(c, known.turns), row))
    length = row[0].joint.length
    return at[0], at[1] - at[0] - (0 if length is None else 1 / (2 * length))


def _slid(cut: Cut, start: ca.SX, slope: ca.SX, side: tuple[tuple[ca.SX, ca.SX], ca.SX]) -> ca.SX:
    """Return the way of a slide; side: start and slope where the branch is followed, and the way there."""
    if cut.joint.length is None:
        return -start / slope
    (_, before), way = side
    length = cut.joint.length
    root = ca.sqrt(ca.fmax(slope**2 - 2 * start / length, 0))
    return length * (ca.sign(way + length * before) * root - slope)


def _value(skeleton: Skeleton, known: Known, row: tuple[Cut, int]) -> ca.SX:
    """Return the value of a row of a cut joint, as `rows.cut_rows` has it."""
    cut, n = row
    places = [cut.parent, cut.child] + ([] if cut.axes is None else [cut.axes])
    ways = [path(skeleton, place) for place in places]
    shared = [links[0] for links in zip(*ways, strict=False) if len(set(links)) == 1]
    root = shared[-1] if shared else BASE_LINK
    (p_P, R_P), (p_C, R_C), *others = (frame_of(skeleton, known, place, root) for place in places)
    r, positions = p_C - p_P, cut.joint.position_rows
    if n < len(positions):
        axes = others[0][1] if others else R_P
        return ca.dot(axes[:, positions[n]], r)
    if n - len(positions) < len(cut.joint.kind.orientation_rows):
        i, j = cut.joint.kind.orientation_rows[n - len(positions)]
        return ca.dot(R_P[:, i], R_C[:, j])
    assert cut.joint.length is not None, "what is neither a position nor an orientation is a distance"
    return (ca.sumsqr(r) - cut.joint.length**2) / (2 * cut.joint.length)

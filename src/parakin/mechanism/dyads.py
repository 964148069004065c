"""Loops that close by formulas: which joints follow from which, one loop after the other, where all of them do.

In a loop whose other joints are known, let two be unknown: a pivot G (a hinge, a universal joint, or the two hinges of
one whose cross is a body) and a simple joint X (hinge or slide). The distance from the centre of G to the point where
the loop is cut is the same on both sides of the cut and does not depend on G: it gives X, where a circle or a line
meets a sphere; then G turns one point to the other.

    strut U-P-S: X the slide        arm R-U-S, rail P-U-S: X before G        planar R-R-R, R-P-R: circle meets circle

Struts, arms and rails of robots, four-bars and slider-cranks are of this kind. Angles come out with the whole turns
that are nearest to a known configuration; loops with a spring on such an angle, which counts turns, are left to Newton.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from parakin.mechanism import numeric
from parakin.mechanism.assembling import Assembly
from parakin.mechanism.kinds import Move
from parakin.mechanism.pivoting import Pivots
from parakin.mechanism.skeleton import BASE_LINK, SNAPPED, Cut, Place, Skeleton

SIMPLE = ("revolute", "prismatic")
"""Kinds of joints that a distance gives."""

STEEPEST = 0.9
"""Largest cosine of the angle between the two hinges of a pivot: nearly parallel ones turn a point hardly anywhere."""


@dataclass(frozen=True)
class Dyad:
    """A loop that gives two joints."""

    cut: int
    """The number of the cut joint that closes it."""
    first: int
    """The link whose joint is G, or the first hinge of it."""
    pivot: int
    """The link beyond G: the same, or beyond its second hinge."""
    simple: int
    """The link whose joint is X."""


def dyads(tree: Skeleton, assembly: Assembly, pivots: Pivots, independent: tuple[int, ...]) -> tuple[Dyad, ...]:
    """Return dyads that, one after the other, give all dependent coordinates; nothing if some stay unknown."""
    known = {k for k in range(len(tree.links)) if _velocities(tree, k) <= set(independent)}
    found: list[Dyad] = []
    row = 0
    rows: dict[int, set[int]] = {}
    for n, cut in enumerate(tree.cuts):
        rows[n] = set(range(row, row + cut.joint.row_count))
        row += cut.joint.row_count
    left = [n for n in rows if rows[n] & set(pivots.rows)]
    imposed = {n: len(rows[n] & set(pivots.rows)) for n in left}
    if tree.description.couplings and any(row <= r for r in pivots.rows):
        return ()
    while left:
        step = next(((n, d) for n in left if (d := _dyad(tree, assembly, n, imposed[n], known)) is not None), None)
        if step is None:
            return ()
        n, dyad = step
        found.append(dyad)
        known |= {dyad.first, dyad.pivot, dyad.simple}
        left.remove(n)
    given = {k for dyad in found for k in (dyad.first, dyad.pivot, dyad.simple)}
    sprung = any(one.spring for k in given for one in tree.links[k].joint.freedoms.values())
    return tuple(found) if len(known) == len(tree.links) and not sprung else ()


def _velocities(tree: Skeleton, k: int) -> set[int]:
    link = tree.links[k]
    return set(range(link.velocity, link.velocity + len(link.joint.kind.freedoms)))


def path(tree: Skeleton, place: Place) -> list[int]:
    """Return the links from the base to a place, its own included."""
    links: list[int] = []
    link = place.link
    while link != BASE_LINK:
        links.append(link)
        link = tree.links[link].inner.link
    return links[::-1]


def _dyad(tree: Skeleton, assembly: Assembly, n: int, imposed: int, known: set[int]) -> Dyad | None:
    """Return how a cut joint gives two unknown joints, if it does."""
    cut = tree.cuts[n]
    sides = path(tree, cut.parent), path(tree, cut.child)
    loop = set(sides[0]) ^ set(sides[1])
    if (set(sides[0]) & set(sides[1])) - known:
        return None
    unknown = [k for k in (*sides[0], *sides[1]) if k in loop and k not in known]
    whole = cut.joint.type == "spherical" and imposed == 3
    if whole:
        return next((Dyad(n, *found) for found in _spatial(tree, unknown)), None)
    simple = [k for k in unknown if tree.links[k].joint.type in SIMPLE]
    hinges = [k for k in simple if tree.links[k].joint.type == "revolute" and not tree.links[k].backwards]
    if len(unknown) != 2 or len(simple) != 2 or not hinges or imposed != 2:
        return None
    pivot = hinges[-1]
    other = next(k for k in simple if k != pivot)
    return Dyad(n, pivot, pivot, other) if _is_planar(tree, assembly, cut, loop, pivot) else None


def _spatial(tree: Skeleton, unknown: list[int]) -> Iterator[tuple[int, int, int]]:
    """Yield how unknown joints are a universal joint and a simple one: first and second link of G, link of X."""
    for first in unknown:
        for pivot in unknown:
            rest = [k for k in unknown if k not in (first, pivot)]
            if len(rest) == 1 and tree.links[rest[0]].joint.type in SIMPLE and _is_universal(tree, first, pivot):
                yield first, pivot, rest[0]


def _is_universal(tree: Skeleton, first: int, pivot: int) -> bool:
    """Tell whether one joint is universal, or two are hinges, one carried by the other, whose axes meet."""
    joints = [tree.links[first].joint.type, tree.links[pivot].joint.type]
    if tree.links[first].backwards or tree.links[pivot].backwards:
        return False
    if first == pivot:
        return joints[0] == "universal"
    inner = tree.links[pivot].inner
    meet = inner.link == first and not np.any(inner.p) and abs(float(inner.R[2, 2])) < STEEPEST
    return meet and joints == ["revolute", "revolute"]


def _is_planar(tree: Skeleton, assembly: Assembly, cut: Cut, loop: set[int], hinge: int) -> bool:
    """Tell whether every joint of a loop, also the cut one, moves things in the plane across a hinge's axis."""
    at = numeric.posture(tree, assembly.configuration)
    normal = at.twists[hinge][3:, tree.links[hinge].velocity]
    for k in loop:
        for n, freedom in enumerate(tree.links[k].joint.kind.freedoms):
            column = at.twists[k][:, tree.links[k].velocity + n]
            if freedom.move is Move.SLIDE:
                fits = abs(float(normal @ column[:3])) <= SNAPPED
            else:
                fits = freedom.move is Move.TURN and _parallel(normal, column[3:])
            if not fits:
                return False
    _, R = at.frame(cut.parent)
    return cut.joint.type == "revolute" and _parallel(normal, R[:, 2])


def _parallel(a: np.ndarray, b: np.ndarray) -> bool:
    return float(np.linalg.norm(np.cross(a, b))) <= SNAPPED

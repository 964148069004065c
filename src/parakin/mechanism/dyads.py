"""Loops, or single rows of them, that formulas close once all but a few of their coordinates are known.

In a loop whose other joints are known, let two be unknown: a pivot G (a hinge, a universal joint, or the two hinges of
one whose cross is a body) and a simple joint X (hinge or slide). The distance from the centre of G to the point where
the loop is cut is the same on both sides of the cut and does not depend on G: it gives X, where a circle or a line
meets a sphere; then G turns one point to the other.

    strut U-P-S: X the slide        arm R-U-S, rail P-U-S: X before G        planar R-R-R, R-P-R: circle meets circle

Struts, arms and rails of robots, four-bars and slider-cranks are of this kind. A single row gives one coordinate more
generally: position and orientation rows are A cos q + B sin q = K in the angle of a hinge, linear in the way of a
slide; distance rows quadratic in that; couplings linear. Slider-cranks cut at the slide, gears, and rods that are
distances close so.

Angles come out with the whole turns that are nearest to a known configuration. Springs and couplings count turns: an
angle with one comes from a formula only if its limits are less than half a turn apart, so that the nearest turn is
the right one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array
from parakin.mechanism import numeric
from parakin.mechanism.kinds import Move
from parakin.mechanism.skeleton import BASE_LINK, SNAPPED, Cut, Link, Place, Skeleton

SIMPLE = ("revolute", "prismatic")
"""Kinds of joints that a distance gives."""

STEEPEST = 0.9
"""Largest cosine of the angle between the two hinges of a pivot: nearly parallel ones turn a point hardly anywhere."""


PLANAR_UNKNOWNS = 2
"""Coordinates that a planar loop gives; loops in space give three."""


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


@dataclass(frozen=True)
class PivotAlone:
    """A loop that gives one pivot, once all else of it is known and it closes."""

    cut: int
    """The number of the cut joint that closes it."""
    first: int
    """The link whose joint is the pivot, or the first hinge of it."""
    pivot: int
    """The link beyond it: the same, or beyond its second hinge."""


@dataclass(frozen=True)
class SingleRow:
    """A row that gives one coordinate."""

    row: int
    """Its number among all rows of the loops, couplings last."""
    velocity: int
    """The number of the velocity whose coordinate it gives."""


Formula = Dyad | PivotAlone | SingleRow
"""What a formula closes."""


def path(tree: Skeleton, place: Place) -> list[int]:
    """Return the links from the base to a place, its own included."""
    links: list[int] = []
    link = place.link
    while link != BASE_LINK:
        links.append(link)
        link = tree.links[link].inner.link
    return links[::-1]


def velocities(tree: Skeleton, *links: int) -> set[int]:
    """Return the velocities of the joints that carry links."""
    found: set[int] = set()
    for link in (tree.links[k] for k in links):
        found |= set(range(link.velocity, link.velocity + len(link.joint.kind.freedoms)))
    return found


def nearest_turn_serves(tree: Skeleton, velocity: int) -> bool:
    """Tell whether whole turns of a coordinate may be those that are nearest: nothing counts them, or limits do."""
    link, n = owner_of(tree, velocity)
    one, name = link.joint.freedom(n), tree.velocity_names[velocity]
    coupled = any(term.coordinate == name for coupling in tree.description.couplings for term in coupling.terms)
    if (one.spring is None and not coupled) or link.joint.kind.freedoms[n].move is Move.SLIDE:
        return True
    return one.lower is not None and one.upper is not None and one.upper - one.lower < math.pi


def owner_of(tree: Skeleton, velocity: int) -> tuple[Link, int]:
    """Return the link whose joint has a velocity, and its number among those of the joint."""
    link = next(link for k, link in enumerate(tree.links) if velocity in velocities(tree, k))
    return link, velocity - link.velocity


# Two joints of a loop ----------------------------------------------------------------------------------------------


def dyad_of(tree: Skeleton, home: Array, n: int, rows: int, known: set[int]) -> Dyad | None:
    """Return how a cut joint gives two unknown joints, if it does.

    rows: how many rows of it are still to be satisfied; known: velocities whose coordinates are known.
    """
    cut = tree.cuts[n]
    sides = path(tree, cut.parent), path(tree, cut.child)
    unknown = [k for k in (*sides[0], *sides[1]) if velocities(tree, k) - known]
    missing = velocities(tree, *unknown) - known
    if set(unknown) & set(sides[0]) & set(sides[1]) or len(missing) != rows or len(cut.joint.position_rows) != 3:
        return None
    if missing != velocities(tree, *unknown) or not all(nearest_turn_serves(tree, k) for k in missing):
        return None
    found = next(_spatial(tree, unknown), None) or planar_dyad(tree, home, unknown)
    return None if found is None else Dyad(n, *found)


def _spatial(tree: Skeleton, unknown: list[int]) -> Iterator[tuple[int, int, int]]:
    """Yield how unknown joints are a universal joint and a simple one: first and second link of G, link of X."""
    for first in unknown:
        for pivot in unknown:
            rest = [k for k in unknown if k not in (first, pivot)]
            if len(rest) == 1 and tree.links[rest[0]].joint.type in SIMPLE and is_universal(tree, first, pivot):
                yield first, pivot, rest[0]


def is_universal(tree: Skeleton, first: int, pivot: int) -> bool:
    """Tell whether one joint is universal, or two are hinges, one carried by the other, whose axes meet."""
    joints = [tree.links[first].joint.type, tree.links[pivot].joint.type]
    if tree.links[first].backwards or tree.links[pivot].backwards:
        return False
    if first == pivot:
        return joints[0] == "universal"
    inner = tree.links[pivot].inner
    meet = inner.link == first and not np.any(inner.p) and abs(float(inner.R[2, 2])) < STEEPEST
    return meet and joints == ["revolute", "revolute"]


def planar_dyad(tree: Skeleton, home: Array, unknown: list[int]) -> tuple[int, int, int] | None:
    """Return the link of G, twice, and that of X, if they are a hinge and a simple joint that move in one plane."""
    simple = [k for k in unknown if tree.links[k].joint.type in SIMPLE]
    hinges = [k for k in simple if tree.links[k].joint.type == "revolute" and not tree.links[k].backwards]
    if len(unknown) != 2 or len(simple) != 2 or not hinges:
        return None
    pivot = hinges[-1]
    other = next(k for k in simple if k != pivot)
    return (pivot, pivot, other) if _in_one_plane(tree, home, pivot, other) else None


def _in_one_plane(tree: Skeleton, home: Array, hinge: int, other: int) -> bool:
    """Tell whether two joints, and those of the tree between them, move things in the plane across a hinge's axis."""
    at = numeric.posture(tree, home)
    normal = at.twists[hinge][3:, tree.links[hinge].velocity]
    ways = (set(path(tree, Place(k, np.zeros(3), np.eye(3)))) for k in (hinge, other))
    for k in {other} | (next(ways) ^ next(ways)):
        for n, freedom in enumerate(tree.links[k].joint.kind.freedoms):
            column = at.twists[k][:, tree.links[k].velocity + n]
            if freedom.move is Move.SLIDE:
                fits = abs(float(normal @ column[:3])) <= SNAPPED
            else:
                fits = freedom.move is Move.TURN and _parallel(normal, column[3:])
            if not fits:
                return False
    return True


def _parallel(a: Array, b: Array) -> bool:
    return float(np.linalg.norm(np.cross(a, b))) <= SNAPPED


# One coordinate of a row -------------------------------------------------------------------------------------------


def row_of(tree: Skeleton, row: int) -> tuple[Cut, int] | int:
    """Return the cut joint to which a row belongs, and its number among that joint's; or the number of a coupling."""
    for cut in tree.cuts:
        if row < cut.joint.row_count:
            return cut, row
        row -= cut.joint.row_count
    return row


def row_count(tree: Skeleton) -> int:
    """Return how many rows the loops have, couplings among them."""
    return sum(cut.joint.row_count for cut in tree.cuts) + len(tree.description.couplings)


def is_single(tree: Skeleton, row: int, velocity: int) -> bool:
    """Tell whether a row gives the one coordinate of it that is not known."""
    link, n = owner_of(tree, velocity)
    if isinstance(row_of(tree, row), int):
        return True
    return link.joint.kind.freedoms[n].move in (Move.TURN, Move.SLIDE) and nearest_turn_serves(tree, velocity)


# All of them -------------------------------------------------------------------------------------------------------


def given_by(tree: Skeleton, formula: Formula) -> set[int]:
    """Return the velocities whose coordinates a formula gives."""
    if isinstance(formula, SingleRow):
        return {formula.velocity}
    links = (formula.first, formula.pivot, *([formula.simple] if isinstance(formula, Dyad) else []))
    return velocities(tree, *links)


def formula_words(tree: Skeleton, formula: Formula) -> str:
    """Return in words what a formula closes, such as `strut to ball1`."""
    if isinstance(formula, SingleRow):
        owner = row_of(tree, formula.row)
        return f"coupling {owner + 1}" if isinstance(owner, int) else f"one row of {owner[0].joint.name}"
    cut = tree.cuts[formula.cut].joint
    if isinstance(formula, PivotAlone):
        return f"pivot to {cut.name}"
    simple = tree.links[formula.simple]
    slides, beyond = simple.joint.type == "prismatic", formula.pivot in path(tree, simple.inner)
    if len(given_by(tree, formula)) == PLANAR_UNKNOWNS:
        kind = "slider-crank" if slides else "four-bar"
    elif beyond:
        kind = ("shaft" if cut.type == "universal" else "strut") if slides else "elbow"
    else:
        kind = "rail" if slides else "arm"
    return f"{kind} to {cut.name}"

"""Rows of a loop that do not depend on its pivot: what is searched for in place of a point's three position rows.

Let a pivot G (a hinge, a universal joint, or two hinges that meet) be in one loop only, whose cut joint holds a point.
Seen from the centre of G the point is at r by the one side of the cut; by the other side, beyond G, at a place s which
G turns. These do not depend on G:

    distance:   (|r|^2 - |s|^2)/(2 |s| at home) = 0            along the axis e of a hinge:   e.r - s_z = 0

They are searched for in place of the three rows: the distance for a universal joint, both for a hinge, and the second
for a hinge beside another simple joint in its plane. G follows by a formula.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array
from parakin.mechanism import numeric
from parakin.mechanism.assembling import scales
from parakin.mechanism.dependence import Pattern
from parakin.mechanism.dyads import (
    Dyad,
    PivotAlone,
    is_universal,
    nearest_turn_serves,
    path,
    planar_dyad,
    velocities,
)
from parakin.mechanism.kinds import Move
from parakin.mechanism.skeleton import Place, Skeleton

SHORTEST_ARM = 1e-2
"""Smallest distance, in sizes of the mechanism, of the point from the centre of a pivot, or from a hinge's axis."""
POINT = 3
"""Rows that hold a point."""


@dataclass(frozen=True)
class Invariant:
    """A row that does not depend on a pivot."""

    cut: int
    """The number of the cut joint that closes the loop."""
    first: int
    """The link whose joint is the pivot, or the first hinge of it."""
    pivot: int
    """The link beyond the pivot."""
    axial: bool
    """Whether it is along the axis of a hinge; otherwise it is the distance."""
    length: float
    """The distance at home [m]."""


@dataclass(frozen=True)
class Replaced:
    """The rows of a loop, without what its pivot gives."""

    rows: frozenset[int]
    """The three rows that hold the point."""
    invariants: tuple[Invariant, ...]
    """What is searched for in their place."""
    formula: Dyad | PivotAlone
    """What gives the pivot then."""


def sides(tree: Skeleton, cut: int, pivot: int) -> tuple[Place, Place]:
    """Return the place of a cut joint on the side of a pivot, and the place on the other side."""
    one = tree.cuts[cut]
    return (one.child, one.parent) if pivot in path(tree, one.child) else (one.parent, one.child)


def replaced_rows(tree: Skeleton, home: Array, pattern: Pattern, rows: set[int], columns: set[int]) -> list[Replaced]:
    """Return all loops whose rows can be replaced; rows and columns: those that are still to be solved for."""
    found: list[Replaced] = []
    first = 0
    for n, cut in enumerate(tree.cuts):
        mine = rows & set(range(first, first + cut.joint.row_count))
        if mine == set(range(first, first + POINT)) and len(cut.joint.position_rows) == POINT:
            others = sorted(rows - mine)
            private = {k for k in columns if pattern[sorted(mine), k].any() and not pattern[others, k].any()}
            one = _replaced(tree, home, n, private)
            if one is not None:
                found.append(Replaced(frozenset(mine), *one))
        first += cut.joint.row_count
    return found


def _replaced(
    tree: Skeleton, home: Array, n: int, private: set[int]
) -> tuple[tuple[Invariant, ...], Dyad | PivotAlone] | None:
    """Return what replaces the rows of a cut joint, given velocities that belong to its loop alone."""
    cut = tree.cuts[n]
    ways = [*path(tree, cut.parent), *path(tree, cut.child)]
    links = [k for k in ways if velocities(tree, k) and velocities(tree, k) <= private]
    given = velocities(tree, *links)
    if not links or len(given) >= POINT or not all(nearest_turn_serves(tree, k) for k in given):
        return None
    planar = planar_dyad(tree, home, links)
    if planar is not None:
        told = _invariants(tree, home, n, planar[:2], (True,))
        return None if told is None else (told, Dyad(n, *planar))
    first, pivot = links[0], links[-1]
    hinge = len(links) == 1 and tree.links[first].joint.type == "revolute" and not tree.links[first].backwards
    if not hinge and not is_universal(tree, first, pivot):
        return None
    told = _invariants(tree, home, n, (first, pivot), (False, True) if hinge else (False,))
    return None if told is None else (told, PivotAlone(n, first, pivot))


def _invariants(
    tree: Skeleton, home: Array, n: int, links: tuple[int, int], axial: tuple[bool, ...]
) -> tuple[Invariant, ...] | None:
    """Return invariants of a pivot; None where the point is too near to it, or beyond a ball."""
    first, pivot = links
    at, (mine, _) = numeric.posture(tree, home), sides(tree, n, pivot)
    beyond = path(tree, mine)[path(tree, mine).index(pivot) + 1 :]
    if any(move is Move.BALL for k in beyond for move, _ in tree.links[k].joint.kind.moves):
        return None
    p, R = at.frame(tree.links[first].inner)
    s = R.T @ (at.frame(mine)[0] - p)
    arm = float(np.linalg.norm(s[:2] if first == pivot and tree.links[first].joint.type == "revolute" else s))
    if arm < SHORTEST_ARM * tree.size:
        return None
    return tuple(Invariant(n, first, pivot, along, float(np.linalg.norm(s))) for along in axial)


def invariant_derivatives(tree: Skeleton, configuration: Array, invariant: Invariant) -> Array:
    """Return the derivatives of an invariant by the velocities, free of units, where the loop is closed.

    The point's two sides then move beside each other as v_other - v_mine, along r or e.
    """
    at, (mine, other) = numeric.posture(tree, configuration), sides(tree, invariant.cut, invariant.pivot)
    p, R = at.frame(tree.links[invariant.first].inner)
    point = at.frame(other)[0]
    n = R[:, 2] if invariant.axial else (point - p) / invariant.length
    twist = at.twist(other) - at.twist(mine)
    _, of_columns = scales(tree)
    return (n @ twist[:3] + numeric.cross(point, n) @ twist[3:]) * of_columns / tree.size

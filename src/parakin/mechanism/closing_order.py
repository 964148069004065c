"""In which order the loops of a mechanism are closed: formulas, a search for what has none, formulas again.

From the coordinates of a pose on, whatever a formula gives is taken from it (`dyads`). What is left is solved for
by Newton's method, all of it at once, so that one path leads there; but loops that close by a formula once that is
known, and on which nothing depends that is searched for, are left out of the search, and so are pivots that belong to
one loop only (`invariants`):

    pose -> formulas -> Newton on the rest -> formulas
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.linalg.pivots import Pivots, common_pivots, pivot_sizes
from parakin.mechanism.assembling import Assembly, scaled_rows, scales
from parakin.mechanism.dependence import Pattern, dependence, first_blocks
from parakin.mechanism.dyads import Dyad, Formula, PivotAlone, SingleRow, dyad_of, given_by, is_single, row_count
from parakin.mechanism.invariants import Invariant, invariant_derivatives, replaced_rows
from parakin.mechanism.kinds import Move
from parakin.mechanism.skeleton import Skeleton

WORTH_LEAVING_OUT = 0.3
"""Formulas follow a search if they spare it this share of its rows. Three of the 23 rows of a Quattro make its steps a
seventh shorter, but poses that it cannot reach, where the search would soon see the change of branch, take 40 steps."""


@frozen_arrays
class ClosingOrder:
    """How the dependent coordinates follow from a pose."""

    before: tuple[Dyad | PivotAlone | SingleRow, ...]
    """Formulas that need nothing but the pose and those before them."""
    rows: tuple[int, ...]
    """Rows of the search by Newton's method, the row of the first pivot first; none where formulas give all."""
    columns: tuple[int, ...]
    """Velocities whose coordinates are searched for, in the order of pivots."""
    sizes: Array
    """The median size of each of these pivots over the plan's samples, in SI units."""
    after: tuple[Dyad | PivotAlone | SingleRow, ...]
    """Formulas that need what was searched for."""
    invariants: tuple[Invariant, ...] = ()
    """Rows of the search that stand in place of others, numbered from the number of all rows on."""

    @property
    def formulas(self) -> tuple[Formula, ...]:
        """All formulas, in their order."""
        return self.before + self.after


@dataclass(frozen=True)
class _Part:
    """Some rows and the velocities whose coordinates they give, by a formula or, without one, by a search."""

    rows: frozenset[int]
    columns: frozenset[int]
    formula: Formula | None


def searched(pivots: Pivots, sizes: Array) -> ClosingOrder:
    """Return the order in which Newton's method does all."""
    return ClosingOrder((), pivots.rows, pivots.columns, sizes, ())


def closing_order(
    tree: Skeleton, assembly: Assembly, samples: Sequence[Array], pivots: Pivots, tolerance: float
) -> ClosingOrder:
    """Return the order in which the loops are closed; samples: configurations with closed loops."""
    pattern = dependence(tree, assembly.configuration)
    rows, columns = set(pivots.rows), set(pivots.columns)
    before = tuple(part.formula for part in _formulas(tree, assembly, pattern, rows, columns) if part.formula)
    if not rows:
        return ClosingOrder(before, (), (), np.zeros(0), ())
    order = _smaller(tree, assembly, pattern, rows, columns)
    jacobians = np.array([_jacobian(tree, sample, order.invariants) for sample in samples])
    inner = _pivots(jacobians, order, tolerance)
    if len(inner.rows) < len(order.columns):  # what takes the place of rows is singular at a sample where these are not
        order = _Search(sorted(rows), sorted(columns), (), ())
        inner = _pivots(jacobians, order, tolerance)
    if len(order.rows) == len(pivots.rows) and not order.invariants:
        inner = pivots
    of_rows, of_columns = scales(tree)
    of_rows = np.concatenate([of_rows, np.full(len(order.invariants), 1 / tree.size)])
    unit = of_columns[list(inner.columns)] * of_rows[list(inner.rows)]
    sizes = pivot_sizes(jacobians, inner) / unit
    return ClosingOrder(before, inner.rows, inner.columns, sizes, order.after, order.invariants)


@dataclass(frozen=True)
class _Search:
    """Rows and velocities of a search, rows that take the place of others in it, and formulas that follow."""

    rows: list[int]
    columns: list[int]
    invariants: tuple[Invariant, ...]
    after: tuple[Formula, ...]


def _smaller(tree: Skeleton, assembly: Assembly, pattern: Pattern, rows: set[int], columns: set[int]) -> _Search:
    """Return the search without pivots that belong to one loop, and without what formulas give after it."""
    rows, columns = set(rows), set(columns)
    invariants: list[Invariant] = []
    last: list[_Part] = []
    pivots = replaced_rows(tree, assembly.configuration, pattern, rows, columns)
    if not _worth([given_by(tree, one.formula) for one in pivots], columns):
        pivots = []
    for one in pivots:
        given = given_by(tree, one.formula)
        contained = np.array([pattern[sorted(one.rows), k].any() and k not in given for k in range(tree.velocities)])
        rows = (rows - one.rows) | set(range(len(pattern), len(pattern) + len(one.invariants)))
        pattern = np.vstack([pattern, *([contained] * len(one.invariants))])
        columns -= given
        invariants += one.invariants
        last.append(_Part(one.rows, frozenset(given), one.formula))
    parts = _parts(tree, assembly, pattern, rows, columns)
    search, after = _needed(pattern, parts)
    if not _worth([part.columns for part in after], columns):
        search, after = parts, []
    return _Search(
        sorted(row for part in search for row in part.rows),
        sorted(column for part in search for column in part.columns),
        tuple(invariants),
        tuple(part.formula for part in (*after, *last) if part.formula),
    )


def _worth(given: Sequence[Set[int]], columns: set[int]) -> bool:
    """Tell whether what formulas give after a search spares it enough."""
    return sum(len(part) for part in given) >= WORTH_LEAVING_OUT * len(columns)


def _jacobian(tree: Skeleton, sample: Array, invariants: tuple[Invariant, ...]) -> Array:
    """Return the Jacobian of all rows and invariants at a configuration, free of units."""
    more = [invariant_derivatives(tree, sample, one)[None] for one in invariants]
    return np.vstack([scaled_rows(tree, sample)[1], *more])


def _pivots(jacobians: Array, order: _Search, tolerance: float) -> Pivots:
    """Return an order of elimination for the search."""
    inner = common_pivots(jacobians[:, order.rows][:, :, order.columns], [0] * len(order.columns), tolerance)
    rows, columns = (order.rows[k] for k in inner.rows), (order.columns[k] for k in inner.columns)
    return Pivots(tuple(rows), tuple(columns), inner.sizes, (), (), ())


def _formulas(tree: Skeleton, assembly: Assembly, pattern: Pattern, rows: set[int], columns: set[int]) -> list[_Part]:
    """Return parts that close by formulas, one after the other, and take their rows and columns out of the sets."""
    parts: list[_Part] = []
    while rows:
        known = _known(tree, columns)
        part = _dyad(tree, assembly, rows, known) or _single(tree, pattern, rows, known)
        if part is None:
            break
        parts.append(part)
        rows -= part.rows
        columns -= part.columns
    return parts


def _known(tree: Skeleton, columns: set[int]) -> set[int]:
    """Return the velocities whose coordinates are known, if columns are not: of a ball all three or none."""
    known: set[int] = set()
    for link in tree.links:
        freedoms = link.joint.kind.freedoms
        mine = {link.velocity + n: one.move for n, one in enumerate(freedoms)}
        turns = any(move is Move.BALL and k in columns for k, move in mine.items())
        known |= {k for k, move in mine.items() if k not in columns and not (turns and move is Move.BALL)}
    return known


def _parts(tree: Skeleton, assembly: Assembly, pattern: Pattern, rows: set[int], columns: set[int]) -> list[_Part]:
    """Return rows in parts, each after those on which it depends, by formulas wherever there is one."""
    rows, columns, parts = set(rows), set(columns), list[_Part]()
    while rows:
        parts += _formulas(tree, assembly, pattern, rows, columns)
        if rows:
            block = first_blocks(pattern, sorted(rows), sorted(columns))
            parts.append(_Part(frozenset(block[0]), frozenset(block[1]), None))
            rows -= block[0]
            columns -= block[1]
    return parts


def _dyad(tree: Skeleton, assembly: Assembly, rows: set[int], known: set[int]) -> _Part | None:
    """Return a loop that gives two joints, if there is one."""
    first = 0
    for n, cut in enumerate(tree.cuts):
        mine = rows & set(range(first, first + cut.joint.row_count))
        first += cut.joint.row_count
        found = dyad_of(tree, assembly.configuration, n, len(mine), known) if mine else None
        if found is not None:
            return _Part(frozenset(mine), frozenset(given_by(tree, found)), found)
    return None


def _single(tree: Skeleton, pattern: Pattern, rows: set[int], known: set[int]) -> _Part | None:
    """Return a row that gives one coordinate, if there is one."""
    for row in sorted(rows):
        missing = set(np.flatnonzero(pattern[row]).tolist()) - known
        if len(missing) == 1 and row < row_count(tree):
            (velocity,) = missing
            if is_single(tree, row, velocity):
                return _Part(frozenset({row}), frozenset({velocity}), SingleRow(row, velocity))
    return None


def _needed(pattern: Pattern, parts: list[_Part]) -> tuple[list[_Part], list[_Part]]:
    """Return the parts that are searched for, those on which such a part depends among them, and the others."""
    search: list[_Part] = []
    after: list[_Part] = []
    needed: set[int] = set()
    for part in reversed(parts):
        if part.formula is None or part.columns & needed:
            search.append(part)
            needed |= {int(k) for row in part.rows for k in np.flatnonzero(pattern[row])}
        else:
            after.append(part)
    return search, after[::-1]

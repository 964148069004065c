"""In which order the loops of a mechanism are closed: formulas, a search for what has none, formulas again.

From the coordinates of a pose on, whatever a formula gives is taken from it (`dyads`). What is left is solved for
by Newton's method, all of it at once, so that one path leads there; but loops that close by a formula once that is
known, and on which nothing depends that is searched for, are left out of the search:

    pose -> formulas -> Newton on the rest -> formulas
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array, lock_arrays
from parakin.mechanism.assembling import Assembly, scales
from parakin.mechanism.dependence import Pattern, dependence, first_blocks
from parakin.mechanism.dyads import Dyad, Formula, SingleRow, dyad_of, given_by, is_single
from parakin.mechanism.pivoting import Pivots, common_pivots, pivot_sizes
from parakin.mechanism.skeleton import Skeleton

WORTH_LEAVING_OUT = 0.25
"""Formulas follow a search if they spare it this share of its rows. Three of the 23 rows of a Quattro make its steps a
seventh shorter, but poses that it cannot reach, where the search would soon see the change of branch, take 40 steps."""


@dataclass(frozen=True, eq=False)
class ClosingOrder:
    """How the dependent coordinates follow from a pose."""

    before: tuple[Dyad | SingleRow, ...]
    """Formulas that need nothing but the pose and those before them."""
    rows: tuple[int, ...]
    """Rows of the search by Newton's method, the row of the first pivot first; none where formulas give all."""
    columns: tuple[int, ...]
    """Velocities whose coordinates are searched for, in the order of pivots."""
    sizes: Array
    """The median size of each of these pivots over the plan's samples, in SI units."""
    after: tuple[Dyad | SingleRow, ...]
    """Formulas that need what was searched for."""

    def __post_init__(self) -> None:
        lock_arrays(self)

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
    tree: Skeleton, assembly: Assembly, jacobians: Array, pivots: Pivots, tolerance: float
) -> ClosingOrder:
    """Return the order in which the loops are closed; jacobians: those of the plan's samples, free of units."""
    pattern = dependence(tree, assembly.configuration)
    parts = _parts(tree, assembly, pattern, pivots)
    places = [k for k, part in enumerate(parts) if part.formula is None]
    if not places:
        return ClosingOrder(tuple(part.formula for part in parts if part.formula), (), (), np.zeros(0), ())
    before, rest = parts[: places[0]], parts[places[0] :]
    search, after = _needed(pattern, rest)
    if sum(len(part.rows) for part in after) < WORTH_LEAVING_OUT * sum(len(part.rows) for part in rest):
        search, after = rest, []
    rows = sorted(row for part in search for row in part.rows)
    columns = sorted(column for part in search for column in part.columns)
    if len(rows) == len(pivots.rows):
        order = pivots
    else:
        inner = common_pivots(jacobians[:, rows][:, :, columns], [0] * len(columns), tolerance)
        order_rows, order_columns = [rows[k] for k in inner.rows], [columns[k] for k in inner.columns]
        order = Pivots(tuple(order_rows), tuple(order_columns), inner.sizes, (), (), ())
    of_rows, of_columns = scales(tree)
    unit = of_columns[list(order.columns)] * of_rows[list(order.rows)]
    return ClosingOrder(
        tuple(part.formula for part in before if part.formula),
        order.rows,
        order.columns,
        pivot_sizes(jacobians, order) / unit,
        tuple(part.formula for part in after if part.formula),
    )


def _parts(tree: Skeleton, assembly: Assembly, pattern: Pattern, pivots: Pivots) -> list[_Part]:
    """Return all imposed rows in parts, each after those on which it depends, by formulas wherever there is one."""
    rows, columns = set(pivots.rows), set(pivots.columns)
    known = set(range(tree.velocities)) - columns
    parts: list[_Part] = []
    while rows:
        part = _dyad(tree, assembly, rows, known) or _single(tree, pattern, rows, known)
        if part is None:
            block = first_blocks(pattern, sorted(rows), sorted(columns))
            part = _Part(frozenset(block[0]), frozenset(block[1]), None)
        parts.append(part)
        rows -= part.rows
        columns -= part.columns
        known |= part.columns
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
        if len(missing) == 1:
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

"""Sparse elimination of a matrix of expressions in an order that is fixed beforehand.

    A = L U,   rows and columns in the order of their pivots, L with a unit diagonal

Entries that are always zero are never touched, so that a mechanism whose loops share little costs little.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca

Entries = dict[int, ca.SX]
"""The entries of a row that are not always zero, by column."""


@dataclass(frozen=True)
class Factors:
    """A square matrix as L U."""

    lower: tuple[Entries, ...]
    """Row by row the entries of L left of its unit diagonal."""
    upper: tuple[Entries, ...]
    """Row by row the entries of U right of its diagonal."""
    inverse_pivots: tuple[ca.SX, ...]
    """One over the diagonal of U."""
    pivots: tuple[ca.SX, ...]
    """The diagonal of U."""

    @property
    def side(self) -> ca.SX:
        """The sign of the determinant, but for one that the order of rows and columns has."""
        sign = ca.SX(1)
        for pivot in self.pivots:
            sign = sign * ca.sign(pivot)
        return sign

    def solved(self, b: Sequence[ca.SX]) -> list[ca.SX]:
        """Return x with A x = b; each entry of b may be a row of several right sides."""
        y: list[ca.SX] = []
        for k, row in enumerate(self.lower):
            y.append(less(b[k], [(factor, y[m]) for m, factor in row.items()]))
        x: list[ca.SX] = [ca.SX(0)] * len(y)
        for k in range(len(y) - 1, -1, -1):
            x[k] = less(y[k], [(entry, x[m]) for m, entry in self.upper[k].items()]) * self.inverse_pivots[k]
        return x

    def solved_transposed(self, b: Sequence[ca.SX]) -> list[ca.SX]:
        """Return x with A^T x = b."""
        n = len(self.pivots)
        above: list[list[tuple[int, ca.SX]]] = [[] for _ in range(n)]
        below: list[list[tuple[int, ca.SX]]] = [[] for _ in range(n)]
        for k in range(n):
            for m, entry in self.upper[k].items():
                above[m].append((k, entry))
            for m, factor in self.lower[k].items():
                below[m].append((k, factor))
        y: list[ca.SX] = []
        for k in range(n):
            y.append(less(b[k], [(entry, y[m]) for m, entry in above[k]]) * self.inverse_pivots[k])
        x: list[ca.SX] = [ca.SX(0)] * n
        for k in range(n - 1, -1, -1):
            x[k] = less(y[k], [(factor, x[m]) for m, factor in below[k]])
        return x


def less(value: ca.SX, products: list[tuple[ca.SX, ca.SX]]) -> ca.SX:
    """Return a value less the sum of products; those that are always zero are left out."""
    for factor, other in products:
        if not (factor.is_zero() or other.is_zero()):
            value = value - factor * other
    return value


def factorised(J: ca.SX, rows: Sequence[int], columns: Sequence[int]) -> Factors:
    """Return L U of the square part of J that has these rows and columns, pivots in this order."""
    n = len(rows)
    work = entries_of(J, rows, columns)
    lower: list[Entries] = [{} for _ in range(n)]
    pivots: list[ca.SX] = []
    inverses: list[ca.SX] = []
    for k in range(n):
        pivot = work[k].pop(k, ca.SX(0))
        pivots.append(pivot)
        inverses.append(1 / pivot)
        for below in range(k + 1, n):
            entry = work[below].pop(k, None)
            if entry is None:
                continue
            factor = entry * inverses[k]
            lower[below][k] = factor
            for column, above in work[k].items():
                before = work[below].get(column)
                work[below][column] = -factor * above if before is None else before - factor * above
    return Factors(tuple(lower), tuple(work), tuple(inverses), tuple(pivots))


def entries_of(J: ca.SX, rows: Sequence[int], columns: Sequence[int]) -> list[Entries]:
    """Return, row by row, the entries of J's part with these rows and columns that are not always zero."""
    place = {column: k for k, column in enumerate(columns)}
    entries: list[Entries] = []
    for row in rows:
        line = J[row, :]
        _, stored = line.sparsity().get_triplet()
        mine = {place[c]: line[0, c] for c in stored if c in place}
        entries.append({k: entry for k, entry in mine.items() if not entry.is_zero()})
    return entries

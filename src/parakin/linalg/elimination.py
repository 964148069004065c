"""Sparse elimination of a matrix of expressions, in an order that is fixed beforehand or with exchange of rows.

    A = L U,   rows and columns in the order of their pivots, L with a unit diagonal

Entries that are always zero are never touched, so that a mechanism whose loops share little costs little.

With exchange of rows, for configurations where a fixed order is poor:

    E A = U,    E: exchanges of rows, chosen by size when the code runs, and subtractions of multiples of rows

Columns keep their order. In each column the largest entry of those that can be other than zero becomes the pivot, which
is as sure as elimination with partial pivoting of the whole matrix, and touches rows that share a column only.
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


@dataclass(frozen=True)
class Exchange:
    """Rows k and m change places where `swapped` holds."""

    k: int
    """The row above."""
    m: int
    """The row below."""
    swapped: ca.SX
    """Whether they do."""


@dataclass(frozen=True)
class Subtraction:
    """Row m loses a multiple of row k."""

    k: int
    """The row of the pivot."""
    m: int
    """The row below."""
    factor: ca.SX
    """How often row k is subtracted."""


@dataclass(frozen=True)
class ExchangedFactors:
    """A square matrix as E^-1 U; the same methods as `elimination.Factors`."""

    operations: tuple[Exchange | Subtraction, ...]
    """E, the first operation first."""
    upper: tuple[Entries, ...]
    """Row by row the entries of U right of its diagonal."""
    pivots: tuple[ca.SX, ...]
    """The diagonal of U."""
    row_scales: tuple[float, ...]
    """What rows of the matrix were multiplied by before they were compared."""

    @property
    def side(self) -> ca.SX:
        """The sign of the determinant."""
        sign = ca.SX(1)
        for pivot in self.pivots:
            sign = sign * ca.sign(pivot)
        for one in self.operations:
            if isinstance(one, Exchange):
                sign = ca.if_else(one.swapped, -sign, sign)
        return sign

    def solved(self, b: Sequence[ca.SX]) -> list[ca.SX]:
        """Return x with A x = b; each entry of b may be a row of several right sides."""
        y = [value * scale for value, scale in zip(b, self.row_scales, strict=True)]
        for one in self.operations:
            if isinstance(one, Exchange):
                y[one.k], y[one.m] = _exchanged(one.swapped, y[one.k], y[one.m])
            else:
                y[one.m] = less(y[one.m], [(one.factor, y[one.k])])
        x = list(y)
        for k in range(len(y) - 1, -1, -1):
            x[k] = less(y[k], [(entry, x[m]) for m, entry in self.upper[k].items()]) / self.pivots[k]
        return x

    def solved_transposed(self, b: Sequence[ca.SX]) -> list[ca.SX]:
        """Return x with A^T x = b: U^T z = b, x = E^T z."""
        z = list(b)
        for k, row in enumerate(self.upper):
            z[k] = z[k] / self.pivots[k]
            for m, entry in row.items():
                z[m] = less(z[m], [(entry, z[k])])
        for one in reversed(self.operations):
            if isinstance(one, Exchange):
                z[one.k], z[one.m] = _exchanged(one.swapped, z[one.k], z[one.m])
            else:
                z[one.k] = less(z[one.k], [(one.factor, z[one.m])])
        return [value * scale for value, scale in zip(z, self.row_scales, strict=True)]


def _exchanged(swapped: ca.SX, a: ca.SX, b: ca.SX) -> tuple[ca.SX, ca.SX]:
    return ca.if_else(swapped, b, a), ca.if_else(swapped, a, b)


def factorised_with_exchanges(
    J: ca.SX, rows: Sequence[int], columns: Sequence[int], row_scales: Sequence[float]
) -> ExchangedFactors:
    """Return E^-1 U of the square part of J that has these rows and columns; rows are compared times their scales."""
    work = [
        {column: scale * entry for column, entry in entries.items()}
        for entries, scale in zip(entries_of(J, rows, columns), row_scales, strict=True)
    ]
    operations: list[Exchange | Subtraction] = []
    pivots: list[ca.SX] = []
    for k in range(len(rows)):
        below = [m for m in range(k + 1, len(rows)) if k in work[m]]
        for m in below:
            swapped = ca.fabs(work[m][k]) > ca.fabs(work[k].get(k, ca.SX(0)))
            operations.append(Exchange(k, m, swapped))
            both = {*work[k], *work[m]}
            pairs = {c: _exchanged(swapped, work[k].get(c, ca.SX(0)), work[m].get(c, ca.SX(0))) for c in both}
            work[k], work[m] = ({c: pair[side] for c, pair in pairs.items()} for side in (0, 1))
        pivot = work[k].pop(k, ca.SX(0))
        pivots.append(pivot)
        for m in below:
            factor = work[m].pop(k) / pivot
            operations.append(Subtraction(k, m, factor))
            for column, above in work[k].items():
                before = work[m].get(column)
                work[m][column] = -factor * above if before is None else before - factor * above
    return ExchangedFactors(tuple(operations), tuple(work), tuple(pivots), tuple(map(float, row_scales)))

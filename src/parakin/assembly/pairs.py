"""Write complex expressions as pairs of real ones, and solve complex linear systems in them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca


@dataclass(frozen=True)
class Pair:
    """A complex scalar re + i im."""

    re: ca.SX
    """Real part."""
    im: ca.SX
    """Imaginary part."""

    def __add__(self, other: Pair) -> Pair:
        return Pair(self.re + other.re, self.im + other.im)

    def __sub__(self, other: Pair) -> Pair:
        return Pair(self.re - other.re, self.im - other.im)

    def __mul__(self, other: Pair) -> Pair:
        return Pair(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)

    def __neg__(self) -> Pair:
        return Pair(-self.re, -self.im)

    def scaled(self, factor: float | ca.SX) -> Pair:
        """Return the number times a real factor."""
        return Pair(self.re * factor, self.im * factor)

    def conjugate(self) -> Pair:
        """Return re - i im."""
        return Pair(self.re, -self.im)

    def inverse(self) -> Pair:
        """Return 1/(re + i im) = (re - i im)/(re^2 + im^2)."""
        size = self.re**2 + self.im**2
        return Pair(self.re / size, -self.im / size)

    def magnitude(self) -> ca.SX:
        """Return |re| + |im|, by which pivots are chosen: no square root is needed for that."""
        return ca.fabs(self.re) + ca.fabs(self.im)


Pairs = list[Pair]
"""A vector of complex scalars."""
ZERO = Pair(ca.SX(0), ca.SX(0))
"""The complex number 0."""


def unpack(column: ca.SX) -> Pairs:
    """Return the complex numbers of a column that holds all real parts, then all imaginary parts."""
    n = column.shape[0] // 2
    return [Pair(column[k], column[n + k]) for k in range(n)]


def pack(pairs: Pairs) -> ca.SX:
    """Return a column of all real parts, then all imaginary parts: the inverse of `unpack`."""
    return ca.vertcat(*(pair.re for pair in pairs), *(pair.im for pair in pairs))


def combined(a: Pairs, factor: float | ca.SX, b: Pairs) -> Pairs:
    """Return a + factor b, the factor real."""
    return [x + y.scaled(factor) for x, y in zip(a, b, strict=True)]


def dot(a: Pairs, b: Pairs) -> Pair:
    """Return the sum of a_k b_k; nothing is conjugated."""
    return sum((x * y for x, y in zip(a[1:], b[1:], strict=True)), a[0] * b[0])


def cross(a: Pairs, b: Pairs) -> Pairs:
    """Return a x b of two vectors of length 3; nothing is conjugated."""
    return [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]


def factored(A: list[Pairs]) -> Callable[[Pairs], Pairs]:
    """Return a function b -> x with A x = b, so that A is reduced once for several b.

    Elimination with partial pivoting, by `magnitude`; rows are exchanged by selects, as expressions cannot branch.
    """
    n = len(A)
    rows = [list(row) for row in A]
    swaps: list[list[ca.SX]] = []
    inverses: Pairs = []
    for k in range(n):
        swaps.append([])
        for below in range(k + 1, n):
            larger = rows[below][k].magnitude() > rows[k][k].magnitude()
            pairs = [_exchanged(larger, rows[k][j], rows[below][j]) for j in range(k, n)]
            rows[k][k:], rows[below][k:] = [p[0] for p in pairs], [p[1] for p in pairs]
            swaps[k].append(larger)
        inverses.append(rows[k][k].inverse())
        rows[k][k + 1 :] = [value * inverses[k] for value in rows[k][k + 1 :]]
        for below in range(k + 1, n):
            factor = rows[below][k]
            for j in range(k + 1, n):
                rows[below][j] = rows[below][j] - factor * rows[k][j]

    def solved(b: Pairs) -> Pairs:
        x = list(b)
        for k in range(n):
            for below in range(k + 1, n):
                x[k], x[below] = _exchanged(swaps[k][below - k - 1], x[k], x[below])
            x[k] = x[k] * inverses[k]
            for below in range(k + 1, n):
                x[below] = x[below] - rows[below][k] * x[k]
        for k in range(n - 1, -1, -1):
            for j in range(k + 1, n):
                x[k] = x[k] - rows[k][j] * x[j]
        return x

    return solved


def selected(which: ca.SX, a: Pair, b: Pair) -> Pair:
    """Return a where `which` is true, else b."""
    return Pair(ca.if_else(which, a.re, b.re), ca.if_else(which, a.im, b.im))


def _exchanged(swap: ca.SX, a: Pair, b: Pair) -> tuple[Pair, Pair]:
    """Return (b, a) where `swap` is true, else (a, b)."""
    return selected(swap, b, a), selected(swap, a, b)

"""Complex expressions as pairs of real ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca


@dataclass(frozen=True)
class Pair:
    """re + i im, scalars."""

    re: ca.SX
    im: ca.SX

    def __add__(self, other: Pair) -> Pair:
        return Pair(self.re + other.re, self.im + other.im)

    def __sub__(self, other: Pair) -> Pair:
        return Pair(self.re - other.re, self.im - other.im)

    def __mul__(self, other: Pair) -> Pair:
        return Pair(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)

    def __neg__(self) -> Pair:
        return Pair(-self.re, -self.im)

    def scaled(self, factor: Any) -> Pair:
        """By a real factor."""
        return Pair(self.re * factor, self.im * factor)

    def conjugate(self) -> Pair:
        return Pair(self.re, -self.im)

    def inverse(self) -> Pair:
        size = self.re**2 + self.im**2
        return Pair(self.re / size, -self.im / size)

    def magnitude(self) -> ca.SX:
        """|re| + |im|, for choosing pivots."""
        return ca.fabs(self.re) + ca.fabs(self.im)


Pairs = list[Pair]
ZERO = Pair(ca.SX(0), ca.SX(0))


def unpack(column: ca.SX) -> Pairs:
    """From a column of real parts, then imaginary parts."""
    n = column.shape[0] // 2
    return [Pair(column[k], column[n + k]) for k in range(n)]


def pack(pairs: Pairs) -> ca.SX:
    return ca.vertcat(*(pair.re for pair in pairs), *(pair.im for pair in pairs))


def dot(a: Pairs, b: Pairs) -> Pair:
    """sum a_k b_k, nothing conjugated."""
    return sum((x * y for x, y in zip(a[1:], b[1:], strict=True)), a[0] * b[0])


def cross(a: Pairs, b: Pairs) -> Pairs:
    return [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]


def solve(A: list[Pairs], b: Pairs) -> Pairs:
    """x with A x = b, by elimination with partial pivoting, rows exchanged by selects."""
    n = len(A)
    rows = [[*row, right] for row, right in zip(A, b, strict=True)]
    for k in range(n):
        for below in range(k + 1, n):
            larger = rows[below][k].magnitude() > rows[k][k].magnitude()
            pairs = [_exchanged(larger, rows[k][j], rows[below][j]) for j in range(k, n + 1)]
            rows[k][k:], rows[below][k:] = [p[0] for p in pairs], [p[1] for p in pairs]
        inverse = rows[k][k].inverse()
        rows[k][k + 1 :] = [value * inverse for value in rows[k][k + 1 :]]
        for below in range(k + 1, n):
            factor = rows[below][k]
            for j in range(k + 1, n + 1):
                rows[below][j] = rows[below][j] - factor * rows[k][j]
    x: Pairs = [ZERO] * n
    for k in range(n - 1, -1, -1):
        x[k] = rows[k][n]
        for j in range(k + 1, n):
            x[k] = x[k] - rows[k][j] * x[j]
    return x


def _exchanged(swap: ca.SX, a: Pair, b: Pair) -> tuple[Pair, Pair]:
    return (
        Pair(ca.if_else(swap, b.re, a.re), ca.if_else(swap, b.im, a.im)),
        Pair(ca.if_else(swap, a.re, b.re), ca.if_else(swap, a.im, b.im)),
    )

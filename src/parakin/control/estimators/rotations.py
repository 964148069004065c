"""Rows are turned into a triangle by Givens rotations: nothing is subtracted, and rounding stays that of a QR."""

from __future__ import annotations

import casadi as ca


def turn_in(R: list[list[ca.SX]], row: list[ca.SX]) -> None:
    """Turn a new row into [R z] by Givens rotations with each of its rows.

    Nothing is left of the new row but its last column. Both lists are changed in place.
    """
    for i, row_of_R in enumerate(R):
        a, b = row_of_R[0], row[i]
        length = ca.sqrt(a * a + b * b)
        nothing = ca.eq(length, 0)
        safe = ca.if_else(nothing, 1, length)
        c, s = ca.if_else(nothing, 1, a / safe), b / safe
        for j in range(len(row_of_R)):
            old, new = row_of_R[j], row[i + j]
            row_of_R[j], row[i + j] = c * old + s * new, c * new - s * old


def solved(R: list[list[ca.SX]]) -> ca.SX:
    """Return p with R p = z, from below; a parameter of which nothing is known is zero."""
    k = len(R)
    p: list[ca.SX] = [ca.SX(0)] * k
    for i in range(k - 1, -1, -1):
        rest = R[i][-1] - sum((R[i][j - i] * p[j] for j in range(i + 1, k)), ca.SX(0))
        known = ca.ne(R[i][0], 0)
        p[i] = ca.if_else(known, rest / ca.if_else(known, R[i][0], 1), 0)
    return ca.vertcat(*p)

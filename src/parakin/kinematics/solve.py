"""Linear systems inside models, backward stable and without branches."""

from __future__ import annotations

import casadi as ca


def solve_pivoted(A: ca.SX, b: ca.SX) -> tuple[ca.SX, ca.SX]:
    """x with A x = b by elimination with partial pivoting, rows exchanged by selects; and the smallest pivot ratio.

    A pivot's ratio is its magnitude against the largest element of its row of A, as it was: small where A is singular.
    """
    n = A.shape[0]
    rows = [ca.horzcat(A[k, :], b[k, :]) for k in range(n)]
    scales = [ca.mmax(ca.fabs(A[k, :])) for k in range(n)]
    ratio = ca.SX(1)
    for k in range(n):
        for below in range(k + 1, n):
            larger = ca.fabs(rows[below][k]) > ca.fabs(rows[k][k])
            rows[k], rows[below] = (
                ca.if_else(larger, rows[below], rows[k]),
                ca.if_else(larger, rows[k], rows[below]),
            )
            scales[k], scales[below] = (
                ca.if_else(larger, scales[below], scales[k]),
                ca.if_else(larger, scales[k], scales[below]),
            )
        ratio = ca.fmin(ratio, ca.fabs(rows[k][k]) / scales[k])
        inverse = 1 / rows[k][k]
        for below in range(k + 1, n):
            factor = rows[below][k] * inverse
            rows[below] = ca.horzcat(ca.SX(1, k + 1), rows[below][k + 1 :] - factor * rows[k][k + 1 :])
    return _back_substituted(rows, [row[n:] for row in rows]), ratio


def solve_least_squares(A: ca.SX, b: ca.SX) -> tuple[ca.SX, ca.SX]:
    """x that minimises |A x - b|, by Householder QR for tall A, by pivoted elimination for square A; a pivot ratio."""
    rows, columns = A.shape
    if rows == columns:
        return solve_pivoted(A, b)
    triangle, c = A, b
    for k in range(columns):
        column = triangle[k:, k]
        norm = ca.norm_2(column)
        head = column[0] + ca.if_else(column[0] < 0, -norm, norm)
        v = ca.vertcat(head, column[1:])
        length_squared = ca.sumsqr(v)
        scale = ca.if_else(length_squared > 0, 2 / length_squared, 0)  # a column of zeros stays, and shows as a pivot
        triangle = ca.vertcat(triangle[:k, :], triangle[k:, :] - scale * (v @ (v.T @ triangle[k:, :])))
        c = ca.vertcat(c[:k, :], c[k:, :] - scale * (v @ (v.T @ c[k:, :])))
    pivots = ca.fabs(ca.diag(triangle[:columns, :]))
    solution = _back_substituted([triangle[k, :] for k in range(columns)], [c[k, :] for k in range(columns)])
    return solution, ca.mmin(pivots) / ca.mmax(pivots)


def _back_substituted(rows: list[ca.SX], right: list[ca.SX]) -> ca.SX:
    """x with U x = right, U upper triangular."""
    n = len(rows)
    solution: list[ca.SX] = [ca.SX(0)] * n
    for k in range(n - 1, -1, -1):
        known = sum((rows[k][m] * solution[m] for m in range(k + 1, n)), ca.SX(*right[k].shape))
        solution[k] = (right[k] - known) / rows[k][k]
    return ca.vertcat(*solution)

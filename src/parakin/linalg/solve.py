"""Solve linear systems inside models, backward stable and without branches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np
from numpy.typing import NDArray


def solve_pivoted(A: ca.SX, b: ca.SX) -> tuple[ca.SX, ca.SX]:
    """Return x with A x = b by elimination with partial pivoting, rows exchanged by selects; and a pivot ratio.

    The ratio is that of the smallest pivot to the largest, in magnitude: small where A is singular.
    """
    rows, _ = _eliminated(A, b, [])
    return _back_substituted(rows, [row[A.shape[0] :] for row in rows]), _ratio(rows)


def platform_pivot(J_qv: ca.SX, scale: Sequence[float]) -> ca.SX:
    """Return the number by which every model tells whether the platform is singular: the ratio of J_qv's pivots.

    It is the ratio of the smallest pivot to the largest, in magnitude, in the elimination of J_qv^T with exchange of
    rows that gives actuator forces; of redundant robots, on the diagonal of R in J_qv = Q R. scale has a factor for
    each component of velocity: a pivot counts times the factor of the component in whose row it is found, so that
    rotations compare with displacements. A model that solves with J_qv has this elimination anyhow.
    """
    if len(set(scale)) == 1:
        scale = ()
    if J_qv.shape[0] == J_qv.shape[1]:
        rows, scales = _eliminated(J_qv.T, ca.SX(J_qv.shape[1], 0), [ca.SX(factor) for factor in scale])
        return _ratio(rows, scales)
    triangle, _ = _triangle(J_qv)
    return _ratio([triangle[k, :] for k in range(J_qv.shape[1])], [ca.SX(factor) for factor in scale])


def _eliminated(A: ca.SX, b: ca.SX, marks: list[ca.SX]) -> tuple[list[ca.SX], list[ca.SX]]:
    """Return the rows of [A, b] after elimination with partial pivoting, and marks of rows in their new order."""
    n, marks = A.shape[0], list(marks)
    rows = [ca.horzcat(A[k, :], b[k, :]) for k in range(n)]
    for k in range(n):
        for below in range(k + 1, n):
            larger = ca.fabs(rows[below][k]) > ca.fabs(rows[k][k])
            for ordered in (rows, marks) if marks else (rows,):
                ordered[k], ordered[below] = (
                    ca.if_else(larger, ordered[below], ordered[k]),
                    ca.if_else(larger, ordered[k], ordered[below]),
                )
        inverse = 1 / rows[k][k]
        for below in range(k + 1, n):
            factor = rows[below][k] * inverse
            rows[below] = ca.horzcat(ca.SX(1, k + 1), rows[below][k + 1 :] - factor * rows[k][k + 1 :])
    return rows, marks


def _ratio(rows: list[ca.SX], scales: Sequence[ca.SX] = ()) -> ca.SX:
    """Return the ratio of the smallest to the largest entry on the diagonal, in magnitude, each times its scale."""
    pivots = ca.fabs(ca.vertcat(*(row[k] for k, row in enumerate(rows))))
    if scales:
        pivots *= ca.vertcat(*scales)
    return ca.mmin(pivots) / ca.mmax(pivots)


@dataclass(frozen=True)
class Order:
    """The order of an elimination without exchanges, fixed beforehand."""

    rows: tuple[int, ...]
    """The row of each pivot, first pivot first."""
    columns: tuple[int, ...]
    """The column of each pivot, first pivot first."""


def good_order(samples: NDArray[np.float64]) -> Order:
    """Return a good order of elimination for matrices like these samples (count, n, n).

    Each pivot is the entry whose smallest size over all samples, relative to the largest entry that is left, is
    largest.
    """
    remaining = samples.copy()
    rows, columns = list(range(remaining.shape[-1])), list(range(remaining.shape[-1]))
    order: list[tuple[int, int]] = []
    while rows:
        sizes = np.abs(remaining[:, rows][:, :, columns])
        worst = np.min(sizes / np.max(sizes, axis=(1, 2), keepdims=True), axis=0)
        i, j = np.unravel_index(np.argmax(worst), worst.shape)
        row, column = rows.pop(i), columns.pop(j)
        order.append((row, column))
        factors = remaining[:, :, column] / remaining[:, row, column][:, None]
        factors[:, row] = 0.0
        remaining = remaining - factors[:, :, None] * remaining[:, row, None]
    return Order(*zip(*order, strict=True))


LARGEST_FACTORS = 16.0
"""Sum of the squares of an elimination's factors up to which growth is harmless; six rows with exchanges reach 15."""
LARGEST_RATIO = 1e3
"""Ratio of the largest pivot to the smallest up to which a matrix is far from singular."""


def solve_in_order(A: ca.SX, b: ca.SX, order: Order, scale: Sequence[float]) -> tuple[ca.SX, ca.SX]:
    """Return x with A x = b by elimination in a given order, and whether to trust it, which NaN anywhere denies.

    scale has a factor for each row of A, by which its pivot counts, as in `platform_pivot`.

    Where it is to be trusted it is as backward stable as with exchanges: the factors, at most 1 with exchanges, are of
    that size, and no pivot is small beside the others.
    """
    n = A.shape[0]
    rows = [ca.horzcat(A[row, order.columns], b[row, :]) for row in order.rows]
    squares = ca.SX(0)
    for k in range(n):
        inverse = 1 / rows[k][k]
        for below in range(k + 1, n):
            factor = rows[below][k] * inverse
            squares += factor**2
            rows[below] = ca.horzcat(ca.SX(1, k + 1), rows[below][k + 1 :] - factor * rows[k][k + 1 :])
    x = _back_substituted(rows, [row[n:] for row in rows])
    sizes = [ca.fabs(rows[k][k]) * scale[row] for k, row in enumerate(order.rows)]
    smallest = largest = sizes[0]
    for size in sizes[1:]:
        smallest = ca.if_else(size < smallest, size, smallest)
        largest = ca.if_else(size > largest, size, largest)
    trusted = ca.logic_and(squares < LARGEST_FACTORS, largest < LARGEST_RATIO * smallest)
    return ca.vertcat(*(x[order.columns.index(k), :] for k in range(n))), trusted


def solve_least_squares(A: ca.SX, b: ca.SX) -> tuple[ca.SX, ca.SX]:
    """Return x that minimises |A x - b|, and a pivot ratio: Householder QR for tall A, elimination for square A."""
    rows, columns = A.shape
    if rows == columns:
        return solve_pivoted(A, b)
    triangle, reflections = _triangle(A)
    c = b
    for k, (v, scale) in enumerate(reflections):
        c = _reflected(c, k, v, scale)
    solution = _back_substituted([triangle[k, :] for k in range(columns)], [c[k, :] for k in range(columns)])
    return solution, _ratio([triangle[k, :] for k in range(columns)])


def solve_minimum_norm(A: ca.SX, b: ca.SX, weights: ca.SX | None = None) -> tuple[ca.SX, ca.SX]:
    """Return the x with A^T x = b whose sum of weight x^2 is least, and the pivot ratio of A.

    Without weights x = Q R^-T b for tall A = Q R. With them x = Q R^-T b + N z, N the columns of Q that A has no part
    in: weights of any size neither disturb A^T x = b nor make A singular.
    """
    rows, columns = A.shape
    triangle, reflections = _triangle(A)
    x: list[ca.SX] = []
    for k in range(columns):
        known = sum((triangle[m, k] * x[m] for m in range(k)), ca.SX(*b[k, :].shape))
        x.append((b[k, :] - known) / triangle[k, k])
    whole = ca.vertcat(*x, ca.SX(rows - columns, b.shape[1]))
    if weights is not None:
        whole = ca.horzcat(whole, ca.vertcat(ca.SX(columns, rows - columns), ca.SX.eye(rows - columns)))
    for k, (v, scale) in reversed(list(enumerate(reflections))):
        whole = _reflected(whole, k, v, scale)
    if weights is not None:
        shortest, N = whole[:, : b.shape[1]], whole[:, b.shape[1] :]
        root = ca.sqrt(weights)
        z, _ = solve_least_squares(ca.diag(root) @ N, ca.diag(root) @ shortest)
        whole = shortest - N @ z
    return whole, _ratio([triangle[k, :] for k in range(columns)])


def solve_positive_definite(M: ca.SX, b: ca.SX) -> ca.SX:
    """Return x with M x = b for symmetric positive definite M = L D L^T, stable without exchanges of rows."""
    return solve_judged(M, b, [0.0] * M.shape[0])[0]


def solve_judged(M: ca.SX, b: ca.SX, small: Sequence[float]) -> tuple[ca.SX, ca.SX]:
    """Return the same, and the least ratio of a pivot to its entry of M's diagonal: small where M is singular.

    The ratios are the pivots of M brought to a unit diagonal, whatever units its rows have and however light one body
    is beside another. small: added to each entry of the diagonal for that, so that one of rounding alone is none.
    """
    n = M.shape[0]
    L = [[ca.SX(0)] * n for _ in range(n)]
    pivots: list[ca.SX] = []
    inverse_pivots: list[ca.SX] = []
    y: list[ca.SX] = []
    for j in range(n):
        scaled = [L[j][k] * pivots[k] for k in range(j)]
        pivot = M[j, j] - sum((scaled[k] * L[j][k] for k in range(j)), ca.SX(0))
        pivots.append(pivot)
        inverse_pivots.append(1 / pivot)
        for i in range(j + 1, n):
            known = sum((scaled[k] * L[i][k] for k in range(j)), ca.SX(0))
            L[i][j] = (M[i, j] - known) * inverse_pivots[j]
        y.append(b[j, :] - sum((L[j][k] * y[k] for k in range(j)), ca.SX(*b[j, :].shape)))
    x: list[ca.SX] = [ca.SX(0)] * n
    for j in range(n - 1, -1, -1):
        known = sum((L[i][j] * x[i] for i in range(j + 1, n)), ca.SX(*b[j, :].shape))
        x[j] = y[j] * inverse_pivots[j] - known
    least = pivots[0] / (M[0, 0] + small[0])
    for j in range(1, n):
        ratio = pivots[j] / (M[j, j] + small[j])
        least = ca.if_else(ratio > least, least, ratio)  # NaN stays
    return ca.vertcat(*x), least


def _triangle(A: ca.SX) -> tuple[ca.SX, list[tuple[ca.SX, ca.SX]]]:
    """Return R of A = Q R, and v and scale of the Householder reflections 1 - scale v v^T whose product is Q."""
    triangle, reflections = A, list[tuple[ca.SX, ca.SX]]()
    for k in range(A.shape[1]):
        column = triangle[k:, k]
        norm = ca.norm_2(column)
        v = ca.vertcat(column[0] + ca.if_else(column[0] < 0, -norm, norm), column[1:])
        length_squared = ca.sumsqr(v)
        scale = ca.if_else(length_squared > 0, 2 / length_squared, 0)  # a column of zeros stays, and shows as a pivot
        triangle = _reflected(triangle, k, v, scale)
        reflections.append((v, scale))
    return triangle, reflections


def _reflected(matrix: ca.SX, k: int, v: ca.SX, scale: ca.SX) -> ca.SX:
    """Return the matrix with its rows from k on reflected."""
    return ca.vertcat(matrix[:k, :], matrix[k:, :] - scale * (v @ (v.T @ matrix[k:, :])))


def _back_substituted(rows: list[ca.SX], right: list[ca.SX]) -> ca.SX:
    """Return x with U x = right, the rows those of an upper triangular U."""
    n = len(rows)
    solution: list[ca.SX] = [ca.SX(0)] * n
    for k in range(n - 1, -1, -1):
        known = sum((rows[k][m] * solution[m] for m in range(k + 1, n)), ca.SX(*right[k].shape))
        solution[k] = (right[k] - known) / rows[k][k]
    return ca.vertcat(*solution)

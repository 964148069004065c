"""The rank of a regressor from its triangle, and exact relations between its columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, frozen_arrays

WITHOUT_EFFECT = 1e-10
"""A column below this, relative to the largest, is zero: rounding leaves 1e-16, real ones are 5e-3 and more."""
DEPENDENT = 1e-9
"""Singular values of the columns, each at unit length, below this, relative to the largest, are zero: 5e-16 or 1e-3."""
SMALLEST_PIVOT = 1e-6
"""A relation gives away no column with a smaller part in it than this: what is left would have huge coefficients."""
NO_PART = (1e-8, 1e-11)
"""A coefficient below the first, with columns of unit length, is zero: rounding leaves 1e-13, or 9e-9 in the 3-URU, and
real ones are 7e-6 or more. Where a relation does not hold without smaller ones it has those above the second: geometry
whose source rounds to 1e-7 m, such as Reachy's, has real ones from 1e-10 on."""
FITS = 1e-10
"""A relation holds without small coefficients if what is left of a column of unit length is below this."""
EXACT_TO = 1e-10
"""A coefficient this near, relatively, to a number of nine digits is that number."""


@frozen_arrays(eq=True)
class Rank:
    """Which columns of a regressor have an effect, and how many of them are independent."""

    zero: tuple[int, ...]
    """Columns without effect."""
    seen: tuple[int, ...]
    """Columns with effect."""
    singular_values: Array
    """Singular values of the latter, each column at unit length."""
    rank: int
    """How many of the singular values count."""

    @property
    def gap(self) -> float:
        """The smallest singular value that counts over the largest that does not, or over rounding if all count."""
        rounding = len(self.singular_values) * np.finfo(float).eps * self.singular_values[0]
        dropped = self.singular_values[self.rank] if self.rank < len(self.singular_values) else 0.0
        return float(self.singular_values[self.rank - 1] / (dropped or rounding))


@frozen_arrays(eq=True)
class Grouping:
    """Independent columns of a matrix A, and how all columns follow from them: A = A[:, kept] @ relations."""

    kept: tuple[int, ...]
    """The independent columns, as many as the rank."""
    relations: Array
    """The matrix (kept, columns)."""


def rank_of(R: Array) -> Rank:
    """Return the rank by the singular values of R with columns of unit length."""
    lengths = np.linalg.norm(R, axis=0)
    without = lengths <= WITHOUT_EFFECT * lengths.max()
    values: Array = np.asarray(np.linalg.svd(R[:, ~without] / lengths[~without], compute_uv=False), float)
    zero, seen = (tuple(int(k) for k in np.flatnonzero(which)) for which in (without, ~without))
    return Rank(zero, seen, values, int(np.sum(values > DEPENDENT * values[0])))


def grouping_of(R: Array, rank: Rank, preference: Sequence[int]) -> Grouping:
    """Keep columns early in `preference` and express the others by them, with zeros that are exactly zero."""
    seen = np.array([column for column in preference if column in rank.seen])
    lengths = np.linalg.norm(R[:, seen], axis=0)
    unit = R[:, seen] / lengths
    kept, dropped, beta = _eliminated(_relations(unit, rank.rank))
    beta = _fitted(unit, kept, dropped, beta) * lengths[dropped] / lengths[kept, None]
    beta = _short(R[:, seen[kept]], R[:, seen[dropped]], beta)
    order = np.argsort(seen[kept])
    relations = np.zeros((rank.rank, R.shape[1]))
    relations[:, seen[dropped]] = beta[order]
    relations[np.arange(rank.rank), seen[kept][order]] = 1.0
    return Grouping(tuple(int(k) for k in seen[kept][order]), relations)


def _relations(unit: Array, rank: int) -> Array:
    """N with unit @ N.T = 0, a row a relation, by QR with column pivoting: R12 = R11 beta."""
    from scipy.linalg import qr, solve_triangular

    R, order = qr(unit, mode="r", pivoting=True)
    beta = solve_triangular(R[:rank, :rank], R[:rank, rank:])
    N = np.zeros((unit.shape[1] - rank, unit.shape[1]))
    N[:, order[:rank]] = -beta.T
    N[:, order[rank:]] = np.eye(len(N))
    return N


def _eliminated(N: Array) -> tuple[NDArray[np.intp], NDArray[np.intp], Array]:
    """Gauss–Jordan on N itself, from the last column: each relation gives away the last column it can.

    Returns the columns kept, those given away, and beta: A[:, dropped] = A[:, kept] beta.
    """
    dropped: list[int] = []
    for column in range(N.shape[1] - 1, -1, -1):
        row = len(dropped)
        if row == len(N):
            break
        pivot = row + int(np.argmax(np.abs(N[row:, column])))
        if abs(N[pivot, column]) < SMALLEST_PIVOT:
            continue
        N[[row, pivot]] = N[[pivot, row]]
        N[row] /= N[row, column]
        others = np.arange(len(N)) != row
        N[others] -= N[others, column, None] * N[row]
        dropped.append(column)
    kept = np.array([column for column in range(N.shape[1]) if column not in dropped], dtype=np.intp)
    return kept, np.array(dropped, dtype=np.intp), -N[:, kept].T


def _fitted(unit: Array, kept: NDArray[np.intp], dropped: NDArray[np.intp], beta: Array) -> Array:
    """Once more by least squares over the few columns that have a part in each relation: exact to rounding."""
    fitted = np.zeros_like(beta)
    for k, column in enumerate(dropped):
        for least in NO_PART:
            parts = np.flatnonzero(np.abs(beta[:, k]) > least)
            some = unit[:, kept[parts]]
            fitted[parts, k] = np.linalg.lstsq(some, unit[:, column], rcond=None)[0]
            if np.linalg.norm(some @ fitted[parts, k] - unit[:, column]) < FITS:
                break
    return fitted


def _short(kept: Array, dropped: Array, beta: Array) -> Array:
    """Return beta, with dropped = kept beta, in short numbers where relations hold with these.

    One number in ten is near one of nine digits by chance, and where coefficients are large its change shows.
    """
    written = _readable(beta)
    holds = np.linalg.norm(kept @ written - dropped, axis=0) < FITS * np.linalg.norm(dropped, axis=0)
    return np.where(holds, written, beta)


def _readable(values: Array) -> Array:
    """A length of 0.24 squared is 0.0576, not 0.05760000000000013."""
    short = np.array([float(f"{value:.9g}") for value in values.ravel()]).reshape(values.shape)
    return np.where(np.abs(short - values) <= EXACT_TO * np.abs(values), short, values)

"""Huber's robust least squares: rows with large residuals count less, in several passes over the data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from parakin.arrays import Array
from parakin.identification.fit.linear import LinearModel
from parakin.identification.fit.moments import EVERY_ROW, Cut, Moments, moments_of
from parakin.identification.fit.solution import Solution, solve
from parakin.identification.states import States

HUBER_THRESHOLD = 1.345
"""Residual, in standard deviations, from which a row counts less: 95 % efficient where noise is normal [Huber1981]."""
NORMAL_SHARE = 0.7101645
"""Mean of min(|x|, HUBER_THRESHOLD)^2 for normal x."""
PASSES = 12
"""Passes over the data, at most."""
MOVE_TOLERANCE = 1e-2
"""Change of every parameter from pass to pass, in its standard deviations, at which the estimate has settled."""


@dataclass(eq=False)
class _Counts:
    """Sums over one pass, by actuator: rows, weights, clipped squares, rows that are not clipped."""

    p: Array
    scale: Array
    rows: Array = field(init=False)
    weight: Array = field(init=False)
    clipped: Array = field(init=False)
    inside: Array = field(init=False)

    def __post_init__(self) -> None:
        self.rows, self.weight, self.clipped, self.inside = (np.zeros(len(self.scale)) for _ in range(4))

    def weigh(self, a: Array) -> Array:
        """min(1, HUBER_THRESHOLD/|residual/scale|) of each row."""
        x = np.abs(a @ np.append(-self.p, 1.0)) / self.scale
        w = np.minimum(1.0, HUBER_THRESHOLD / np.maximum(x, HUBER_THRESHOLD))
        self.rows += np.isfinite(x).sum(axis=0)
        self.weight += np.nansum(w, axis=0)
        self.clipped += np.nansum(np.minimum(x, HUBER_THRESHOLD) ** 2, axis=0)
        self.inside += np.nansum(x < HUBER_THRESHOLD, axis=0)
        return w


def huber(
    model: LinearModel, data: Iterable[States], first: Solution, cut: Cut = EVERY_ROW
) -> tuple[Moments, Solution]:
    """Solve robust least squares by reweighting in turn, from a first solution; noise is by Huber's proposal 2.

    Variances: mean psi^2 / (mean psi')^2, of weighted sums over the mean weight: what the asymptotic covariance of an
    M-estimate is where noise is white and independent of Psi. Weights depend on residuals, so that windows of weighted
    rows say nothing about colour or noise in the states.
    """
    solution = first
    for _ in range(PASSES):
        counts = _Counts(solution.p, solution.noise)
        moments = moments_of(model, data, cut=cut, weigh=counts.weigh)
        scale = solution.noise * np.sqrt(counts.clipped / counts.rows / NORMAL_SHARE)
        share = counts.weight / counts.rows
        reweighted = solve(moments, model.start, 1 / scale**2)
        variance = scale**2 * (counts.clipped / counts.rows) / (counts.inside / counts.rows) ** 2
        covariance = _covariance(moments, reweighted, variance / reweighted.variances * share)
        moved = np.abs(reweighted.p - solution.p)
        solution = replace(reweighted, noise=scale, colour=np.ones(len(scale)), covariance=covariance)
        if np.all(moved <= MOVE_TOLERANCE * np.sqrt(np.diagonal(covariance))):
            break
    return moments, solution  # pyright: ignore[reportPossiblyUnboundVariable]


def _covariance(moments: Moments, solution: Solution, factor: Array) -> Array:
    """K J^T (sum of weight^2 variance H) J K^T with variances times `factor`."""
    k = len(solution.p)
    J = moments.R[:k, :k] @ solution.K
    middle = np.tensordot(solution.weights**2 * solution.variances * factor, moments.H[:, :k, :k], 1)
    return solution.K @ (J.T @ middle @ J) @ solution.K.T

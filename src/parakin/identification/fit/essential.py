"""Essential parameters: those that are left when the ones that add nothing are taken out, one after the other."""

from __future__ import annotations

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.identification.fit.estimate import Estimate
from parakin.identification.fit.triangles import triangle

F_TEST_LEVEL = 0.05
"""How often a parameter that is zero may stay in."""


@frozen_arrays
class Essential:
    """The parameters that count, estimated with all others being zero."""

    kept: tuple[int, ...]
    """Indices of the parameters that are kept."""
    dropped: tuple[int, ...]
    """Indices of the parameters that were dropped, in that order."""
    values: Array
    """Estimates of the parameters that are kept (kept,)."""
    std: Array
    """Standard deviations of these estimates (kept,)."""
    rms: float
    """Root mean square of all residuals together, relative to that with every parameter: 1 or little more."""


def essential(estimate: Estimate, level: float = F_TEST_LEVEL) -> Essential:
    """Drop the parameter that adds least, again and again, as long as an F-test allows it.

        F = (squares without the parameter - squares with it) / variance,  1 and n - k degrees of freedom

    Squares are of weighted residuals, so that the variance is that of the full model.
    """
    from scipy.special import fdtri

    R = estimate.solution.R
    k = len(R) - 1
    rows = estimate.rows * len(estimate.noise)
    kept = [j for j in range(k) if estimate.solution.determined[j]]
    dropped: list[int] = []
    fit = _fit(R, kept)
    full = fit.squares
    variance = full / max(rows - len(kept), 1) * float(np.mean(estimate.colour))
    while len(kept) > 1:
        gain = (fit.p / fit.unscaled) ** 2
        least = int(np.argmin(gain))
        if gain[least] > variance * fdtri(1, max(rows - len(kept), 1), 1 - level):
            break
        dropped.append(kept.pop(least))
        fit = _fit(R, kept)
    std = fit.unscaled * np.sqrt(variance)
    return Essential(tuple(kept), tuple(dropped), fit.p, std, float(np.sqrt(fit.squares / full)) if full else 1.0)


@frozen_arrays
class _Fit:
    """Least squares with some parameters; p_j^2/unscaled_j^2 is what dropping j adds to the squares.

    unscaled: standard deviations for unit variance.
    """

    p: Array
    unscaled: Array
    squares: float


def _fit(R: Array, kept: list[int]) -> _Fit:
    from scipy.linalg import solve_triangular

    n = len(kept)
    T = triangle(R[:, [*kept, len(R) - 1]])
    inverse = solve_triangular(T[:n, :n], np.eye(n))
    return _Fit(inverse @ T[:n, n], np.linalg.norm(inverse, axis=1), float(np.sum(T[n:, n] ** 2)))

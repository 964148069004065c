"""Essential parameters: those that are left when the ones that add nothing are taken out, one after the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import fdtri

from parakin.arrays import Array
from parakin.identification.estimate import Estimate
from parakin.identification.triangles import triangle

LEVEL = 0.05
"""How often a parameter that is zero may stay in."""


@dataclass(frozen=True, eq=False)
class Essential:
    """kept, dropped: indices of parameters, those dropped in their order; values and std: of those kept, all others
    being zero; rms: of all residuals together over that with every parameter, 1 or little more."""

    kept: tuple[int, ...]
    dropped: tuple[int, ...]
    values: Array
    std: Array
    rms: float


def essential(estimate: Estimate, level: float = LEVEL) -> Essential:
    """Backward elimination: drop the parameter with the largest relative deviation as long as an F-test allows.

        F = (squares without the parameter - squares with it) / variance,  1 and n - k degrees of freedom

    Squares are of weighted residuals, so that the variance is that of the full model.
    """
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


@dataclass(frozen=True, eq=False)
class _Fit:
    """unscaled: standard deviations for unit variance. p_j^2/unscaled_j^2 is what dropping j adds to the squares."""

    p: Array
    unscaled: Array
    squares: float


def _fit(R: Array, kept: list[int]) -> _Fit:
    n = len(kept)
    T = triangle(R[:, [*kept, len(R) - 1]])
    inverse = solve_triangular(T[:n, :n], np.eye(n))
    return _Fit(inverse @ T[:n, n], np.linalg.norm(inverse, axis=1), float(np.sum(T[n:, n] ** 2)))

"""What stretches of the data say against each other: bootstrap over segments, and a check for noise in the states.

Noise in the states, not in the forces, makes least squares wrong, and no residual shows it: estimates shrink. But rows
averaged over a window obey the same tau = Psi p with far less of that noise, which differentiation has made fast. So
two estimates, of all rows and of averaged rows, agree where only forces are noisy, and differ where states are
([Hausman1978]).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, frozen_arrays
from parakin.identification.fit.moments import Moments
from parakin.identification.fit.solution import Solution, band_covariances

DRAWS = 200
"""Times that segments are drawn anew."""
LEAST_SEGMENTS = 8
"""Segments that a statement about spread needs."""
ROWS_PER_PARAMETER = 3
"""Averaged rows for each parameter that the check for noise in the states needs."""
SLACK = 0.05
"""Part of the variance up to which a shift, however sure, is no reason to distrust an interval."""
FALSE_ALARMS = 1e-3
"""How often the check may be wrong where the states have no noise, over all parameters."""


@frozen_arrays
class WindowCheck:
    """A comparison of two estimates: from all rows, and from rows averaged over windows."""

    window: int
    """Samples in a window."""
    shift: Array
    """Change of each parameter from the first estimate to the second (parameters,)."""
    spread: Array
    """Standard deviation of that change by chance (parameters,)."""
    biased: NDArray[np.bool_]
    """Whether the change is beyond chance, and beyond the stated standard deviation (parameters,)."""


@frozen_arrays
class _Whitened:
    """Normal equations N u = b of each segment with p = K u: well-conditioned, however Psi is."""

    N: Array
    b: Array

    def solved(self, counts: Array) -> Array:
        """u with each segment counted so many times; counts (draws, segments)."""
        N, b = np.tensordot(counts, self.N, 1), counts @ self.b
        return np.asarray(np.linalg.solve(N, b[..., None]), np.float64)[..., 0]


def bootstrap(moments: Moments, solution: Solution, seed: int = 0) -> Array | None:
    """Return the standard deviation of each parameter when segments are drawn anew; None for data too short to say."""
    count = len(moments.segments)
    if count < LEAST_SEGMENTS or not solution.determined.all():
        return None
    draws = np.random.default_rng(seed).multinomial(count, np.full(count, 1 / count), size=DRAWS).astype(float)
    u = _whitened([segment.G for segment in moments.segments], solution).solved(draws)
    values: Array = u @ solution.K.T
    return np.asarray(np.std(values, axis=0, ddof=1), np.float64)


def window_check(moments: Moments, solution: Solution) -> WindowCheck | None:
    """Compare the estimates from all rows and from averaged rows; return None for data too short to say.

    Both are taken with p = K u, in which all rows together have the unit matrix as information and the averaged ones
    N. Where only forces are noisy, the difference is of chance, with the covariance

        sum over fast bands of V_b + (1 - N^-1) V_slow (1 - N^-1)

    V_b being what the noise of a band adds to the covariance of u; for white noise it is that of [Hausman1978].
    """
    from scipy.special import ndtri

    k, averages = len(solution.p), moments.averages
    rows = averages.counts[-1] * len(moments.H) if averages.counts else 0
    if rows < ROWS_PER_PARAMETER * k or not solution.determined.all() or not solution.variances.all():
        return None
    averaged = _whitened([averages.sums[-1]], solution)
    shift = averaged.solved(np.ones((1, 1)))[0] @ solution.K.T - solution.p
    V = band_covariances(moments, solution.K, solution.weights, solution.band_variances)
    moved = np.eye(k) - np.asarray(np.linalg.inv(averages.lengths[-1] * averaged.N[0]), np.float64)
    chance = np.sum(V[:-1], axis=0) + moved @ V[-1] @ moved.T + SLACK * np.sum(V, axis=0)
    spread = np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", solution.K, chance, solution.K), 0.0))
    stated = np.sqrt(np.diagonal(solution.covariance))
    beyond = -ndtri(FALSE_ALARMS / (2 * k))
    biased = (np.abs(shift) > beyond * spread) & (np.abs(shift) > stated)
    return WindowCheck(averages.lengths[-1] * moments.mean, shift, spread, biased)


def _whitened(sums: Sequence[Array], solution: Solution) -> _Whitened:
    k, K = len(solution.p), solution.K
    weighted = [np.tensordot(solution.weights, G, 1) for G in sums]
    return _Whitened(np.array([K.T @ G[:k, :k] @ K for G in weighted]), np.array([K.T @ G[:k, k] for G in weighted]))

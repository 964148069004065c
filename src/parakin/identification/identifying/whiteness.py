"""Tells whether there is structure left in residuals: of white noise nothing tells the next sample."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, frozen_arrays

LAGS = 50
"""Samples by which a residual is shifted against itself, at most."""
WHITENESS_LEVEL = 1e-3
"""How often white noise may be called something else."""
SMALL_CORRELATION = 0.1
"""Largest autocorrelation up to which noise, however sure it is not white, is as good as white."""
SLOW_RATIO = 1.5
"""Variance of slow averages, relative to that of white noise, from which a residual has structure."""
STRUCTURED_BEYOND = 3.0
"""Standard errors by which slow averages must exceed those of white noise for a residual to have structure."""


@frozen_arrays
class Whiteness:
    """How much structure there is in the residual of each actuator.

    What a model leaves out is as slow as the motion, so that averages of the residual are larger than those of white
    noise. Noise of encoders and drives is fast: neighbours have opposite signs, averages are smaller.
    """

    autocorrelation: Array
    """Autocorrelation (actuators, lags + 1), from lag 0."""
    statistic: Array
    """Statistic of [Ljung1978] of each actuator (actuators,)."""
    limit: float
    """Value that the statistic of white noise exceeds only with probability WHITENESS_LEVEL."""
    count: int
    """Samples."""
    allowed: Array
    """Variance of slow averages that is allowed for, relative to that of white noise (actuators,)."""

    @property
    def slow(self) -> Array:
        """Variance of means over all lags, relative to that of white noise (actuators,).

        1 + 2 sum of (1 - k/(lags + 1)) r_k
        """
        r = self.autocorrelation[:, 1:]
        return 1 + 2 * np.sum(r * np.linspace(1, 0, r.shape[1] + 2)[1:-1], axis=1)

    @property
    def white(self) -> NDArray[np.bool_]:
        """Whether each residual is white, or as good as white (actuators,)."""
        return (self.statistic <= self.limit) | (np.abs(self.autocorrelation[:, 1:]).max(axis=1) <= SMALL_CORRELATION)

    @property
    def structured(self) -> NDArray[np.bool_]:
        """Whether each residual has structure (actuators,)."""
        chance = np.sqrt(4 * (self.autocorrelation.shape[1] - 1) / (3 * self.count))
        return ~self.white & (self.slow > self.allowed * max(SLOW_RATIO, 1 + STRUCTURED_BEYOND * chance))

    @property
    def words(self) -> tuple[str, ...]:
        """One word for each actuator: white, fast or structured."""
        return tuple(np.where(self.white, "white", np.where(self.structured, "structured", "fast")).tolist())

    def __str__(self) -> str:
        if self.structured.any():
            worst = int(np.argmax(self.slow))
            return (
                f"the residual is structured in {int(self.structured.sum())} of {len(self.statistic)} actuators: "
                f"its slow part has {self.slow[worst]:.3g} times the variance of white noise in actuator {worst + 1}; "
                "the model leaves something out, or the data are filtered"
            )
        if self.white.all():
            return "the residual is white"
        return "the residual is fast noise, as of encoders and drives: no model would explain it"


def whiteness(residuals: Array, lags: int = LAGS, allowed: Array | float = 1.0) -> Whiteness:
    """Test residuals (N, actuators) at equal steps of time for structure.

    allowed: variance of slow averages that is allowed for, relative to that of white noise (actuators,).

    Q = N (N + 2) sum over lags of r_k^2 / (N - k)          [Ljung1978]
    """
    from scipy.special import chdtri

    x = residuals - residuals.mean(axis=0)
    n = len(x)
    lags = min(lags, n // 4)
    squares = np.sum(x * x, axis=0)
    r = np.array([np.sum(x[: n - k] * x[k:], axis=0) for k in range(lags + 1)]) / np.where(squares > 0.0, squares, 1.0)
    k = np.arange(1, lags + 1)
    statistic = n * (n + 2) * np.sum(r[1:] ** 2 / (n - k)[:, None], axis=0)
    return Whiteness(r.T, statistic, chdtri(lags, WHITENESS_LEVEL), n, np.broadcast_to(allowed, squares.shape))

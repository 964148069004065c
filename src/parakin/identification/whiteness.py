"""Is there structure left in residuals? Of white noise nothing tells the next sample."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri

from parakin.arrays import Array

LAGS = 50
LEVEL = 1e-3
"""How often white noise may be called something else."""
SMALL = 0.1
"""Largest autocorrelation below which noise, however sure it is not white, is as good as white."""
SLOW = 1.5
"""Variance of slow averages, of that of white noise, from which a residual has structure."""
CLEARLY = 3.0
"""Standard errors beyond that of white noise."""


@dataclass(frozen=True, eq=False)
class Whiteness:
    """Of each actuator: autocorrelation (actuators, lags + 1), from lag 0; statistic [Ljung1978], and its limit.

    count: samples. What a model leaves out is as slow as the motion, so that averages of the residual are larger than
    those of white noise. Noise of encoders and drives is fast: neighbours have opposite signs, averages are smaller.
    """

    autocorrelation: Array
    statistic: Array
    limit: float
    count: int

    @property
    def slow(self) -> Array:
        """Variance of means over all lags, of that of white noise: 1 + 2 sum of (1 - k/(lags + 1)) r_k."""
        r = self.autocorrelation[:, 1:]
        return 1 + 2 * np.sum(r * np.linspace(1, 0, r.shape[1] + 2)[1:-1], axis=1)

    @property
    def white(self) -> NDArray[np.bool_]:
        return (self.statistic <= self.limit) | (np.abs(self.autocorrelation[:, 1:]).max(axis=1) <= SMALL)

    @property
    def structured(self) -> NDArray[np.bool_]:
        """By actuator."""
        chance = np.sqrt(4 * (self.autocorrelation.shape[1] - 1) / (3 * self.count))
        return ~self.white & (self.slow > max(SLOW, 1 + CLEARLY * chance))

    @property
    def words(self) -> tuple[str, ...]:
        """By actuator: white, fast or structured."""
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


def whiteness(residuals: Array, lags: int = LAGS) -> Whiteness:
    """Of residuals (N, actuators) at equal steps of time: Q = N (N + 2) sum over lags of r_k^2 / (N - k)."""
    x = residuals - residuals.mean(axis=0)
    n = len(x)
    lags = min(lags, n // 4)
    squares = np.sum(x * x, axis=0)
    r = np.array([np.sum(x[: n - k] * x[k:], axis=0) for k in range(lags + 1)]) / np.where(squares > 0.0, squares, 1.0)
    k = np.arange(1, lags + 1)
    statistic = n * (n + 2) * np.sum(r[1:] ** 2 / (n - k)[:, None], axis=0)
    return Whiteness(r.T, statistic, chdtri(lags, LEVEL), n)

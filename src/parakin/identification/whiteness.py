"""Is there structure left in residuals? Of white noise nothing tells the next sample."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri

Array = NDArray[np.float64]

LAGS = 50
LEVEL = 1e-3
"""How often white noise may be called structured."""
STRUCTURED = 0.1
"""Largest autocorrelation below which structure, however sure, is too small to speak of."""


@dataclass(frozen=True, eq=False)
class Whiteness:
    """Of each actuator: autocorrelation (actuators, lags + 1), from lag 0; statistic [Ljung1978], and its limit."""

    autocorrelation: Array
    statistic: Array
    limit: float

    @property
    def structured(self) -> NDArray[np.bool_]:
        """By actuator."""
        largest = np.abs(self.autocorrelation[:, 1:]).max(axis=1)
        return (self.statistic > self.limit) & (largest > STRUCTURED)

    def __str__(self) -> str:
        if not self.structured.any():
            return "the residual is white"
        worst = int(np.argmax(self.statistic))
        return (
            f"the residual is structured in {int(self.structured.sum())} of {len(self.statistic)} actuators: "
            f"autocorrelation {self.autocorrelation[worst, 1]:.2f} from sample to sample of actuator {worst + 1}; "
            "the model leaves something out, or the data are filtered"
        )


def whiteness(residuals: Array, lags: int = LAGS) -> Whiteness:
    """Of residuals (N, actuators) at equal steps of time: Q = N (N + 2) sum over lags of r_k^2 / (N - k)."""
    x = residuals - residuals.mean(axis=0)
    n = len(x)
    lags = min(lags, n // 4)
    squares = np.sum(x * x, axis=0)
    r = np.array([np.sum(x[: n - k] * x[k:], axis=0) for k in range(lags + 1)]) / np.where(squares > 0.0, squares, 1.0)
    k = np.arange(1, lags + 1)
    statistic = n * (n + 2) * np.sum(r[1:] ** 2 / (n - k)[:, None], axis=0)
    return Whiteness(r.T, statistic, chdtri(lags, LEVEL))

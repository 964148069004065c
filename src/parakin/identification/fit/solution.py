"""Least squares from moments: solution, covariance, noise of each actuator."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, lock_arrays
from parakin.identification.fit.linear import START_STATES
from parakin.identification.fit.moments import Moments
from parakin.identification.fit.triangles import root

Flags = NDArray[np.bool_]
"""One truth value for each parameter."""

UNDETERMINED = 1e-7
"""Singular value of columns at unit length, relative to the largest, below which it is zero: rounding leaves 1e-11."""
TAKES_PART = 1e-4
"""Component of a parameter in the directions that are not determined below which it is determined itself."""
WITHOUT_LENGTH = 1e-9
"""Length of a column, relative to that over random states of the robot's box, up to which it counts as zero."""
COLOURED_BEYOND = 3.0
"""Standard errors by which noise of windows must exceed white noise to count as coloured."""


@dataclass(frozen=True, eq=False)
class Solution:
    """The p that minimises the sum over actuators of weight_j |tau_j - Psi_j p|^2, and how sure it is."""

    weights: Array
    """Weight of each actuator (actuators,)."""
    p: Array
    """The solution (parameters,); where it is not unique, the shortest one with columns at unit length."""
    R: Array
    """Triangle of the weighted rows [Psi tau] (parameters + 1, parameters + 1)."""
    K: Array
    """Root of the inverse: K K^T = (Psi^T W Psi)^-1 (parameters, parameters)."""
    covariance: Array
    """Covariance of p (parameters, parameters)."""
    noise: Array
    """Standard deviation of each actuator's residual (actuators,) [N or N m]."""
    colour: Array
    """Factor by which the variance of slow noise exceeds that of white noise (actuators,), 1 or more."""
    shown: Flags
    """Whether the column of a parameter has any length (parameters,)."""
    determined: Flags
    """Whether the data determine a parameter (parameters,)."""
    free: Array
    """Directions that the data do not determine, with columns at unit length (directions, parameters)."""
    singular_values: Array
    """Singular values of Psi with columns at unit length (parameters,), largest first."""
    shifts: Array
    """How far one standard deviation of something else that is uncertain, such as a delay, moves p (parameters,)."""

    def __post_init__(self) -> None:
        lock_arrays(self)

    @property
    def variances(self) -> Array:
        """Variance of each actuator's noise as slow motions see it (actuators,): noise^2 colour."""
        return self.noise**2 * self.colour

    @property
    def condition(self) -> float:
        """Condition number of Psi with columns at unit length; infinite where something is not determined."""
        smallest = self.singular_values[-1] if self.determined.all() else 0.0
        return float(self.singular_values[0] / smallest) if smallest > 0.0 else np.inf

    def shifted(self, shifts: Array) -> Solution:
        """Return the solution with a covariance that allows for what else is uncertain: C + shifts shifts^T."""
        return replace(self, covariance=self.covariance + np.outer(shifts, shifts), shifts=shifts)


def solve(moments: Moments, start: Array, weights: Array) -> Solution:
    """Solve weighted least squares from sums over the data.

    start: the model's triangle of random states, which says how long a column usually is; weights: one for each
    actuator.
    """
    from scipy.linalg import solve_triangular

    k = len(start) - 1
    R = root(np.tensordot(weights, moments.H, 1)) @ moments.R
    Psi = R[:k, :k]
    lengths, usual = np.linalg.norm(Psi, axis=0), np.linalg.norm(start[:k, :k], axis=0)
    shown = lengths > WITHOUT_LENGTH * usual * np.sqrt(np.mean(weights) * moments.rows / START_STATES)
    size = np.where(shown, lengths, 1.0)
    U, s, Vt = np.linalg.svd(Psi / size * shown)
    kept = s > UNDETERMINED * s[0] if s[0] > 0.0 else np.zeros(k, bool)
    determined = shown & (np.linalg.norm(Vt[~kept], axis=0) < TAKES_PART)
    pseudo = (Vt[kept].T / s[kept]) @ U[:, kept].T / size[:, None]
    K = solve_triangular(Psi, np.eye(k)) if kept.all() else pseudo
    p = K @ R[:k, k]
    noise, colour = _noise(moments, p)
    J = moments.R[:k, :k] @ K
    middle = np.tensordot(weights**2 * noise**2 * colour, moments.H[:, :k, :k], 1)
    covariance = K @ (J.T @ middle @ J) @ K.T
    return Solution(weights, p, R, K, covariance, noise, colour, shown, determined, Vt[~kept], s, np.zeros(k))


def _noise(moments: Moments, p: Array) -> tuple[Array, Array]:
    """Standard deviation of each actuator's residual, and its colour from residuals averaged over windows."""
    actuators, taken = len(moments.H), len(p) / len(moments.H)
    e = np.append(p, -1.0)
    y = moments.R @ e
    squares = np.maximum(np.einsum("i,jik,k->j", y, moments.H, y), 0.0)
    variance = squares / max(moments.rows - taken, 1.0)
    windows = sum(segment.windows for segment in moments.segments)
    left = windows - taken
    if left < 1 + taken or not variance.all():
        return np.sqrt(variance), np.ones(actuators)
    averaged = np.einsum("i,jik,k->j", e, sum_averaged(moments), e)
    colour = moments.window * np.maximum(averaged, 0.0) / left / variance
    return np.sqrt(variance), np.where(colour > 1 + COLOURED_BEYOND * np.sqrt(2 / left), colour, 1.0)


def sum_averaged(moments: Moments) -> Array:
    """Return the sums of a a^T over rows averaged over windows, by actuator."""
    return np.sum([segment.averaged for segment in moments.segments], axis=0)

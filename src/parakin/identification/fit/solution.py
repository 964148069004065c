"""Least squares from moments: solution, covariance, noise of each actuator."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, frozen_arrays
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
"""Standard errors by which the variance of a band must differ from that of all noise for it to count as coloured."""


@frozen_arrays
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
    """Variance of noise as slow motions see it, relative to that of all of it (actuators,): 1 for white noise."""
    band_variances: Array
    """Variance of each actuator's noise in every band of `Moments.averages`, from fast to slow (bands, actuators)."""
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
    noise = _noise(moments, p, K, weights)
    J = moments.R[:k, :k] @ K
    white = np.tensordot(weights**2 * noise.white**2 * ~noise.coloured, moments.H[:, :k, :k], 1)
    inner = J.T @ white @ J
    if noise.coloured.any():
        inner = inner + np.sum(band_covariances(moments, K, weights, noise.bands * noise.coloured), axis=0)
    return Solution(
        weights=weights,
        p=p,
        R=R,
        K=K,
        covariance=K @ inner @ K.T,
        noise=noise.white,
        colour=noise.colour,
        band_variances=noise.bands,
        shown=shown,
        determined=determined,
        free=Vt[~kept],
        singular_values=s,
        shifts=np.zeros(k),
    )


def band_covariances(moments: Moments, K: Array, weights: Array, variances: Array) -> Array:
    """Return what the noise of every band adds to the covariance of u, p = K u (bands, parameters, parameters).

    K^T (sum over actuators of weight^2 variance Psi^T Psi) K of each band; variances: (bands, actuators).
    """
    k = len(K)
    energies, _ = _bands(moments)
    middle = np.einsum("bj,bjik->bik", weights**2 * variances, energies[:, :, :k, :k])
    return np.asarray(K.T @ middle @ K, np.float64)


class _Noise(NamedTuple):
    """Standard deviation of all of each actuator's noise, its variance in every band, and whether these differ."""

    white: Array
    bands: Array
    coloured: Flags

    @property
    def colour(self) -> Array:
        """Variance in the slowest band, relative to that of all noise (actuators,)."""
        variance = self.white**2
        return np.divide(self.bands[-1], variance, out=np.ones_like(variance), where=self.coloured)


def _noise(moments: Moments, p: Array, K: Array, weights: Array) -> _Noise:
    """Noise of each actuator from its residuals.

    A band's variance is its squares, divided by its means less the parameters that it determines: the trace of
    K^T (weight Psi^T Psi) K. Where all bands have the same, as far as can be told, the noise is white.
    """
    k, actuators = len(p), len(moments.H)
    e = np.append(p, -1.0)
    y = moments.R @ e
    squares = np.maximum(np.einsum("i,jik,k->j", y, moments.H, y), 0.0)
    variance = squares / max(moments.rows - k / actuators, 1.0)
    energies, counts = _bands(moments)
    taken = weights * np.sum(K * (energies[..., :k, :k] @ K), axis=(-2, -1))
    left = counts[:, None] - taken
    own = np.maximum(np.einsum("i,bjik,k->bj", e, energies, e), 0.0)
    if (left < 1 + taken).any() or not variance.all():
        return _Noise(np.sqrt(variance), np.tile(variance, (len(counts), 1)), np.zeros(actuators, bool))
    found = own / left
    coloured = np.any(np.abs(found / variance - 1) > COLOURED_BEYOND * np.sqrt(2 / left), axis=0)
    return _Noise(np.sqrt(variance), np.where(coloured, found, variance), coloured)


def _bands(moments: Moments) -> tuple[Array, Array]:
    """Energies and numbers of means of every band, in plain coordinates."""
    return moments.averages.bands(moments.rows, moments.R.T @ moments.H @ moments.R)

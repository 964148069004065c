"""Find all zeros of trigonometric polynomials, many polynomials at once."""

from __future__ import annotations

from math import comb

import numpy as np

from parakin.assembly.result import Array, Complex, Counts

SAMPLES = 16
"""Number of angles at which a polynomial is evaluated; enough for degrees up to 7."""
NEGLIGIBLE = 1e-11
"""Size of a coefficient, relative to the largest, below which it is rounding."""


def angles() -> Array:
    """Return the angles [rad], evenly spaced over a turn, at which `zeros` wants a polynomial's values."""
    return 2 * np.pi * np.arange(SAMPLES) / SAMPLES


def zeros(values: Array, degree: int) -> tuple[Complex, Counts]:
    """Return the complex angles (..., 2 degree) where P vanishes, and how many are finite, from values (..., SAMPLES).

        P(psi_0 + psi) = sum c_k e^(i k psi),     t = tan(psi/2),     e^(i psi) = (1 + i t)/(1 - i t)
        (1 + t^2)^n P = sum c_k (1 + i t)^(n + k) (1 - i t)^(n - k)

    The leading coefficient is P(psi_0 + pi): psi_0 is chosen to make it the largest of the values, so that the
    companion matrix is good whatever the degree really is. Where P vanishes everywhere the angles are NaN.
    """
    modes = np.arange(-degree, degree + 1)
    c = np.fft.fft(values, axis=-1)[..., modes] / SAMPLES
    largest = np.argmax(np.abs(values), axis=-1)[..., None]
    psi_0 = angles()[largest] - np.pi
    polynomial = np.real((c * np.exp(1j * modes * psi_0)) @ _powers(degree))
    with np.errstate(divide="ignore", invalid="ignore"):
        monic = polynomial[..., :-1] / polynomial[..., -1:]
    usable = np.all(np.isfinite(monic), axis=-1, keepdims=True)
    companion = np.zeros((*monic.shape, 2 * degree))
    companion[..., np.arange(1, 2 * degree), np.arange(2 * degree - 1)] = 1.0
    companion[..., -1] = np.where(usable, -monic, 0.0)
    t = np.linalg.eigvals(companion).astype(np.complex128)
    present = np.abs(c[..., degree:]) > NEGLIGIBLE * np.max(np.abs(c), axis=-1, keepdims=True)
    finite = 2 * np.max(np.where(present, np.arange(degree + 1), 0), axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        psi = psi_0 + 2 * np.arctan(t)
    return np.where(usable, psi, np.nan), np.where(usable[..., 0], finite, 0)


def _powers(n: int) -> Complex:
    """Return a matrix whose row n + k has the coefficients of (1 + i t)^(n + k) (1 - i t)^(n - k) in powers of t."""
    rows = np.zeros((2 * n + 1, 2 * n + 1), np.complex128)
    for row in range(2 * n + 1):
        up = np.array([comb(row, j) * 1j**j for j in range(row + 1)])
        down = np.array([comb(2 * n - row, j) * (-1j) ** j for j in range(2 * n - row + 1)])
        rows[row] = np.convolve(up, down)
    return rows

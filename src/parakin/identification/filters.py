"""Zero-phase low-pass and differences, as kernels to convolve with.

A Butterworth filter run forwards and backwards (scipy.signal.sosfiltfilt) has the real response |B(w)|^2: no phase, an
impulse response that is the same on both sides. Here that impulse response is taken once, as far as it has not decayed
to DECAY of its peak, and convolved with the log. What comes out of a row depends on so many rows before and after it
and on nothing else, so that a log in blocks gives what it gives whole. Central differences, as in [Vivas2003] sec. 2.2,
are part of the kernel:

    x_dot = (x_(k+1) - x_(k-1))/(2 T)           response  i sin(w T)/T
    x_ddot = (x_(k+1) - 2 x_k + x_(k-1))/T^2               -(2 sin(w T/2)/T)^2
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.signal import oaconvolve

from parakin.arrays import Array

Differences = Literal["central", "spectral"]
"""Spectral: i w and -w^2, exact at all frequencies the filter lets through."""

ORDER = 4
"""Of the Butterworth filter, which acts twice."""
DECAY = 1e-12
"""Of the largest value of an impulse response: what is smaller is left out."""
SETTLED = 1e-3
"""Of a step: what the end of a stretch may still do to a row that is kept."""


@dataclass(frozen=True, eq=False)
class Smoother:
    """kernels (3, 2 reach + 1): for x, x_dot, x_ddot. reach: rows on either side that a value depends on. drop: rows at
    the end of a stretch that still feel what is not there."""

    cutoff: float
    period: float
    kernels: Array
    drop: int

    @property
    def reach(self) -> int:
        return self.kernels.shape[1] // 2

    def apply(self, extended: Array, derivatives: int = 2) -> list[Array]:
        """x and its derivatives (N, columns) of rows (N + 2 reach, columns)."""
        kernels = self.kernels[: derivatives + 1, :, None]
        return [oaconvolve(extended, kernel, mode="valid", axes=0) for kernel in kernels]


def smoother(cutoff: float, period: float, differences: Differences = "central", shift: float = 0.0) -> Smoother:
    """cutoff [Hz]: where the filter, both ways together, halves an amplitude. shift: of a period, later in time."""
    size, reach = 2**10, 0
    kernels = np.empty((3, 0))
    while size <= 2**24:
        kernels = _responses(size, cutoff, period, differences, shift)
        magnitude = np.abs(kernels) / np.abs(kernels).max(axis=1, keepdims=True)
        distant = np.flatnonzero((magnitude > DECAY).any(axis=0))
        reach = int(max(abs(distant[0] - size // 2), abs(distant[-1] - size // 2)))
        if reach < size // 4:
            break
        size *= 2
    centre = size // 2
    kernels = kernels[:, centre - reach : centre + reach + 1]
    tail = np.abs(1 - np.cumsum(kernels[0]))
    unsettled = np.flatnonzero(tail > SETTLED)
    drop = int(unsettled[-1]) - reach + 1 if len(unsettled) else 1
    return Smoother(cutoff, period, kernels, max(drop, 1))


def low_pass(f: Array, cutoff: float, period: float) -> Array:
    """|B|^2 at frequencies f [Hz] of the Butterworth filter, bilinear: 0 at half the sampling rate.

    1/(1 + (tan(pi f T)/tan(pi cutoff T))^(2 order))
    """
    ratio = np.tan(np.pi * np.minimum(f * period, 0.5)) / np.tan(np.pi * cutoff * period)
    return 1 / (1 + ratio ** (2 * ORDER))


def _responses(size: int, cutoff: float, period: float, differences: Differences, shift: float) -> Array:
    """Impulse responses (3, size) about size // 2."""
    f = np.fft.rfftfreq(size, period).astype(np.float64)
    w = 2 * np.pi * f
    response = low_pass(f, cutoff, period) * np.exp(1j * w * period * shift)
    if differences == "central":
        factors = np.array(
            [np.ones_like(w), 1j * np.sin(w * period) / period, -((2 * np.sin(w * period / 2) / period) ** 2)]
        )
    else:
        factors = np.array([np.ones_like(w), 1j * w, -(w**2)])
    return np.fft.fftshift(np.fft.irfft(response * factors, size, axis=1), axes=1)

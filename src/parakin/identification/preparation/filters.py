"""A low-pass without phase, and differences, as kernels to convolve with.

A Butterworth filter run forwards and backwards (scipy.signal.sosfiltfilt) has the real response |B(w)|^2: no phase, an
impulse response that is the same on both sides. Here that impulse response is taken once, as far as it has not decayed
to DECAY of its peak, and convolved with the log. What comes out of a row depends on so many rows before and after it
and on nothing else, so that a log in blocks gives what it gives whole. Central differences, as in [Vivas2003] sec. 2.2,
are part of the kernel:

    x_dot = (x_(k+1) - x_(k-1))/(2 T)           response  i sin(w T)/T
    x_ddot = (x_(k+1) - 2 x_k + x_(k-1))/T^2               -(2 sin(w T/2)/T)^2
"""

from __future__ import annotations

import math
from typing import Literal, cast

import numpy as np

from parakin.arrays import Array, frozen_arrays

SUBSTITUTIONS = 50
"""Times that a size is put into its own equation: it changes by a sixth of the change before, or less."""


def convolved(rows: Array, responses: Array) -> list[Array]:
    """Return the rows (N + taps - 1, columns) convolved with each of the responses (count, taps), as (N, columns).

    By overlap and add, as scipy.signal.oaconvolve (mode "valid") does it, to the bit; but the rows are transformed
    once for all responses, and scipy.signal, which takes long to import, is not needed.
    """
    (length, columns), taps = rows.shape, responses.shape[1]
    step, size, count = _frames(length, taps)
    padded = np.zeros((columns, count * step))
    padded[:, :length] = rows.T
    spectra = np.fft.rfft(padded.reshape(columns, count, step), size)
    result: list[Array] = []
    for response in np.fft.rfft(responses, size):
        frames = np.fft.irfft(spectra * response, size)
        frames[:, 1:, : taps - 1] += frames[:, :-1, step : step + taps - 1]
        sums = frames[..., :step].reshape(columns, -1)[:, taps - 1 : length]
        result.append(np.ascontiguousarray(sums.T))
    return result


def _frames(length: int, taps: int) -> tuple[int, int, int]:
    """Rows of a frame, its size with room for what the response adds, and the number of frames.

    A transform of n values takes n log(2 n) steps, of which n - k rows are got, k = taps - 1: the size with the fewest
    steps a row is n = k log(2 e n), found by putting n in until it stays.
    """
    overlap = taps - 1
    best = float(taps)
    for _ in range(SUBSTITUTIONS):
        best = overlap * math.log(2 * math.e * best)
    size = _quick(math.ceil(best))
    if size >= length:
        return length, _quick(length + overlap, real=True), 1
    step = size - overlap
    return step, size, -(-(length + overlap) // step)


def _quick(least: int, *, real: bool = False) -> int:
    """The smallest size from `least` on whose transform is quick."""
    from scipy.fft import next_fast_len  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]

    return int(cast(int, next_fast_len(least, real)))


Differences = Literal["central", "spectral"]
"""How positions are differentiated.

"central" is as in [Vivas2003]; "spectral" has the responses i w and -w^2, exact at all frequencies the filter lets
through.
"""

ORDER = 4
"""Order of the Butterworth filter, which acts twice."""
DECAY = 1e-12
"""Part of the largest value of an impulse response below which it is left out."""
SETTLED_STEP = 1e-3
"""Part of a step at the end of a stretch that a row may still feel if it is kept."""


@frozen_arrays
class Smoother:
    """A low-pass with derivatives, for rows at equal steps of time."""

    cutoff: float
    """Frequency at which the filter, both ways together, halves an amplitude [Hz]."""
    period: float
    """Time between rows [s]."""
    kernels: Array
    """Impulse responses (3, 2 reach + 1) for x, x_dot and x_ddot."""
    drop: int
    """Rows at the end of a stretch that still feel what is not there."""

    @property
    def reach(self) -> int:
        """Rows on either side that a value depends on."""
        return self.kernels.shape[1] // 2

    def apply(self, extended: Array, derivatives: int = 2) -> list[Array]:
        """Return x and its first derivatives, each (N, columns), from rows (N + 2 reach, columns)."""
        return convolved(extended, self.kernels[: derivatives + 1])


def smoother(cutoff: float, period: float, differences: Differences = "central", shift: float = 0.0) -> Smoother:
    """Build a low-pass with derivatives.

    cutoff [Hz]: where the filter, both ways together, halves an amplitude; period [s]: between rows; shift: how much
    later than its row a value is taken, as a part of the period.
    """
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
    unsettled = np.flatnonzero(tail > SETTLED_STEP)
    drop = int(unsettled[-1]) - reach + 1 if len(unsettled) else 1
    return Smoother(cutoff, period, kernels, max(drop, 1))


def low_pass(f: Array, cutoff: float, period: float) -> Array:
    """Return |B|^2 of the Butterworth filter at frequencies f [Hz]; being bilinear, it is 0 at half the sampling rate.

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

"""Convolution of long signals with several short impulse responses at once."""

from __future__ import annotations

import math
from typing import cast

import numpy as np

from parakin.arrays import Array

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

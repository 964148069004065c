"""Power densities of signals, from transforms of windowed frames, without the seconds that scipy.signal's import takes.

They are those of scipy.signal.periodogram and welch: one-sided, in squares of the signal's unit a Hertz.
"""

from __future__ import annotations

import numpy as np

from parakin.arrays import Array

HANN = (0.5, 0.5)
"""Cosine sum of the window of von Hann, the usual one."""
BLACKMAN_HARRIS = (0.35875, 0.48829, 0.14128, 0.01168)
"""Cosine sum of the window of Blackman and Harris, whose side lobes are 92 dB down."""


def periodogram(rows: Array, period: float) -> tuple[Array, Array]:
    """Return frequencies [Hz] and densities (frequencies, columns) of rows at equal steps, less their straight line.

    period: time between rows [s]. The window is BLACKMAN_HARRIS.
    """
    ramp = np.linspace(-1.0, 1.0, len(rows))
    slope = ramp @ rows / (ramp @ ramp)
    level = rows - np.mean(rows, axis=0) - np.outer(ramp, slope)
    frequencies, densities = _density(level.T, period, BLACKMAN_HARRIS)
    return frequencies, np.ascontiguousarray(densities.T)


def welch(rows: Array, period: float, length: int) -> tuple[Array, Array]:
    """Return frequencies [Hz] and densities (columns, frequencies): means over frames that overlap by half.

    period: time between rows [s]; length: rows of a frame, each less its mean. The window is HANN.
    """
    columns = np.ascontiguousarray(rows.T)
    frames = np.lib.stride_tricks.sliding_window_view(columns, length, axis=1)[:, :: length - length // 2]
    frequencies, densities = _density(frames - frames.mean(axis=-1, keepdims=True), period, HANN)
    return frequencies, densities.mean(axis=1)


def _density(signals: Array, period: float, cosines: tuple[float, ...]) -> tuple[Array, Array]:
    """Densities along the last axis: T |sum of w x exp(-i w t)|^2 / sum of w^2, twice what is not its own mirror."""
    count = signals.shape[-1]
    angles = 2 * np.pi * np.arange(count, dtype=np.float64) / count
    window = np.sum([(-1) ** k * factor * np.cos(k * angles) for k, factor in enumerate(cosines)], axis=0)
    transform = np.fft.rfft(signals * window)
    density = (transform.real**2 + transform.imag**2) * period / (window @ window)
    density[..., 1 : (count + 1) // 2] *= 2
    return np.fft.rfftfreq(count, period).astype(np.float64), density

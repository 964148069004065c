"""Chooses the cut-off of the low-pass from the spectrum of the positions, by a rule that can be read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array
from parakin.identification.preparation.filters import low_pass
from parakin.identification.spectra import periodogram

LONGEST_SPECTRUM = 4096
"""Rows of a spectrum, at most. It takes a quarter of the longest stretch."""
SHORTEST_SPECTRUM = 512
"""Rows of a spectrum, at least, if the log has them."""
CHANCE = 1e-4
"""Probability that noise alone rises so far above its floor anywhere in a spectrum that it counts as motion."""
HIGHEST_CUTOFF = 0.2
"""Highest cut-off that is chosen, as a part of the sampling rate."""
LINE_FREQUENCIES = 4
"""Neighbouring frequencies over which the window spreads a line at least; noise rises above its floor over fewer."""
WINDOW_BANDWIDTH = 2.0
"""Bandwidth of the window, as far as noise is concerned, in neighbouring frequencies."""
CANDIDATES = 100
"""Cut-offs that are compared, at equal ratios."""
MOTION_POWER = 0.99
"""Part of the acceleration's power that lies below `Cutoff.motion`."""


@dataclass(frozen=True)
class Cutoff:
    """The cut-off of the low-pass, and why it has this value."""

    frequency: float
    """The cut-off [Hz]."""
    motion: float | None
    """Frequency below which 99 % of the acceleration's power lies [Hz]; None where the user gave the cut-off."""
    rule: str
    """The reason, in words."""

    def __str__(self) -> str:
        return f"cut-off {self.frequency:.4g} Hz: {self.rule}"


def given_cutoff(frequency: float) -> Cutoff:
    """Return the cut-off that the user asked for [Hz]."""
    return Cutoff(frequency, None, "as asked")


def choose_cutoff(stretches: Iterable[Array], period: float, quantum: Array | float = 0.0) -> Cutoff:
    """Return the cut-off with the least expected error of the acceleration: motion taken away, and noise left.

        sum over f of  w^4 ((1 - H)^2 S + H^2 N)        relative to  sum of w^4 S,  mean over actuators

    S and N are power of motion and noise in the positions: N the median of the upper half of the band, S what exceeds
    it where it exceeds it by more than chance (a mean of n spectra of white noise is gamma-distributed). Where that
    would make a motion too fast for the log, single frequencies no longer count as motion, nor what is that fast and no
    more than rounding to a `quantum` [rad, m] (actuators,) would be, were all of it at one frequency. stretches:
    positions (N, actuators), all of one length; spectra are means over them with a window whose side lobes are 92 dB
    down.
    """
    from scipy.special import gammainccinv, gammaincinv

    count, power, frequencies = 0, np.zeros((1, 1)), np.zeros(1)
    for rows in stretches:
        frequencies, spectrum = periodogram(rows, period)
        count, power = count + 1, power + spectrum
    noise = np.median(power[len(power) // 2 :], axis=0)
    above = gammainccinv(count, CHANCE / power.size) / gammaincinv(count, 0.5)
    standing = power > above * noise
    cutoff = _least_error(frequencies, power, noise, standing, period)
    if cutoff.motion is not None and cutoff.motion > HIGHEST_CUTOFF / period:
        line = 1 / (WINDOW_BANDWIDTH * float(frequencies[1]))  # density of a line of power 1
        standing &= (frequencies <= HIGHEST_CUTOFF / period)[:, None] | (power > count * line * np.square(quantum) / 12)
        return _least_error(frequencies, power, noise, _lines(standing), period)
    return cutoff


def _lines(standing: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Only what stands above the noise over as many frequencies as a line of motion does: fewer are chance."""
    padded = np.pad(standing, ((LINE_FREQUENCIES - 1,) * 2, (0, 0)))
    whole = np.lib.stride_tricks.sliding_window_view(padded, LINE_FREQUENCIES, axis=0).all(axis=-1)
    spread = np.lib.stride_tricks.sliding_window_view(whole, LINE_FREQUENCIES, axis=0)
    return np.asarray(spread.any(axis=-1), np.bool_)


def _least_error(frequencies: Array, power: Array, noise: Array, standing: NDArray[np.bool_], period: float) -> Cutoff:
    """The cut-off of least error, where `standing` (frequencies, actuators) says what is motion."""
    weight = frequencies[:, None] ** 4
    motion = weight * np.where(standing, power - noise, 0.0)
    total = np.sum(motion, axis=0)
    moving = total > 0
    if not np.any(moving):
        return Cutoff(
            HIGHEST_CUTOFF / period, 0.0, f"{HIGHEST_CUTOFF:g} of the sampling rate: no motion stands above the noise"
        )
    motion, noisy = motion[:, moving] / total[moving], (weight * noise)[:, moving] / total[moving]
    lowest = float(2 * frequencies[1])
    candidates = lowest * (HIGHEST_CUTOFF / period / lowest) ** np.linspace(0.0, 1.0, CANDIDATES)
    errors = np.array([_errors(low_pass(frequencies, c, period)[:, None], motion, noisy) for c in candidates.tolist()])
    best = int(np.argmin(np.sum(errors, axis=1)))
    motion_frequency = float(frequencies[np.cumsum(np.mean(motion, axis=1)) < MOTION_POWER][-1])
    taken, left = 100 * np.sqrt(errors[best])
    rule = f"the least expected error of accelerations, {taken:.2g} % taken away and {left:.2g} % noise left"
    return Cutoff(float(candidates[best]), motion_frequency, rule)


def _errors(H: Array, motion: Array, noise: Array) -> list[float]:
    """Mean squares of the motion taken away and of the noise left."""
    return [float(np.sum(part) / part.shape[1]) for part in ((1 - H) ** 2 * motion, H**2 * noise)]

"""The cut-off of the low-pass, from the spectrum of the positions by a rule that can be read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.signal import periodogram
from scipy.special import gammainccinv, gammaincinv

from parakin.arrays import Array
from parakin.identification.filters import low_pass

LONGEST, SHORTEST = 4096, 512
"""Rows of a spectrum: a quarter of the longest stretch, within these."""
CHANCE = 1e-4
"""That noise alone rises so far above its floor anywhere in a spectrum."""
HIGHEST = 0.2
"""Of the sampling rate."""
CANDIDATES = 100
MOST = 0.99
"""Of the power of the acceleration: what lies below the highest frequency that is told."""


@dataclass(frozen=True)
class Cutoff:
    """[Hz]. motion: below it lies 99 % of the acceleration's power; None where the user gave the cut-off."""

    frequency: float
    motion: float | None
    rule: str

    def __str__(self) -> str:
        return f"cut-off {self.frequency:.4g} Hz: {self.rule}"


def given_cutoff(frequency: float) -> Cutoff:
    return Cutoff(frequency, None, "as asked")


def choose_cutoff(stretches: Iterable[Array], period: float) -> Cutoff:
    """The cut-off with the least expected error of the acceleration, what it takes from the motion and leaves of noise:

        sum over f of  w^4 ((1 - H)^2 S + H^2 N)        relative to  sum of w^4 S,  mean over actuators

    S and N are power of motion and noise in the positions: N the median of the upper half of the band, S what exceeds
    it where it exceeds it by more than chance (a mean of n spectra of white noise is gamma-distributed). stretches:
    positions (N, actuators), all of one length; spectra are means over them with a window whose side lobes are 92 dB
    down.
    """
    count, power, frequencies = 0, np.zeros((1, 1)), np.zeros(1)
    for rows in stretches:
        frequencies, one = periodogram(rows, 1 / period, "blackmanharris", detrend="linear", axis=0)
        count, power = count + 1, power + one
    noise = np.median(power[len(power) // 2 :], axis=0)
    above = gammainccinv(count, CHANCE / power.size) / gammaincinv(count, 0.5)
    weight = frequencies[:, None] ** 4
    motion = weight * np.where(power > above * noise, power - noise, 0.0)
    total = np.sum(motion, axis=0)
    moving = total > 0
    if not np.any(moving):
        return Cutoff(HIGHEST / period, 0.0, f"{HIGHEST:g} of the sampling rate: no motion stands above the noise")
    motion, noisy = motion[:, moving] / total[moving], (weight * noise)[:, moving] / total[moving]
    lowest = float(2 * frequencies[1])
    candidates = lowest * (HIGHEST / period / lowest) ** np.linspace(0.0, 1.0, CANDIDATES)
    errors = np.array([_errors(low_pass(frequencies, c, period)[:, None], motion, noisy) for c in candidates.tolist()])
    best = int(np.argmin(np.sum(errors, axis=1)))
    most = float(frequencies[np.cumsum(np.mean(motion, axis=1)) < MOST][-1])
    taken, left = 100 * np.sqrt(errors[best])
    rule = f"the least expected error of accelerations, {taken:.2g} % taken away and {left:.2g} % noise left"
    return Cutoff(float(candidates[best]), most, rule)


def _errors(H: Array, motion: Array, noise: Array) -> list[float]:
    """Mean squares, of motion taken away and noise left."""
    return [float(np.sum(part) / part.shape[1]) for part in ((1 - H) ** 2 * motion, H**2 * noise)]

"""The cut-off of the low-pass, from the spectrum of the positions by a rule that can be read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import scipy.signal
from numpy.typing import NDArray

Array = NDArray[np.float64]

SEGMENT = 4096
"""Rows of a spectrum; shorter where the log is."""
ABOVE = 30.0
"""Times the noise floor: what is below is noise."""
NEGLIGIBLE = 1e-5
"""Of the power of the acceleration: what lies beyond it is not looked for, however clean the log."""
MARGIN = 3.0
"""From the highest frequency of the motion to the cut-off: the filter leaves 0.99985 of its amplitude there."""
HIGHEST = 0.2
"""Of the sampling rate."""


@dataclass(frozen=True)
class Cutoff:
    """[Hz]. motion: the highest frequency that stands above the noise, None where the user gave the cut-off."""

    frequency: float
    motion: float | None
    rule: str

    def __str__(self) -> str:
        return f"cut-off {self.frequency:.4g} Hz: {self.rule}"


def given_cutoff(frequency: float) -> Cutoff:
    return Cutoff(frequency, None, "as asked")


def choose_cutoff(stretches: Iterable[Array], period: float) -> Cutoff:
    """MARGIN times the highest frequency at which any actuator's position stands ABOVE its noise floor.

    stretches: positions (N, actuators), of SEGMENT rows or fewer. Spectra are means over them, with a window whose side
    lobes are 92 dB down; the floor is the median of the upper half of the band.
    """
    spectra: list[Array] = []
    frequencies = np.empty(0)
    for rows in stretches:
        if spectra and len(rows) != 2 * (len(frequencies) - 1):
            continue
        frequencies, power = scipy.signal.periodogram(rows, 1 / period, "blackmanharris", detrend="linear", axis=0)
        spectra.append(power)
    power = np.mean(spectra, axis=0)
    floor = np.median(power[len(power) // 2 :], axis=0)
    clear = np.maximum(power - floor, 0.0) * (power > ABOVE * floor)
    moved = np.cumsum(clear * frequencies[:, None] ** 4, axis=0)
    motion = 0.0
    for k in range(power.shape[1]):
        if moved[-1, k] > 0:
            motion = max(motion, float(frequencies[moved[:, k] < (1 - NEGLIGIBLE) * moved[-1, k]][-1]))
    motion = motion or float(frequencies[1])
    wanted, most = MARGIN * motion, HIGHEST / period
    rule = f"{MARGIN:g} times {motion:.4g} Hz, the highest frequency with positions {ABOVE:g} times above their noise"
    if wanted > most:
        return Cutoff(most, motion, f"{HIGHEST:g} of the sampling rate, for {rule} would be {wanted:.4g} Hz")
    return Cutoff(wanted, motion, rule)

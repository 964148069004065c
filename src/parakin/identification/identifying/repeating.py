"""Separates what of a residual repeats with a periodic motion from noise, and finds lines in its spectrum.

Noise of currents and encoders, however coloured, differs from period to period; what the model leaves out does not.
With means y over windows of the residual in P periods,

    ratio = P sum of mean(y)^2 / (sum of (y - mean(y))^2 / (P - 1))

is 1 on average where nothing repeats, and compared on several lengths of windows with the F distribution, whose degrees
of freedom are fewer where neighbouring windows are correlated.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, frozen_arrays
from parakin.identification.preparation.periods import PERIODIC_DIFFERENCE, find_period

REPEATED_RATIO = 1.5
"""Ratio up to which what repeats hardly matters beside the noise."""
CHANCE = 1e-3
"""How often noise may be called something that repeats, over all actuators and lengths."""
LENGTHS = (1, 4, 16)
"""Lengths of windows that are compared, in the shortest."""
FEWEST_WINDOWS = 8
"""Windows of a length in a period that a comparison needs."""
LATE_STARTS = (0.0, 0.25, 0.5)
"""Parts of a log after which it may become periodic: motions begin gently."""
LINE_ABOVE = 30.0
"""Power of a line in one actuator, relative to the medians of its neighbours on either side."""
SHARED_LINE_ABOVE = 15.0
"""The same of a line that all of several actuators have, as those of a machine that shakes do."""
NEIGHBOURS = 1.5
"""Ratio of frequencies up to which they are neighbours."""
FEWEST_NEIGHBOURS = 6
"""Frequencies on either side that a line needs."""
MOST_NEIGHBOURS = 100
"""Frequencies on either side that a line is compared with at most."""
LINE_WIDTH = 2
"""Frequencies on either side that belong to the line."""
LINE_SHARE = 0.05
"""Part of the residual's power below the cut-off from which a line matters."""


@frozen_arrays
class Repeating:
    """How much of each actuator's residual repeats with the motion."""

    period: float
    """Period of the motion [s]."""
    periods: int
    """Periods that were compared."""
    ratio: Array
    """Power of what repeats, relative to what noise would leave of it, on the length of windows where it is most beyond
    chance (actuators,)."""
    limit: Array
    """Ratio that noise exceeds only with probability CHANCE, on that length (actuators,)."""

    @property
    def structured(self) -> NDArray[np.bool_]:
        """Whether the residual of each actuator has a part that repeats (actuators,)."""
        return self.ratio > np.maximum(REPEATED_RATIO, self.limit)


def periodic_part(poses: Array) -> tuple[int, int] | None:
    """Return where a motion (N, coordinates) begins to repeat itself and the rows of a period; None if it never does.

    Whole periods are counted from the end of the motion, which may begin gently.
    """
    count = len(poses)
    for late in LATE_STARTS:
        rows = find_period(poses[int(late * count) :])
        if rows is not None:
            break
    else:
        return None
    usual = 2 * PERIODIC_DIFFERENCE * np.sum(np.var(poses, axis=0))
    first = count % rows
    while first + 2 * rows < count:
        off = poses[first + rows : first + 2 * rows] - poses[first : first + rows]
        if np.mean(np.sum(off**2, axis=1)) < usual:
            break
        first += rows
    return first, rows


def repeating(residual: Array, used: NDArray[np.bool_], poses: Array, step: float, window: int) -> Repeating | None:
    """Compare the periods of a motion; None where it has none, or too few states to say.

    residual: (N, actuators) at equal steps of time [s]; used: which of them count (N,); window: states in the shortest
    means.
    """
    found = periodic_part(poses)
    if found is None:
        return None
    first, rows = found
    count = (len(residual) - first) // rows
    stop = first + count * rows
    always = used[first:stop].reshape(count, rows).all(axis=0)
    left = residual[first:stop].reshape(count, rows, -1)[:, always]
    ratios, limits = list[Array](), list[Array]()
    for length in LENGTHS:
        size = length * window
        windows = left.shape[1] // size
        if windows < FEWEST_WINDOWS:
            break
        y = left[:, : windows * size].reshape(count, windows, size, -1).mean(axis=2)
        ratio, limit = _compared(y)
        ratios.append(ratio)
        limits.append(limit)
    if not ratios:
        return None
    ratio, limit = np.stack(ratios), np.stack(limits)
    worst = np.argmax(ratio / limit, axis=0)[None]
    chosen = (np.take_along_axis(values, worst, axis=0)[0] for values in (ratio, limit))
    return Repeating(rows * step, count, *chosen)


def _compared(y: Array) -> tuple[Array, Array]:
    """The ratio of means over windows y (periods, windows, actuators), and its limit."""
    from scipy.special import fdtri

    count, windows, actuators = y.shape
    mean = y.mean(axis=0)
    off = y - mean
    noise: Array = np.sum(off**2, axis=(0, 1)) / (windows * (count - 1))
    repeated: Array = count * np.mean(mean**2, axis=0)
    ratio: Array = np.where(noise > 0.0, repeated / np.where(noise > 0.0, noise, 1.0), np.inf)
    independent = windows / (1 + 2 * _squared_correlations(off))
    chance = CHANCE / (len(LENGTHS) * actuators)
    return ratio, np.asarray(fdtri(independent, independent * (count - 1), 1 - chance), np.float64)


def _squared_correlations(off: Array) -> Array:
    """Sum of squared correlations of windows with later ones, beyond what chance leaves of them (actuators,)."""
    count, windows, _ = off.shape
    power = np.mean(off**2, axis=(0, 1))
    total = np.zeros_like(power)
    for lag in range(1, windows // 2):
        r = np.divide(
            np.mean(off[:, lag:] * off[:, :-lag], axis=(0, 1)), power, out=np.zeros_like(power), where=power > 0
        )
        beyond = r**2 - 2 / (count * (windows - lag))
        if (beyond <= 0).all():
            break
        total += (1 - lag / windows) * np.maximum(beyond, 0.0)
    return total


def lines(residual: Array, used: NDArray[np.bool_], poses: Array, step: float, highest: float) -> tuple[float, ...]:
    """Return frequencies [Hz] up to the highest at which a residual has lines that no motion explains, loudest first.

    A motion that repeats has power at its harmonics, so that these are compared with each other, and what differs from
    period to period by itself. States near reversals of friction spoil the spectrum of fine encoders; leaving out half
    of the states, as coarse ones ask for, spreads a line over its neighbours. So both are looked at.
    """
    found = periodic_part(poses)
    loud = dict[float, float]()
    for kept in (np.where(used[:, None], residual, 0.0), residual):
        for signal, without in _parts(kept, found):
            for frequency, share in _lines_of(signal, without, step, highest):
                loud[frequency] = max(share, loud.get(frequency, 0.0))
    found_lines = list[float]()
    for f in sorted(loud, key=lambda f: -loud[f]):
        if all(abs(f - louder) * len(residual) * step > LINE_WIDTH for louder in found_lines):
            found_lines.append(f)
    return tuple(found_lines)


def _parts(kept: Array, found: tuple[int, int] | None) -> list[tuple[Array, int]]:
    """Signals to be looked at, and which multiples of their lowest frequency have no power, or are means."""
    if found is None:
        return [(kept, len(kept))]
    first, rows = found
    count = (len(kept) - first) // rows
    periods = kept[first : first + count * rows].reshape(count, rows, -1)
    mean = periods.mean(axis=0)
    return [(mean, rows), ((periods - mean).reshape(count * rows, -1), count)]


def _lines_of(signal: Array, without: int, step: float, highest: float) -> list[tuple[float, float]]:
    """Frequencies [Hz] of the lines of a signal, and their share of its power."""
    power: Array = np.abs(np.fft.rfft(signal, axis=0)) ** 2 / len(signal)
    kept_frequencies = np.flatnonzero(np.arange(len(power)) % without)
    power, frequency = power[kept_frequencies], kept_frequencies / (len(signal) * step)
    below = int(np.count_nonzero(frequency < highest))
    inside = power[:below].sum(axis=0)
    loud = np.flatnonzero(_stands_out(power, inside, below)).tolist()
    return [(float(frequency[n]), float((power[n] / inside).max())) for n in loud]


def _stands_out(power: Array, inside: Array, count: int) -> NDArray[np.bool_]:
    """Whether each of the first frequencies is a line, of one actuator or of all of them (count,).

    Low harmonics have few neighbours within NEIGHBOURS, and a model error may have every second or third of them: there
    a line must exceed all that is lower.
    """
    result = np.zeros(count, bool)
    reach = LINE_WIDTH + FEWEST_NEIGHBOURS
    for n in range(reach, count):
        first = max(min(int(np.ceil(n / NEIGHBOURS)), n - reach), n - MOST_NEIGHBOURS)
        last = min(max(int(n * NEIGHBOURS), n + reach), n + MOST_NEIGHBOURS)
        below, above = power[first : n - LINE_WIDTH], power[n + 1 + LINE_WIDTH : last + 1]
        if len(above) >= FEWEST_NEIGHBOURS:
            usual = np.maximum(np.median(below, axis=0), np.median(above, axis=0))
            matters = power[n] > LINE_SHARE * inside
            if n - LINE_WIDTH - n / NEIGHBOURS < FEWEST_NEIGHBOURS:
                matters &= power[n] > below.max(axis=0)
            alone = np.any(matters & (power[n] > LINE_ABOVE * usual))
            shared = len(inside) > 1 and matters.any() and np.all(power[n] > SHARED_LINE_ABOVE * usual)
            result[n] = alone or shared
    return result

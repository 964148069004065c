"""Rows averaged over windows of several lengths: they tell how noise, and what is estimated, spread over time scales.

With B_n = n sum of m m^T over the means m of n rows, windows of one length being made of whole windows of the next
shorter one, B_1 is the sum over all rows, and every difference is a sum of squares too:

    B_1 = (B_1 - B_n1) + (B_n1 - B_n2) + ... + B_nw         one term a band, from fast to slow

These are the energies of a Haar wavelet decomposition. White noise has the same variance in every band, noise of
differentiated positions more in fast ones, what a model leaves out more in slow ones.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, frozen_arrays
from parakin.kernels.threads import cores, spread

LEAST_RATIO = 3
"""Least ratio of one length of windows to the next shorter one, but for the last: three bands a decade or two."""


@frozen_arrays
class Averages:
    """Sums over windows of rows, of every length."""

    lengths: tuple[int, ...]
    """Rows in a window of each length, ascending."""
    counts: tuple[int, ...]
    """Windows of each length."""
    sums: Array
    """Sum of m m^T over the means of these windows, by actuator (lengths, actuators, columns, columns)."""

    def bands(self, rows: int, whole: Array) -> tuple[Array, Array]:
        """Return energies (bands, actuators, columns, columns) and numbers of means (bands,), from fast to slow.

        rows: how many there are in all; whole: the sum of a a^T over them, by actuator. Rows that fill no window count
        among the fast.
        """
        sizes = np.reshape(np.array(self.lengths, float), (-1, 1, 1, 1))
        energies = np.concatenate([whole[None], sizes * self.sums])
        counts = np.array([rows, *self.counts], float)
        return energies - np.append(energies[1:], np.zeros_like(whole)[None], axis=0), counts - np.append(counts[1:], 0)


class AverageSums:
    """Adds up the averages of rows that come in chunks."""

    def __init__(self, window: int, actuators: int, columns: int) -> None:
        self.lengths = window_lengths(window)
        self._counts = [0] * len(self.lengths)
        self._sums = np.zeros((len(self.lengths), actuators, columns, columns))

    def add(self, rows: Array) -> None:
        """Add consecutive rows (N, actuators, columns); windows with one that is not finite are left out."""
        means, before = rows, 1
        for k, length in enumerate(self.lengths):
            means = _means(means, length // before)
            good = finite_rows(means)
            self._counts[k] += int(good.sum())
            self._sums[k] += outer_sums(means if good.all() else means[good])
            before = length

    @property
    def result(self) -> Averages:
        """The sums over everything that has been added."""
        return Averages(self.lengths, tuple(self._counts), self._sums)


def window_lengths(longest: int) -> tuple[int, ...]:
    """Return lengths of windows up to the longest, each a multiple of the one before: 5, 25, 50 for 50."""
    lengths, length = list[int](), 1
    while length < longest:
        divisors = range(LEAST_RATIO * length, longest + 1, length)
        length = next((n for n in divisors if longest % n == 0), longest)
        lengths.append(length)
    return tuple(lengths)


def averaged_rows(a: Array, window: int, weight: Array | None = None) -> Array:
    """Return the means of rows over windows, without windows that hold a state which is not finite.

    weight: of each state (N,); a window is multiplied by the root of the least in it, so that noise is alike in all.
    """
    means = _means(a, window)
    if weight is not None:
        means *= np.sqrt(weight[: len(means) * window].reshape(len(means), window).min(axis=1))[:, None, None]
    return means[finite_rows(means)]


def finite_rows(a: Array) -> NDArray[np.bool_]:
    """Return whether all numbers of a state's rows are finite (N,)."""
    return np.asarray(np.isfinite(a).all(axis=(1, 2)))


def outer_sums(z: Array) -> Array:
    """Return the sum of z z^T of each actuator (actuators, columns, columns)."""
    sums = np.empty((z.shape[1], z.shape[2], z.shape[2]))

    def multiply(first: int, stop: int) -> int:
        for j in range(first, stop):
            np.matmul(z[:, j].T, z[:, j], out=sums[j])
        return 0

    spread(lambda: multiply, len(sums), 1, cores())
    return sums


def _means(a: Array, window: int) -> Array:
    count = len(a) // window
    return np.asarray(a[: count * window].reshape(count, window, *a.shape[1:]).mean(axis=1), np.float64)

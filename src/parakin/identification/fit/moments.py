"""Sums over many states that hold all that least squares asks of them, whatever the weights: docs/identification.md.

For rows a = [psi, tau] the sums are of z z^T with z = R^-T a, R a triangle of about the same rows. Their errors are
then those of a QR of all rows, not of the normal equations, at the speed of matrix products.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.blas import one_blas_thread, solve_rows
from parakin.errors import EstimationError
from parakin.identification.fit.averages import Averages, AverageSums, averaged_rows, finite_rows, outer_sums
from parakin.identification.fit.linear import LinearModel
from parakin.identification.fit.triangles import root, triangle
from parakin.identification.states import States
from parakin.identification.streams import ahead
from parakin.kernels.threads import cores, spread

Weigh = Callable[[Array], Array]
"""Takes rows (N, actuators, columns) and gives a weight of each (N, actuators)."""

CHUNK = 4096
"""States that are summed at a time: 23 MB of a hexapod's rows. Twice and half as many take as long."""
FIRST_CHUNK = 256
"""States in the first segments, about; segments double when there are too many of them."""
SEGMENTS = 32
"""Segments that are kept at most.

Then neighbours are joined, so that there are 16 to 32 of equal length however long the data.
"""
WINDOW_LENGTH = 0.05
"""Time over which rows are also averaged [s]: longer than errors of encoders live, shorter than motions."""
LEAST_WINDOW = 4
"""Rows that are averaged at least, however far apart they are."""
VIRTUAL_ROWS = 1e-7
"""Size of the rows that sums begin with, relative to those of random states.

They give directions a scale that the data have not shown yet.
"""
NEW_DIRECTION = 100.0
"""Square length that a chunk adds, where all before it have 1, beyond which it is reduced by Householder reflections.
"""


@dataclass(frozen=True)
class Cut:
    """How data are cut up before they are summed.

    >>> cut = pk.identification.Cut(average=0.01)  # rows are averaged over 10 ms
    >>> pk.identification.estimate(model, states, cut=cut).rows
    1197
    """

    period: float | None = None
    """Period of a periodic motion [s]: segments are whole periods; None if the motion has none."""
    average: float | None = None
    """Time over which rows are averaged before anything else [s]; 0 for none.

    It keeps tau = Psi p true and takes fast errors of the states out. None leaves it to who knows the low-pass of the
    states: `identify` averages over one cycle of its cut-off, `estimate` does not average.
    """

    def __post_init__(self) -> None:
        if self.period is not None and not 0 < self.period < np.inf:
            raise EstimationError("cut", "period", f"must be finite and > 0 s, got {self.period:g}")
        if self.average is not None and not 0 <= self.average < np.inf:
            raise EstimationError("cut", "average", f"must be finite and >= 0 s, got {self.average:g}")


EVERY_ROW = Cut()
"""Data as they come: every row by itself."""


@frozen_arrays
class Sums:
    """Sums over consecutive states."""

    rows: int
    """Rows of each actuator in the sum."""
    G: Array
    """Sum of a a^T of each actuator (actuators, columns, columns)."""

    def __add__(self, other: Sums) -> Sums:
        return Sums(self.rows + other.rows, self.G + other.G)


@frozen_arrays
class Moments:
    """Sums over all states: R^T H[j] R is the sum of a a^T over the rows of actuator j."""

    R: Array
    """Triangle in whose coordinates the sums are kept (columns, columns)."""
    H: Array
    """Sums of each actuator in these coordinates (actuators, columns, columns)."""
    rows: int
    """Rows of each actuator."""
    states: int
    """States that were given."""
    skipped: int
    """States that were out of reach, singular or not finite."""
    segments: tuple[Sums, ...]
    """Sums in plain coordinates over 16 to 32 stretches of equal length, fewer for short data."""
    averages: Averages
    """Sums in plain coordinates over rows that are averaged over windows."""
    mean: int
    """Samples averaged in each row."""


def moments_of(
    model: LinearModel,
    data: Iterable[States],
    *,
    cut: Cut = EVERY_ROW,
    weigh: Weigh | None = None,
    progress: Callable[[int], None] | None = None,
) -> Moments:
    """Sum the rows of a model over the data, in one pass and in memory that does not grow with them.

    weigh: weights of rows, as robust least squares has them. progress: called with the number of states so far.
    """
    # BLAS threads gain nothing on matrices this narrow, and wait for each other badly on a busy machine.
    with one_blas_thread():
        return _summed(model, data, cut, weigh, progress)


def _summed(
    model: LinearModel,
    data: Iterable[States],
    cut: Cut,
    weigh: Weigh | None,
    progress: Callable[[int], None] | None,
) -> Moments:
    coordinates = _first(model)
    rows = seen = good_states = chunks = 0
    mean, dt = 1, 0.0
    segments, averages = _Segments(), _averages(model, 1)
    for states in ahead(data):
        if len(states) > 1 and not dt:
            dt = float(np.median(np.diff(states.t)))
            mean = max(1, round((cut.average or 0.0) / dt))
            averages = _averages(model, max(LEAST_WINDOW, round(WINDOW_LENGTH / (mean * dt))))
            segments.unit = (
                max(1, round(cut.period / dt)) if cut.period is not None else max(1, FIRST_CHUNK // mean) * mean
            )
        for part in _parts(states, segments):
            a = model.rows(part)
            good = finite_rows(a)
            good_states += int(good.sum())
            if mean > 1 or part.weight is not None:
                a = averaged_rows(a, mean, part.weight)
            if weigh is not None:
                a *= np.sqrt(weigh(a))[..., None]
            averages.add(a)
            if mean > 1 or part.weight is not None or weigh is not None:
                good = finite_rows(a)
            a[~good] = 0.0
            coordinates, chunk_sums = _added(coordinates, _in_coordinates(a, coordinates.R))
            usable = int(good.sum())
            segments.add(len(part), Sums(usable, coordinates.R.T @ chunk_sums @ coordinates.R))
            chunks += 1
            coordinates = _recentred(coordinates) if chunks & (chunks - 1) == 0 else coordinates
            rows += usable
            seen += len(part)
            if progress is not None:
                progress(seen)
    coordinates = _recentred(coordinates)
    return Moments(coordinates.R, coordinates.H, rows, seen, seen - good_states, segments.all(), averages.result, mean)


@frozen_arrays
class _Coordinates:
    """R, the sums H by actuator in its coordinates, and V, what the rows that R started with have in them."""

    R: Array
    H: Array
    V: Array

    @property
    def whole(self) -> Array:
        return self.V + self.H.sum(axis=0)


def _averages(model: LinearModel, window: int) -> AverageSums:
    return AverageSums(window, len(model.robot.actuator_names), len(model.start))


def _first(model: LinearModel) -> _Coordinates:
    R, actuators = VIRTUAL_ROWS * model.start, len(model.robot.actuator_names)
    return _Coordinates(np.asfortranarray(R), np.zeros((actuators, *R.shape)), np.eye(len(R)))


def _added(at: _Coordinates, z: Array) -> tuple[_Coordinates, Array]:
    """Coordinates with more rows z, and the sums of these; in new coordinates where the rows show much that is new."""
    sums = outer_sums(z)
    if np.diagonal(sums.sum(axis=0)).max() > NEW_DIRECTION:
        flat = z.reshape(-1, z.shape[-1])
        T = triangle(np.concatenate([root(at.whole), flat]))
        at = _turned(at, T)
        sums = outer_sums(_in_coordinates(z, np.asfortranarray(T)))
    return _Coordinates(at.R, at.H + sums, at.V), sums


def _recentred(at: _Coordinates) -> _Coordinates:
    """Coordinates in which all sums together are the unit matrix."""
    return _turned(at, root(at.whole))


def _turned(at: _Coordinates, T: Array) -> _Coordinates:
    """R becomes T R, sums T^-T H T^-1."""
    from scipy.linalg import solve_triangular

    back = solve_triangular(T, np.eye(len(T)))
    return _Coordinates(np.asfortranarray(T @ at.R), back.T @ at.H @ back, back.T @ at.V @ back)


def _in_coordinates(a: Array, R: Array) -> Array:
    """z = R^-T a of every row, by back substitution: no error that grows with the condition of R. It overwrites a."""
    z = np.ascontiguousarray(a)
    rows = z.reshape(-1, z.shape[-1])

    def solve(first: int, stop: int) -> int:
        solve_rows(R, rows[first:stop])
        return 0

    spread(lambda: solve, len(rows), CHUNK, cores())
    return z


class _Segments:
    """Sums of stretches of equal length, `size` times `unit` states, joined in pairs when they become too many."""

    def __init__(self) -> None:
        self.size = 1
        self.unit = FIRST_CHUNK
        self.done: list[Sums] = []
        self.open: Sums | None = None
        self.length = 0

    @property
    def room(self) -> int:
        """States until the open segment is full."""
        return self.size * self.unit - self.length

    def add(self, states: int, sums: Sums) -> None:
        self.open = sums if self.open is None else self.open + sums
        self.length += states
        if self.room:
            return
        self.done.append(self.open)
        self.open, self.length = None, 0
        if len(self.done) == SEGMENTS:
            self.done = [a + b for a, b in zip(self.done[::2], self.done[1::2], strict=True)]
            self.size *= 2

    def all(self) -> tuple[Sums, ...]:
        """With the last, if at least half full; else it goes to the one before."""
        if self.open is None:
            return tuple(self.done)
        if self.length * 2 >= self.size * self.unit or not self.done:
            return (*self.done, self.open)
        return (*self.done[:-1], self.done[-1] + self.open)


def _parts(states: States, segments: _Segments) -> Iterator[States]:
    """Pieces of the states that lie in one segment each and are not too long."""
    first = 0
    while first < len(states):
        longest = max(CHUNK // segments.unit, 1) * segments.unit
        some = slice(first, first + min(segments.room, longest))
        yield states.chosen(some)
        first = some.stop

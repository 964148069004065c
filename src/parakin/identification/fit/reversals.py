"""Weighs the states around reversals of friction, or leaves them out.

The low-pass smears the jump of acceleration at a reversal, while forces as logged have it whole: rows on both sides of
such a place do not obey tau = Psi p, by many times the noise of a good log. A reversal is recognised by a column of
Coulomb friction that jumps from one row to the next, so that friction of passive joints counts too. A joint that
friction holds for a while counts as reversing as long as it stands still: what holds it is no function of the motion.

How many rows that concerns depends on the low-pass: few with fine encoders, most of a log with coarse ones, whose noise
is larger than what is wrong with such rows. So `weighed` leaves out the nearest rows, but never more than half of all,
and what is left near a reversal counts 1/variance, by classes of distance. What is wrong with such rows is alike at
every reversal and does not average out as noise does: intervals are as wide as if they were not there (`counted`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, frozen_arrays
from parakin.identification.fit.averages import finite_rows, outer_sums
from parakin.identification.fit.linear import START_STATES, FrictionColumns, LinearModel
from parakin.identification.states import States

Flags = NDArray[np.bool_]
"""One truth value for each row."""

HALF_WIDTH_CUTOFF = 0.75
"""Default half-width of what is left out, times the cut-off of the low-pass: half_width = 0.75/cut-off [s].

From 0.6 on, the estimates of simulated logs lie within their intervals.
"""
FRICTION_JUMP = 0.3
"""Change of a friction column from one row to the next that is a reversal, relative to its rms over random states."""
REST_SHARE = 0.25
"""Speed below which a joint stands still, as a part of what its usual acceleration gives it in the half-width."""
MOSTLY = 0.5
"""Part of a log that a joint may stand still and be left out while it does."""


CLASS_EDGES = (0.07, 0.15, 0.25, 0.4, 0.6, 0.8, 1.0)
"""Distances from a reversal that part states into classes of one weight each, as parts of the half-width."""
USED_SHARE = 0.5
"""Part of the states that is used at least, however many are near reversals."""
TIMED_SHARE = 0.2
"""Part of the states from which a delay is estimated at least, however many are near reversals."""
LEAST_COUNTED = 0.2
"""Part of the states that are used whose errors are taken to average out, at least."""
WEIGHING_ROUNDS = 3
"""Rounds of estimate and weights: the weights change by a percent in the last."""
SINGULAR = 1e-12
"""Eigenvalue of the sums with columns at unit length below which these data do not determine a direction."""
FEWEST_WINDOWS = 20
"""Averaged rows from which the variance that others are compared with is taken, at least."""


@dataclass(frozen=True)
class NearReversal:
    """States that are nearer than some distance to a reversal, further than those of the class before."""

    half_width: float
    """The distance [s]."""
    weight: float
    """How much they count, between 0 and 1."""


@frozen_arrays
class FrictionReversal:
    """The stretch of time around a reversal of friction, or around a standstill, whose states count less or not."""

    half_width: float
    """Time on either side of it [s] within which states are left out; 0 for none."""
    rest: Array | None = None
    """Rate of each joint with Coulomb friction below which it stands still (joints,) [rad/s, m/s]; `rest_rates` finds
    it. None looks for reversals alone."""
    periodic: bool = False
    """Whether the states are one period of a motion, in one block, whose end is next to its beginning."""
    classes: tuple[NearReversal, ...] = ()
    """What states further off than that count, from near to far; those beyond all classes count in full."""
    strict: float | None = None
    """Time on either side within which states are left out where the moment of a force is estimated [s]: a reversal
    that seems a row late is a force that seems a row early. None takes `half_width`."""
    counted: float = 1.0
    """Part of the used states that are away from all reversals, whose errors average out."""

    @property
    def reach(self) -> float:
        """Distance from a reversal up to which states do not count in full [s]."""
        return max([self.half_width, *(one.half_width for one in self.classes)])

    def away_from(self, model: LinearModel, data: Iterable[States]) -> Iterable[States]:
        """Return the states of a motion with their weights, those without weight left out and the others joined.

        The data must start anew with each loop, as the result does. Blocks may be cut anywhere.
        """
        return _Away(self, model, data)

    def near(self, model: LinearModel, states: States, more: int = 0) -> Flags:
        """Return for each of some consecutive states (N,) whether it is left out where a delay is estimated.

        more: further rows on either side.
        """
        half_width = self.half_width if self.strict is None else self.strict
        if not half_width:
            return np.zeros(len(states), bool)
        return spread(reversing(model, states, rest=self.rest), rows_within(half_width, states) + more)

    def weights(self, jumps: Flags, states: States) -> Array:
        """Return the weight of each row (N,), given the rows at which friction turns round; states: of that motion."""
        weight = np.ones(len(jumps))
        for one in reversed((NearReversal(self.half_width, 0.0), *self.classes)):
            if one.half_width:
                weight[spread(jumps, rows_within(one.half_width, states))] = one.weight
        return weight


@dataclass(frozen=True, eq=False)
class _Away:
    """States away from reversals, in one pass for each loop over them."""

    reversal: FrictionReversal
    model: LinearModel
    data: Iterable[States]

    def __iter__(self) -> Iterator[States]:
        nothing: Flags = np.zeros(0, bool)
        before, jumps = nothing, nothing
        held: States | None = None
        periodic = self.reversal.periodic
        for states in self.data:
            last = held if held is not None and states.follows(held) else None
            next_jumps = reversing(self.model, states, states if periodic else last, self.reversal.rest)
            if held is not None:
                yield from self._kept(held, before, jumps, nothing if last is None else next_jumps)
                before = nothing if last is None else jumps
            held, jumps = states, next_jumps
        if held is not None:
            yield from self._kept(held, *((jumps,) * 3 if periodic else (before, jumps, nothing)))

    def _kept(self, states: States, before: Flags, jumps: Flags, after: Flags) -> Iterator[States]:
        """States with weight, given the jumps of their own block and of its neighbours."""
        reach = rows_within(self.reversal.reach, states)
        left, right = before[len(before) - min(reach, len(before)) :], after[:reach]
        weight = self.reversal.weights(np.concatenate([left, jumps, right]), states)[len(left) :][: len(jumps)]
        weighed = replace(states, weight=weight) if self.reversal.classes else states
        if weight.any():
            yield weighed.chosen(weight > 0.0)


def weighed(reversal: FrictionReversal, model: LinearModel, data: Iterable[States], average: float) -> FrictionReversal:
    """Return the reversal with at most half of the states left out, and with weights of what is left near it.

    data: pieces of the motion. average: time over which rows are averaged before they are estimated from [s].
    """
    if not reversal.half_width or not model.coulomb:
        return reversal
    limits = [edge * reversal.half_width for edge in CLASS_EDGES]
    sums = _summed(reversal, limits, model, data, average)
    share = np.cumsum(sums.states[::-1])[::-1] / max(float(sums.states.sum()), 1.0)
    first, strict = (int(max(np.flatnonzero(share >= least), default=0)) for least in (USED_SHARE, TIMED_SHARE))
    widths, weights = [0.0, *limits], (1 / _excess(sums)).tolist()
    classes = tuple(NearReversal(*entry) for entry in zip(limits[first:], weights[first:-1], strict=True))
    counted = max(float(share[-1] / max(share[first], np.finfo(float).tiny)), LEAST_COUNTED)
    return replace(
        reversal, half_width=widths[first], classes=classes, strict=widths[strict], counted=min(counted, 1.0)
    )


@dataclass(eq=False)
class _Classes:
    """Sums over averaged rows by class, from near to far, those away from reversals last."""

    G: Array
    """Sums of a a^T (classes, actuators, columns, columns)."""
    windows: Array
    """Averaged rows of each actuator (classes,)."""
    states: Array
    """States (classes,)."""


def _summed(
    reversal: FrictionReversal, limits: list[float], model: LinearModel, data: Iterable[States], average: float
) -> _Classes:
    count, columns = len(limits) + 1, len(model.start)
    shape = (count, len(model.robot.actuator_names), columns, columns)
    sums = _Classes(np.zeros(shape), np.zeros(count), np.zeros(count))
    for states in data:
        jumps = reversing(model, states, rest=reversal.rest)
        nearer = np.stack([spread(jumps, rows_within(limit, states)) for limit in limits])
        number = count - 1 - np.count_nonzero(nearer, axis=0)
        window = max(1, rows_within(average, states))
        number = number[: len(number) // window * window]
        sums.states += np.bincount(number, minlength=count)
        means = model.rows(states)[: len(number)].reshape(-1, window, *shape[1:3]).mean(axis=1)
        nearest, good = number.reshape(-1, window).min(axis=1), finite_rows(means)
        for k in range(count):
            chosen = means[good & (nearest == k)]
            sums.G[k] += outer_sums(chosen)
            sums.windows[k] += len(chosen)
    return sums


def _excess(sums: _Classes) -> Array:
    """Variance of each class, relative to that away from reversals, at least 1 (classes,).

    Where too few are away, the nearest classes that make them enough count among them.
    """
    size = np.sqrt(np.maximum(np.diagonal(sums.G.sum(axis=(0, 1))), np.finfo(float).tiny))
    G = sums.G / np.outer(size, size)
    counted = np.cumsum(sums.windows[::-1])[::-1]
    last = int(max(np.flatnonzero(counted >= FEWEST_WINDOWS), default=0))
    excess, scale = np.ones(len(G)), np.ones(G.shape[1])
    for _ in range(WEIGHING_ROUNDS):
        whole = np.einsum("c,j,cjik->ik", 1 / excess, scale, G)
        inverse: Array = np.asarray(np.linalg.pinv(whole[:-1, :-1], rcond=SINGULAR, hermitian=True), np.float64)
        e = np.append(inverse @ whole[:-1, -1], -1.0)
        squares = np.maximum(np.einsum("i,cjik,k->cj", e, G, e), 0.0)
        taken = scale / excess[:, None] * np.einsum("ik,cjik->cj", inverse, G[..., :-1, :-1])
        left = np.maximum(sums.windows[:, None] - taken, 1.0)
        reference = squares[last:].sum(axis=0) / left[last:].sum(axis=0)
        if not reference.all():
            break
        scale = 1 / reference
        excess = np.maximum(np.mean(squares / left / reference, axis=1), 1.0)
        excess[last:] = 1.0
    return excess


def rows_within(duration: float, states: States) -> int:
    """Return how many rows a duration [s] takes, rounded up; 0 for a single state."""
    return 0 if len(states) < 2 else int(np.ceil(duration / float(np.median(np.diff(states.t))) - 1e-6))


def reversing(model: LinearModel, states: States, before: States | None = None, rest: Array | None = None) -> Flags:
    """Return for each state (N,) whether friction has turned round since the row before it, or a joint stands still.

    before: the states that end right before the first of these, if there are any. rest: see `FrictionReversal`.
    """
    if not model.coulomb or not len(states):
        return np.zeros(len(states), bool)
    columns = _columns(model, states)
    entries = columns.coulomb.reshape(len(states), -1)
    steps = np.empty_like(entries)
    np.subtract(entries[1:], entries[:-1], out=steps[1:])
    steps[0] = 0.0
    if before is not None:
        steps[0] = entries[0] - _columns(model, before.chosen(slice(-1, None))).coulomb.ravel()
    jump = FRICTION_JUMP * np.tile(_usual(model), len(model.robot.actuator_names))
    flags: Flags = np.asarray(np.any(np.abs(steps, out=steps) > jump, axis=1), np.bool_)
    return flags if rest is None else flags | np.any(_rates(model, columns) <= rest, axis=1)


def rest_rates(model: LinearModel, pieces: Iterable[States], half_width: float) -> Array:
    """Return the rate of each joint with Coulomb friction below which it counts as standing still (joints,).

    A joint that passes through rest is slower than (its usual acceleration) half_width for as long as is left out
    anyway; one that friction holds is slower for longer, and the force that holds it is anything up to Coulomb
    friction. pieces: consecutive states each, from all over a log. Negative, so that no rate is below it, for a joint
    that stands still most of the time: its rows are all there is.
    """
    squares, count, rates = np.zeros(len(model.coulomb)), 0, list[Array]()
    for states in pieces:
        found = _rates(model, _columns(model, states))
        known = np.where(np.isfinite(found), found, np.nan)
        steps = np.diff(known, axis=0) / np.diff(states.t)[:, None]
        squares, count = squares + np.nansum(steps**2, axis=0), count + len(steps)
        rates.append(found)
    rest = REST_SHARE * half_width * np.sqrt(squares / max(count, 1))
    still = np.mean(np.concatenate(rates) <= rest, axis=0) > MOSTLY if rates else True
    return np.where(still, -1.0, rest)


def _columns(model: LinearModel, states: States) -> FrictionColumns:
    """The columns of friction; zeros where the state is no good."""
    columns = model.friction_columns(states)
    if np.isfinite(columns.coulomb).all():
        return columns
    return FrictionColumns(np.nan_to_num(columns.coulomb), np.nan_to_num(columns.viscous, posinf=np.inf))


def _usual(model: LinearModel) -> Array:
    """Root mean square of an entry of each column of Coulomb friction over random states (joints,)."""
    return np.linalg.norm(model.start[:, model.coulomb], axis=0) / np.sqrt(START_STATES)


def _rates(model: LinearModel, columns: FrictionColumns) -> Array:
    """The speed of each joint (N, joints), of the slowest where a parameter belongs to several; infinite if not seen.

    |lever rate| / |lever sign(rate)|, where the lever is long enough for a reversal to count.
    """
    size, usual = np.abs(columns.coulomb), _usual(model)
    seen = size > FRICTION_JUMP / 2 * usual
    speed = np.divide(np.abs(columns.viscous), size, out=np.full_like(size, np.inf), where=seen)
    standing = np.all(size == 0.0, axis=1) & (usual > 0.0)
    return np.where(standing, 0.0, speed.min(axis=1))


def spread(flags: Flags, reach: int) -> Flags:
    """Mark every row that is within `reach` rows of a marked one."""
    count = np.concatenate([[0], np.cumsum(flags)])
    rows = np.arange(len(flags))
    return count[np.minimum(rows + reach + 1, len(flags))] > count[np.maximum(rows - reach, 0)]

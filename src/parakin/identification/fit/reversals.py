"""Leaves out the states around reversals of friction.

The low-pass smears the jump of acceleration at a reversal, while forces as logged have it whole: rows on both sides of
such a place do not obey tau = Psi p, by many times the noise of a good log. A reversal is recognised by a column of
Coulomb friction that jumps from one row to the next, so that friction of passive joints counts too. A joint that
friction holds for a while is left out as long as it stands still: what holds it is no function of the motion.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, lock_arrays
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


@dataclass(frozen=True, eq=False)
class FrictionReversal:
    """The stretch of time around a reversal of friction, or around a standstill, whose states are left out."""

    half_width: float
    """Time on either side of a reversal that is left out [s]."""
    rest: Array | None = None
    """Rate of each joint with Coulomb friction below which it stands still (joints,) [rad/s or m/s]; `rest_rates` finds
    it. None looks for reversals alone."""
    periodic: bool = False
    """Whether the states are one period of a motion, in one block, whose end is next to its beginning."""

    def __post_init__(self) -> None:
        lock_arrays(self)

    def away_from(self, model: LinearModel, data: Iterable[States]) -> Iterable[States]:
        """Return the states of a motion that are further than `half_width` from any reversal, joined.

        The data must start anew with each loop, as the result does. Blocks may be cut anywhere.
        """
        return _Away(self, model, data)

    def near(self, model: LinearModel, states: States, more: int = 0) -> Flags:
        """Return for each of some consecutive states (N,) whether it is left out; more: further rows on either side."""
        if not self.half_width:
            return np.zeros(len(states), bool)
        return spread(reversing(model, states, rest=self.rest), rows_within(self.half_width, states) + more)


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
        """States away from the jumps of their own block and of its neighbours."""
        reach = rows_within(self.reversal.half_width, states)
        left, right = before[len(before) - min(reach, len(before)) :], after[:reach]
        near = spread(np.concatenate([left, jumps, right]), reach)[len(left) : len(left) + len(jumps)]
        if not near.all():
            yield states.chosen(~near)


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

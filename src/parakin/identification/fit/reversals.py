"""Leaves out the states around reversals of friction.

The low-pass smears the jump of acceleration at a reversal, while forces as logged have it whole: rows on both sides of
such a place do not obey tau = Psi p, by many times the noise of a good log. A reversal is recognised by a column of
Coulomb friction that jumps from one row to the next, so that friction of passive joints counts too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array
from parakin.identification.fit.linear import START_STATES, LinearModel
from parakin.identification.states import States

Flags = NDArray[np.bool_]
"""One truth value for each row."""

HALF_WIDTH_CUTOFF = 0.75
"""Default half-width of what is left out, times the cut-off of the low-pass: half_width = 0.75/cut-off [s].

From 0.6 on, the estimates of simulated logs lie within their intervals.
"""
FRICTION_JUMP = 0.3
"""Change of a friction column from one row to the next that is a reversal, relative to its rms over random states."""


@dataclass(frozen=True)
class FrictionReversal:
    """The stretch of time around a reversal of friction whose states are left out."""

    half_width: float
    """Time on either side of a reversal that is left out [s]."""
    periodic: bool = False
    """Whether the states are one period of a motion, in one block, whose end is next to its beginning."""

    def away_from(self, model: LinearModel, data: Iterable[States]) -> Iterable[States]:
        """Return the states of a motion that are further than `half_width` from any reversal, joined.

        The data must start anew with each loop, as the result does. Blocks may be cut anywhere.
        """
        return _Away(self, model, data)


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
            next_jumps = reversing(self.model, states, states if periodic else last)
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


def reversing(model: LinearModel, states: States, before: States | None = None) -> Flags:
    """Return for each state (N,) whether a column of Coulomb friction has jumped since the row before it.

    before: the states that end right before the first of these, if there are any.
    """
    if not model.coulomb or not len(states):
        return np.zeros(len(states), bool)
    entries = _coulomb_entries(model, states)
    steps = np.empty_like(entries)
    np.subtract(entries[1:], entries[:-1], out=steps[1:])
    steps[0] = 0.0 if before is None else entries[0] - _coulomb_entries(model, before.chosen(slice(-1, None)))[0]
    usual = np.linalg.norm(model.start[:, model.coulomb], axis=0) / np.sqrt(START_STATES)
    jump = FRICTION_JUMP * np.tile(usual, len(model.robot.actuator_names))
    return np.asarray(np.any(np.abs(steps, out=steps) > jump, axis=1), np.bool_)


def _coulomb_entries(model: LinearModel, states: States) -> Array:
    """The columns of Coulomb friction as one row for each state; zeros where the state is no good."""
    columns = model.coulomb_columns(states)
    entries = columns.reshape(len(columns), -1)
    return entries if np.isfinite(entries).all() else np.nan_to_num(entries)


def spread(flags: Flags, reach: int) -> Flags:
    """Mark every row that is within `reach` rows of a marked one."""
    count = np.concatenate([[0], np.cumsum(flags)])
    rows = np.arange(len(flags))
    return count[np.minimum(rows + reach + 1, len(flags))] > count[np.maximum(rows - reach, 0)]

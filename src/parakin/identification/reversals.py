"""Where friction turns round: the low-pass smears the jump of acceleration there, forces as logged have it whole.

Rows on both sides of such a place do not obey tau = Psi p, by many times the noise of a good log, and they are left
out. A place is known by a column of Coulomb friction that jumps from one row to the next; passive joints have theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parakin.identification.linear import START_STATES, LinearModel
from parakin.identification.states import States
from parakin.identification.verdicts import short

Flags = NDArray[np.bool_]

CUTOFFS = 0.75
"""Of 1/cut-off [s] on either side: from 0.6 on the estimates of simulated logs lie within their intervals."""
JUMP = 0.3
"""From one row to the next, of a column's rms over random states."""


@dataclass(frozen=True, eq=False)
class Away:
    """States that are further than `width` [s] from any reversal, those that remain joined.

    The data must start anew with each loop; blocks may be cut anywhere. round: they are one period, in one block, that
    meets itself.
    """

    model: LinearModel
    data: Iterable[States]
    width: float
    round: bool = False

    def __iter__(self) -> Iterator[States]:
        nothing: Flags = np.zeros(0, bool)
        before, jumps = nothing, nothing
        held: States | None = None
        for states in self.data:
            last = held if held is not None and states.follows(held) else None
            own = reversing(self.model, states, states if self.round else last)
            if held is not None:
                yield from self._kept(held, before, jumps, nothing if last is None else own)
                before = nothing if last is None else jumps
            held, jumps = states, own
        if held is not None:
            yield from self._kept(held, *((jumps,) * 3 if self.round else (before, jumps, nothing)))

    def _kept(self, states: States, before: Flags, own: Flags, after: Flags) -> Iterator[States]:
        reach = rows_within(self.width, states)
        left, right = before[len(before) - min(reach, len(before)) :], after[:reach]
        near = spread(np.concatenate([left, own, right]), reach)[len(left) : len(left) + len(own)]
        if not near.all():
            yield states.chosen(~near)


def rows_within(width: float, states: States) -> int:
    """Rows in so many seconds."""
    return 0 if len(states) < 2 else int(np.ceil(width / float(np.median(np.diff(states.t))) - 1e-6))


def reversing(model: LinearModel, states: States, before: States | None = None) -> Flags:
    """(N,): has a column of Coulomb friction jumped since the row before? before: what these states follow."""
    columns = [k for k, name in enumerate(model.names) if short(name).endswith(".coulomb")]
    if not columns or not len(states):
        return np.zeros(len(states), bool)
    entries = np.nan_to_num(model.rows(states)[..., columns])
    first = entries[:1] if before is None else np.nan_to_num(model.rows(before.chosen(slice(-1, None)))[..., columns])
    usual = np.linalg.norm(model.start[:, columns], axis=0) / np.sqrt(START_STATES)
    return (np.abs(np.diff(entries, axis=0, prepend=first)) > JUMP * usual).any(axis=(1, 2))


def spread(flags: Flags, reach: int) -> Flags:
    """True within `reach` rows of a true one."""
    count = np.concatenate([[0], np.cumsum(flags)])
    rows = np.arange(len(flags))
    return count[np.minimum(rows + reach + 1, len(flags))] > count[np.maximum(rows - reach, 0)]

"""Finds forces that were recorded wrongly for single rows, by the residual of an estimate, and leaves them out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, frozen_arrays
from parakin.identification.fit.linear import LinearModel
from parakin.identification.states import States

OUTLYING = 8.0
"""Standard deviations of the noise beyond which a force is an outlier."""
INNER_PART, INNER_DEVIATIONS = 0.9, 1.645
"""Part of a normal residual that is smaller than so many standard deviations: outliers among the rest do not matter."""
LONGEST_RUN = 2
"""States in succession that one wrong row can spoil."""
MOSTLY = 0.8
"""Part of the outliers that must come alone: what lasts is the machine, not the recorder."""
MOST_OUTLIERS = 0.2
"""Part of the states that may be left out; where it is more, the log is refused."""


@frozen_arrays
class Outliers:
    """Forces that are too far from those that parameters predict."""

    p: Array
    """The parameters (parameters,)."""
    limit: Array
    """Residual of each actuator beyond which its force is an outlier (actuators,) [N or N m]."""
    part: float
    """Part of the states that have one."""
    worst: float
    """Largest residual, in standard deviations of the noise."""

    def __str__(self) -> str:
        return (
            f"{100 * self.part:.2g} % of the states have a force that is off for a single row, by up to "
            f"{self.worst:.2g} standard deviations of the noise"
        )

    def among(self, model: LinearModel, states: States) -> NDArray[np.bool_]:
        """Return which states have such a force (N,)."""
        return np.any(np.abs(model.residuals(states, self.p)) > self.limit, axis=1)

    def left_out(self, model: LinearModel, data: Iterable[States]) -> Iterable[States]:
        """Return the states without such a force; the data must start anew with each loop, as the result does."""
        return _Without(self, model, data)


@dataclass(frozen=True, eq=False)
class _Without:
    outliers: Outliers
    model: LinearModel
    data: Iterable[States]

    def __iter__(self) -> Iterator[States]:
        for states in self.data:
            sound = ~self.outliers.among(self.model, states)
            if sound.any():
                yield states.chosen(sound)


def find_outliers(p: Array, residual: Array) -> Outliers | None:
    """Return what is recorded wrongly, given residuals (N, actuators) away from reversals; None if nothing is."""
    scale = np.quantile(np.abs(residual), INNER_PART, axis=0) / INNER_DEVIATIONS
    far = np.any(np.abs(residual) > OUTLYING * scale, axis=1)
    if not far.any() or not scale.all():
        return None
    edges = np.flatnonzero(np.diff(np.concatenate([[False], far, [False]]).astype(np.int8)))
    runs = edges[1::2] - edges[::2]
    if runs[runs <= LONGEST_RUN].sum() < MOSTLY * runs.sum():
        return None
    return Outliers(p, OUTLYING * scale, float(far.mean()), float(np.max(np.abs(residual) / scale)))

"""One start after the other, each improved by L-BFGS under ever harder limits, until a budget is used up."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array
from parakin.identification.excitation.objective import Objective
from parakin.identification.excitation.options import ExciteOptions
from parakin.identification.excitation.space import coefficients, series_of
from parakin.trajectory.motions.fourier import Series

HARDNESS = (1e2, 1e3, 1e4)
"""Factors of the penalty, one run after the other: they leave violations of some 10 %, 1 % and 0.1 %."""
STEPS = 60
"""Steps of L-BFGS in each run; what is still gained after that, another start mostly gains sooner."""


class OutOfBudget(Exception):  # noqa: N818
    """Time or evaluations are used up: an end, not an error."""


@dataclass(frozen=True)
class Step:
    """How far a search is."""

    done: float
    """Part of the budget that is used up."""
    start: int
    """Number of the start, from 0."""
    evaluations: int
    """Evaluations so far."""
    best: float
    """Best condition number so far."""


class Budget:
    """Counts evaluations and seconds, and says when they are used up.

    The clock starts after the first evaluation, which may have to compile its kernels.
    """

    def __init__(self, options: ExciteOptions) -> None:
        self.seconds = options.time
        self.most = options.evaluations
        self.began = time.monotonic()
        self.evaluations = 0

    @property
    def done(self) -> float:
        """Part of the budget that is used up, from 0 to 1."""
        if self.most is not None:
            return min(1.0, self.evaluations / self.most)
        return min(1.0, (time.monotonic() - self.began) / self.seconds) if self.evaluations > 1 else 0.0

    def spend(self) -> None:
        """Count one more evaluation, or raise OutOfBudget."""
        if self.done >= 1.0:
            raise OutOfBudget
        if self.evaluations == 1:
            self.began = time.monotonic()
        self.evaluations += 1


class Descent:
    """One start on its way down: `latest` is the best point of the hardest run so far."""

    def __init__(self, objective: Objective, start: Series, budget: Budget, on_step: Callable[[], None]) -> None:
        self.objective, self.budget, self.on_step = objective, budget, on_step
        self.frequency = start.frequency
        first = coefficients(start)
        harmonics = first.shape[1] // 2
        order = np.arange(1.0, harmonics + 1.0)
        self.unit = objective.sizes[:, None] / np.concatenate([[1.0], order, order])
        self.latest = first / self.unit
        self.value = np.inf

    def run(self) -> Iterator[Series]:
        """Yield a better series after each hardness."""
        from scipy.optimize import minimize  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]

        for hardness in HARDNESS:
            self.value = np.inf
            options = {"maxiter": STEPS}
            minimize(self._value, self.latest.ravel(), (hardness,), method="L-BFGS-B", jac=True, options=options)
            yield self.series

    @property
    def series(self) -> Series:
        """The best point so far, as a Fourier series."""
        return series_of(self.latest * self.unit, self.frequency)

    def _value(self, flat: Array, hardness: float) -> tuple[float, Array]:
        self.budget.spend()
        y = flat.reshape(self.unit.shape)
        value, gradient = self.objective(y * self.unit, hardness)
        if value < self.value:
            self.value, self.latest = value, y.copy()
        self.on_step()
        return value, (gradient * self.unit).ravel()

"""Estimates parameters from states, with their uncertainty and an assessment of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import cast

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.blas import one_blas_thread
from parakin.errors import EstimationError, UnknownNameError
from parakin.identification.fit.assessment import Assessment, assessments
from parakin.identification.fit.linear import LinearModel
from parakin.identification.fit.moments import EVERY_ROW, Cut, Moments, moments_of
from parakin.identification.fit.resampling import WindowCheck, bootstrap, window_check
from parakin.identification.fit.robust import huber
from parakin.identification.fit.solution import Solution, solve
from parakin.identification.states import States

METHODS = ("ordinary", "weighted", "robust")
"""Ways to weigh residuals: all alike; each actuator by its noise; and rows with large residuals less."""
WEIGHTING_ROUNDS = 20
"""Most rounds of weights and estimates in turn: three or four are enough."""
VARIANCE_TOLERANCE = 1e-8
"""Relative change of the actuators' variances from one round to the next at which they have settled."""
SMALLEST_VARIANCE = 1e-12
"""Variance of an actuator, relative to the largest, that it is given at least."""
NORMAL_95 = 1.959964
"""Half the width of a 95 % interval, in standard deviations."""


@frozen_arrays
class Estimate:
    """Parameters p of tau = known + Psi p, estimated from data."""

    model: LinearModel
    """What was estimated."""
    method: str
    """How residuals were weighed, one of METHODS."""
    values: Array
    """Estimated p (parameters,); NaN where the data do not determine a parameter."""
    covariance: Array
    """Covariance of p (parameters, parameters); NaN where the data do not determine a parameter."""
    assessments: tuple[Assessment, ...]
    """What is said of each parameter."""
    noise: Array
    """Standard deviation of each actuator's residual (actuators,) [N or N m]."""
    colour: Array
    """1 where that noise is white; more where it is slow, less where it is fast; the covariance allows for it
    (actuators,)."""
    condition: float
    """Condition number of the weighted Psi with columns of unit length."""
    rows: int
    """Rows that were used, of each actuator."""
    states: int
    """States that were given."""
    skipped: int
    """States that were out of reach, singular or not finite."""
    bootstrap: Array | None
    """Standard deviations once more, by drawing segments of the data anew (parameters,); None for short data."""
    windows: WindowCheck | None
    """The check for noise in the states; None for short data and for robust least squares."""
    solution: Solution
    """The least-squares solution behind it."""

    @property
    def names(self) -> tuple[str, ...]:
        """Name of each parameter."""
        return self.model.names

    @property
    def units(self) -> tuple[str, ...]:
        """Unit of each parameter."""
        return self.model.units

    @property
    def prior(self) -> Array:
        """Value of each parameter in the robot file (parameters,)."""
        return self.model.values

    @property
    def std(self) -> Array:
        """Standard deviation of each parameter (parameters,)."""
        return np.sqrt(np.diagonal(self.covariance))

    @property
    def relative_std(self) -> Array:
        """Standard deviations relative to the values; infinite where a value is zero."""
        sizes = np.abs(self.values)
        return np.divide(self.std, sizes, out=np.full_like(sizes, np.inf), where=sizes > 0.0)

    @property
    def intervals(self) -> Array:
        """95 % interval of each parameter (parameters, 2)."""
        half = NORMAL_95 * self.std
        return np.stack([self.values - half, self.values + half], axis=1)

    @property
    def biased(self) -> str:
        """Why the estimate is not to be trusted although its residuals look well; "" if nothing says so."""
        if self.windows is None or not self.windows.biased.any():
            return ""
        ratio = np.where(self.windows.biased, np.abs(self.windows.shift) / self.std, 0.0)
        worst = int(np.argmax(ratio))
        return (
            f"rows averaged over {self.windows.window} samples move {int(self.windows.biased.sum())} of {len(ratio)} "
            f"parameters, {self.names[worst]} by {ratio[worst]:.3g} standard deviations: the states are noisy "
            "(encoders too coarse, or a cut-off too high), or the model does not fit; lower the cut-off, move more"
        )

    @property
    def impossible(self) -> str:
        """Which parameters have values that no machine has, in a sentence; "" if none has."""
        names = [
            label.name
            for label, assessment in zip(self.model.labels, self.assessments, strict=True)
            if assessment.kind == "impossible"
        ]
        return f"no machine has {', '.join(names)} below zero" if names else ""

    def widened(self, factor: float, reason: str) -> Estimate:
        """Return the estimate with intervals wider by a factor at least, none of its parameters being "identified".

        Standard deviations are at least those of the bootstrap, which knows nothing of the noise. reason: why.

        >>> found = pk.identification.estimate(model, states)
        >>> wide = found.widened(2.0, "the drives were warm")
        >>> bool(np.all(wide.std >= 2 * found.std))
        True
        """
        std = np.where(self.std > 0, self.std, 1.0)
        wider = np.maximum(factor, 1.0) * np.ones(len(std))
        if self.bootstrap is not None:
            wider = np.fmax(wider, self.bootstrap / std)
        doubted = [
            Assessment("weak", f"{reason}; its interval is {w:.2g} times as wide for that, and may still be wrong")
            if assessment.kind == "identified"
            else assessment
            for assessment, w in zip(self.assessments, wider.tolist(), strict=True)
        ]
        return replace(self, covariance=self.covariance * np.outer(wider, wider), assessments=tuple(doubted))

    def __str__(self) -> str:
        lines = [f"{self.model.robot.name}: {self.model.title}, {self.method} least squares, {self.rows} states"]
        lines += [f"condition number {self.condition:.3g}" + (f"; BIASED: {self.biased}" if self.biased else "")]
        lines += [f"{'estimate':>12} ± {'std':>8} {'unit':7} {'assessment':16} parameter"]
        rows = zip(self.values, self.std, self.units, self.names, self.assessments, strict=True)
        lines += [f"{v:12.5g} ± {s:8.2g} {unit:7} {assessment.kind:16} {name}" for v, s, unit, name, assessment in rows]
        return "\n".join(lines)


def estimate(
    model: LinearModel,
    data: Iterable[States],
    *,
    method: str = "weighted",
    cut: Cut = EVERY_ROW,
    shifts: Array | None = None,
    counted: float = 1.0,
    progress: Callable[[int], None] | None = None,
) -> Estimate:
    """Estimate the parameters of a model by least squares over a stream of states.

    method: "ordinary"; "weighted", each actuator by the noise its residual shows, [Vivas2003] sec. 2.3; "robust",
    Huber's, which passes over the data several times, so that they must be a list or start anew with each loop. cut:
    averages of rows, which data with differentiated positions need; whole periods for the bootstrap. shifts: how
    far one standard deviation of something else that is uncertain, such as the time at which forces act, moves every
    parameter (parameters,); the covariance is larger by that. counted: part of the states whose errors
    average out; the covariance of noise is divided by it. progress: called with the number of states so far.

    >>> found = pk.identification.estimate(model, states)
    >>> found.method, found.states, found.skipped
    ('weighted', 11971, 0)
    """
    if method not in METHODS:
        raise UnknownNameError("method", method, METHODS)
    robot = model.robot.name
    if method == "robust" and iter(data) is cast("object", data):
        reason = "robust least squares passes over the data several times: give a list, or what starts anew"
        raise EstimationError(robot, model.title, reason)
    with one_blas_thread():
        return _estimated(model, data, method, cut, shifts=shifts, counted=counted, progress=progress)


def _estimated(
    model: LinearModel,
    data: Iterable[States],
    method: str,
    cut: Cut,
    *,
    shifts: Array | None,
    counted: float,
    progress: Callable[[int], None] | None,
) -> Estimate:
    moments, robot = moments_of(model, data, cut=cut, progress=progress), model.robot.name
    if moments.rows * len(moments.H) <= len(model.names):
        reason = f"{len(model.names)} parameters need more than {moments.rows} states"
        skipped = f"; {moments.skipped} were out of reach, singular or not finite" if moments.skipped else ""
        raise EstimationError(robot, model.title, reason + skipped)
    solution = solve(moments, model.start, np.ones(len(moments.H)))
    if method != "ordinary":
        solution = _weighted(moments, model.start, solution)
    if method == "robust":
        moments, solution = huber(model, data, solution, cut)
    solution = replace(solution, covariance=solution.covariance / counted)
    if shifts is not None:
        solution = solution.shifted(shifts)
    return _assessed(model, method, moments, solution)


def _weighted(moments: Moments, start: Array, solution: Solution) -> Solution:
    """Weights 1/variance of each actuator, variances from residuals, in turn until both agree."""
    for _ in range(WEIGHTING_ROUNDS):
        before = np.maximum(solution.variances, SMALLEST_VARIANCE * solution.variances.max())
        if not before.any():
            break
        solution = solve(moments, start, 1 / before)
        if np.all(np.abs(solution.variances - before) <= VARIANCE_TOLERANCE * before):
            break
    return solution


def _assessed(model: LinearModel, method: str, moments: Moments, solution: Solution) -> Estimate:
    assessed = assessments(model, moments, solution)
    known = np.array([assessment.kind != "not identifiable" for assessment in assessed])
    if not known.any():
        reason = f"the data determine no parameter: {assessed[0].reason}"
        raise EstimationError(model.robot.name, model.title, reason)
    return Estimate(
        model=model,
        method=method,
        values=np.where(known, solution.p, np.nan),
        covariance=np.where(np.outer(known, known), solution.covariance, np.nan),
        assessments=assessed,
        noise=solution.noise,
        colour=solution.colour,
        condition=solution.condition,
        rows=moments.rows,
        states=moments.states,
        skipped=moments.skipped,
        bootstrap=bootstrap(moments, solution),
        windows=None if method == "robust" else window_check(moments, solution),
        solution=solution,
    )

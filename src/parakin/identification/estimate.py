"""Estimate: parameters with their uncertainty, and what can be said of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import cast

import numpy as np
from threadpoolctl import threadpool_limits

from parakin.arrays import Array
from parakin.errors import EstimationError, UnknownNameError
from parakin.identification.linear import LinearModel
from parakin.identification.moments import WHOLE, Cut, Moments, moments_of
from parakin.identification.resampling import WindowCheck, bootstrap, window_check
from parakin.identification.robust import huber
from parakin.identification.solution import Solution, solve
from parakin.identification.states import States
from parakin.identification.verdicts import Verdict, verdicts

METHODS = ("ordinary", "weighted", "robust")
ROUNDS = 20
"""Of weights and estimates in turn: three or four are enough."""
SETTLED = 1e-8
"""Relative change of the actuators' variances between rounds."""
SILENT = 1e-12
"""Variance of an actuator, relative to the largest, below which it counts as that."""
NORMAL_95 = 1.959964
"""Half the width of a 95 % interval, in standard deviations."""


@dataclass(frozen=True, eq=False)
class Estimate:
    """Parameters p of tau = known + Psi p, from data.

    values and covariance are NaN where the data do not determine a parameter. prior: values of the robot file; noise:
    standard deviation of each actuator's residual [N or N m]; colour: 1 where that noise is white, more where it is
    slow and averages out less, which the covariance allows for; condition: of the weighted Psi with columns of unit
    length; rows: used, of each actuator; skipped: states that were no good; bootstrap: standard deviations once more,
    by drawing segments of the data anew; windows: the check for noise in the states. Both are None for
    short data, the latter also for robust least squares.
    """

    model: LinearModel
    method: str
    values: Array
    covariance: Array
    verdicts: tuple[Verdict, ...]
    noise: Array
    colour: Array
    condition: float
    rows: int
    skipped: int
    bootstrap: Array | None
    windows: WindowCheck | None
    solution: Solution

    @property
    def names(self) -> tuple[str, ...]:
        return self.model.names

    @property
    def units(self) -> tuple[str, ...]:
        return self.model.units

    @property
    def prior(self) -> Array:
        return self.model.values

    @property
    def std(self) -> Array:
        return np.sqrt(np.diagonal(self.covariance))

    @property
    def relative_std(self) -> Array:
        """Standard deviations relative to the values; infinite where a value is zero."""
        sizes = np.abs(self.values)
        return np.divide(self.std, sizes, out=np.full_like(sizes, np.inf), where=sizes > 0.0)

    @property
    def intervals(self) -> Array:
        """(parameters, 2): 95 % intervals."""
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

    def __str__(self) -> str:
        lines = [f"{self.model.robot.name}: {self.model.title}, {self.method} least squares, {self.rows} states"]
        lines += [f"condition number {self.condition:.3g}" + (f"; BIASED: {self.biased}" if self.biased else "")]
        rows = zip(self.values, self.std, self.units, self.names, self.verdicts, strict=True)
        lines += [f"{v:12.5g} ± {s:8.2g} {unit:7} {verdict.kind:16} {name}" for v, s, unit, name, verdict in rows]
        return "\n".join(lines)


def estimate(
    model: LinearModel,
    data: Iterable[States],
    *,
    method: str = "weighted",
    cut: Cut = WHOLE,
    progress: Callable[[int], None] | None = None,
) -> Estimate:
    """Least squares over a stream of states.

    method: "ordinary"; "weighted", each actuator by the noise its residual shows, [Vivas2003] sec. 2.3; "robust",
    Huber's, which passes over the data several times, so that they must be a list or start anew with each loop.
    cut: averages of rows, which data with differentiated positions need; whole periods for the bootstrap.
    """
    if method not in METHODS:
        raise UnknownNameError("method", method, METHODS)
    robot = model.robot.name
    if method == "robust" and iter(data) is cast("object", data):
        reason = "robust least squares passes over the data several times: give a list, or what starts anew"
        raise EstimationError(robot, model.title, reason)
    with threadpool_limits(1, "blas"):
        return _estimated(model, data, method, cut, progress)


def _estimated(
    model: LinearModel,
    data: Iterable[States],
    method: str,
    cut: Cut,
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
    return _judged(model, method, moments, solution)


def _weighted(moments: Moments, start: Array, solution: Solution) -> Solution:
    """Weights 1/variance of each actuator, variances from residuals, in turn."""
    for _ in range(ROUNDS):
        before = np.maximum(solution.variances, SILENT * solution.variances.max())
        if not before.any():
            break
        solution = solve(moments, start, 1 / before)
        if np.all(np.abs(solution.variances - before) <= SETTLED * before):
            break
    return solution


def _judged(model: LinearModel, method: str, moments: Moments, solution: Solution) -> Estimate:
    found = verdicts(model, moments, solution)
    known = np.array([verdict.kind != "not identifiable" for verdict in found])
    if not known.any():
        reason = f"the data determine no parameter: {found[0].reason}"
        raise EstimationError(model.robot.name, model.title, reason)
    return Estimate(
        model=model,
        method=method,
        values=np.where(known, solution.p, np.nan),
        covariance=np.where(np.outer(known, known), solution.covariance, np.nan),
        verdicts=found,
        noise=solution.noise,
        colour=solution.colour,
        condition=solution.condition,
        rows=moments.rows,
        skipped=moments.skipped,
        bootstrap=bootstrap(moments, solution),
        windows=None if method == "robust" else window_check(moments, solution),
        solution=solution,
    )

"""Estimates when forces act from the residual of a fit, which is least where motion and forces are at the same time.

    S(delay) = min over p of the weighted sum of (tau - Psi(t + delay) p)^2

is close to a parabola, since forces hardly change from row to row. Its minimum is the delay, its curvature says how sure
that is, and p at either side of it says how far an error of the delay moves the parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from parakin.arrays import Array, lock_arrays
from parakin.identification.damage.inspection import Stretch
from parakin.identification.fit.linear import LinearModel
from parakin.identification.fit.moments import moments_of
from parakin.identification.fit.reversals import reversing, rows_within, spread
from parakin.identification.fit.solution import Solution, solve
from parakin.identification.preparation.prepared import ForceTiming, Prepared
from parakin.identification.preparation.preparing import windows
from parakin.identification.states import States

EARLIEST, LATEST = -1.0, 2.0
"""Delays between which the minimum is looked for, in rows."""
USUAL_DELAY, USUAL_SPREAD = 0.5, 0.75
"""Mean and standard deviation of the delays of drives, in rows: what is believed where the motion does not tell.

Forces act at their row, half a row later where they are held, or a row later where they are read at the next tick.
"""
FINE_STEP = 0.25
"""Distance from the minimum at which the parabola is taken a second time, in rows."""
TIMED_STATES = 30_000
"""States from which the delay is estimated, at most: pieces from all over the log."""


@dataclass(frozen=True, eq=False)
class EstimatedTiming:
    """When forces act, and what its uncertainty does to the parameters."""

    timing: ForceTiming
    """The delay with its standard deviation."""
    shifts: Array
    """How far one standard deviation of the delay moves each parameter (parameters,)."""

    def __post_init__(self) -> None:
        lock_arrays(self)


def estimate_timing(model: LinearModel, prepared: Prepared, half_width: float) -> EstimatedTiming:
    """Estimate how much later than its row a force acts, in rows, from the residuals at six delays.

    half_width [s]: states nearer than that to a reversal of friction are left out. The same rows are used at every
    delay, for the sum of squares would change with them.
    """
    sampled = replace(prepared, stretches=_pieces(prepared))
    with threadpool_limits(1, "blas"):
        kept = _kept(model, _states(sampled, USUAL_DELAY), half_width)
        middle = _solved(model, sampled, USUAL_DELAY, kept, None)
        weights = 1 / np.maximum(middle.variances, np.finfo(float).tiny)
        coarse = _parabola(model, sampled, kept, weights, (EARLIEST, USUAL_DELAY, LATEST))
        start = coarse.minimum if coarse.curvature > 0 else USUAL_DELAY
        start = float(np.clip(start, EARLIEST, LATEST))
        fine = _parabola(model, sampled, kept, weights, (start - FINE_STEP, start, start + FINE_STEP))
    information, belief = max(fine.curvature, 0.0) / 2, 1 / USUAL_SPREAD**2
    minimum = fine.minimum if fine.curvature > 0 else USUAL_DELAY
    delay = (information * minimum + belief * USUAL_DELAY) / (information + belief)
    std = float(1 / np.sqrt(information + belief))
    timing = ForceTiming(float(np.clip(delay, EARLIEST, LATEST)), std, "estimated")
    return EstimatedTiming(timing, std * fine.slope)


@dataclass(frozen=True, eq=False)
class _Parabola:
    """Where the sum of squares is least, its second derivative there, and dp/d(delay)."""

    minimum: float
    curvature: float
    slope: Array

    def __post_init__(self) -> None:
        lock_arrays(self)


def _parabola(
    model: LinearModel,
    sampled: Prepared,
    kept: Sequence[NDArray[np.bool_]],
    weights: Array,
    delays: tuple[float, float, float],
) -> _Parabola:
    """The parabola through the sums of squares at three delays at equal distances."""
    before, here, after = (_solved(model, sampled, delay, kept, weights) for delay in delays)
    step = delays[1] - delays[0]
    S = [_squares(solution) for solution in (before, here, after)]
    curvature = (S[0] - 2 * S[1] + S[2]) / step**2
    gradient = (S[2] - S[0]) / (2 * step)
    minimum = delays[1] - gradient / curvature if curvature > 0 else delays[1]
    return _Parabola(minimum, curvature, (after.p - before.p) / (2 * step))


def _squares(solution: Solution) -> float:
    """What is left of the weighted squares: the last entry of the triangle of [Psi tau]."""
    return float(solution.R[-1, -1] ** 2)


def _solved(
    model: LinearModel,
    sampled: Prepared,
    delay: float,
    kept: Sequence[NDArray[np.bool_]],
    weights: Array | None,
) -> Solution:
    data = [states.chosen(rows) for states, rows in zip(_states(sampled, delay), kept, strict=True) if rows.any()]
    moments = moments_of(model, data)
    return solve(moments, model.start, np.ones(len(moments.H)) if weights is None else weights)


def _states(sampled: Prepared, delay: float) -> list[States]:
    return list(sampled.timed(ForceTiming(delay, 0.0, "estimated")))


def _kept(model: LinearModel, states: Sequence[States], half_width: float) -> list[NDArray[np.bool_]]:
    """Rows of each piece that are away from reversals at all delays that are tried."""
    kept: list[NDArray[np.bool_]] = []
    for piece in states:
        reach = rows_within(half_width, piece) + int(np.ceil(LATEST - EARLIEST))
        kept.append(~spread(reversing(model, piece), reach if half_width else 0))
    return kept


def _pieces(prepared: Prepared) -> tuple[Stretch, ...]:
    """The whole log if it is short, else pieces from all over it that do not overlap."""
    if prepared.report.states * prepared.report.every <= TIMED_STATES:
        return prepared.stretches
    chosen: list[Stretch] = []
    for piece in windows(prepared.stretches, TIMED_STATES // 16 + 2 * prepared.report.dropped):
        if not chosen or piece.first >= chosen[-1].stop:
            chosen.append(piece)
    return tuple(chosen)

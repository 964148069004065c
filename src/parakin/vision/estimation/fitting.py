"""Robust least squares for many small problems at once: Levenberg's method, Huber's weights, then a gate.

    minimise  1/2 sum of rho(e_i(state)),  e_i in standard deviations;     (S N S + lambda 1) S^-1 step = -S g

with N = J^T W J, g = J^T W e and S = diag(N)^-1/2 [Levenberg1944]. First all rows count, those with large residuals
less [Huber1981]: beyond 1.345 standard deviations, or as many times the spread of the residuals where that is larger,
as it is far from the solution. Then rows beyond the gate are left out and the others count in full, until the same rows
remain. So the covariance is that of plain least squares on the rows that were kept.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, frozen_arrays

HUBER_THRESHOLD = 1.345
"""Residual, in standard deviations, from which a row counts less: 95 % efficient where noise is normal [Huber1981]."""
GATE = 4.0
"""Residual, in standard deviations, beyond which a row is rejected: 6 in 100 000 good ones are."""
SPREAD_OF_MEDIAN = 1.4826
"""Standard deviation of normal numbers beside the median of their sizes."""
STEPS = 60
"""Steps at most until a round has settled; from 10 mm away about eight are taken."""
ROUNDS = 6
"""Rounds of gating at most."""
SETTLED = 1e-6
"""Length of the next step, in standard deviations of the solution, at which a round has settled."""
SLACK = 1e-5
"""By how much half the sum of squares may grow in a step that counts as good. Slopes are exact on contours; beside them
they are off by the share that points are off, a ten-thousandth, so that the last steps need not descend."""
SMALLEST_DAMPING, FIRST_DAMPING, LARGEST_DAMPING = 1e-9, 1e-4, 1e9
"""Levenberg's lambda beside rows and columns of unit size: at least above rounding, so that every system is solved."""

LARGEST_SPREAD = 3.0
"""Spread of all residuals, in standard deviations, beyond which a solution and what was seen do not belong together."""
FEWEST_KEPT = 0.5
"""Share of the rows that may be rejected which have to agree with a solution."""
LARGEST_MISS = 6.0
"""Standard deviations by which something may be off from what was known of it before."""

State = tuple[Array, ...]
"""Where all problems are: arrays whose first dimension counts the problems."""


@frozen_arrays
class Rows:
    """Residuals of all problems and their slopes, those of one problem after those of the one before."""

    e: Array
    """Residuals in standard deviations (rows,); NaN where a row has none."""
    slopes: Array
    """Derivatives of the residuals by the steps of their own problem (rows, unknowns)."""


class Problems(Protocol):
    """Many least-squares problems of the same unknowns."""

    @property
    def spans(self) -> list[slice]:
        """Which rows belong to each problem."""
        ...

    @property
    def gated(self) -> NDArray[np.bool_]:
        """Which rows may be rejected (rows,); the others are prior knowledge."""
        ...

    def rows(self, state: State) -> Rows:
        """Return residuals and slopes."""
        ...

    def moved(self, state: State, steps: Array) -> State:
        """Return the state after steps (problems, unknowns)."""
        ...


@frozen_arrays
class Fit:
    """Where the problems settled."""

    state: State
    """The solutions."""
    e: Array
    """Residuals there, in standard deviations (rows,)."""
    kept: NDArray[np.bool_]
    """Rows that count (rows,)."""
    information: Array
    """J^T J of the rows that count (problems, unknowns, unknowns): the inverse of the covariance."""
    settled: NDArray[np.bool_]
    """Which problems came to rest (problems,)."""


def fit(problems: Problems, start: State) -> Fit:
    """Solve problems from a start; rows that have no residual at the start are rejected, wherever it leads."""
    kept = np.isfinite(problems.rows(start).e)
    state, settled = _settled(problems, start, kept, robust=True)
    for _ in range(ROUNDS):
        e = problems.rows(state).e
        inside = np.asarray(np.isfinite(e) & (~problems.gated | (np.abs(e) <= GATE)))
        state, settled = _settled(problems, state, inside, robust=False)
        if np.array_equal(inside, kept):
            break
        kept = inside
    rows = problems.rows(state)
    information, _ = _normal(problems, rows, kept.astype(float))
    return Fit(state, rows.e, kept, information, settled)


def _settled(
    problems: Problems, start: State, kept: NDArray[np.bool_], *, robust: bool
) -> tuple[State, NDArray[np.bool_]]:
    """Return where Levenberg's method comes to rest with these rows, and which problems did."""
    count = len(problems.spans)
    damping, resting = np.full(count, FIRST_DAMPING), np.zeros(count, bool)
    state, rows = start, problems.rows(start)
    for _ in range(STEPS):
        thresholds = _thresholds(problems, rows.e, kept, robust)
        weights = kept / np.maximum(1.0, np.abs(_known(rows.e)) / thresholds)
        N, g = _normal(problems, rows, weights)
        resting |= _lengths(N, _steps(N, g, np.full(count, SMALLEST_DAMPING))) < SETTLED
        if resting.all():
            break
        steps = _steps(N, g, damping)
        tried = problems.moved(state, np.where(resting[:, None], 0.0, steps))
        tried_rows = problems.rows(tried)
        cost = _cost(problems, rows.e, kept, thresholds)
        better = _cost(problems, tried_rows.e, kept, thresholds) <= cost + SLACK
        damping = np.clip(np.where(better, 0.1 * damping, 10.0 * damping), SMALLEST_DAMPING, None)
        resting |= damping > LARGEST_DAMPING
        state = tuple(np.where(_beside(better, new), new, old) for new, old in zip(tried, state, strict=True))
        chosen = np.repeat(better, [span.stop - span.start for span in problems.spans])
        rows = Rows(np.where(chosen, tried_rows.e, rows.e), np.where(chosen[:, None], tried_rows.slopes, rows.slopes))
    return state, resting & (damping <= LARGEST_DAMPING)


def _thresholds(problems: Problems, e: Array, kept: NDArray[np.bool_], robust: bool) -> Array:
    """Return from where each row counts less (rows,): infinity for prior knowledge, and where nothing does."""
    thresholds = np.full(len(e), np.inf)
    if not robust:
        return thresholds
    for span in problems.spans:
        rows = kept[span] & problems.gated[span]
        if rows.any():
            spread = SPREAD_OF_MEDIAN * float(np.median(np.abs(e[span][rows])))
            thresholds[span] = np.where(problems.gated[span], HUBER_THRESHOLD * max(1.0, spread), np.inf)
    return thresholds


def _known(values: Array) -> Array:
    return np.where(np.isfinite(values), values, 0.0)


def _normal(problems: Problems, rows: Rows, weights: Array) -> tuple[Array, Array]:
    """Return J^T W J (problems, unknowns, unknowns) and J^T W e (problems, unknowns)."""
    counting = weights > 0
    J, e = np.where(counting[:, None], rows.slopes, 0.0), np.where(counting, rows.e, 0.0)
    weighted = weights[:, None] * J
    N = np.array([weighted[span].T @ J[span] for span in problems.spans])
    g = np.array([weighted[span].T @ e[span] for span in problems.spans])
    return N, g


def _steps(N: Array, g: Array, damping: Array) -> Array:
    """Return Levenberg's steps (problems, unknowns)."""
    diagonal = np.diagonal(N, axis1=1, axis2=2)
    S = 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    scaled = S[:, :, None] * N * S[:, None, :] + damping[:, None, None] * np.eye(N.shape[-1])
    return -S * np.linalg.solve(scaled, (S * g)[:, :, None])[:, :, 0]


def _lengths(N: Array, steps: Array) -> Array:
    """Return the lengths of steps in standard deviations (problems,)."""
    return np.sqrt(np.maximum(np.einsum("pi,pij,pj->p", steps, N, steps), 0.0))


def _cost(problems: Problems, e: Array, kept: NDArray[np.bool_], thresholds: Array) -> Array:
    """Return the sums of rho (problems,); infinite where a row that counts has no residual."""
    size = np.abs(e)
    with np.errstate(invalid="ignore"):
        rho = np.where(size <= thresholds, 0.5 * size**2, thresholds * (size - 0.5 * thresholds))
    rho = np.where(kept, np.where(np.isfinite(rho), rho, np.inf), 0.0)
    return np.array([float(np.sum(rho[span])) for span in problems.spans])


def _beside(which: NDArray[np.bool_], values: Array) -> NDArray[np.bool_]:
    """Return flags of problems (problems,) with as many dimensions as some values (problems, ...)."""
    return which.reshape(-1, *(1,) * (values.ndim - 1))


UNSETTLED = "the search did not come to rest near the start: start nearer, or take away what is known too poorly"
"""What is said of a problem that agrees and determines everything, but did not settle."""


def disagreement_of(found: Fit, span: slice, gated: NDArray[np.bool_], known_names: tuple[str, ...]) -> str:
    """Return in which way a solution does not agree with what was seen or known; nothing where it does.

    known_names: of the rows that cannot be rejected, in their order.
    """
    seen = gated[span]
    e, kept = found.e[span][seen], found.kept[span][seen]
    sizes = np.abs(e[np.isfinite(e)])
    typical = float(np.median(sizes)) if len(sizes) else 0.0
    agree = SPREAD_OF_MEDIAN * typical <= LARGEST_SPREAD and kept.sum() >= FEWEST_KEPT * len(kept)
    if not agree:
        return (
            f"nothing near the start agrees with the sightings: {int((~kept).sum())} of {len(kept)} are off, half of "
            f"all by more than {typical:.3g} deviations; start nearer, or look whether rods or sides are mixed up and "
            "deviations too small"
        )
    known = found.e[span][~seen]
    worst = int(np.argmax(np.abs(known))) if len(known) else 0
    if len(known) and abs(known[worst]) > LARGEST_MISS:
        return (
            f"{known_names[worst]} would be {known[worst]:+.3g} deviations from what is known of it: start nearer, or "
            "look whether rods or sides are mixed up"
        )
    return ""

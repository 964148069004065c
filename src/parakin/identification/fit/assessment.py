"""Says of each parameter whether it is identified, and if not, why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from parakin.identification.fit.linear import LinearModel
from parakin.identification.fit.moments import Moments
from parakin.identification.fit.solution import Solution

IDENTIFIED_DEVIATION = 0.1
"""Relative standard deviation up to which a parameter is identified."""
INSEPARABLE_CORRELATION = 0.98
"""Correlation from which two parameters are said to be seen only together."""
IMPOSSIBLE_BEYOND = 4.0
"""Standard deviations by which a parameter that cannot be negative must be below zero to be called impossible."""
NAMED_PARTNERS = 3
"""Parameters that a reason lists at most."""


@dataclass(frozen=True)
class Assessment:
    """What is said of one parameter.

    >>> found = pk.identification.estimate(model, states)
    >>> sorted({assessment.kind for assessment in found.assessments})
    ['identified', 'weak']
    """

    kind: Literal["identified", "weak", "impossible", "not identifiable"]
    """"identified", "weak", "impossible" or "not identifiable"."""
    reason: str = ""
    """Why it is not better known; "" where it is identified."""


def assessments(model: LinearModel, moments: Moments, solution: Solution) -> tuple[Assessment, ...]:
    """Return the assessment of each parameter.

    not identifiable: its column is zero, or a sum of others, or its uncertainty alone amounts to more force than there
    was. impossible: negative, which no machine is. weak: known worse than 10 %. The reason says whether another
    parameter stands in the way, or the motion.
    """
    k = len(solution.p)
    whole = moments.R.T @ moments.H.sum(axis=0) @ moments.R
    rms = np.sqrt(np.maximum(np.diagonal(whole), 0.0) / max(moments.rows, 1))
    column, force = rms[:k], float(rms[k])
    std = np.sqrt(np.maximum(np.diagonal(solution.covariance), 0.0))
    return tuple(_assessment(model, solution, j, Shares(column[j], force, std[j])) for j in range(k))


@dataclass(frozen=True)
class Shares:
    """What decides the assessment of one parameter."""

    column: float
    """Root mean square of its column."""
    force: float
    """Root mean square of all forces [N or N m]."""
    std: float
    """Standard deviation of its estimate."""


def _assessment(model: LinearModel, solution: Solution, j: int, of: Shares) -> Assessment:
    value = float(solution.p[j])
    if not solution.determined[j]:
        zero = "zero column: this motion gives it no effect on any force"
        together = f"it cannot be told from {_partners(model, solution, j)} in this motion"
        return Assessment("not identifiable", together if solution.shown[j] else zero)
    if of.std * of.column > of.force:
        return Assessment(
            "not identifiable",
            f"small motion: its uncertainty is more than all forces; {_obstacle(model, solution, j)}",
        )
    if model.never_negative[j] and value < -IMPOSSIBLE_BEYOND * of.std:
        return Assessment(
            "impossible",
            "no machine has it negative: the model leaves something out, or states and forces are not of the same time",
        )
    if of.std <= IDENTIFIED_DEVIATION * abs(value):
        return Assessment("identified")
    if abs(value) <= 2 * of.std:
        most = 100 * (abs(value) + 2 * of.std) * of.column / of.force
        size = f"not told from zero: its part in the forces is below {most:.2g} %"
        return Assessment("weak", f"{size}; {_obstacle(model, solution, j)}")
    return Assessment("weak", f"known to {100 * of.std / abs(value):.0f} %; {_obstacle(model, solution, j)}")


def _obstacle(model: LinearModel, solution: Solution, j: int) -> str:
    """What keeps a parameter from being known better: another parameter, or the size of the motion."""
    std = np.sqrt(np.diagonal(solution.covariance))
    correlation = np.abs(solution.covariance[j]) / np.where(std > 0.0, std * std[j], np.inf)
    correlation[j] = 0.0
    other = int(np.argmax(correlation))
    if correlation[other] > INSEPARABLE_CORRELATION:
        return f"symmetric: hardly told from {model.labels[other].name} (correlation {correlation[other]:.3f})"
    return "small motion: more speed, acceleration or data would show it"


def _partners(model: LinearModel, solution: Solution, j: int) -> str:
    """Names of the others in the directions that the data do not determine."""
    part = np.abs(solution.free.T @ solution.free[:, j])
    part[j] = 0.0
    part[~solution.shown] = 0.0
    others = [int(m) for m in np.argsort(-part)[:NAMED_PARTNERS] if part[m] > 1e-3]
    return ", ".join(model.labels[m].name for m in others) or "others"

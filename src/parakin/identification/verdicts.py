"""What can be said of each parameter, and why not more."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parakin.identification.linear import LinearModel
from parakin.identification.moments import Moments
from parakin.identification.solution import Solution

GOOD = 0.1
"""Relative standard deviation up to which a parameter is identified."""
TOGETHER = 0.98
"""Correlation from which two parameters are said to be seen only together."""
NAMED = 3
"""Parameters that a reason lists at most."""


@dataclass(frozen=True)
class Verdict:
    """kind: "identified", "weak" or "not identifiable"; reason: "" where identified."""

    kind: str
    reason: str = ""


def verdicts(model: LinearModel, moments: Moments, solution: Solution) -> tuple[Verdict, ...]:
    """Of each parameter.

    not identifiable: its column is zero, or a sum of others, or its uncertainty alone amounts to more force than there
    was. weak: known worse than 10 %. The reason says whether another parameter stands in the way, or the motion.
    """
    k = len(solution.p)
    whole = moments.R.T @ moments.H.sum(axis=0) @ moments.R
    rms = np.sqrt(np.maximum(np.diagonal(whole), 0.0) / max(moments.rows, 1))
    column, force, noise = rms[:k], float(rms[k]), float(np.sqrt(np.sum(solution.noise**2)))
    std = np.sqrt(np.maximum(np.diagonal(solution.covariance), 0.0))
    return tuple(_verdict(model, solution, j, Shares(column[j], force, noise, std[j])) for j in range(k))


@dataclass(frozen=True)
class Shares:
    """Of one parameter: rms of its column, of all forces, of noise, and its standard deviation."""

    column: float
    force: float
    noise: float
    std: float


def _verdict(model: LinearModel, solution: Solution, j: int, of: Shares) -> Verdict:
    value = float(solution.p[j])
    if not solution.shown[j]:
        return Verdict("not identifiable", "zero column: this motion gives it no effect on any force")
    if not solution.determined[j]:
        return Verdict("not identifiable", f"it cannot be told from {_partners(model, solution, j)} in this motion")
    if of.std * of.column > of.force:
        return Verdict(
            "not identifiable",
            f"small motion: its uncertainty is more than all forces; {_obstacle(model, solution, j)}",
        )
    if of.std <= GOOD * abs(value):
        return Verdict("identified")
    if abs(value) <= 2 * of.std:
        most = 100 * (abs(value) + 2 * of.std) * of.column / of.force
        size = f"not told from zero: its part in the forces is below {most:.2g} %"
        return Verdict("weak", f"{size}; {_obstacle(model, solution, j)}")
    return Verdict("weak", f"known to {100 * of.std / abs(value):.0f} %; {_obstacle(model, solution, j)}")


def _obstacle(model: LinearModel, solution: Solution, j: int) -> str:
    """Another parameter, or the size of the motion."""
    std = np.sqrt(np.diagonal(solution.covariance))
    correlation = np.abs(solution.covariance[j]) / np.where(std > 0.0, std * std[j], np.inf)
    correlation[j] = 0.0
    other = int(np.argmax(correlation))
    if correlation[other] > TOGETHER:
        return f"symmetric: hardly told from {short(model.names[other])} (correlation {correlation[other]:.3f})"
    return "small motion: more speed, acceleration or data would show it"


def _partners(model: LinearModel, solution: Solution, j: int) -> str:
    """Others in the directions that the data do not determine."""
    part = np.abs(solution.free.T @ solution.free[:, j])
    part[j] = 0.0
    part[~solution.shown] = 0.0
    others = [int(m) for m in np.argsort(-part)[:NAMED] if part[m] > 1e-3]
    return ", ".join(short(model.names[m]) for m in others) or "others"


def short(name: str) -> str:
    """The representative of a base parameter."""
    return name.split(" ", maxsplit=1)[0]

"""Configurations of a mechanism around home, and the size below which what its rows say is the file's rounding."""

from __future__ import annotations

import numpy as np

from parakin.arrays import Array
from parakin.mechanism import numeric
from parakin.mechanism.assembling import OPEN_LOOP, Assembly, closed, null_space, scaled_rows, scales
from parakin.mechanism.skeleton import Skeleton

SAMPLES = 16
"""Configurations, home among them, at which the rows are eliminated."""
SAMPLE_STEP = 0.2
"""How far samples are apart [rad, and lengths in sizes of the mechanism]."""
RANK_TOLERANCE = 1e-9
"""Smallest size of a pivot or singular value, free of units, that counts where the loops close exactly."""
CLOSURE_FACTOR = 100.0
"""The tolerance is so many times the closure error: rounded dimensions open a loop a little and must not add a row."""
EXACT = 1e-12
"""Singular values below this are zero but for the computer's rounding."""
STRONG = 1e-3
"""Singular values above this are no rounding of a file."""
PROBES = 6
"""How many steps away from home are made with rows that may be rounding left out."""


def rank_tolerance(tree: Skeleton, assembly: Assembly) -> float:
    """Return the size below which a singular value of the rows is none: max(1e-9, 100 x closure error).

    The closure error is that of home, and where some singular values are between zero and strong, that of steps from
    home which the strong ones allow. A file that is drawn at one pose closes exactly there, however its axes are
    rounded, and opens elsewhere by no more than the rounding. Rows that open further mean what they say.
    """
    error = assembly.error
    _, J = scaled_rows(tree, assembly.configuration)
    sizes = np.linalg.svd(J, compute_uv=False) if J.size else np.zeros(0)
    if np.any((sizes > EXACT) & (sizes <= STRONG)):
        rng = np.random.default_rng(0)
        opened = [_stepped(tree, assembly.configuration, rng, STRONG)[1] for _ in range(PROBES)]
        if max(opened) <= OPEN_LOOP:
            error = max(error, *opened)
    return max(RANK_TOLERANCE, CLOSURE_FACTOR * error)


def samples(tree: Skeleton, home: Array, tolerance: float) -> tuple[list[Array], bool]:
    """Return configurations around home with closed loops and the full rank, and whether home has less."""
    rng = np.random.default_rng(0)
    found: list[tuple[int, Array]] = [(_rank(tree, home, tolerance), home)]
    for _ in range(4 * SAMPLES):
        if len(found) == SAMPLES:
            break
        start = found[rng.integers(len(found))][1]
        sample, error = _stepped(tree, start, rng, tolerance)
        if sample is start:
            break
        if error <= max(tolerance / CLOSURE_FACTOR * 3.0, 1e-12):
            found.append((_rank(tree, sample, tolerance), sample))
    full = max(rank for rank, _ in found)
    return [sample for rank, sample in found if rank == full], found[0][0] < full


def _stepped(tree: Skeleton, start: Array, rng: np.random.Generator, weakest: float) -> tuple[Array, float]:
    """Return a configuration beside one, and the largest row there; the same one where nothing can move.

    weakest: singular values of the rows below it are taken for zero.
    """
    _, of_columns = scales(tree)
    _, J = scaled_rows(tree, start)
    free = null_space(J, weakest)
    weights = np.asarray(rng.normal(size=int(free.shape[1])), float)
    length = float(np.linalg.norm(weights))
    if length == 0.0:
        return start, 0.0
    step = free @ (SAMPLE_STEP * rng.uniform(0.3, 1.0) / length * weights)
    return closed(tree, numeric.stepped(tree, start, step * of_columns), weakest)


def _rank(tree: Skeleton, configuration: Array, tolerance: float) -> int:
    _, J = scaled_rows(tree, configuration)
    return int(np.sum(np.linalg.svd(J, compute_uv=False) > tolerance)) if J.size else 0

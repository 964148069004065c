"""Points of a study: a full grid, a Sobol sequence or a Latin hypercube between the bounds of its parameters."""

from __future__ import annotations

import functools
import importlib
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array
from parakin.design.study import Study


def rows_of(study: Study) -> int:
    """Return how many points a study has."""
    if study.sampling.method == "grid":
        return math.prod(parameter.points for parameter in study.parameters.values())
    return study.sampling.count


def points_at(study: Study, rows: NDArray[np.int64]) -> Array:
    """Return the points (rows, parameters) of these numbers, the same whichever are asked for together.

    A grid and a Sobol sequence are computed where they are asked for; a Latin hypercube is drawn as a whole.
    """
    lower, upper = bounds_of(study)
    match study.sampling.method:
        case "grid":
            counts = [parameter.points for parameter in study.parameters.values()]
            numbers = np.stack(np.unravel_index(rows, counts), axis=-1)
            shares = numbers / np.maximum(np.array(counts) - 1, 1)
        case "sobol":
            shares = _sobol(len(lower), study.sampling.seed, rows)
        case _:
            shares = _hypercube(len(lower), study.sampling.count, study.sampling.seed)[rows]
    return np.clip(lower + shares * (upper - lower), lower, upper)


def bounds_of(study: Study) -> tuple[Array, Array]:
    """Return the least and the largest values of the parameters."""
    known = study.parameters.values()
    return np.array([one.lower for one in known]), np.array([one.upper for one in known])


def _sobol(dimensions: int, seed: int, rows: NDArray[np.int64]) -> Array:
    qmc: Any = importlib.import_module("scipy.stats").qmc

    first, last = int(rows.min()), int(rows.max()) + 1
    engine = qmc.Sobol(dimensions, scramble=True, rng=np.random.default_rng(seed))
    if first:
        engine.fast_forward(first)
    # `random` remarks on counts that are no power of two, which is for the whole sequence to say, not for a part of it
    span = 2 ** math.ceil(math.log2(last - first)) if first == 0 else last - first
    return np.asarray(engine.random(span), float)[rows - first]


@functools.lru_cache(maxsize=2)
def _hypercube(dimensions: int, count: int, seed: int) -> Array:
    qmc: Any = importlib.import_module("scipy.stats").qmc

    return np.asarray(qmc.LatinHypercube(dimensions, rng=np.random.default_rng(seed)).random(count), float)

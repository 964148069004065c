"""The Pareto front: designs of which no other is better in one objective and as good in all others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array


def front_of(costs: Array) -> NDArray[np.bool_]:
    """Return which of the costs (rows, objectives), all to be made small, are not dominated. NaN is on no front.

    A row is dominated where another is at most equal in all columns and less in one; equal rows are on it together.

    >>> pk.design.front_of(np.array([[1.0, 4.0], [2.0, 2.0], [3.0, 3.0], [4.0, 1.0]]))
    array([ True,  True, False,  True])
    """
    alive = np.flatnonzero(np.isfinite(costs).all(axis=1))
    alive = alive[np.lexsort(costs[alive].T[::-1])]  # what comes later does not dominate what came before
    values = costs[alive]
    kept: list[int] = []
    while len(alive):
        best = values[0]
        kept.append(int(alive[0]))
        rest = (values < best).any(axis=1) | (values == best).all(axis=1)
        rest[0] = False
        alive, values = alive[rest], values[rest]
    result = np.zeros(len(costs), bool)
    result[kept] = True
    return result

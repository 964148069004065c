"""Searches along a motion, each begun at what the one before found, so that they stay on one branch."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array

SAME_PLACE = 1e-9
"""Difference up to which two places are the same [m, rad]; Newton leaves far less between two ways to one place."""
Search = Callable[[Array, Array], tuple[Array, NDArray[np.bool_]]]
"""What finds places (N, c) for targets (N, n), each begun at one of (N, c) places; and says which it found."""


def chained(search: Search, targets: Array, near: Array) -> Array:
    """Return the places (N, c) that a chain of searches finds, the first begun at `near`.

    All are searched for at once from `near`, then all links of the chain are checked at once; the chain is walked only
    where a link does not hold. A target at which the search fails gets the last place that was found.
    """
    alone, found = search(targets, np.tile(near, (len(targets), 1)))
    before = np.concatenate([near[None], alone[:-1]])
    usable = np.concatenate([[True], found[:-1]]) & found
    holds = np.zeros(len(targets), bool)
    linked, kept = search(targets[usable], before[usable])
    holds[usable] = kept & _same(linked, alone[usable])
    if holds.all():
        return alone
    chain, last, on_chain = np.empty_like(alone), near, True
    for k, target in enumerate(targets):
        if on_chain and holds[k]:
            last = alone[k]
        else:
            place, good = search(target[None], last[None])
            last = place[0] if good[0] else last
        chain[k], on_chain = last, bool(found[k] and _same(last, alone[k]))
    return chain


def _same(one: Array, other: Array) -> NDArray[np.bool_]:
    return np.asarray((np.abs(one - other) < SAME_PLACE).all(axis=-1))

"""Configurations of a mechanism at poses, led there from home along straight ways: which branch a pose is on.

And along a motion, each search begun at what the one before found, so that all are on one branch (`chained`).

A way is walked in steps, each begun at the configuration before. Formulas find an angle within half a turn of where it
was, and their elbows as they were, whatever lies between; steps are therefore short, and one in which a joint turns far
is halved. Newton's search walks in short steps of its own and counts turns, so that it is trusted with longer ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array
from parakin.kinematics.status import Status

BY_FORMULAS = 0.25
"""Longest step of a pose's coordinate where formulas find some joints [rad, and lengths in sizes of the mechanism]."""
BY_SEARCH = 3.0
"""The same where Newton's search finds all joints: twenty of its own steps."""
LARGEST_TURN = 1.0
"""A step in which a joint turns more is halved [rad]: a third of the half turn within which formulas find an angle."""
HALVED_IF_LOST = 3
"""How often a step is halved at whose end no configuration is found, before the way counts as lost."""
HALVED_IF_FAR = 12
"""The same for a step in which a joint turns too far: a strut's turns fast where its pose passes close to its root."""
MOST_STEPS = 20_000
"""Steps of a way at most."""

Search = Callable[[Array, Array], tuple[Array, NDArray[np.int32]]]
"""What finds configurations (N, c) of poses (N, n), each begun at one of (N, c), and their statuses (N,)."""
Way = Callable[[Array, NDArray[np.intp]], Array]
"""What gives the poses (N, n) at shares (N,) of the ways with these numbers (N,)."""
SAME_PLACE = 1e-9
"""Difference up to which two places are the same [m, rad]; Newton leaves far less between two ways to one place."""
ChainSearch = Callable[[Array, Array], tuple[Array, NDArray[np.bool_]]]
"""What finds places (N, c) for targets (N, n), each begun at one of (N, c) places; and says which it found."""


class Led(NamedTuple):
    """Where straight ways from home lead."""

    configuration: Array
    """The configurations (N, c); NaN where the way was lost before its end."""
    status: NDArray[np.int32]
    """GOOD, or what ended the way (N,): codes of `Status`, whatever limits there are."""


def led(search: Search, way: Way, lengths: Array, start: Array, *, turning: NDArray[np.bool_], longest: float) -> Led:
    """Return where ways lead that begin at the configuration `start` (c,).

    lengths: the largest change of a coordinate on each way (N,) [rad, and lengths in sizes]; turning: which numbers of
    a configuration may not turn far in a step (c,); longest: the longest step.
    """
    most = 1 / np.maximum(np.ceil(np.nan_to_num(lengths) / longest), 1.0)
    step, share = most.copy(), np.zeros(len(most))
    not_found, too_far = np.zeros((2, len(most)), int)
    found, status = np.tile(start, (len(most), 1)), np.zeros(len(most), np.int32)
    status[most * MOST_STEPS < 1] = int(Status.NOT_CONVERGED)
    left = np.flatnonzero(status == int(Status.GOOD))
    for _ in range(MOST_STEPS):
        if not len(left):
            break
        ahead = np.where(share[left] + 1.5 * step[left] > 1, 1.0, share[left] + step[left])
        there, told = search(way(ahead, left), found[left])
        known = told == int(Status.GOOD)
        turn = np.max(np.abs(there - found[left])[:, turning], axis=1, initial=0.0)
        arrived = known & (turn <= LARGEST_TURN)
        on, lost, far = left[arrived], left[~known], left[known & ~arrived]
        found[on], share[on] = there[arrived], ahead[arrived]
        step[on], too_far[on] = np.minimum(2 * step[on], most[on]), np.maximum(too_far[on] - 1, 0)
        step[lost] = most[lost] = step[lost] / 2
        not_found[lost] += 1
        step[far] /= 2
        too_far[far] += 1
        ended = (not_found[lost] > HALVED_IF_LOST) | (told[~known] == int(Status.UNUSABLE))
        status[lost[ended]] = told[~known][ended]
        status[far[too_far[far] > HALVED_IF_FAR]] = int(Status.SINGULAR)
        left = left[(share[left] < 1) & (status[left] == int(Status.GOOD))]
    status[left] = int(Status.NOT_CONVERGED)
    found[status != int(Status.GOOD)] = np.nan
    return Led(found, status)


def chained(search: ChainSearch, targets: Array, near: Array) -> Array:
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

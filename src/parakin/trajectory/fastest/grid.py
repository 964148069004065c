"""Nodes along a path: where the pace is sought, the looks between them, and where the path must stop."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, frozen_arrays
from parakin.trajectory.fastest.path import Path

LOOKS = 9
"""Places of an interval at which limits are looked at, both ends among them."""
_PARTS = np.sin(np.linspace(0.0, np.pi / 2, LOOKS)) ** 2
"""Where these places are, closer together at the ends: the pace grows with the root of the way from a rest."""
FEWEST = 16
"""Least number of intervals of a piece of the path."""
STRAIGHT_ON = 1e-6
"""Turn of the tangent [rad] at a rest up to which the path goes straight on, so that it need not stop there."""
_TURN_COUNTED = 2 * np.pi
"""Turn of the tangent [rad] that gets as many nodes as the whole way does; paths that turn further share as many."""


@frozen_arrays
class Grid:
    """Intervals along a path, and the places in them."""

    s: Array
    """Ways of the nodes (N + 1,) [m]."""
    begin: Array
    """Way (N,) [m] at which limits are looked at for the first node of each interval: on the interval's side of it."""
    end: Array
    """Way (N,) [m] at which limits are looked at for the second node of each interval."""
    piece: NDArray[np.intp]
    """Which piece of the path each interval belongs to (N,)."""
    rests: NDArray[np.bool_]
    """Nodes (N + 1,) at which the motion must rest: both ends, and where the path turns round or has a corner."""

    @property
    def h(self) -> Array:
        """Lengths of the intervals (N,) [m]."""
        return np.diff(self.s)

    @property
    def places(self) -> Array:
        """Ways (N, LOOKS) [m] of the places of each interval at which limits are looked at."""
        places = self.begin[:, None] + _PARTS * (self.end - self.begin)[:, None]
        places[:, -1] = self.end
        return places


def grid_of(path: Path, weights: Array, points: int) -> Grid:
    """Return nodes for a path, about `points` of them, closer together where it turns.

    weights: factors (degrees of freedom,) that make metres of a tangent's entries.
    """
    nodes, tangents = list[Array](), list[Array]()
    for k, (first, last) in enumerate(path.pieces):
        way = path.way[first : last + 1]
        tangent = path.at(way, np.full(len(way), k)).tangent * weights
        nodes.append(_nodes(way, tangent, path.length, points))
        tangents.append(tangent[[0, -1]])
    corners = [bool(np.linalg.norm(after[0] - before[1]) > STRAIGHT_ON) for before, after in pairwise(tangents)]
    rests = np.concatenate([[True], *(np.zeros(len(s) - 1, bool) for s in nodes)])
    rests[np.cumsum([len(s) - 1 for s in nodes])] = [*corners, True]
    s = np.concatenate([nodes[0][:1], *(way[1:] for way in nodes)])
    piece = np.repeat(np.arange(len(nodes)), [len(way) - 1 for way in nodes])
    return Grid(s, s[:-1], s[1:], piece, rests)


def _nodes(way: Array, tangent: Array, length: float, points: int) -> Array:
    """Return the nodes of one piece, given ways (N,) of its cells and tangents (N, degrees of freedom) there.

    A third of them is evenly spaced, as many where the path turns, and a third towards both ends, closer together with
    the root of the way: that is evenly in time for a motion that starts from rest.
    """
    turned = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(tangent, axis=0), axis=1))])
    part = (way - way[0]) / (way[-1] - way[0])
    share = part + np.arccos(1 - 2 * part) / np.pi + turned / max(float(turned[-1]), _TURN_COUNTED)
    count = max(FEWEST, round((points - 1) * float(way[-1] - way[0]) / length))
    s: Array = np.interp(np.linspace(0.0, float(share[-1]), count + 1), share, way)
    s[[0, -1]] = way[[0, -1]]
    return s

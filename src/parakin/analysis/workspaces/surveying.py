"""Have points judged: vertices of a lattice, and places of the boundary on its edges, here or on executors.

Each step of a search (a lattice of bounds, a level, a boundary) is a work on numbered rows, so that a placement cuts it
into chunks and keeps them in a folder of the step's name: a search that is resumed reads the steps that are finished,
computes what is missing of the one it was at, and goes on. What a row gives depends on its point alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from parakin.analysis.workspaces.causes import Codes
from parakin.arrays import Array, frozen_arrays
from parakin.executors import RowStatus, placed

if TYPE_CHECKING:
    from parakin.executors import Placement, RowResults, Work

Points = Callable[[Array], Codes]
"""What tells the codes (N,) of points (N, d); where executors compute, it must pickle."""
CHUNK = 200_000
"""Points judged at a time at most, which bounds the memory of a call."""
LEAST_CHUNK = 4096
"""Points of a chunk at least where executors compute: fewer cost more to hand out than to judge."""
CHUNKS = 64
"""Chunks that a step has where it has enough points: workers then end nearly together."""
BISECTIONS = 10
"""Halvings of an edge: the boundary is known to a thousandth of a cell."""


@frozen_arrays
class Spacing:
    """Where the vertices of a box are: (i, j, ...) is at lower + step (i, j, ...)."""

    lower: Array
    """The lower corner (d,) [m or rad]."""
    upper: Array
    """The upper corner (d,) [m or rad]."""
    shape: tuple[int, ...]
    """How many vertices there are along each axis."""

    @property
    def step(self) -> Array:
        """The size of a cell (d,) [m or rad]."""
        return (self.upper - self.lower) / (np.array(self.shape) - 1)

    def at(self, vertices: NDArray[np.floating] | NDArray[np.integer]) -> Array:
        """Return the points (N, d) of vertices (N, d), which may be between whole numbers."""
        return self.lower + self.step * vertices


@frozen_arrays
class AtVertices:
    """Codes of vertices, as a work: a row is a vertex, in the order of the lattice."""

    points: Points
    """What judges."""
    spacing: Spacing
    """Where the vertices are."""
    chosen: NDArray[np.int64] | None
    """Numbers of the vertices that are judged; None for all."""

    def __call__(self, rows: NDArray[np.int64], _: int, /) -> dict[str, Codes]:
        numbers = rows if self.chosen is None else self.chosen[rows]
        vertices = np.stack(np.unravel_index(numbers, self.spacing.shape), axis=-1)
        return {"code": self.points(self.spacing.at(vertices))}


@frozen_arrays
class OnEdges:
    """Places of the boundary on edges, by bisection, as a work: a row is an edge."""

    points: Points
    """What judges."""
    spacing: Spacing
    """Where the vertices are."""
    good: NDArray[np.int32]
    """The end of each edge that is inside (edges, d)."""
    bad: NDArray[np.int32]
    """The end that is outside."""

    def __call__(self, rows: NDArray[np.int64], _: int, /) -> dict[str, Array]:
        good, bad = self.good[rows].astype(float), self.bad[rows].astype(float)
        for _halving in range(BISECTIONS):
            middle = (good + bad) / 2
            reached = (self.points(self.spacing.at(middle)) == 0)[:, None]
            good, bad = np.where(reached, middle, good), np.where(reached, bad, middle)
        return {"place": (good + bad) / 2}


def _to_nobody(_: str) -> None:
    """Tell nobody."""


@dataclass(frozen=True, eq=False)
class Survey:
    """Who judges points, where, and who is told how far it is."""

    points: Points
    """What judges."""
    unusable: int = 1
    """The code of a point on which judging raised an error or ended its process."""
    placement: Placement | None = None
    """In which processes it is done, and where results are kept; None for this process, where errors are raised."""
    tell: Callable[[str], None] = _to_nobody
    """Is told how far a step is."""

    def within(self, name: str) -> Survey:
        """Return the same survey with its steps in a folder of this name."""
        return self if self.placement is None else replace(self, placement=self.placement.within(name))

    def codes(self, step: str, spacing: Spacing, chosen: NDArray[np.int64] | None = None) -> Codes:
        """Return the codes of vertices, by their numbers: all of them in their order, or those that are chosen."""
        rows = int(np.prod(spacing.shape)) if chosen is None else len(chosen)
        if not rows:
            return np.zeros(0, np.int16)
        found, failed = self._computed(step, AtVertices(self.points, spacing, chosen), rows)
        return np.where(failed, self.unusable, found["code"]).astype(np.int16)

    def crossings(self, step: str, spacing: Spacing, good: NDArray[np.int32], bad: NDArray[np.int32]) -> Array:
        """Return where the boundary is on edges, in vertices (edges, d).

        On an edge that could not be judged it is at the end that is inside: what cannot be judged does not count.
        """
        if not len(good):
            return np.zeros(good.shape)
        found, failed = self._computed(step, OnEdges(self.points, spacing, good, bad), len(good))
        return np.where(failed[:, None], good, found["place"])

    def _computed(self, step: str, work: Work, rows: int) -> tuple[RowResults, NDArray[np.bool_]]:
        """Have a step computed; return its results, and which rows failed."""
        words = step.replace("-", " ")

        def told(done: int, count: int) -> None:
            self.tell(f"{words}: {done:,} of {count:,} points")

        if self.placement is None:
            found = placed(work, rows, None, chunk=CHUNK, told=told)
        else:
            chunk = min(CHUNK, max(LEAST_CHUNK, rows // CHUNKS))
            found = placed(work, rows, self.placement.within(step), chunk=chunk, told=told)
        return found, found.status != RowStatus.COMPUTED

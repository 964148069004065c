"""A result of analysis as a layer of a live page: points in the robot's space, what joins them, and their colours."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parakin.analysis.scale import Scale
from parakin.arrays import Array, frozen_arrays

Rows = NDArray[np.int32]
"""Numbers of points, a row for each face or line."""
NO_ROWS: Rows = np.zeros((0, 2), np.int32)
"""No lines."""


@dataclass(frozen=True)
class Tint:
    """A colour of a legend, and what it means.

    >>> pk.viewer.Tint("reachable", ("#56B4E9", "#56B4E9")).words
    'reachable'
    """

    words: str
    """What the colour means."""
    colours: tuple[str, str]
    """The colour on light ground and on dark ground, as #rrggbb."""


@frozen_arrays
class Shades:
    """Values at the points of a layer, which become colours along a scale.

    >>> result = pk.analysis.performance_map(robot, ["force"], pk.analysis.Slice({"z": -0.5}, grid=11))
    >>> shades = pk.viewer.layers_of(robot, result)[0].shades
    >>> shades.unit, shades.scale.logarithmic
    ('N', False)
    """

    unit: str
    """Unit of the values."""
    values: Array
    """The values (N,); NaN where there is none."""
    scale: Scale | None
    """Ends of the colours; None where no value is finite."""


@dataclass(frozen=True)
class Span:
    """A coordinate of the pose that varies over the points of a layer, in equal steps.

    >>> pk.viewer.Span("x", "m", 0, (-0.1, 0.1), 11).count
    11
    """

    name: str
    """Name of the coordinate."""
    unit: str
    """Its unit, m or rad."""
    place: int
    """Where it is in an offset from home."""
    ends: tuple[float, float]
    """Its first and its last value, as offsets from home."""
    count: int
    """How many values it has."""


@dataclass(frozen=True)
class Grid:
    """Which poses the points of a layer stand for: spans that vary, the first quickest, while all else is held.

    >>> result = pk.analysis.performance_map(robot, ["force"], pk.analysis.Slice({"z": -0.5}, grid=11))
    >>> grid = pk.viewer.layers_of(robot, result)[0].grid
    >>> [span.name for span in grid.spans], [span.name for span in grid.held]
    (['x', 'y'], ['z'])
    """

    spans: tuple[Span, ...]
    """What varies."""
    held: tuple[Span, ...]
    """What is held, each with one value."""


@frozen_arrays
class Layer:
    """A result of analysis in the space of its robot, complete as data: a map, a workspace's boundary, singular curves.

    `layers_of` makes them from results; `pk.view(robot, layers=[...])` shows them.

    >>> result = pk.analysis.performance_map(robot, ["dexterity"], pk.analysis.Slice({"z": -0.5}, grid=11))
    >>> layer = pk.viewer.layers_of(robot, result)[0]
    >>> layer.points.shape, layer.shades.values.shape, layer.note
    ((121, 3), (121,), 'delta at z = -0.5 m')
    """

    title: str
    """What it shows, in a few words."""
    note: str
    """What it holds for: where other coordinates are held, which directions counted."""
    points: Array
    """Points in base axes (N, 3) [m]; those that no face or line has may be NaN."""
    faces: Rows
    """Corners of faces (M, 4), in their order; a triangle has its last corner twice."""
    lines: Rows
    """Ends of lines (L, 2)."""
    words: tuple[str, ...]
    """What is said of points; empty for nothing."""
    codes: NDArray[np.int32]
    """Which of the words is said of each point (N,)."""
    tints: tuple[Tint, ...] = ()
    """Colours of a legend; none where values make the colours."""
    tint_of: tuple[int, ...] = ()
    """Which of the colours points with each of the words have."""
    shades: Shades | None = None
    """Values that become colours; None where a legend tells them."""
    grid: Grid | None = None
    """Which poses the points stand for; None where they are no grid of poses."""
    group: str = ""
    """Layers with one group are at one place, and a page shows one of them at a time; empty: with others."""
    shown: bool = True
    """Whether a page shows it when it opens."""

    @property
    def bounds(self) -> tuple[Array, Array]:
        """Smallest and largest coordinates (3,) of points that are joined to others [m]; NaN if there are none."""
        used = self.points[np.unique(np.concatenate([self.faces.ravel(), self.lines.ravel()]))]
        return (used.min(axis=0), used.max(axis=0)) if len(used) else (np.full(3, np.nan), np.full(3, np.nan))

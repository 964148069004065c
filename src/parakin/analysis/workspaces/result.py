"""A workspace as data: which points are inside, how large it is, and what ends it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from parakin.analysis.workspaces.causes import Cause
from parakin.analysis.workspaces.judging import Demands
from parakin.analysis.workspaces.lattice import Lattice
from parakin.analysis.workspaces.region import Region
from parakin.arrays import Array, frozen_arrays

Part = Literal["home", "all"]
"""The connected part that holds home, or all parts together."""


@dataclass(frozen=True)
class Level:
    """What one size of cells gave.

    >>> [level.cells for level in pk.analysis.workspace(pk.load("five_bar"), levels=1).levels]
    [(16, 16), (32, 32)]
    """

    cells: tuple[int, ...]
    """How many cells there are along each axis."""
    volume: float
    """The volume of all parts."""
    home_volume: float
    """The volume of the connected part that holds home."""
    evaluations: int
    """How many points were judged up to this level, those on edges included."""


@frozen_arrays
class Workspace:
    """Where a robot can be, and why not elsewhere.

    >>> five_bar = pk.load("five_bar")
    >>> found = pk.analysis.workspace(five_bar, levels=2)
    >>> print(found)
    five_bar: workspace over x, y: 0.2419 m^2 +- 0.00032 (the part that holds home; all parts 0.245 m^2)
    """

    robot: str
    """Name of the robot."""
    region: Region
    """What varies, and what stands."""
    demands: Demands
    """What was asked of poses beyond the robot's own limits."""
    lattice: Lattice
    """The points that were looked at, with the code of each."""
    causes: tuple[Cause, ...]
    """What codes mean: `causes[code]`."""
    home_part: NDArray[np.bool_]
    """Which vertices of the lattice belong to the connected part that holds home."""
    boundary: Array
    """Points on the boundary (N, d) [m or rad], each between one that is inside and one that is not."""
    outline: Array
    """The boundary as segments (N, 2, 2) where two coordinates vary; empty elsewhere."""
    levels: tuple[Level, ...]
    """Volumes at every size of cells, the coarsest first."""
    bracket: tuple[float, float]
    """Volume of cells all of whose corners are inside, and of those with any: the volume lies between, unless
    something smaller than a cell was missed."""
    home_bracket: tuple[float, float]
    """The same for the part that holds home."""
    clipped: tuple[str, ...]
    """Sides of the bounds at which the workspace goes on; empty if all of it was seen."""
    digest: str
    """Tells whether the file of a robot is the one that this was found for."""

    @property
    def unit(self) -> str:
        """The unit of the volume: m^3, m^2, or a product of units where angles are among the axes."""
        powers = {name: self.region.units.count(name) for name in ("m", "rad")}
        return " ".join(f"{name}^{power}" if power > 1 else name for name, power in powers.items() if power)

    def volume(self, part: Part = "home") -> float:
        """Return the volume, area or length [`unit`] of the part that holds home, or of all parts.

        >>> found = pk.analysis.workspace(pk.load("five_bar"), levels=3)
        >>> round(found.volume(), 3), round(found.volume("all"), 3)
        (0.242, 0.245)
        """
        return self.levels[-1].home_volume if part == "home" else self.levels[-1].volume

    def error(self, part: Part = "home") -> float:
        """Return an estimate of the volume's error: by how much the last halvings of cells changed it.

            max(|V_0 - V_1|, |V_1 - V_2|/4),     V_k of cells 2^k times as large as the finest

        Where the boundary is smooth the true error is about a third of it, for it falls with the square of the cells'
        size; half of the bracket is all that is known of a workspace of one level.

        >>> found = pk.analysis.workspace(pk.load("five_bar"), levels=3)
        >>> found.error() < 1e-3 * found.volume()
        True
        """
        volumes = [level.home_volume if part == "home" else level.volume for level in self.levels[::-1]]
        if len(volumes) < 2:
            low, high = self.home_bracket if part == "home" else self.bracket
            return (high - low) / 2
        before = abs(volumes[1] - volumes[2]) / 4 if len(volumes) > 2 else 0.0
        return max(abs(volumes[0] - volumes[1]), before)

    def causes_outside(self) -> dict[Cause, int]:
        """Return how many vertices each cause keeps out, the most frequent first.

        >>> found = pk.analysis.workspace(pk.load("five_bar"), levels=3)
        >>> str(next(iter(found.causes_outside())))
        'out of stroke: side1.arm below'
        """
        codes, counts = np.unique(self.lattice.codes[self.lattice.codes != 0], return_counts=True)
        order = np.argsort(-counts, kind="stable")
        return {self.causes[int(codes[k])]: int(counts[k]) for k in order}

    def __str__(self) -> str:
        sizes = f"{self.volume():.4g} {self.unit} +- {self.error():.2g}"
        over = ", ".join(self.region.axes)
        text = f"{self.robot}: workspace over {over}: {sizes}"
        text += f" (the part that holds home; all parts {self.volume('all'):.4g} {self.unit})"
        return text + (f"; it goes on beyond {', '.join(self.clipped)}" if self.clipped else "")

    def to_arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return everything as arrays by name, for a file: numpy.savez(path, **workspace.to_arrays()).

        `read_result` reads it again.

        >>> arrays = pk.analysis.workspace(pk.load("five_bar"), levels=1).to_arrays()
        >>> arrays["codes"].shape, arrays["axis_x"].shape
        ((33, 33), (33,))
        """
        condition, demands = self.demands.condition, self.demands
        rows = [(*level.cells, level.volume, level.home_volume, level.evaluations) for level in self.levels]
        table: dict[str, NDArray[np.generic]] = {
            "home_part": self.home_part,
            "boundary": self.boundary,
            "outline": self.outline,
            "causes": np.array([str(cause) for cause in self.causes]),
            "demands": np.array([np.nan if condition is None else condition, demands.one_aspect, demands.clearance]),
            "levels": np.array(rows, float),
            "bracket": np.array([self.bracket, self.home_bracket]),
            "clipped": np.array(self.clipped, str),
            "volume": np.array([self.volume("home"), self.volume("all")]),
            "error": np.array([self.error("home"), self.error("all")]),
        }
        return lattice_arrays(self.robot, self.digest, self.region, self.lattice) | table


def lattice_arrays(robot: str, digest: str, region: Region, lattice: Lattice) -> dict[str, NDArray[np.generic]]:
    """Return a region of a robot and the lattice in it as arrays by name, for a file."""
    axes: dict[str, NDArray[np.generic]] = {f"axis_{name}": lattice.axis(k) for k, name in enumerate(region.axes)}
    return axes | {
        "robot": np.array(robot),
        "digest": np.array(digest),
        "home": region.home,
        "axes": np.array(region.axes),
        "units": np.array(region.units),
        "offsets": region.offsets,
        "need": np.array(region.need),
        "codes": lattice.codes,
        "judged": lattice.judged,
        "evaluations": np.array(lattice.evaluations),
    }

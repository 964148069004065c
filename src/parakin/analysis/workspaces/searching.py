"""The workspace of a robot: bounds, lattice, boundary and volumes put together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from parakin.analysis.reason import Reason
from parakin.analysis.saving import MOST_VERTICES, digest_of
from parakin.analysis.workspaces.boundary import Boundary, Measure, boundary_of, measured, segments
from parakin.analysis.workspaces.bounds import Bounds, found_bounds, reached_sides, widened
from parakin.analysis.workspaces.capsules import clearance_names
from parakin.analysis.workspaces.causes import Codes
from parakin.analysis.workspaces.judging import PLAIN, Demands, Judge, code_of, judge_of
from parakin.analysis.workspaces.lattice import Lattice, coarse, connected_parts, refined
from parakin.analysis.workspaces.region import Need, Region, checked_bounds, region_of
from parakin.analysis.workspaces.result import Level, Workspace
from parakin.analysis.workspaces.surveying import Survey
from parakin.arrays import Array
from parakin.errors import DataError
from parakin.robot import Robot

if TYPE_CHECKING:
    from parakin.executors import Placement

FIRST_CELLS = {1: 32, 2: 16, 3: 8, 4: 6}
"""Cells along each axis before the first halving, by the number of axes."""
LEVELS = {1: 6, 2: 5, 3: 3, 4: 1}
"""Halvings where none are asked for, by the number of axes: 512 cells along each of two axes, 64 along three."""
WIDENINGS = 3
"""How often bounds are widened at most where the finest lattice finds more than the bounds' own lattice did."""


def workspace(
    robot: Robot,
    axes: Sequence[str] = (),
    *,
    at: Mapping[str, float] | None = None,
    orientations: Mapping[str, Sequence[float]] | None = None,
    need: Need = "all",
    demands: Demands = PLAIN,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    levels: int | None = None,
    grid: bool = False,
    tell: Callable[[str], None] = lambda _: None,
    placement: Placement | None = None,
) -> Workspace:
    """Return where a robot can be, inside its strokes, joint limits and clearances, with its volume.

    axes: coordinates that vary, positions of the platform by default; at: values of others, home's by default;
    orientations: angles in every combination, `need` telling whether all of them must be reached at a point or any;
    demands: condition number, clearance, aspect; bounds: where to look, by axis, all by default; levels: how often
    cells are halved near the boundary; grid: judge every vertex of the finest lattice; tell: is told how far it is;
    placement: in which processes poses are judged, and where results are kept, a folder for each step of the search
    (docs/many_runs.md); the result is the same to the last bit.

    Legs close as the file says (its working mode); of a mechanism it is the branch that a straight way from home leads
    to. The result has the connected part that holds home, and all parts.

    >>> found = pk.analysis.workspace(robot, ("x", "y"), at={"z": -0.45}, levels=3)
    >>> round(found.volume(), 3), found.unit, found.clipped
    (0.251, 'm^2', ())
    """
    region = region_of(robot, axes, at, orientations, need)
    checked_bounds("workspace", region.axes, bounds or {})
    if demands.clearance and not clearance_names(robot):
        reason = f"no two parts of {robot.name} have a `radius`, so that nothing is kept apart: give radii in its file"
        raise DataError("workspace", "clearance", f"{reason}, or leave it out")
    judge = judge_of(robot, demands)
    with nullcontext() if placement is None else placement.lasting() as lasting:
        unusable = code_of(judge.causes, Reason.UNUSABLE)
        survey = Survey(InRegion(judge, region), unusable, lasting, tell)
        search = _Search(robot, region, judge, demands, survey, tell)
        tell("looking for its bounds")
        limits = _bounds(search, bounds)
        lattices = _lattices(search, limits, levels, grid)
        for k in range(WIDENINGS):
            wider = widened(limits, lattices[-1], region, tuple(bounds or {}))
            if wider is limits:
                break
            search = replace(search, survey=survey.within(f"wider-{k + 1}"))
            limits, lattices = wider, _lattices(search, wider, levels, grid)
        return _result(search, limits, lattices)


@dataclass(frozen=True)
class _Search:
    """What all steps of a search share."""

    robot: Robot
    region: Region
    judge: Judge
    demands: Demands
    survey: Survey
    tell: Callable[[str], None]


@dataclass(frozen=True, eq=False)
class InRegion:
    """Judges points of a region, in its orientations together."""

    judge: Judge
    """What judges poses."""
    region: Region
    """What varies, and in which orientations."""

    def __call__(self, points: Array, /) -> Codes:
        """Return the codes (N,) of points (N, d)."""
        region = self.region
        codes = self.judge(region.poses(points))
        for k in range(1, len(region.offsets)):
            left = np.flatnonzero((codes == 0) == (region.need == "all"))
            found = self.judge(region.poses(points[left], k))
            if region.need == "all":
                codes[left] = found
            else:
                codes[left[found == 0]] = 0
        return codes


def _bounds(search: _Search, given: Mapping[str, tuple[float, float]] | None) -> Bounds:
    """The bounds that are given, the others found."""
    asked, names = dict(given or {}), search.region.axes
    if len(asked) == len(names):
        lower, upper = (np.array([asked[name][end] for name in names]) for end in (0, 1))
        return Bounds(lower, upper, (), 0)
    found = found_bounds(search.survey, search.robot, search.region)
    lower, upper = np.array(found.lower), np.array(found.upper)
    for name, ends in asked.items():
        lower[names.index(name)], upper[names.index(name)] = ends
    return Bounds(lower, upper, found.clipped, found.evaluations)


def _lattices(search: _Search, limits: Bounds, asked: int | None, grid: bool) -> list[Lattice]:
    """The lattices of all levels, the coarsest first."""
    survey, d = search.survey, len(search.region.axes)
    levels = LEVELS.get(d, 1) if asked is None else asked
    first = FIRST_CELLS.get(d, 4)
    if not 0 <= levels <= MOST_VERTICES.bit_length() or (first * 2**levels + 1) ** d > MOST_VERTICES:
        most = max(k for k in range(30) if (first * 2**k + 1) ** d <= MOST_VERTICES)
        raise DataError("workspace", "levels", f"must be 0 to {most} for {d} axes, got {levels}")
    if grid:
        finest = coarse(survey, "grid", limits.lower, limits.upper, (first * 2**levels,) * d)
        every = [(slice(None, None, 2**k),) * d for k in range(levels, -1, -1)]
        codes, judged, count = finest.codes, finest.judged, finest.evaluations
        return [Lattice(limits.lower, limits.upper, codes[some], judged[some], count) for some in every]
    lattices = [coarse(survey, "level-0", limits.lower, limits.upper, (first,) * d)]
    for k in range(levels):
        lattices.append(refined(survey, f"level-{k + 1}", lattices[-1]))
        cells = lattices[-1].codes.shape[0] - 1
        search.tell(f"{lattices[-1].evaluations:,} poses looked at, {cells} cells along each axis")
    return lattices


class _Measured(NamedTuple):
    """What is measured of one lattice."""

    border: Boundary
    part: NDArray[np.bool_]
    whole: Measure
    held: Measure

    def level(self, lattice: Lattice, evaluations: int) -> Level:
        return Level(tuple(n - 1 for n in lattice.codes.shape), self.whole.volume, self.held.volume, evaluations)


def _measured(search: _Search, k: int, lattice: Lattice) -> _Measured:
    """Boundary, connected part and volumes of the lattice of one level."""
    border, part = boundary_of(search.survey, f"boundary-{k}", lattice), home_part(lattice, search.region.origin)
    search.tell(f"measuring {lattice.codes.shape[0] - 1} cells along each axis")
    return _Measured(border, part, *(measured(lattice, inside, border) for inside in (lattice.inside, part)))


def _result(search: _Search, limits: Bounds, lattices: list[Lattice]) -> Workspace:
    """Volumes of all lattices, and what is known of the finest."""
    region, levels, evaluations = search.region, list[Level](), limits.evaluations
    for k, coarser in enumerate(lattices[:-1]):
        seen = _measured(search, k, coarser)
        evaluations += seen.border.evaluations
        levels.append(seen.level(coarser, evaluations + coarser.evaluations))
    lattice, seen = lattices[-1], _measured(search, len(lattices) - 1, lattices[-1])
    levels.append(seen.level(lattice, evaluations + seen.border.evaluations + lattice.evaluations))
    flat = len(region.axes) == 2
    return Workspace(
        robot=search.robot.name,
        region=region,
        demands=search.demands,
        lattice=lattice,
        causes=search.judge.causes,
        home_part=seen.part,
        boundary=seen.border.points,
        outline=segments(lattice, lattice.inside, seen.border) if flat else np.zeros((0, 2, 2)),
        levels=tuple(levels),
        bracket=(seen.whole.least, seen.whole.most),
        home_bracket=(seen.held.least, seen.held.most),
        clipped=reached_sides(lattice, region.axes),
        digest=digest_of(search.robot),
    )


def home_part(lattice: Lattice, home: Array) -> NDArray[np.bool_]:
    """Return the vertices inside that are connected with home by way of vertices inside; none if home is outside.

    Vertices are neighbours that share a cell. Home counts as inside if a corner of its cell is.
    """
    labels = connected_parts(lattice.inside)
    place = np.floor((home - lattice.lower) / lattice.step).astype(int)
    low = np.clip(place, 0, np.array(labels.shape) - 1)
    high = np.clip(place + 2, 0, np.array(labels.shape))
    near = labels[tuple(slice(a, b) for a, b in zip(low, high, strict=True))]
    held = near[near > 0]
    return labels == held[0] if held.size else np.zeros(labels.shape, bool)

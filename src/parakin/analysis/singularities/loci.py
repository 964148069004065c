"""Where the singular poses are, on a slice through a robot's poses: curves in a plane of two coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from parakin.analysis.saving import digest_of
from parakin.analysis.singularities.measures import platform_margin, scaled
from parakin.analysis.workspaces.boundary import boundary_of, segments
from parakin.analysis.workspaces.bounds import found_bounds
from parakin.analysis.workspaces.causes import Codes
from parakin.analysis.workspaces.judging import Demands, judge_of
from parakin.analysis.workspaces.lattice import Lattice, coarse
from parakin.analysis.workspaces.region import Region, checked_bounds, region_of
from parakin.analysis.workspaces.result import lattice_arrays
from parakin.analysis.workspaces.searching import InRegion
from parakin.analysis.workspaces.surveying import Survey
from parakin.arrays import Array, frozen_arrays
from parakin.errors import DataError
from parakin.robot import Robot

CELLS = 128
"""Cells along each axis where nothing else is asked for."""
MOST_CELLS = 2048
"""Cells along each axis at most."""


@frozen_arrays
class Locus:
    """Singular poses of a slice, as curves."""

    robot: str
    """Name of the robot."""
    region: Region
    """Which two coordinates vary, and what the others are."""
    lattice: Lattice
    """The vertices that were looked at; code 0 where det A > 0, 1 where it is not, 2 out of reach."""
    values: Array
    """The platform's margin at each vertex (n_1 + 1, n_2 + 1), NaN out of reach: see `Margins.platform`."""
    type_2: Array
    """Segments (N, 2, 2) on which det A changes its sign: the platform moves while all motors stand still."""
    type_1: Array
    """Segments (N, 2, 2) at which a leg is stretched or folded: the end of the reach, whatever strokes there are."""
    signed: bool
    """Whether det A has a sign; of robots with more motors than freedoms `values` are smallest singular values, and
    there are no curves of type 2."""
    digest: str
    """Tells whether the file of a robot is the one that this was found for."""

    def to_arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return everything as arrays by name, for a file; `read_result` reads it again.

        >>> arrays = pk.analysis.locus(pk.load("five_bar"), cells=32).to_arrays()
        >>> arrays["type_2"].shape[1:], arrays["codes"].shape
        ((2, 2), (33, 33))
        """
        curves = {"values": self.values, "type_2": self.type_2, "type_1": self.type_1, "signed": np.array(self.signed)}
        return lattice_arrays(self.robot, self.digest, self.region, self.lattice) | curves


def locus(
    robot: Robot,
    axes: Sequence[str] = (),
    *,
    at: Mapping[str, float] | None = None,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    cells: int = CELLS,
) -> Locus:
    """Return the singular poses of a plane of two coordinates, the first two by default, whatever strokes there are.

    >>> found = pk.analysis.locus(pk.load("five_bar"), cells=32)
    >>> found.signed, len(found.type_2) > 10
    (True, True)
    """
    chosen = tuple(axes) or robot.motion_type.offset_names[:2]
    if len(chosen) != 2:
        raise DataError("locus", "axes", f"must be two coordinates, got {', '.join(chosen)}")
    region = region_of(robot, chosen, at)
    checked_bounds("locus", region.axes, bounds or {})
    if not 1 <= cells <= MOST_CELLS:
        raise DataError("locus", "cells", f"must be 1 to {MOST_CELLS}, got {cells}")
    lower, upper = _limits(robot, region, bounds or {})
    signed = len(robot.actuator_names) == robot.degrees_of_freedom

    def margin(points: Array) -> Array:
        return platform_margin(scaled(robot, region.poses(points)))

    def sides(points: Array) -> Codes:
        values = margin(points)
        return np.where(np.isnan(values), 2, np.where(values > 0, 0, 1)).astype(np.int16)

    def reach(points: Array) -> Codes:
        return np.where(np.isnan(margin(points)), 1, 0).astype(np.int16)

    by_side = Survey(sides)
    lattice = coarse(by_side, "plane", lower, upper, (cells, cells))
    values = margin(lattice.at(np.argwhere(np.ones(lattice.codes.shape, bool)))).reshape(lattice.codes.shape)
    known = ~np.isnan(values)
    type_2 = (
        segments(lattice, lattice.inside, boundary_of(by_side, "type-2", lattice), _whole(known))
        if signed
        else np.zeros((0, 2, 2))
    )
    reached = Lattice(lower, upper, np.where(known, 0, 1).astype(np.int16), lattice.judged, lattice.evaluations)
    type_1 = segments(reached, reached.inside, boundary_of(Survey(reach), "type-1", reached))
    return Locus(robot.name, region, lattice, values, type_2, type_1, signed, digest_of(robot))


def _whole(known: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which cells have all their corners within reach."""
    return known[:-1, :-1] & known[1:, :-1] & known[:-1, 1:] & known[1:, 1:]


def _limits(robot: Robot, region: Region, given: Mapping[str, tuple[float, float]]) -> tuple[Array, Array]:
    """The bounds that are given, others found around all that can be reached within limits, and a fifth more."""
    lower, upper = np.zeros(2), np.zeros(2)
    if len(given) < 2:
        survey = Survey(InRegion(judge_of(robot, Demands(one_aspect=False)), region))
        found = found_bounds(survey, robot, region)
        more = 0.2 * (found.upper - found.lower)
        lower, upper = found.lower - more, found.upper + more
    for name, ends in given.items():
        lower[region.axes.index(name)], upper[region.axes.index(name)] = ends
    return lower, upper

"""The contours of rods in regions of pictures, to a hundredth of a pixel, as sightings; and what was refused, and why.

Every scan line is searched for both edges of its rod and each edge's profile is fitted (`search`, `profile`);
a line is laid through each edge (`line`); then once more from there, with the blur and shading that the edge has.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array
from parakin.errors import VisionError
from parakin.vision.edges.looks import LOOKS, SHADING, Look, ScanLines, first_look, later_look
from parakin.vision.edges.options import SENSOR_LIMITS, EdgeOptions, check_regions
from parakin.vision.edges.pixels import no_grey_levels, saturated
from parakin.vision.edges.regions import PictureRegion
from parakin.vision.edges.search import CAPTURE, LINE
from parakin.vision.rigs.rig import Rig
from parakin.vision.rigs.sightings import Sightings, joined, nothing_seen

LEAST_LINES = 8
"""Scan lines that an edge needs."""
LARGEST_RMS = 0.5
"""Scatter of an edge's scan lines about their line, across it [px], at most."""
LARGEST_TURN = 0.12
"""Tangent of the angle between an edge and its prediction, at most."""
WIDTH_TOLERANCE = (0.15, 1.0)
"""By how much the width of a rod may differ from the expected one: a share of it, and pixels."""


class EdgeStatus(IntEnum):
    """Whether an edge was found, and why not."""

    GOOD = 0
    """It was found."""
    FEW_LINES = 1
    """Too few scan lines show an edge that agrees with the others: too little contrast, or something in the way."""
    ROUGH = 2
    """Its scan lines scatter too much about a straight line."""
    TURNED = 3
    """Its direction is not that of the rod."""
    WRONG_WIDTH = 4
    """The rod is not as wide as it is known to be: one of its edges belongs to something else."""
    LONE = 5
    """The rod's other edge should be in the region too and was refused: nothing says that this one is the rod's."""
    SATURATED = 6
    """Pixels of its profile are at the ends of the sensor's range: it is found where light beyond would not put it."""
    UNUSABLE = 7
    """Pixels of its region are no grey levels: not finite, scaled to 0..1, or far beyond the sensor's range."""


REASONS = {
    EdgeStatus.GOOD: "found",
    EdgeStatus.FEW_LINES: "too few scan lines with an edge that agrees",
    EdgeStatus.ROUGH: "scan lines scatter about the line",
    EdgeStatus.TURNED: "another direction than the rod's",
    EdgeStatus.WRONG_WIDTH: "another width than the rod's",
    EdgeStatus.LONE: "the rod's other edge was refused",
    EdgeStatus.SATURATED: "pixels at the ends of the sensor's range: expose less, or raise the black level",
    EdgeStatus.UNUSABLE: "pixels not finite, scaled to 0..1 or far beyond `limits`: give grey levels from 0 to 255",
}
"""What each status says to people."""


@dataclass(frozen=True)
class EdgeReport:
    """How one edge of a region was found, or why not.

    >>> found = pk.vision.find_edges(rig, regions, patches)
    >>> found.reports[0].reason, found.reports[0].rms < 0.04
    ('found', True)
    """

    region: int
    """Number of the region among those given."""
    side: int
    """Which contour of the rod, 0 or 1."""
    status: EdgeStatus
    """Whether it was found."""
    lines: int
    """Scan lines that agree."""
    rms: float
    """Scatter of these across the edge [px]."""
    contrast: float
    """Mean difference between rod and what is behind [grey levels], negative for darker rods."""
    blur: float
    """Blur across the edge, without that of the pixel's own width [px]."""
    shift: float
    """How far along the scan line the edge is from where it was expected [px]."""
    deviation: float
    """Standard deviation of the edge's two points across it [px]."""

    @property
    def reason(self) -> str:
        """What the status says, in words."""
        return REASONS[self.status]


@dataclass(frozen=True, eq=False)
class Edges:
    """What was found in regions.

    >>> found = pk.vision.find_edges(rig, regions, patches)
    >>> len(found.seen), found.refused
    (16, ())
    """

    seen: Sightings
    """Two points of each edge that was found."""
    reports: tuple[EdgeReport, ...]
    """How it went, edge by edge."""

    @property
    def refused(self) -> tuple[EdgeReport, ...]:
        """Edges that were refused."""
        return tuple(report for report in self.reports if report.status != EdgeStatus.GOOD)


def find_edges(
    rig: Rig,
    regions: PictureRegion | Sequence[PictureRegion],
    patches: Array | NDArray[np.uint8] | Sequence[Array | NDArray[np.uint8]],
    *,
    polarity: int = 0,
    blur: float = 0.8,
    capture: float = CAPTURE,
    shading: float = SHADING,
    looks: int = LOOKS,
    limits: tuple[float, float] | None = SENSOR_LIMITS,
) -> Edges:
    """Return the contours in regions of pictures, each of which is given as a patch of (size, size) grey levels.

    polarity: 1 where rods are brighter than what is behind, -1 where they are darker, 0 for either; blur: about what
    the lens's is [px], from 0.25 to 4; capture: how far predictions may be off [px], at most 10; shading: how much the
    light on rods may vary [grey levels]: less leaves less noise, where it is so; looks: from 2 to 3, the last one only
    takes more of the shading out; limits: grey levels at which the sensor's range ends, where light is clipped; None,
    or an infinite one, for computed pictures in which 0 or 255 is the light itself.

    >>> found = pk.vision.find_edges(rig, regions, patches, polarity=1)
    >>> offsets = pk.vision.offsets_at(rig, robot.home, found.seen)
    >>> bool(np.abs(640 * offsets.distance).max() < 0.05)  # pixels
    True
    """
    options = EdgeOptions(rig.robot.name, polarity, blur, capture, shading, looks, limits)
    one_region = isinstance(regions, PictureRegion)
    many = [regions] if isinstance(regions, PictureRegion) else list(regions)
    given = [np.asarray(patch) for patch in ([patches] if one_region else patches)]
    _check_patches(rig, many, given)
    if not many:
        return Edges(nothing_seen(), ())
    usable = np.array([not no_grey_levels(patch, options.ends) for patch in given])
    lines = _lines(rig, many, given, usable, options)
    slope = np.clip(lines.edges[:, :, 1].mean(axis=1), -1.5, 1.5)
    stretch = np.sqrt(1 + slope**2)  # pixels along a scan line for one across the edge
    found, across = first_look(lines, options.capture, options.blur * stretch)
    for number in range(options.looks - 1):
        found = later_look(lines, found, across, options.shading, number)
    return _collected(many, lines, found, usable)


def _check_patches(rig: Rig, regions: Sequence[PictureRegion], patches: Sequence[NDArray[Any]]) -> None:
    check_regions(rig, regions)
    if len(patches) != len(regions):
        wanted = f"must be one for each of {len(regions)} regions, got {len(patches)}"
        raise VisionError(rig.robot.name, "patches", wanted)
    for k, (region, patch) in enumerate(zip(regions, patches, strict=True)):
        if patch.shape != (region.size, region.size):
            wanted = f"must be ({region.size}, {region.size}) like its region, got {patch.shape}"
            raise VisionError(rig.robot.name, f"patches[{k}]", wanted)
        if patch.dtype.kind not in "uif":
            raise VisionError(rig.robot.name, f"patches[{k}]", f"must be grey levels, got {patch.dtype}")


def _lines(
    rig: Rig,
    regions: Sequence[PictureRegion],
    patches: Sequence[NDArray[Any]],
    usable: NDArray[np.bool_],
    options: EdgeOptions,
) -> ScanLines:
    grey = np.zeros((len(regions), LINE, LINE))
    for k, (region, patch) in enumerate(zip(regions, patches, strict=True)):
        if usable[k]:
            grey[k, : region.size, : region.size] = patch if region.rows else patch.T
    edges = np.stack([region.edges for region in regions])
    sides = np.argsort(edges[:, :, 0], axis=1)
    cameras = [rig.cameras[region.camera] for region in regions]
    places = {
        "origin": np.array([[region.column, region.row] for region in regions], float),
        "rows": np.array([float(region.rows) for region in regions]),
        "focal": np.array([camera.focal for camera in cameras]),
        "centre": np.array([camera.middle for camera in cameras]),
        "distortion": np.array([camera.distortion for camera in cameras]),
    }
    return ScanLines(
        grey,
        np.array([float(region.size) for region in regions]),
        np.take_along_axis(edges, sides[:, :, None], axis=1),
        sides,
        float(options.polarity),
        {name: np.repeat(value[:, None], 2, axis=1) for name, value in places.items()},
        options.ends,
    )


def turned(slope: Array, expected: Array) -> NDArray[np.bool_]:
    """Return whether lines of these slopes enclose more than the largest angle.

    tan(angle) = (s - e)/(1 + s e)
    """
    return np.abs(slope - expected) > LARGEST_TURN * np.abs(1 + slope * expected)


def _statuses(
    lines: ScanLines, look: Look, offset: Array, slope: Array, usable: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Return whether edges were found (regions, 2): each by itself, then rods by their width, then edges left alone."""
    few = look.lines["lines"] < LEAST_LINES
    own = (
        (EdgeStatus.UNUSABLE, ~usable[:, None] & np.ones(2, bool)),
        (EdgeStatus.FEW_LINES, few),
        (EdgeStatus.ROUGH, ~(look.lines["rms"] < LARGEST_RMS)),
        (EdgeStatus.TURNED, turned(slope, lines.edges[:, :, 1])),
        (EdgeStatus.SATURATED, saturated(lines, look)),
    )
    status = np.select([wrong for _, wrong in own], [int(which) for which, _ in own], int(EdgeStatus.GOOD))
    width, expected = (values[:, 1] - values[:, 0] for values in (offset, lines.edges[:, :, 0]))
    wrong = np.abs(width - expected) > WIDTH_TOLERANCE[0] * expected + WIDTH_TOLERANCE[1]
    wrong &= ~few.any(axis=1)
    status[(status == EdgeStatus.GOOD) & wrong[:, None]] = EdgeStatus.WRONG_WIDTH
    # A saturated edge is off by half a pixel at most: it still says, by the rod's width, whose the other one is.
    missed = (status != EdgeStatus.GOOD) & (status != EdgeStatus.SATURATED) & lines.shown
    status[(status == EdgeStatus.GOOD) & missed[:, ::-1]] = EdgeStatus.LONE
    return status


def _collected(regions: Sequence[PictureRegion], lines: ScanLines, look: Look, usable: NDArray[np.bool_]) -> Edges:
    found = {**look.lines, "contrast": look.contrast, "common": look.common}
    offset = lines.edges[:, :, 0] + found["a"] - found["b"] * found["k_mean"]
    slope = lines.edges[:, :, 1] + found["b"]
    statuses = _statuses(lines, look, offset, slope, usable)
    reports: list[EdgeReport] = []
    parts: list[Sightings] = []
    for k, region in enumerate(regions):
        for e in range(2):
            status = EdgeStatus(int(statuses[k, e]))
            side, cosine = int(lines.sides[k, e]), 1 / math.hypot(1, slope[k, e])
            numbers = (float(found[name][k, e]) for name in ("rms", "contrast", "mean_blur", "edge_deviation"))
            rms, contrast, blur, deviation = numbers
            # Shading that is not quite known shifts all scan lines alike, and so both points.
            more = math.hypot(1.0, float(found["common"][k, e]) * cosine / max(deviation, 1e-9))
            shift = float(offset[k, e] - lines.edges[k, e, 0])
            agree = int(found["lines"][k, e])
            reports.append(EdgeReport(k, side, status, agree, rms, contrast, blur * cosine, shift, more * deviation))
            if status == EdgeStatus.GOOD:
                parts.append(_sightings(region, side, found["m"][k, e], more * found["spread"][k, e]))
    return Edges(joined(parts) if parts else nothing_seen(), tuple(reports))


def _sightings(region: PictureRegion, side: int, m: Array, spread: Array) -> Sightings:
    two = np.ones(2, np.int64)
    return Sightings(region.camera * two, region.rod * two, side * two, m, spread, np.full(2, region.time))

"""The contours of rods in regions of pictures, to a hundredth of a pixel, as sightings; and what was refused, and why.

Every scan line is searched for both edges of its rod and each edge's profile is fitted (`edge_search`, `edge_profile`);
a line is laid through each edge (`edge_line`); then once more from there, with the blur and shading that the edge has.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, lock_arrays
from parakin.errors import VisionError
from parakin.vision.edge_line import line_kernel
from parakin.vision.edge_profile import FARTHEST, FIRST_STEPS, LATER_STEPS, profile_kernel
from parakin.vision.edge_search import CAPTURE, HALF_WINDOW, LINE, search_kernel
from parakin.vision.edge_shading import light_across
from parakin.vision.regions import PictureRegion
from parakin.vision.rig import Rig
from parakin.vision.sightings import Sightings, joined, nothing_seen

LOOSE_PULL = (0.03, 0.0)
"""How firmly blur, and the level inside, of a scan line are pulled in a first look: half a pixel of doubt, and all."""
LATER_PULLS = ((0.03, 1.0), (30.0, 1.0))
"""The same in later looks, which know the level inside like one more pixel; the last one fixes the blur."""
LOOKS = 1 + len(LATER_PULLS)
"""How often scan lines are looked at."""
INNER_REACH = (2.5, 1.5)
"""How far inside the contour the second look reaches: in blurs, and pixels beside that; light beyond may differ."""
MARGIN = (3.0, 1.0)
"""What is left out beside contours where shading is fitted: in blurs, and pixels beside that."""
SECOND_CAPTURE = 1.0
"""How far from the line through an edge a scan line is searched in later looks [px]."""
SHADING = 60.0
"""How much the light on rods may vary where nothing else is said [grey levels]."""
LEAST_SIGNAL = 3.0
"""Contrast of a good scan line, in deviations of its residuals, at least."""
LEAST_CONTRAST = 4.0
"""Contrast of a good scan line [grey levels], at least."""
LARGEST_DEVIATION = 0.5
"""Deviation of a good scan line's position [px], at most."""
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


REASONS = {
    EdgeStatus.GOOD: "found",
    EdgeStatus.FEW_LINES: "too few scan lines with an edge that agrees",
    EdgeStatus.ROUGH: "scan lines scatter about the line",
    EdgeStatus.TURNED: "another direction than the rod's",
    EdgeStatus.WRONG_WIDTH: "another width than the rod's",
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
) -> Edges:
    """Return the contours in regions of pictures, each of which is given as a patch of (size, size) grey levels.

    polarity: 1 where rods are brighter than what is behind, -1 where they are darker, 0 for either; blur: about what
    the lens's is [px]; capture: how far predictions may be off [px], at most 10; shading: how much the light on rods
    may vary [grey levels]: less leaves less noise, where it is so; looks: from 2 to 3, the last one only takes more of
    the shading out.

    >>> found = pk.vision.find_edges(rig, regions, patches, polarity=1)
    >>> offsets = pk.vision.offsets_at(rig, robot.home, found.seen)
    >>> bool(np.abs(640 * offsets.distance).max() < 0.05)  # pixels
    True
    """
    if not 2 <= looks <= LOOKS:
        raise VisionError(rig.robot.name, "looks", f"must be 2 or {LOOKS}, got {looks!r}")
    many = [regions] if isinstance(regions, PictureRegion) else list(regions)
    given = (
        [np.asarray(patches, float)]
        if isinstance(regions, PictureRegion)
        else [np.asarray(one, float) for one in patches]
    )
    if not many:
        return Edges(nothing_seen(), ())
    lines = _lines(rig, many, given, polarity)
    slope = np.clip(lines.edges[:, :, 1], -1.5, 1.5)
    stretch = np.sqrt(1 + slope**2)  # pixels along a scan line for one across the edge
    edges = lines.edges
    found = _look(lines, edges, _unshaded(capture, blur * stretch), LOOSE_PULL)
    for pull in LATER_PULLS[: looks - 1]:
        edges = _moved(edges, found)
        found = _look(lines, edges, _shaded(lines, edges, found, shading), pull)
    return _collected(many, lines, edges, found)


@dataclass(frozen=True, eq=False)
class _Lines:
    """Scan lines of regions as the kernels take them; edges by position: the lower first."""

    grey: Array
    """(regions, 48, 48)."""
    size: Array
    """(regions,)."""
    edges: Array
    """Cubics of lower and upper edge (regions, 2, 4)."""
    sides: NDArray[np.int64]
    """Which contours these are (regions, 2)."""
    polarity: float
    places: dict[str, Array]
    """Origin, rows and camera of each edge (regions, 2, ...), for the kernel of lines."""

    def __post_init__(self) -> None:
        lock_arrays(self)

    def at(self, edges: Array) -> Array:
        """Return where cubics (regions, 2, 4) are in every scan line (regions, 48, 2)."""
        numbers = np.arange(LINE) - 0.5 * (self.size[:, None] - 1)
        return np.einsum("rkp,rep->rke", numbers[:, :, None] ** np.arange(4), edges)


def _lines(rig: Rig, regions: Sequence[PictureRegion], patches: Sequence[Array], polarity: int) -> _Lines:
    if len(patches) != len(regions):
        raise VisionError(
            rig.robot.name, "patches", f"must be one for each of {len(regions)} regions, got {len(patches)}"
        )
    grey = np.zeros((len(regions), LINE, LINE))
    for k, (region, patch) in enumerate(zip(regions, patches, strict=True)):
        if patch.shape != (region.size, region.size):
            wanted = f"must be ({region.size}, {region.size}) like its region, got {patch.shape}"
            raise VisionError(rig.robot.name, f"patches[{k}]", wanted)
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
    return _Lines(
        grey,
        np.array([float(region.size) for region in regions]),
        np.take_along_axis(edges, sides[:, :, None], axis=1),
        sides,
        float(polarity),
        {name: np.repeat(value[:, None], 2, axis=1) for name, value in places.items()},
    )


@dataclass(frozen=True, eq=False)
class _Expected:
    """What a look at scan lines begins with, for both edges of all regions."""

    capture: float
    """How far edges may be off [px]."""
    blur: Array
    """Blur along scan lines (regions, 2) [px]."""
    reach: Array
    """How far inside the contour pixels count (regions, 2) [px]."""
    level: Array
    """Grey level at the contour (regions, 2)."""
    shade: Array
    """How light changes from there: g [grey levels] and h [grey levels/px] (regions, 2, 2)."""
    doubt: Array
    """Covariance of g, h and the level (regions, 2, 3, 3)."""

    def __post_init__(self) -> None:
        lock_arrays(self)


def _moved(edges: Array, found: dict[str, Array]) -> Array:
    """Return cubics (regions, 2, 4) moved by the lines that were laid through what differed from them."""
    moved = edges.copy()
    moved[:, :, 0] += found["a"] - found["b"] * found["k_mean"]
    moved[:, :, 1] += found["b"]
    return moved


def _unshaded(capture: float, blur: Array) -> _Expected:
    """Return what a first look begins with, which knows of no shading."""
    none = np.zeros(blur.shape)
    shade, doubt = np.zeros((*blur.shape, 2)), np.zeros((*blur.shape, 3, 3))
    return _Expected(capture, blur, none + HALF_WINDOW, none, shade, doubt)


def _shaded(lines: _Lines, edges: Array, found: dict[str, Array], shading: float) -> _Expected:
    """Return what later looks begin with: the light well inside the rods, continued to their contours.

    Scan lines count that have found every edge that they reach: there the rod has no end, and nothing is before it.
    """
    blur, places = found["mean_blur"], lines.at(edges)
    beyond = (places < HALF_WINDOW) | (places > lines.size[:, None, None] - 1 - HALF_WINDOW)
    seen = found["good"] > 0
    whole = np.asarray((seen | beyond).all(axis=-1) & seen.any(axis=-1), np.bool_)
    margin = MARGIN[0] * blur.max(axis=1) + MARGIN[1]
    light = light_across(lines.grey, lines.size, np.where(whole[..., None], places, 0.0), margin, shading)
    width = np.maximum(edges[:, 1, 0] - edges[:, 0, 0], 1.0)
    # From l_0, l_1, l_2 to g = l_2, h = +-2 l_1/w and the level l_0 -+ l_1 at the lower and the upper contour.
    to_edges = np.zeros((len(width), 2, 3, 3))
    to_edges[:, :, 0, 2] = to_edges[:, :, 2, 0] = 1.0
    to_edges[:, :, 1, 1] = np.array([2.0, -2.0]) / width[:, None]
    to_edges[:, :, 2, 1] = np.array([-1.0, 1.0])
    shade = np.einsum("resl,rl->res", to_edges, light.levels)
    doubt = np.einsum("resl,rlm,retm->rest", to_edges, light.covariance, to_edges)
    reach = INNER_REACH[0] * blur + INNER_REACH[1]
    return _Expected(SECOND_CAPTURE, blur, reach, shade[:, :, 2], shade[:, :, :2], doubt)


def _look(lines: _Lines, edges: Array, expected: _Expected, pull: tuple[float, float]) -> dict[str, Array]:
    """Search scan lines, fit profiles and lay lines once; edges (regions, 2, 4)."""
    places = lines.at(edges)
    width = np.maximum(places[:, :, 1] - places[:, :, 0], 1.0)[:, :, None]
    at = search_kernel()(
        grey=lines.grey,
        length=lines.size[:, None],
        edges=places,
        capture=float(expected.capture),
        polarity=lines.polarity,
    )
    centre = at["centre"]
    # The window of an upper edge is turned round, so that the rod is on its right there too.
    upper = np.array([False, True])
    before, behind = -centre, lines.size[:, None, None] - 1 - centre
    known = expected.capture <= SECOND_CAPTURE
    fit = profile_kernel(LATER_STEPS if known else FIRST_STEPS)(
        window=at["windows"],
        start=np.where(upper, -1.0, 1.0) * (places - centre) if known else 0.0,
        first=np.where(upper, -behind, before),
        last=np.minimum(np.where(upper, -before, behind), np.minimum(expected.reach[:, None], 0.5 * width)),
        width=width,
        shade=expected.shade[:, None],
        blur=expected.blur[:, None],
        level=expected.level[:, None],
        pull=np.array(pull),
    )
    position = centre + np.where(upper, -1.0, 1.0) * fit["position"]
    good = _good_lines(lines, centre, fit, at["sign"])
    profiles = {"position": position, "good": good.astype(float), "blur": fit["found_blur"]}
    profiles |= {name: fit[name] for name in ("formal", "noise")}
    by_edge = {name: np.swapaxes(values, 1, 2) for name, values in profiles.items()}
    line = line_kernel().evaluate({**by_edge, "edge": edges, "middle": 0.5 * (lines.size[:, None] - 1), **lines.places})
    weight = good / np.maximum(good.sum(axis=1, keepdims=True), 1)
    contrast, by_light = np.sum(weight * fit["contrast"], axis=1), np.sum(weight[..., None] * fit["by_light"], axis=1)
    common = np.sqrt(np.einsum("res,rest,ret->re", by_light, expected.doubt, by_light))
    return {**line, "contrast": contrast, "common": common, "good": profiles["good"]}


def _good_lines(lines: _Lines, centre: Array, fit: dict[str, Array], sign: Array) -> NDArray[np.bool_]:
    """Return which edges of scan lines (regions, 48, 2) can be used."""
    contrast = fit["contrast"] * sign[:, :, None]
    inside = (centre >= HALF_WINDOW - 2) & (centre <= lines.size[:, None, None] - 1 - (HALF_WINDOW - 2))
    inside &= (np.arange(LINE) < lines.size[:, None])[:, :, None]
    strong = contrast > np.maximum(LEAST_CONTRAST, LEAST_SIGNAL * fit["noise"])
    near = np.abs(fit["position"]) < FARTHEST - 0.01
    return inside & strong & near & (fit["formal"] * fit["noise"] < LARGEST_DEVIATION)


def _collected(regions: Sequence[PictureRegion], lines: _Lines, edges: Array, found: dict[str, Array]) -> Edges:
    offset = edges[:, :, 0] + found["a"] - found["b"] * found["k_mean"]
    slope = edges[:, :, 1] + found["b"]
    width, expected = (values[:, 1] - values[:, 0] for values in (offset, lines.edges[:, :, 0]))
    wrong = np.abs(width - expected) > WIDTH_TOLERANCE[0] * expected + WIDTH_TOLERANCE[1]
    few = found["lines"] < LEAST_LINES
    wrong &= ~few.any(axis=1)
    reports: list[EdgeReport] = []
    parts: list[Sightings] = []
    for k, region in enumerate(regions):
        for e in range(2):
            status = EdgeStatus.GOOD
            if few[k, e]:
                status = EdgeStatus.FEW_LINES
            elif not found["rms"][k, e] < LARGEST_RMS:
                status = EdgeStatus.ROUGH
            elif abs(slope[k, e] - lines.edges[k, e, 1]) > LARGEST_TURN * (1 + slope[k, e] ** 2):
                status = EdgeStatus.TURNED
            elif wrong[k]:
                status = EdgeStatus.WRONG_WIDTH
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

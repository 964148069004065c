"""Small squares of a picture around places of rods, predicted from a pose: what is read of a picture, and when.

A region is a little larger than its rod is wide, and is put where the rod's ends, the picture's borders and other rods
are outside, if there is such a place. It is scanned along rows or columns, whichever is more across the rod.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array, frozen_arrays
from parakin.errors import VisionError
from parakin.vision.edges.search import LINE
from parakin.vision.pictures.rendering import cylinders_at
from parakin.vision.pictures.silhouettes import Cylinder
from parakin.vision.rigs.camera import Camera
from parakin.vision.rigs.rig import Rig, Rod
from parakin.vision.rigs.sightings import visible_span

SIZE_BESIDE_ROD = 24
"""How much larger than its rod is wide a region is [px]: twice the capture range, and room for profiles."""
CANDIDATES = 41
"""Places along a visible stretch that are looked at."""
STEPS_ALONG = np.linspace(-1.0, 1.0, 33)
"""Points of a contour through which its cubic is laid, as shares of how far it is looked at."""
AXIS_POINTS = 65
"""Points of another rod's axis whose distances from a region are looked at."""


@frozen_arrays
class PictureRegion:
    """A square of a camera's picture around a place of a rod, with what is expected to be seen in it.

    >>> region = pk.vision.regions_at(rig, robot.home)[0]
    >>> region.size, region.rows
    (48, False)
    """

    camera: int
    """Number of the camera."""
    rod: int
    """Number of the rod."""
    column: int
    """Its first column [px]."""
    row: int
    """Its first row [px]."""
    size: int
    """Its columns, and rows [px]."""
    rows: bool
    """Whether scan lines are rows; else they are columns."""
    edges: Array
    """Where contours 0 and 1 are expected in scan lines, from the region's first pixel, as cubics of the line's number
    from the middle (2, 4) [px]."""
    clearance: float = math.inf
    """From the middle to the nearest end of the rod, border of the picture, or other rod [px]."""
    time: float = 0.0
    """When it is read [s]."""

    @property
    def window(self) -> tuple[int, int, int, int]:
        """First column and row, columns and rows, as `render` takes them."""
        return (self.column, self.row, self.size, self.size)

    @property
    def clear(self) -> bool:
        """Whether no end, border or other rod is expected inside."""
        return self.clearance > self.size / math.sqrt(2)

    @property
    def middle(self) -> float:
        """Number of the scan line in the middle."""
        return (self.size - 1) / 2


@dataclass(frozen=True)
class Slot:
    """Which part of which rod a camera looks at.

    >>> pk.vision.Slot(camera=0, rod=2, stretch=(0.0, 0.5)).rod
    2
    """

    camera: int
    """Number of the camera."""
    rod: int
    """Number of the rod."""
    stretch: tuple[float, float] = (0.0, 1.0)
    """Between which shares of what it sees of the rod."""

    def __post_init__(self) -> None:
        for name in ("camera", "rod"):
            if getattr(self, name) < 0:
                raise VisionError("slot", name, f"must be a number of the rig, from 0, got {getattr(self, name)!r}")
        if len(self.stretch) != 2 or not 0 <= self.stretch[0] < self.stretch[1] <= 1:
            raise VisionError("slot", "stretch", f"must be two rising shares from 0 to 1, got {self.stretch!r}")


@dataclass(frozen=True)
class Schedule:
    """Regions one after the other, over and over.

    >>> schedule = pk.vision.schedule_of(rig, regions=8, cycle=2e-3)
    >>> schedule.slots[0].rod, schedule.time(12)  # in the second cycle
    (0, 0.003)
    """

    slots: tuple[Slot, ...]
    """What is looked at in a cycle, in order."""
    cycle: float
    """Time from a slot to the same slot of the next cycle [s]."""

    def slot(self, k: int) -> Slot:
        """Return what the k-th region since the start looks at.

        >>> schedule.slot(9).rod
        1
        """
        return self.slots[k % len(self.slots)]

    def time(self, k: int) -> float:
        """Return when the k-th region since the start is read [s].

        >>> schedule.time(8)
        0.002
        """
        return self.cycle * k / len(self.slots)


def schedule_of(rig: Rig, regions: int = 8, cycle: float = 2e-3) -> Schedule:
    """Return a schedule of so many regions a cycle [s]: every rod of every camera in turn, and new places each round.

    >>> [slot.rod for slot in pk.vision.schedule_of(rig, regions=8).slots]
    [0, 1, 2, 3, 0, 1, 2, 3]
    """
    if regions < 1 or not 0 < cycle < math.inf:
        raise VisionError(rig.robot.name, "schedule", f"must be at least one region in > 0 s, got {regions} in {cycle}")
    pairs = [(camera, rod) for rod in range(len(rig.rods)) for camera in range(len(rig.cameras))]
    rounds = max(1, math.ceil(regions / len(pairs)))
    chosen = [
        Slot(*pairs[k % len(pairs)], (k // len(pairs) / rounds, (k // len(pairs) + 1) / rounds)) for k in range(regions)
    ]
    return Schedule(tuple(chosen), cycle)


def regions_at(
    rig: Rig, pose: ArrayLike, *, per_rod: int = 1, time: float = 0.0, others: Sequence[Rod] = ()
) -> list[PictureRegion]:
    """Return regions of all rods in all cameras at one pose; a rod that a camera does not see has none.

    per_rod: in how many stretches of equal length what is seen of a rod has a region. Regions of one rod share no
    pixels, whose noise would count twice: a stretch without room beside the others has none. others: rods that may be
    in the way.

    >>> len(pk.vision.regions_at(rig, robot.home, per_rod=2)), len(pk.vision.regions_at(rig, robot.home, per_rod=64))
    (8, 40)
    """
    scenes = [cylinders_at(rig, pose, camera, others) for camera in range(len(rig.cameras))]
    found: list[PictureRegion] = []
    for slot in schedule_of(rig, per_rod * len(rig.rods) * len(rig.cameras)).slots:
        taken = [region for region in found if (region.camera, region.rod) == (slot.camera, slot.rod)]
        region = _placed(rig.cameras[slot.camera], scenes[slot.camera], slot, taken)
        if region is not None:
            found.append(replace(region, time=time))
    return found


def picture_region(
    rig: Rig, pose: ArrayLike, slot: Slot, *, time: float = 0.0, others: Sequence[Rod] = ()
) -> PictureRegion | None:
    """Return the region of a slot at one pose; None where the camera does not see that rod.

    >>> region = pk.vision.picture_region(rig, robot.home, schedule.slot(3), time=schedule.time(3))
    >>> region.rod, region.time
    (3, 0.00075)
    """
    region = _placed(rig.cameras[slot.camera], cylinders_at(rig, pose, slot.camera, others), slot, ())
    return None if region is None else replace(region, time=time)


def _placed(
    camera: Camera, scene: Sequence[Cylinder], slot: Slot, taken: Sequence[PictureRegion]
) -> PictureRegion | None:
    """Return the region of a slot in a scene that overlaps none of those of its rod; None where there is no room."""
    own = next((rod for rod in scene if rod.number == slot.rod and not rod.other), None)
    if own is None or not np.isfinite(own.n).all():
        return None
    span = visible_span(camera, own.A, own.x, own.ends)
    if span is None:
        return None
    start, end = (span[0] + share * (span[1] - span[0]) for share in slot.stretch)
    t = start + (end - start) * (np.arange(CANDIDATES) + 0.5) / CANDIDATES
    middles = camera.pixels(own.A + t[:, None] * own.x)
    clearance = _clearances(camera, own, [rod for rod in scene if rod is not own], middles)
    needed = LINE / math.sqrt(2)
    inwards = -1e-3 * np.abs(np.arange(CANDIDATES) - (CANDIDATES - 1) / 2)  # of equals, the one in the middle
    liking = np.minimum(clearance, needed) + inwards
    for other in taken:
        beside = np.abs(middles - [other.column + other.middle, other.row + other.middle]).max(axis=-1)
        liking = np.where(beside < other.size + 1, -np.inf, liking)
    best = int(np.argmax(liking))
    if liking[best] == -np.inf:
        return None
    region = _region(camera, own, slot, float(t[best]))
    if region is None or any(_overlap(region, other) for other in taken):  # a border may have pushed it back
        return None
    return replace(region, clearance=float(clearance[best]))


def _overlap(one: PictureRegion, other: PictureRegion) -> bool:
    """Return whether two regions of a camera share pixels."""
    apart = [(a.column + a.size <= b.column or a.row + a.size <= b.row) for a, b in ((one, other), (other, one))]
    return not any(apart)


def _clearances(camera: Camera, own: Cylinder, others: Sequence[Cylinder], middles: Array) -> Array:
    """Return how far places (places, 2) [px] are from ends of their rod, borders of the picture, and other rods."""
    ends = camera.pixels(own.A + np.array(own.ends)[:, None] * own.x)
    last = np.array(camera.size) - 1
    borders = np.minimum(middles, last - middles).min(axis=-1) + 0.5
    # A border may be touched, not crossed: a region there loses scan lines only where it is beyond half its size.
    clearance = np.where(borders >= LINE / 2, np.inf, borders)
    for end in ends[camera.shows(ends)]:
        clearance = np.minimum(clearance, np.linalg.norm(middles - end, axis=-1))
    for rod in others:
        t = np.linspace(*rod.ends, AXIS_POINTS)
        axis = rod.A + t[:, None] * rod.x
        with np.errstate(invalid="ignore"):
            half = rod.radius * max(camera.focal) / axis[:, 2]
        distance = np.linalg.norm(middles[:, None] - camera.pixels(axis), axis=-1) - half
        clearance = np.minimum(clearance, np.nanmin(distance, axis=-1, initial=np.inf))
    return clearance


def _region(camera: Camera, rod: Cylinder, slot: Slot, t: float) -> PictureRegion | None:
    """Return the region around a place t along a rod; None if the picture is smaller than that."""
    middle = camera.pixels(rod.A + t * rod.x)
    step = 1e-3 * rod.radius
    along = camera.pixels(rod.A + (t + step) * rod.x) - middle
    rows = bool(abs(along[1]) >= abs(along[0]))
    reach = 1.5 * LINE * step / max(float(np.linalg.norm(along)), 1e-9)
    curves = [_curve(camera, rod.A - rod.radius * n, rod.x, t + reach * STEPS_ALONG) for n in rod.n]
    curves = [curve[np.argsort(curve[:, 1])] for curve in (uv if rows else uv[:, ::-1] for uv in curves)]
    across = int(not rows)
    places = np.array([np.interp(middle[1 - across], curve[:, 1], curve[:, 0]) for curve in curves], float)
    size = min(LINE, 2 * math.ceil((float(np.ptp(places)) + SIZE_BESIDE_ROD) / 2))
    if min(camera.size) < size:
        return None
    first = np.clip(np.rint(middle - (size - 1) / 2).astype(int), 0, np.array(camera.size) - size)
    line = first[1 - across] + (size - 1) / 2
    edges = np.stack([_cubic(curve[:, 1] - line, curve[:, 0] - first[across], size) for curve in curves])
    return PictureRegion(slot.camera, slot.rod, int(first[0]), int(first[1]), size, rows, edges)


def _curve(camera: Camera, edge: Array, x: Array, places: Array) -> Array:
    """Return the pixels (points, 2) of places along a contour that are before the camera."""
    uv = camera.pixels(edge + places[:, None] * x)
    return uv[np.isfinite(uv).all(axis=-1)]


def _cubic(line: Array, position: Array, size: int) -> Array:
    """Return the coefficients (4,) of a cubic through positions at scan lines, those within the region's size."""
    near = np.abs(line) <= 0.75 * size
    scaled = line[near] / size
    powers = scaled[:, None] ** np.arange(4)
    coefficients = np.linalg.lstsq(powers, position[near], rcond=None)[0]
    return np.asarray(coefficients / float(size) ** np.arange(4), np.float64)

"""How a camera watches a moving robot: which regions in turn, how good their edges are, and how late they come.

How good edges are is fitted to regions whose truth is known. With d1, d2 on one edge and d3, d4 on the other of a
region, distances of its points inside the true contours:

    bias       -mean of all d                                        all edges lie outside
    deviation  from (d1 - d2)/sqrt(2) and (d3 - d4)/sqrt(2)          noise of the points, which is their own
    shift      from (d1 + d2 - d3 - d4)/4, less what the points' own noise leaves in it
    width      from (d1 + d2 + d3 + d4)/4, in the same way
    dropped    share of regions without a point
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array
from parakin.errors import VisionError
from parakin.vision.observers.beliefs import SIDES
from parakin.vision.observers.ideal_regions import Region
from parakin.vision.rigs.rig import Rig
from parakin.vision.rigs.sightings import Sightings, offsets_at

AHEAD_STEPS = 2
"""Steps of a control period in which a latency is predicted: at 80 m/s^2 and 20 rad/s each is off by 0.3 um."""
ALWAYS = 1e3
"""Stands for a threshold that no normal number exceeds, because kernels take finite numbers."""


@dataclass(frozen=True)
class Watching:
    """Regions of interest that follow each other through a cycle of rods and places, for an observer in a loop.

    >>> watching = pk.vision.Watching(latency=2e-3)
    >>> watching.turns(rig)[:2]
    ((0, 0, 0.6), (0, 1, 0.6))
    """

    rate: float = 4000.0
    """Regions in a second [Hz]."""
    places: tuple[float, ...] = (0.6, 0.9)
    """Where on each rod its regions are, one after the other, as a share of its length from the root."""
    width: float = 48.0
    """Width of a region along the rod [px]."""
    points: int = 40
    """Points that are found on each edge of a region."""
    latency: float = 0.0
    """How long after a region was seen its points are known [s]."""
    compensated: bool = True
    """Whether the law is told where the robot will have come after the latency, rather than where it was."""

    def __post_init__(self) -> None:
        rules = (
            ("rate", 0 < self.rate < math.inf, "> 0 Hz"),
            ("places", len(self.places) > 0 and all(0 <= place <= 1 for place in self.places), "shares from 0 to 1"),
            ("width", 0 < self.width < math.inf, "> 0 px"),
            ("points", self.points >= 2, "at least 2"),
            ("latency", 0 <= self.latency < 1, ">= 0 s and below a second"),
        )
        for name, good, rule in rules:
            if not good:
                raise VisionError("watching", name, f"must be {rule}, got {getattr(self, name)!r}")

    def turns(self, rig: Rig) -> tuple[tuple[int, int, float], ...]:
        """Return camera, rod and place of each region of a cycle: all rods of all cameras at the first place, then on.

        >>> len(pk.vision.Watching().turns(rig))  # four rods, two places
        8
        """
        rods, cameras = range(len(rig.rods)), range(len(rig.cameras))
        return tuple((camera, rod, place) for place in self.places for camera in cameras for rod in rods)

    def looks(self, period: float) -> int:
        """Return how many regions come in a control period [s], a whole number.

        >>> pk.vision.Watching().looks(2e-3)
        8
        """
        return _whole(self.rate * period, "rate", f"give a whole number of regions in a period of {period:g} s")

    @property
    def late(self) -> int:
        """How many regions later than it was seen a region is known, a whole number."""
        return _whole(self.latency * self.rate, "latency", f"be a whole number of regions at {self.rate:g} Hz", least=0)

    def ahead(self, period: float) -> tuple[int, ...]:
        """Return for each step of a prediction over the latency which of the regions on their way tells its forces.

        >>> pk.vision.Watching(latency=2e-3).ahead(2e-3)  # of eight, the oldest first
        (2, 6)
        """
        steps = math.ceil(AHEAD_STEPS * self.latency / period - 1e-9)
        return tuple(math.floor((k + 0.5) * self.late / steps) for k in range(steps))


def _whole(value: float, name: str, rule: str, least: int = 1) -> int:
    count = round(value)
    if count < least or abs(value - count) > 1e-9 * max(1, count):
        raise VisionError("watching", name, f"must {rule}, got {value:g}")
    return count


@dataclass(frozen=True)
class EdgeNoise:
    """How edges that are found in a region differ from contours: the noise model of compiled loops.

    >>> noise = pk.vision.EdgeNoise(deviation=0.06, bias=0.02, dropped=0.1)
    >>> round(noise.threshold, 3)  # of a normal number beyond which a region is dropped
    1.282
    """

    deviation: float = 0.04
    """Standard deviation of one point across its edge [px]; an edge of many points is as good as they are together."""
    bias: float = 0.0
    """How far outside its contour every edge is found [px]: as if all rods were thicker."""
    shift: float = 0.0
    """Standard deviation of what both edges of a region are off together, to one side [px]."""
    width: float = 0.0
    """Standard deviation of what both edges of a region are off together, outwards [px]."""
    dropped: float = 0.0
    """Share of regions in which nothing is found."""

    def __post_init__(self) -> None:
        rules = (
            ("deviation", 0 <= self.deviation < math.inf, "finite and >= 0 px"),
            ("bias", math.isfinite(self.bias), "finite [px]"),
            ("shift", 0 <= self.shift < math.inf, "finite and >= 0 px"),
            ("width", 0 <= self.width < math.inf, "finite and >= 0 px"),
            ("dropped", 0 <= self.dropped < 1, "from 0 to below 1"),
        )
        for name, good, rule in rules:
            if not good:
                raise VisionError("edge noise", name, f"must be {rule}, got {getattr(self, name)!r}")

    @property
    def threshold(self) -> float:
        """What a standard normal number exceeds with the share of dropped regions."""
        return NormalDist().inv_cdf(1 - self.dropped) if self.dropped else ALWAYS

    @property
    def numbers(self) -> dict[str, float]:
        """The numbers of a sensor that this noise stands for, by name: `PlatformSensor.with_numbers` takes them.

        >>> sorted(pk.vision.EdgeNoise().numbers)
        ['bias', 'deviation', 'shift', 'threshold', 'width']
        """
        own = {name: getattr(self, name) for name in ("deviation", "bias", "shift", "width")}
        return own | {"threshold": self.threshold}


FEWEST = 8
"""Regions that a fit needs at least."""


def region_offsets(rig: Rig, pose: ArrayLike, region: Region) -> Array:
    """Return how far the four points of a region lie inside the true contours at a pose (4,) [px]; NaN: not found.

    >>> region = pk.vision.region_at(rig, robot.home, rod=0, place=0.6)
    >>> bool(np.abs(pk.vision.region_offsets(rig, robot.home, region)).max() < 1e-9)
    True
    """
    camera, rod = int(region.camera), int(region.rod)
    ones = np.ones(len(SIDES), np.int64)
    m = np.where(region.deviation[:, None] > 0, region.m, 0.0)
    seen = Sightings(camera * ones, rod * ones, np.array(SIDES), m, np.asarray(region.deviation), np.zeros(len(SIDES)))
    lens = rig.cameras[camera]
    offsets = offsets_at(rig, pose, seen).distance * math.sqrt(lens.focal[0] * lens.focal[1])
    return np.where(region.deviation > 0, offsets, np.nan)


def fitted_noise(offsets: ArrayLike | Sequence[Array], points: int = 40) -> EdgeNoise:
    """Return the noise model of regions whose points lie so far inside the true contours (regions, 4) [px].

    points: that the model counts on each edge, as `Watching` has them. A region with a point that is NaN was dropped.

    >>> drawn = 0.01 * np.random.default_rng(1).normal(size=(500, 4))
    >>> noise = pk.vision.fitted_noise(drawn)
    >>> bool(abs(noise.deviation - 0.01 * np.sqrt(20)) < 2e-3)  # px; each of the two points stands for 20
    True
    """
    d = np.asarray(offsets, float)
    whole = np.isfinite(d).all(axis=-1)
    if d.ndim != 2 or d.shape[-1] != len(SIDES) or np.count_nonzero(whole) < FEWEST:
        raise VisionError("noise fit", "offsets", f"must be at least {FEWEST} regions of 4 points, got shape {d.shape}")
    seen = d[whole]
    own = float(np.mean(np.stack([seen[:, 0] - seen[:, 1], seen[:, 2] - seen[:, 3]]) ** 2) / 2)
    aside, outwards = (float(np.var(seen @ np.array(row) / 4)) for row in ((1, 1, -1, -1), (1, 1, 1, 1)))
    return EdgeNoise(
        deviation=math.sqrt(own * points / 2),
        bias=-float(seen.mean()),
        shift=math.sqrt(max(0.0, aside - own / 4)),
        width=math.sqrt(max(0.0, outwards - own / 4)),
        dropped=float(1 - np.count_nonzero(whole) / len(d)),
    )

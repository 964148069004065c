"""How a camera watches a moving robot: which regions in turn, how good their edges are, and how late they come."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

from parakin.errors import VisionError
from parakin.vision.rig import Rig

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

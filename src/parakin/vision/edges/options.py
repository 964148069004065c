"""What edges are looked for with, and in: options and regions that are checked once, before any pixel is read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np

from parakin.errors import VisionError
from parakin.vision.edges.looks import LOOKS, SHADING
from parakin.vision.edges.profile import LARGEST_BLUR, LEAST_BLUR
from parakin.vision.edges.regions import PictureRegion
from parakin.vision.edges.search import CAPTURE, LINE
from parakin.vision.rigs.rig import Rig

SENSOR_LIMITS = (0.0, 255.0)
"""Grey levels at which sensors of eight bits end."""


@dataclass(frozen=True)
class EdgeOptions:
    """Options of `find_edges`, which says what they mean."""

    robot: str
    """Whose edges these are, for messages."""
    polarity: int = 0
    """1 for rods brighter than what is behind, -1 for darker ones, 0 for either."""
    blur: float = 0.8
    """About what the lens's blur is [px]."""
    capture: float = CAPTURE
    """How far predictions may be off [px]."""
    shading: float = SHADING
    """How much the light on rods may vary [grey levels]."""
    looks: int = LOOKS
    """How often scan lines are looked at."""
    limits: tuple[float, float] | None = SENSOR_LIMITS
    """Grey levels at which the sensor's range ends; None where it has no ends."""

    def __post_init__(self) -> None:
        if not (isinstance(self.polarity, Real) and self.polarity in (-1, 0, 1)):
            self._refuse("polarity", "must be 1 for brighter rods, -1 for darker ones or 0 for either")
        self._check("blur", LEAST_BLUR, LARGEST_BLUR, "px: about that of the lens, 0.8 where it is not known")
        self._check("capture", 0.0, CAPTURE, "px: better predictions take more")
        self._check("shading", 0.0, math.inf, "grey levels: 0 for rods that are evenly bright")
        if not (isinstance(self.looks, Integral) and 2 <= self.looks <= LOOKS):
            self._refuse("looks", f"must be 2 or {LOOKS}")
        self._check_limits()

    @property
    def ends(self) -> tuple[float, float]:
        """Grey levels at which the sensor's range ends; infinite where it has no ends."""
        return (-math.inf, math.inf) if self.limits is None else self.limits

    def _check(self, name: str, least: float, most: float, remedy: str) -> None:
        value = getattr(self, name)
        if not (isinstance(value, Real) and math.isfinite(value) and least <= float(value) <= most):
            span = f"finite and >= {least:g}" if most == math.inf else f"from {least:g} to {most:g}"
            self._refuse(name, f"must be {span} {remedy}")

    def _check_limits(self) -> None:
        if self.limits is None:
            return
        ends = np.asarray(self.limits)
        if ends.shape != (2,) or ends.dtype.kind not in "uif" or not ends[0] < ends[1]:
            self._refuse("limits", "must be the darkest and the brightest grey level of the sensor, or None")

    def _refuse(self, name: str, rule: str) -> None:
        raise VisionError(self.robot, name, f"{rule}, got {getattr(self, name)!r}")


def check_regions(rig: Rig, regions: Sequence[PictureRegion]) -> None:
    """Refuse regions that are larger than scan lines can be, of cameras that are not there, or without a prediction."""
    for k, region in enumerate(regions):
        problems = {
            "size": (1 <= region.size <= LINE, f"must be from 1 to {LINE} px, got {region.size!r}"),
            "camera": (
                0 <= region.camera < len(rig.cameras),
                f"must be one of the rig's {len(rig.cameras)}, from 0, got {region.camera!r}",
            ),
            "edges": (np.isfinite(region.edges).all(), "must be finite: predict them by picture_region"),
        }
        for name, (fine, message) in problems.items():
            if not fine:
                raise VisionError(rig.robot.name, f"regions[{k}].{name}", message)

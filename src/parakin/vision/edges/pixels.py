"""Pixels that say nothing of an edge: those at the ends of the sensor's range, and those that are no grey levels.

A plateau that is clipped is lower than its light, and the blurred step is found where it reaches half of the lower one:
edges of rods of 285 before 105 grey levels, clipped at 255, lie 0.18 px outside, and nothing in their residuals tells.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array
from parakin.vision.edges.looks import Look, ScanLines
from parakin.vision.edges.scan import INNER_REACH
from parakin.vision.edges.search import HALF_WINDOW, LINE

LARGEST_CLIPPED = 0.4
"""Share of scan lines that may be clipped at one place of a profile. Noise about a light just below the end of the
range then loses 0.28 of its deviation in the mean, which shifts the edge by half of the claimed deviation."""
LARGEST_CLIPPED_INSIDE = 0.5
"""Share of a rod's pixels between its profiles that may be clipped. Beyond, little is left to tell of shading, and all
of the rod's edges would be found too far inside."""
FEWEST_LINES = 8
"""Scan lines that such a share is one of at least: fewer are chance."""


def no_grey_levels(patch: NDArray[np.float64 | np.uint8], limits: tuple[float, float]) -> bool:
    """Return whether pixels are not finite, are scaled to 0..1, or are a whole range beyond the sensor's limits."""
    least, most = float(patch.min()), float(patch.max())
    if not (np.isfinite(least) and np.isfinite(most)):
        return True
    span = limits[1] - limits[0]
    if np.isfinite(span) and (most > limits[1] + span or least < limits[0] - span):
        return True
    return 0 <= least < most <= 1 and bool(np.any(patch != np.rint(patch)))


def saturated(lines: ScanLines, look: Look) -> NDArray[np.bool_]:
    """Return which edges (regions, 2) are clipped in their profile, or bound a rod whose light is mostly clipped.

    Highlights further inside than profiles are fitted do not count for these.
    """
    clipped = lines.is_clipped(lines.grey)
    if not clipped.any():
        return np.zeros((len(lines.size), 2), bool)
    places = np.swapaxes(look.lines["places"], 1, 2)
    width = np.maximum(places[:, :, 1] - places[:, :, 0], 1.0)[:, :, None]
    reach = np.minimum(INNER_REACH[0] * look.lines["mean_blur"][:, None] + INNER_REACH[1], 0.5 * width)
    unlit = _clipped_inside(lines, look.good, clipped, places, reach) > LARGEST_CLIPPED_INSIDE
    return (_clipped_in_profile(lines, look.good, clipped, places, reach) > LARGEST_CLIPPED) | unlit[:, None]


def _clipped_in_profile(
    lines: ScanLines, good: Array, clipped: NDArray[np.bool_], places: Array, reach: Array
) -> Array:
    """Return the share of good scan lines (regions, 2) that are clipped at that place of the profile where most are.

    Places are pixels from the contour, as far as the profile is fitted.
    """
    offsets, inwards = np.arange(-HALF_WINDOW, HALF_WINDOW + 1), np.array([1, -1])
    pixel = np.floor(places + 0.5)[..., None] + inwards[:, None] * offsets
    counts = (pixel >= 0) & (pixel < lines.size[:, None, None, None]) & (offsets <= reach[..., None])
    counts &= good[..., None] > 0
    index = np.where(counts, pixel, 0).astype(np.int64).reshape(*pixel.shape[:2], -1)
    hit = np.take_along_axis(clipped, index, axis=2).reshape(pixel.shape) & counts
    return (hit.sum(axis=1) / np.maximum(counts.sum(axis=1), FEWEST_LINES)).max(axis=-1)


def _clipped_inside(lines: ScanLines, good: Array, clipped: NDArray[np.bool_], places: Array, reach: Array) -> Array:
    """Return the share of pixels (regions,) that are clipped between the profiles of both edges."""
    pixel = np.arange(LINE)
    inside = (pixel > (places + reach)[:, :, :1]) & (pixel < (places - reach)[:, :, 1:])
    inside &= (pixel < lines.size[:, None, None]) & (good > 0).any(axis=-1, keepdims=True)
    return (inside & clipped).sum(axis=(1, 2)) / np.maximum(inside.sum(axis=(1, 2)), 1)

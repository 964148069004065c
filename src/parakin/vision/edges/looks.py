"""Looks at the scan lines of regions: profiles and lines once, from what was known before.

A first look knows the predicted contours alone; later ones begin where it ended, with the blur of the edges and the
light across the rods.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, frozen_arrays
from parakin.vision.edges.line import line_kernel
from parakin.vision.edges.profile import LEAST_BLUR
from parakin.vision.edges.scan import first_scan_kernel, later_scan_kernel
from parakin.vision.edges.search import ACROSS, HALF_WINDOW, LINE
from parakin.vision.edges.shading import light_kernel

LOOSE_PULL = (0.03, 0.0)
"""How firmly blur, and the level inside, of a scan line are pulled in a first look: half a pixel of doubt, and all."""
LATER_PULLS = ((0.03, 1.0), (30.0, 1.0))
"""The same in later looks, which know the level inside like one more pixel; the last one fixes the blur."""
LATER_STEPS = (2, 1)
"""Gauss and Newton's steps of later looks, from some tenths of a pixel and some hundredths of one."""
LOOKS = 1 + len(LATER_PULLS)
"""How often scan lines are looked at."""
ALIGNED = 1.0
"""How far the middle of a scan line's pixels may be from the rod's, where the light is fitted [px]."""
CLIPPED_AT_PLACE = 0.1
"""Share of a place's pixels that may be at the ends of the sensor's range, where the light is fitted."""
STEP_LEFT = 0.25
"""Share of the last look's step that another one might still take: measured on matt rods, with and without a gloss."""
PIXELS_ACROSS = np.arange(ACROSS) - ACROSS // 2
"""Pixels around the middle of a rod that its light is fitted to [px]."""
SHADING = 60.0
"""How much the light on rods may vary where nothing else is said [grey levels]."""


@frozen_arrays
class ScanLines:
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
    """1 for rods brighter than what is behind, -1 for darker ones, 0 for either."""
    places: dict[str, Array]
    """Origin, rows and camera of each edge (regions, 2, ...), for the kernel of lines."""
    ends: tuple[float, float]
    """Grey levels at which the sensor's range ends; infinite where it has no ends."""

    def is_clipped(self, grey: Array) -> NDArray[np.bool_]:
        """Return which grey levels are at the ends of the sensor's range: their light may be anything beyond."""
        return (grey <= self.ends[0]) | (grey >= self.ends[1])

    @property
    def lengths(self) -> Array:
        """Pixels of every scan line (regions, 48), 0 of those that fill up a region."""
        return np.where(np.arange(LINE) < self.size[:, None], self.size[:, None], 0.0)

    @property
    def expected(self) -> Array:
        """Where edges are expected in every scan line (regions, 48, 2)."""
        numbers = np.arange(LINE) - 0.5 * (self.size[:, None] - 1)
        return (numbers[:, :, None] ** np.arange(4)) @ np.swapaxes(self.edges, 1, 2)

    @property
    def shown(self) -> NDArray[np.bool_]:
        """Which edges are expected in at least half of the scan lines (regions, 2)."""
        last = self.size[:, None, None] - 1 - HALF_WINDOW
        inside = (self.expected >= HALF_WINDOW) & (self.expected <= last) & (self.lengths[:, :, None] > 0)
        return inside.sum(axis=1) >= 0.5 * self.size[:, None]


@frozen_arrays
class Look:
    """What a look at scan lines has found."""

    lines: dict[str, Array]
    """Outputs of the kernel of lines (regions, 2, ...)."""
    good: Array
    """Which edges of scan lines can be used (regions, 48, 2)."""
    contrast: Array
    """Mean contrast (regions, 2) [grey levels]."""
    common: Array
    """Deviation along scan lines that all of an edge has: light in doubt, and steps to come (regions, 2) [px]."""


@frozen_arrays
class Across:
    """Pixels across rods, as the first look has read them."""

    middle: Array
    """The pixel in the middle of the rod (regions, 48)."""
    counted: Array
    """Which pixels around that are in their scan line (regions, 48, 32)."""
    grey: Array
    """Their grey levels, 0 for others (regions, 48, 32)."""
    squares: Array
    """Squares of these (regions, 48, 32)."""
    clipped: Array
    """Which of them are at the ends of the sensor's range (regions, 48, 32)."""


def first_look(lines: ScanLines, capture: float, blur: Array) -> tuple[Look, Across]:
    """Search scan lines, fit profiles and lay lines through them; blur: along scan lines (regions,) [px]."""
    given = {"grey": lines.grey, "length": lines.lengths, "places": lines.expected, "blur": blur[:, None]}
    given |= {"capture": np.array(capture, float), "polarity": np.array(lines.polarity), "pull": np.array(LOOSE_PULL)}
    profiles = first_scan_kernel().evaluate(given)
    middle = profiles["middle"][:, :, None]
    found = middle + PIXELS_ACROSS
    # The search reads pixels around middles that are in their line; rods that leave it have theirs before its first.
    counted = ((middle >= 0) & (found >= 0) & (found < lines.size[:, None, None])).astype(float)
    grey = profiles["across"] * counted
    clipped = np.where(lines.is_clipped(profiles["across"]), counted, 0.0)
    pixels = Across(profiles["middle"], counted, grey, grey**2, clipped)
    return _look(lines, profiles, np.zeros((len(blur), 2))), pixels


def later_look(lines: ScanLines, before: Look, across: Across, shading: float, number: int) -> Look:
    """Fit profiles and lay lines from where a look before has ended, with the light across the rods.

    number: of the look, from 0 for the first of the later ones.
    """
    pull = LATER_PULLS[number]
    # Both edges have the blur of one lens and one motion. A highlight that is not known yet adds to that of one edge.
    agree, blurs = before.lines["lines"], before.lines["mean_blur"]
    blur = np.maximum(np.sum(agree * blurs, axis=1) / np.maximum(agree.sum(axis=1), 1), LEAST_BLUR)
    least = np.where(agree > 0, blurs, blur[:, None]).min(axis=1)
    places = np.swapaxes(before.lines["places"], 1, 2)
    across_rod = _means_across(lines, before, across, places)
    light = light_kernel().evaluate(across_rod | {"blur": least, "shading": np.array(shading, float)})
    firm = np.stack([np.full(len(blur), pull[0]), pull[1] * light["known"]], axis=-1)
    given = {name: light[name][:, None] for name in ("level", "shade", "lobe")}
    given |= {"grey": lines.grey, "length": lines.lengths, "places": places, "blur": blur[:, None]}
    given |= {"sign": np.where(before.contrast.sum(axis=1) < 0, -1.0, 1.0)[:, None], "pull": firm[:, None]}
    profiles = later_scan_kernel(LATER_STEPS[number]).evaluate(given)
    shares = _shares(profiles["good"])
    by_light = np.einsum("rke,rkel->rel", shares, profiles["by_light"])
    doubt = light["doubt"].reshape(-1, 2, 4, 4)
    found = _look(lines, profiles, np.sqrt(np.einsum("rel,relm,rem->re", by_light, doubt, by_light)))
    step = np.mean(found.lines["places"] - before.lines["places"], axis=-1)
    return replace(found, common=np.hypot(found.common, STEP_LEFT * step))


def _means_across(lines: ScanLines, before: Look, across: Across, places: Array) -> dict[str, Array]:
    """Return the pixels across rods, averaged over scan lines, as the kernel of light takes them.

    Scan lines count that have found every edge that they reach: there the rod has no end, and nothing is before it.
    """
    beyond = (places < HALF_WINDOW) | (places > lines.size[:, None, None] - 1 - HALF_WINDOW)
    seen = before.good > 0
    shift = across.middle - places.mean(axis=-1)
    whole = (seen | beyond).all(axis=-1) & seen.any(axis=-1) & (np.abs(shift) <= ALIGNED)
    rows = np.stack([whole, whole * shift, whole * (places[:, :, 1] - places[:, :, 0])], axis=1)
    count, shifts, widths = np.moveaxis(rows @ across.counted, 1, 0)
    number = np.maximum(count, 1.0)
    # All of a place or none: to leave out its clipped pixels alone would make the rest darker than the light is.
    lit = (rows[:, :1] @ across.clipped)[:, 0] <= CLIPPED_AT_PLACE * count
    return {
        "mean": (rows[:, :1] @ across.grey)[:, 0] / number,
        "square": (rows[:, :1] @ across.squares)[:, 0] / number,
        "count": count * lit,
        "x": PIXELS_ACROSS + shifts / number,
        "width": np.maximum(widths.max(axis=1) / number.max(axis=1), 1.0),
    }


def _look(lines: ScanLines, profiles: dict[str, Array], common: Array) -> Look:
    by_edge = {name: np.swapaxes(profiles[name], 1, 2) for name in ("position", "formal", "noise", "good")}
    by_edge["blur"] = np.swapaxes(profiles["found_blur"], 1, 2)
    middle = 0.5 * (lines.size[:, None] - 1)
    found = line_kernel().evaluate({**by_edge, "edge": lines.edges, "middle": middle, **lines.places})
    contrast = np.sum(_shares(profiles["good"]) * profiles["contrast"], axis=1)
    return Look(found, profiles["good"], contrast, common)


def _shares(good: Array) -> Array:
    """Return the weights of scan lines (regions, 48, 2) in means over those that are good."""
    return good / np.maximum(good.sum(axis=1, keepdims=True), 1)

"""Looks at the scan lines of regions: search, profiles and lines once, from what was known before.

A first look knows the predicted contours alone; later ones begin where it ended, with the blur of the edges and the
light across the rods.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, lock_arrays
from parakin.vision.edge_line import line_kernel
from parakin.vision.edge_profile import FARTHEST, FIRST_STEPS, LATER_STEPS, profile_kernel
from parakin.vision.edge_search import HALF_WINDOW, LINE, search_kernel
from parakin.vision.edge_shading import light_across

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


@dataclass(frozen=True, eq=False)
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

    def __post_init__(self) -> None:
        lock_arrays(self)

    def at(self, edges: Array) -> Array:
        """Return where cubics (regions, 2, 4) are in every scan line (regions, 48, 2)."""
        numbers = np.arange(LINE) - 0.5 * (self.size[:, None] - 1)
        return np.einsum("rkp,rep->rke", numbers[:, :, None] ** np.arange(4), edges)


@dataclass(frozen=True, eq=False)
class Expected:
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


def moved(edges: Array, found: dict[str, Array]) -> Array:
    """Return cubics (regions, 2, 4) moved by the lines that were laid through what differed from them."""
    new = edges.copy()
    new[:, :, 0] += found["a"] - found["b"] * found["k_mean"]
    new[:, :, 1] += found["b"]
    return new


def unshaded(capture: float, blur: Array) -> Expected:
    """Return what a first look begins with, which knows of no shading."""
    none = np.zeros(blur.shape)
    shade, doubt = np.zeros((*blur.shape, 2)), np.zeros((*blur.shape, 3, 3))
    return Expected(capture, blur, none + HALF_WINDOW, none, shade, doubt)


def shaded(lines: ScanLines, edges: Array, found: dict[str, Array], shading: float) -> Expected:
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
    return Expected(SECOND_CAPTURE, blur, reach, shade[:, :, 2], shade[:, :, :2], doubt)


def look(lines: ScanLines, edges: Array, expected: Expected, pull: tuple[float, float]) -> dict[str, Array]:
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


def _good_lines(lines: ScanLines, centre: Array, fit: dict[str, Array], sign: Array) -> NDArray[np.bool_]:
    """Return which edges of scan lines (regions, 48, 2) can be used."""
    contrast = fit["contrast"] * sign[:, :, None]
    inside = (centre >= HALF_WINDOW - 2) & (centre <= lines.size[:, None, None] - 1 - (HALF_WINDOW - 2))
    inside &= (np.arange(LINE) < lines.size[:, None])[:, :, None]
    strong = contrast > np.maximum(LEAST_CONTRAST, LEAST_SIGNAL * fit["noise"])
    near = np.abs(fit["position"]) < FARTHEST - 0.01
    return inside & strong & near & (fit["formal"] * fit["noise"] < LARGEST_DEVIATION)

"""Where in a scan line the two edges of a rod are, to a pixel or two: a search by differences, a stage of a kernel.

    g_i = ((y_i+1 + y_i+2) - (y_i-1 + y_i-2))/2                 about the contrast at an edge
    shift = argmax_j  polarity (g[lower + j] - g[upper + j])     one shift j for both edges, which keeps the rod's width

A stripe of light on the rod, or an edge behind it, has another width or one edge only, and loses. Each edge then takes
its own steepest place within two pixels of that. Everything is selects: constant work, whatever the picture.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca

LINE = 48
"""Pixels of a scan line; shorter ones are filled up, and say their length."""
CAPTURE = 10
"""How far a prediction may be off [px]."""
REFINEMENT = 2
"""How far from the common shift each edge is looked for by itself [px]."""
HALF_WINDOW = 6
"""Pixels on each side of an edge that its profile is fitted to."""
WINDOW = 2 * HALF_WINDOW + 1
"""Pixels that the profile of an edge is fitted to."""
PADDING = 16
"""Places before a line's first pixel that a window may begin at."""
ACROSS = 32
"""Pixels across a rod that its light is fitted to, from 16 below its middle to 15 above."""


def search_function() -> ca.Function:
    """Return the search in one scan line, and what is read of it.

    grey (48) [grey levels], length [px], places (2): where the lower and the upper edge are expected [px], capture
    [px], polarity (1 for rods brighter than what is behind, -1 for darker ones, 0 for either) -> centre (2): pixels
    at the edges, window_0, window_1 (13): grey levels around them, turned so that the rod is on their right; sign:
    the polarity that was found; middle: the pixel in the middle of the rod, across (32): grey levels around that.
    """
    grey, length, places = ca.SX.sym("grey", LINE), ca.SX.sym("length"), ca.SX.sym("places", 2)
    capture, polarity = ca.SX.sym("capture"), ca.SX.sym("polarity")
    y = ca.vertsplit(grey)
    padded = [ca.SX(0)] * PADDING + [_difference(y, i, length) for i in range(LINE)]
    base = [ca.floor(places[side] + 0.5) for side in (0, 1)]
    reach = CAPTURE + REFINEMENT
    near = [shifted(padded, base[side] - reach + PADDING, 2 * reach + 1) for side in (0, 1)]
    shift, sign = _common_shift(near[0], near[1], capture, polarity)
    centre = [
        base[side] + _own_shift([inwards * sign * value for value in near[side]], shift, ca.fmin(capture, REFINEMENT))
        for side, inwards in ((0, 1.0), (1, -1.0))
    ]
    middle = ca.floor(0.5 * (centre[0] + centre[1]) + 0.5)
    inputs = {"grey": grey, "length": length, "places": places, "capture": capture, "polarity": polarity}
    outputs = {"centre": ca.vertcat(*centre), "sign": sign, "middle": middle, **windows_at(y, centre)}
    outputs["across"] = ca.vertcat(*shifted(_held(y), middle - ACROSS // 2 + PADDING, ACROSS))
    return ca.Function("search", list(inputs.values()), list(outputs.values()), list(inputs), list(outputs))


def windows_at(y: Sequence[ca.SX], centre: Sequence[ca.SX]) -> dict[str, ca.SX]:
    """Return the windows around the pixels of both edges, the upper one turned, by name."""
    held = _held(y)
    lower, upper = (shifted(held, pixel - HALF_WINDOW + PADDING, WINDOW) for pixel in centre)
    return {"window_0": ca.vertcat(*lower), "window_1": ca.vertcat(*reversed(upper))}


def _held(y: Sequence[ca.SX]) -> list[ca.SX]:
    """Return a line with its first and last pixels repeated beyond its ends."""
    return [y[0]] * PADDING + list(y) + [y[-1]] * PADDING


def shifted(values: Sequence[ca.SX], start: ca.SX, count: int) -> list[ca.SX]:
    """Return values[start : start + count] for a start that is only known at run time, from 0 to 63: six selects each.

    Starts below 0 count as 0, those above 63 as 63; beyond the values there are zeros.
    """
    rest = ca.fmin(ca.fmax(start, 0), 63)
    now = list(values) + [ca.SX(0)] * (count + 63 - len(values))
    for step in (32, 16, 8, 4, 2, 1):
        far = rest >= step
        rest = rest - step * far
        now = [ca.if_else(far, now[i + step], now[i]) for i in range(count + step - 1)]
    return now


def _difference(y: Sequence[ca.SX], i: int, length: ca.SX) -> ca.SX:
    """Return how steep a line is at a pixel; 0 where it does not reach two pixels to each side."""
    if not 2 <= i < LINE - 2:
        return ca.SX(0)
    return ca.if_else(i + 2 < length, 0.5 * ((y[i + 1] + y[i + 2]) - (y[i - 1] + y[i - 2])), 0)


def _common_shift(
    lower: Sequence[ca.SX], upper: Sequence[ca.SX], capture: ca.SX, polarity: ca.SX
) -> tuple[ca.SX, ca.SX]:
    """Return by how much both edges are off, and whether the rod is brighter (1) or darker (-1)."""
    best, shift, sign = ca.SX(-1), ca.SX(0), ca.SX(1)
    for j in sorted(range(-CAPTURE, CAPTURE + 1), key=abs):  # the nearest of equals
        score = lower[j + CAPTURE + REFINEMENT] - upper[j + CAPTURE + REFINEMENT]
        own = ca.if_else(ca.eq(polarity, 0), ca.if_else(score < 0, -1, 1), polarity)
        better = ca.logic_and(own * score > best, abs(j) <= capture)
        best = ca.if_else(better, own * score, best)
        shift, sign = ca.if_else(better, j, shift), ca.if_else(better, own, sign)
    return shift, sign


def _own_shift(steepness: Sequence[ca.SX], shift: ca.SX, reach: ca.SX) -> ca.SX:
    """Return where within reach of the common shift an edge is steepest."""
    best, own = ca.SX(-1), shift
    half = CAPTURE + REFINEMENT
    for j in range(-half, half + 1):
        value = steepness[j + half]
        better = ca.logic_and(value > best, ca.fabs(j - shift) <= reach)
        best, own = ca.if_else(better, value, best), ca.if_else(better, j, own)
    return own

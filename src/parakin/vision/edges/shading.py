"""How light falls off across a rod, from the pixels well inside it: what keeps shading out of the edges' positions.

    L(s) = l_0 + l_1 s + l_2 sqrt(1 - s^2) + a exp(-(x - m)^2/(2 u^2)),    x = s w/2 [px] from the rod's middle

The first three terms are what light from anywhere gives on a matt cylinder, s from -1 at the lower contour to 1 at the
upper one. The last one is a highlight. Only pixels count that the blur of the contours does not reach: means over scan
lines, which are aligned with the rod's middle to a pixel. Highlights are looked for at every pixel, in three widths;
the one that explains most is refined by Gauss and Newton's steps, if it explains more than noise does.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np

from parakin.kernels import Derivation, Kernel, Program, repeat, stage
from parakin.linalg.elimination import Factors, factorised
from parakin.vision.edges.profile import LIGHT
from parakin.vision.edges.search import ACROSS

MARGIN = (2.75, 1.0)
"""What is left out beside contours: in blurs, and pixels beside that."""
LOBES = ((1.2, 1), (1.8, 1), (2.7, 2))
"""Widths u of highlights that are looked for, and steps from one to the next [px]."""
FARTHEST_LOBE = 10
"""How far from the middle highlights are looked for [px]."""
GAIN = 16.0
"""By how much a highlight must lower the sum of squares: the best of some fifty lowers it by ten by chance."""
LOBE_STEPS = 5
"""Gauss and Newton's steps of light with a highlight."""
PLACE_DOUBT, WIDTH_DOUBT = 1.0, 0.5
"""How far highlights may be from the best of those that were looked for: place and width [px]."""
LEAST_WIDTH, LARGEST_WIDTH = 0.8, 4.0
"""Between what the width u of a highlight is kept [px]."""
BRIGHTEST = 200.0
"""How bright highlights may be: deviation about none [grey levels]."""
HOLLOW = 2.0
"""Deviations from which on l_2 is negative by more than chance."""
FIXED = 1e9
"""What keeps a number of the light at its value [1/unit^2]."""
FREE = 1e-9
"""What keeps a number of the light from being without any value [1/unit^2]."""
LEAST_NOISE = 1.0
"""Least deviation of pixels that is taken for granted [grey levels]: rounding, and paint."""
LEAST_COUNT = 4
"""Scan lines that a place needs."""
PLACE_NOISE = 0.3
"""Deviation of the light at a place from any model [grey levels], however many pixels it has."""
BINNING = 1 / 12
"""Variance of a pixel's width [px^2]: of the pixel itself, and of the alignment of scan lines to whole pixels."""


@functools.cache
def light_kernel() -> Kernel:
    """Compile the light across the rod of one region.

    mean, square (32): mean grey levels across the rod over its scan lines, and mean squares, count (32): of how many
    lines, x (32): where these are from the rod's middle, in the mean [px], width [px], blur [px], shading: how much
    light is to be reckoned to vary [grey levels] -> level (2): grey levels at the lower and the upper contour, shade
    (2, 3), lobe (2, 2) as in `profile`, doubt (8, 4): covariances of g, h, a and the level of both edges, one
    above the other, known: whether any pixel is well inside.
    """
    return Kernel(Derivation("light across a rod", _light_program), matrices="doubt")


def _light_program() -> Program:
    given = {name: ca.SX.sym(name, ACROSS) for name in ("mean", "square", "count", "x")}
    given |= {name: ca.SX.sym(name) for name in ("width", "blur", "shading")}
    begun = _begun(given)
    fit = {"theta": ca.SX.sym("theta", 6), "chosen": ca.SX.sym("chosen", 6), "prior": ca.SX.sym("prior", 6)}
    fit |= {name: given[name] for name in ("mean", "x")}
    fit |= {"matt": ca.SX.sym("matt", ACROSS, 3), "precision": ca.SX.sym("precision", ACROSS)}
    equations = _equations(fit)
    results = _results(fit | {"width": given["width"]}, equations)
    return Program(
        stage(_function("begin", given, begun)),
        repeat(LOBE_STEPS, stage(_function("step", fit, {"next": _kept(fit["theta"] + equations.step)}), next="theta")),
        stage(_function("results", fit | {"width": given["width"]}, results)),
        outputs=tuple(results),
        name="rod_light",
    )


def _begun(given: dict[str, ca.SX]) -> dict[str, ca.SX]:
    x, count = given["x"], given["count"]
    half, blur = 0.5 * given["width"], given["blur"]
    reach = half - MARGIN[0] * blur - MARGIN[1]
    inside = ca.fabs(x) <= reach
    s = x / half
    root = ca.sqrt(ca.fmax(1 - s * s, 0.01))
    # Blur takes half its variance times the second derivative, -1/(half^2 root^3), from the root.
    blurred = root - 0.5 * (blur**2 + 2 * BINNING) / (half**2 * root**3)
    matt = ca.horzcat(ca.SX([1.0] * ACROSS), s, blurred)
    # Where light is steep, pixels of one place differ by more than their noise: the harmonic mean passes these by.
    variance = ca.fmax(given["square"] - given["mean"] ** 2, 1e-3)
    inside *= count >= LEAST_COUNT
    noise = ca.fmax(ca.dot(inside, count), 1) / ca.fmax(ca.dot(inside, count / variance), 1e-9)
    precision = inside / (ca.fmax(noise, LEAST_NOISE**2) / ca.fmax(count, 1) + PLACE_NOISE**2)
    varied = 1 / ca.fmax(given["shading"], 1e-3) ** 2
    moments = matt.T @ (ca.repmat(precision, 1, 3) * matt) + ca.diag(ca.vertcat(FREE, varied, varied))
    factors = factorised(moments, range(3), range(3))
    levels = ca.vertcat(*factors.solved(ca.vertsplit(matt.T @ (precision * given["mean"]))))
    best = _best_lobe(Matt(matt, precision, levels, factors), given["mean"], reach)
    real = best.gain > GAIN
    chosen = ca.vertcat(0, 0, 0, 0, best.place, best.width)
    doubts = ca.if_else(real, ca.SX([1 / BRIGHTEST**2, 1 / PLACE_DOUBT**2, 1 / WIDTH_DOUBT**2]), FIXED)
    return {
        "matt": matt,
        "precision": precision,
        "chosen": chosen,
        "theta": ca.vertcat(levels, ca.if_else(real, best.height, 0), chosen[4:]),
        "prior": ca.vertcat(FREE, varied, varied, doubts),
    }


@dataclass(frozen=True)
class Matt:
    """Light that is fitted without a highlight."""

    basis: ca.SX
    """1, s and the blurred root at every place (32, 3)."""
    precision: ca.SX
    """Weights of places (32) [1/grey levels^2]."""
    levels: ca.SX
    """l_0, l_1, l_2 [grey levels], as if l_2 could be negative."""
    factors: Factors
    """Their moments, eliminated."""


@dataclass(frozen=True)
class Lobe:
    """A highlight that was looked for."""

    gain: ca.SX
    """By how much it lowers the sum of squares."""
    height: ca.SX
    """Its height [grey levels]."""
    place: ca.SX
    """Its place from the middle pixel [px]."""
    width: ca.SX
    """Its width u [px]."""


def _best_lobe(matt: Matt, mean: ca.SX, reach: ca.SX) -> Lobe:
    """Return the highlight that explains most of what matt light leaves.

        a = H^T W r/d,   d = H^T W H - h^T v,   v = M^-1 h,   h = B^T W H,   gain = a H^T W r

    with l_2 - a v_2 for l_2. Where that is hollow l_2 is held at zero, which costs l_2^2 over its variance.
    """
    precision = matt.precision
    residual = precision * (mean - matt.basis @ matt.levels)
    weighted = ca.horzsplit(ca.repmat(precision, 1, 3) * matt.basis)
    variance = matt.factors.solved([ca.SX(0), ca.SX(0), ca.SX(1)])[2]
    without = -(_hollow(matt.levels[2], variance) ** 2) / variance
    best = Lobe(ca.SX(0), ca.SX(0), ca.SX(0), ca.SX(LOBES[0][0]))
    pixels = np.arange(ACROSS) - ACROSS // 2
    for width, step in LOBES:
        for place in range(-FARTHEST_LOBE, FARTHEST_LOBE + 1, step):
            lobe = np.exp(-0.5 * ((pixels - place) / width) ** 2)
            H = ca.SX(ca.DM(np.where(lobe > 1e-3, lobe, 0.0)))
            right = ca.dot(H, residual)
            h = [ca.dot(H, column) for column in weighted]
            v = matt.factors.solved(h)
            free = ca.dot(H**2, precision) - sum(a * b for a, b in zip(h, v, strict=True))
            inverse = 1 / ca.fmax(free + 1 / BRIGHTEST**2, FREE)
            own = variance + v[2] ** 2 * inverse
            held = _hollow(matt.levels[2] - right * inverse * v[2], own) / own
            height = inverse * (right + v[2] * held)
            gain = inverse * right**2 - held**2 * own - without
            gain = ca.if_else(ca.logic_and(height > 0, abs(place) <= reach), gain, 0)
            more = gain > best.gain
            values = ((gain, best.gain), (height, best.height), (place, best.place), (width, best.width))
            best = Lobe(*(ca.if_else(more, new, old) for new, old in values))
    return best


@dataclass(frozen=True)
class Equations:
    """The normal equations of the light at its present numbers."""

    residual: ca.SX
    """What the light lacks (32)."""
    factors: Factors
    """Moments and priors, eliminated."""
    step: ca.SX
    """What is to be added to the numbers (6)."""


def _equations(fit: dict[str, ca.SX]) -> Equations:
    theta = fit["theta"]
    a, place, width = (theta[k] for k in (3, 4, 5))
    sharpness = 1 / width
    z = (fit["x"] - place) * sharpness
    H = ca.exp(-0.5 * z**2)
    by_place = a * sharpness * z * H
    columns = [*ca.horzsplit(fit["matt"]), H, by_place, z * by_place]
    residual = fit["mean"] - fit["matt"] @ theta[:3] - a * H
    weighted = [fit["precision"] * column for column in columns]
    N = ca.diag(fit["prior"])
    for i, j in itertools.combinations_with_replacement(range(6), 2):
        moment = ca.dot(weighted[i], columns[j])
        N[i, j] = moment + (fit["prior"][i] if i == j else 0)
        N[j, i] = N[i, j]
    factors = factorised(N, range(6), range(6))
    right = [ca.dot(column, residual) for column in weighted]
    lack = [fit["prior"][k] * (fit["chosen"][k] - theta[k]) for k in range(6)]
    step = ca.vertcat(*factors.solved([r + more for r, more in zip(right, lack, strict=True)]))
    column = ca.vertcat(*factors.solved(ca.vertsplit(ca.SX([0, 0, 1, 0, 0, 0]))))
    step -= column * _hollow(theta[2] + step[2], column[2]) / column[2]  # by Lagrange's multiplier
    return Equations(residual, factors, step)


def _hollow(level: ca.SX, variance: ca.SX) -> ca.SX:
    """Return l_2 where it is negative by more than chance, else 0: nothing matt is darkest in the middle.

    It is then held at zero.
    """
    return ca.if_else(ca.logic_and(level < 0, level**2 > HOLLOW**2 * variance), level, 0)


def _kept(theta: ca.SX) -> ca.SX:
    """Return the numbers of the light with a highlight that is no shadow, and neither a line nor half the rod."""
    place = ca.fmin(ca.fmax(theta[4], -FARTHEST_LOBE), FARTHEST_LOBE)
    return ca.vertcat(theta[:3], ca.fmax(theta[3], 0), place, ca.fmin(ca.fmax(theta[5], LEAST_WIDTH), LARGEST_WIDTH))


def _shrunk(fit: dict[str, ca.SX], column: ca.SX) -> ca.SX:
    """Return the light with less of l_2 where that is no more than chance: l_2 - var/l_2, not across 0.

    Many rods are evenly bright, and the noise of l_2 would move both of their edges inwards or outwards. Other numbers
    follow as the column of the covariance says. Its deviation is still reckoned with in full. Rods with a highlight
    keep what was found: there l_2 is often no more than chance and yet far from zero.
    """
    theta = fit["theta"]
    kept = ca.fmax(1 - column[2] / ca.fmax(theta[2] ** 2, 1e-9), 0)
    kept = ca.if_else(fit["prior"][3] < FIXED, 1, kept)
    return theta - column * (1 - kept) * theta[2] / column[2]


def _results(fit: dict[str, ca.SX], equations: Equations) -> dict[str, ca.SX]:
    """Return the light as both edges see it.

    g = l_2, h = +-2 l_1/w, a, and the level l_0 -+ l_1 at the lower and the upper contour. Where places differ from the
    light by more than their deviations, the covariance grows by that.
    """
    precision, width = fit["precision"], ca.fmax(fit["width"], 1)
    places = ca.sum1(precision > 0)
    excess = ca.dot(precision * equations.residual, equations.residual) / ca.fmax(places - 6, 1)
    rows = equations.factors.solved([ca.SX.eye(6)[k, :] for k in range(6)])
    covariance = ca.vertcat(*rows[:4])[:, :4] * ca.fmax(excess, 1)
    theta = _shrunk(fit, ca.vertcat(*rows)[:, 2])
    doubts: list[ca.SX] = []
    shades: list[ca.SX] = []
    lobes: list[ca.SX] = []
    for inwards in (1, -1):
        slope = 2 * inwards / width
        T = ca.SX.zeros(LIGHT + 1, 4)
        T[0, 2], T[1, 1], T[2, 3], T[3, 0], T[3, 1] = 1, slope, 1, 1, -inwards
        doubts.append(T @ covariance @ T.T)
        shades.append(T @ theta[:4])
        spread = ca.sqrt(theta[5] ** 2 - BINNING)
        lobes.append(ca.horzcat(0.5 * width + inwards * theta[4], spread))
    return {
        "level": ca.vertcat(*(shade[LIGHT] for shade in shades)),
        "shade": ca.vertcat(*(shade[:LIGHT].T for shade in shades)),
        "lobe": ca.vertcat(*lobes),
        "doubt": ca.vertcat(*doubts),
        "known": places > 0,
    }


def _function(name: str, inputs: dict[str, ca.SX], outputs: dict[str, ca.SX]) -> ca.Function:
    values: Sequence[ca.SX] = [ca.densify(ca.SX(value)) for value in outputs.values()]
    return ca.Function(name, list(inputs.values()), values, list(inputs), list(outputs), {"cse": True})

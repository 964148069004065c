"""How light falls off across a rod, from the pixels well inside it: what keeps shading out of the edges' positions.

    L(s) = l_0 + l_1 s + l_2 sqrt(1 - s^2),      s from -1 at the lower contour to 1 at the upper one

is what light from anywhere gives on a matt cylinder. Only pixels count that the blur of the contours does not reach.
A kernel puts the pixels of each scan line in line with the rod's middle, so that those of all scan lines can be added;
the light is fitted to these means, several times. Highlights are brighter than that: places across the rod lose their
weight that are farther off than those scatter which are darker.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import casadi as ca
import numpy as np

from parakin.arrays import Array, lock_arrays
from parakin.kernels import Derivation, Kernel, Program
from parakin.vision.edge_search import LINE, shifted

ACROSS = 32
"""Places across a rod, from 16 px below its middle to 15 px above."""
BEFORE = 20
"""Places before a line's first pixel that the window around a middle may begin at."""
LEVEL_ROUNDS = 6
"""Rounds in which rods are taken for evenly bright, so that a highlight is not taken for shading to begin with."""
ROUNDS = 12
"""Times that the light is fitted, from the second one on with weights."""
FIXED = 1e9
"""What keeps a coefficient at zero: l_1 and l_2 in these rounds, l_2 of rods that seem to be darkest in the middle."""
HOLLOW = 2.0
"""Deviations from which on l_2 is negative by more than chance: a highlight beside the middle looks like that."""
UNSHADED = np.diag([1e-9, FIXED, FIXED])
"""Moments of rods that are evenly bright."""
CUT = 2.5
"""Deviations beyond which a place counts nothing."""
LEAST_SCALE = 1.0
"""Least deviation of places from the light that is taken for granted [grey levels]: rounding, and paint."""
NOISE = 2.0
"""Noise of a pixel that doubts are compared with [grey levels]."""


@dataclass(frozen=True, eq=False)
class Light:
    """The light across rods, one for each region."""

    levels: Array
    """l_0, l_1, l_2 (regions, 3) [grey levels]."""
    covariance: Array
    """Their covariance (regions, 3, 3)."""

    def __post_init__(self) -> None:
        lock_arrays(self)


@functools.cache
def alignment_kernel() -> Kernel:
    """Compile the alignment of one scan line.

    grey (48), length, edges (2) [px], margin: what is left out beside each edge [px] -> aligned (32): pixels around the
    rod's middle, inside (32): which of them count, s (32): where across the rod they are.
    """
    return Kernel(Derivation("scan line aligned with a rod", _alignment_program))


def _alignment_program() -> Program:
    inputs = {"grey": ca.SX.sym("grey", LINE), "length": ca.SX.sym("length"), "edges": ca.SX.sym("edges", 2)}
    inputs |= {"margin": ca.SX.sym("margin")}
    lower, upper = inputs["edges"][0], inputs["edges"][1]
    middle = 0.5 * (lower + upper)
    centre = ca.floor(middle + 0.5)
    padded = [ca.SX(0)] * BEFORE + ca.vertsplit(inputs["grey"])
    start = centre - ACROSS // 2 + BEFORE
    places = centre + ca.SX(range(-(ACROSS // 2), ACROSS - ACROSS // 2))
    inside = (places >= lower + inputs["margin"]) * (places <= upper - inputs["margin"])
    inside = inside * (places >= 0) * (places < inputs["length"]) * (start >= 0) * (start <= 63)
    outputs = {
        "aligned": ca.vertcat(*shifted(padded, start, ACROSS)),
        "inside": inside,
        "s": 2 * (places - middle) / ca.fmax(upper - lower, 1),
    }
    function = ca.Function("align", list(inputs.values()), list(outputs.values()), list(inputs), list(outputs))
    return Program(function, outputs=tuple(outputs), name="edge_alignment")


def light_across(grey: Array, size: Array, edges: Array, margin: Array, shading: float) -> Light:
    """Return the light of rods in regions (regions, 48, 48).

    size: (regions,) of the regions; edges: of the rods in every scan line (regions, 48, 2), 0 where it is not to count;
    margin: (regions,) [px]; shading: how much of it is to be reckoned with [grey levels], which matters where few
    pixels are inside.
    """
    line = alignment_kernel()(grey=grey, length=size[:, None], edges=edges, margin=margin[:, None])
    inside, y = line["inside"], line["aligned"]
    number = inside.sum(axis=1)
    share = inside / np.maximum(number, 1.0)[:, None]
    mean, s = np.sum(share * y, axis=1), np.sum(share * line["s"], axis=1)
    within = np.sum(inside * (y - mean[:, None]) ** 2, axis=(1, 2))
    basis = np.stack([np.ones_like(s), s, np.sqrt(np.clip(1 - s * s, 0.0, None))], axis=-1)
    released = np.diag([1e-9, 1.0, 1.0]) * (NOISE / max(shading, 1e-3)) ** 2
    weight, residual = np.ones_like(s), np.zeros_like(s)
    levels, moments = np.zeros((len(s), 3)), np.zeros((len(s), 3, 3))
    for k in range(ROUNDS):
        own = number * weight
        moments = np.einsum("rj,rja,rjb->rab", own, basis, basis) + (released if k >= LEVEL_ROUNDS else UNSHADED)
        right = np.einsum("rj,rja->ra", own * mean, basis)
        levels = _solved(moments, right)
        deviation = NOISE * np.sqrt(np.asarray(np.linalg.inv(moments), np.float64)[:, 2, 2])
        hollow = levels[:, 2] < -HOLLOW * deviation
        moments[hollow, 2, 2] += FIXED
        levels[hollow] = _solved(moments[hollow], right[hollow])
        residual = mean - np.einsum("rja,ra->rj", basis, levels)
        scale = _spread(number * (residual <= 0), residual)
        weight = np.clip(1 - (residual / (CUT * np.maximum(scale, LEAST_SCALE)[:, None])) ** 2, 0.0, None) ** 2
    # Where many places do not fit, the light at the contours is in doubt by as much as they differ.
    variance = _spread(number, residual) ** 2 + within / np.maximum(number.sum(axis=1), 1.0)
    return Light(
        levels, np.maximum(variance, LEAST_SCALE**2)[:, None, None] * np.asarray(np.linalg.inv(moments), np.float64)
    )


def _solved(moments: Array, right: Array) -> Array:
    return np.asarray(np.linalg.solve(moments, right[..., None]), np.float64)[..., 0]


def _spread(number: Array, residual: Array) -> Array:
    """Return the deviation (regions,) of residuals of places with so many pixels each (regions, 32)."""
    return np.sqrt(np.sum(number * residual**2, axis=-1) / np.maximum(number.sum(axis=-1), 1.0))

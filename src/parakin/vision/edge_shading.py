"""How light falls off across a rod, from the pixels well inside it: what keeps shading out of the edges' positions.

    L(s) = l_0 + l_1 s + l_2 sqrt(1 - s^2),      s from -1 at the lower contour to 1 at the upper one

is what light from anywhere gives on a matt cylinder. Only pixels count that the blur of the contours does not reach.
A kernel sums the moments of one scan line; those of a region are added and solved, several times. Highlights are
brighter than that: pixels lose their weight that are farther off than those scatter which are darker.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import casadi as ca
import numpy as np

from parakin.arrays import Array, lock_arrays
from parakin.kernels import Derivation, Kernel, Program
from parakin.vision.edge_search import LINE

LEVEL_ROUNDS = 4
"""Rounds in which rods are taken for evenly bright, so that a highlight is not taken for shading to begin with."""
ROUNDS = 6
"""Times that the light is fitted; from the third one on with weights."""
FIXED = 1e9
"""What keeps a coefficient at zero: l_1 and l_2 in these rounds, l_2 of rods that seem to be darkest in the middle."""
HOLLOW = 2.0
"""Deviations from which on l_2 is negative by more than chance: a highlight beside the middle looks like that."""
UNSHADED = np.diag([1e-9, FIXED, FIXED])
"""Moments of rods that are evenly bright."""
CUT = 2.5
"""Deviations beyond which a pixel counts nothing."""
LEAST_SCALE = 1.0
"""Least deviation of pixels from the light that is taken for granted [grey levels]: rounding, and paint."""
UNWEIGHTED = 1e9
"""A deviation that leaves all pixels their weight [grey levels]."""
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
def shading_kernel() -> Kernel:
    """Compile the moments of one scan line.

    grey (48), length, edges (2) [px], margin: what is left out beside each edge [px], light (3), scale: those of the
    round before [grey levels] -> moments (3, 3), right (3): weighted sums over pixels, darker, whole (2): number and
    squares of the residuals of pixels darker than that light, and of all.
    """
    return Kernel(Derivation("shading of a rod", _shading_program), matrices="moments")


def _shading_program() -> Program:
    inputs = {"grey": ca.SX.sym("grey", LINE), "length": ca.SX.sym("length"), "edges": ca.SX.sym("edges", 2)}
    inputs |= {"margin": ca.SX.sym("margin"), "light": ca.SX.sym("light", 3), "scale": ca.SX.sym("scale")}
    places = ca.SX(range(LINE))
    lower, upper = inputs["edges"][0], inputs["edges"][1]
    inside = (places >= lower + inputs["margin"]) * (places <= upper - inputs["margin"])
    inside = inside * (places < inputs["length"])
    s = (2 * places - lower - upper) / ca.fmax(upper - lower, 1)
    basis = ca.horzcat(0 * s + 1, s, ca.sqrt(ca.fmax(1 - s * s, 0)))
    residual = inputs["grey"] - basis @ inputs["light"]
    share = ca.fmax(1 - (residual / (CUT * inputs["scale"])) ** 2, 0)
    weight = inside * share**2
    darker = inside * (residual <= 0)
    outputs = {
        "moments": basis.T @ (ca.repmat(weight, 1, 3) * basis),
        "right": basis.T @ (weight * inputs["grey"]),
        "darker": ca.vertcat(ca.sum1(darker), ca.dot(darker, residual**2)),
        "whole": ca.vertcat(ca.sum1(inside), ca.dot(inside, residual**2)),
    }
    values = [ca.densify(value) for value in outputs.values()]
    function = ca.Function("shading", list(inputs.values()), values, list(inputs), list(outputs), {"cse": True})
    return Program(function, outputs=tuple(outputs), name="edge_shading")


def light_across(grey: Array, size: Array, edges: Array, margin: Array, shading: float) -> Light:
    """Return the light of rods in regions (regions, 48, 48).

    size: (regions,) of the regions; edges: of the rods in every scan line (regions, 48, 2),
    0 where it is not to count; margin: (regions,) [px];
    shading: how much of it is to be reckoned with [grey levels], which matters where few pixels are inside.
    """
    released = np.diag([1e-9, 1.0, 1.0]) * (NOISE / max(shading, 1e-3)) ** 2
    levels, scale = np.zeros((len(grey), 3)), np.full(len(grey), UNWEIGHTED)
    shared = {"grey": grey, "length": size[:, None], "edges": edges, "margin": margin[:, None]}
    moments = np.zeros((len(grey), 3, 3))
    for k in range(ROUNDS):
        found = shading_kernel().evaluate({**shared, "light": levels[:, None], "scale": scale[:, None]})
        if k > 0:
            scale = _spread(found["darker"])
        moments = found["moments"].sum(axis=1) + (released if k >= LEVEL_ROUNDS else UNSHADED)
        right = found["right"].sum(axis=1)
        levels = _solved(moments, right)
        deviation = NOISE * np.sqrt(np.asarray(np.linalg.inv(moments), np.float64)[:, 2, 2])
        hollow = levels[:, 2] < -HOLLOW * deviation
        moments[hollow, 2, 2] += FIXED
        levels[hollow] = _solved(moments[hollow], right[hollow])
    # Where many pixels do not fit, the light at the contours is in doubt by as much as they differ.
    found = shading_kernel().evaluate({**shared, "light": levels[:, None], "scale": scale[:, None]})
    return Light(levels, _spread(found["whole"])[:, None, None] ** 2 * np.asarray(np.linalg.inv(moments), np.float64))


def _solved(moments: Array, right: Array) -> Array:
    return np.asarray(np.linalg.solve(moments, right[..., None]), np.float64)[..., 0]


def _spread(sums: Array) -> Array:
    """Return the deviation (regions,) of residuals from numbers and squares of all scan lines (regions, 48, 2)."""
    number, squares = np.moveaxis(sums.sum(axis=1), -1, 0)
    return np.maximum(np.sqrt(squares / np.maximum(number, 1.0)), LEAST_SCALE)

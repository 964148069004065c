"""How pictures look: grey levels, blur, shading, clutter and noise; textures that any part of a picture repeats.

Clutter and noise are functions of the pixel and a seed, so that a region of a picture is that part of the whole.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array
from parakin.errors import VisionError

CLUTTER_SCALES = (31.0, 11.0, 5.0)
"""Sizes of the patches of clutter [px]."""
NOISE_STREAM = 1 << 40
"""What keeps the numbers of noise apart from those of clutter under one seed."""


@dataclass(frozen=True)
class Appearance:
    """Grey levels from 0 to 255, and what a lens and a sensor make of them.

    >>> pk.vision.Appearance(blur=0.8, noise=2.0).rod
    190.0
    """

    rod: float = 190.0
    """Grey level of the rods, where they are brightest without a highlight."""
    background: float = 70.0
    """Grey level behind everything."""
    other: float = 130.0
    """Grey level of other parts."""
    blur: float = 0.7
    """Standard deviation of the lens's Gaussian blur [px]; that of the pixels' own area comes on top."""
    noise: float = 0.0
    """Standard deviation of each pixel's noise [grey levels], before it is rounded to 8 bits."""
    shading: float = 0.0
    """How much darker rods are at their contours than in the middle [grey levels]: rod - shading (1 - cos phi)."""
    slant: float = 0.0
    """What light from one side adds [grey levels]: slant sin phi."""
    highlight: float = 0.0
    """Height of a bright line along the rods [grey levels], a tenth of their width wide, at sin phi = 0.4."""
    clutter: float = 0.0
    """Standard deviation of patches in the background [grey levels]."""
    seed: int = 0
    """Which clutter."""

    def __post_init__(self) -> None:
        for name in ("blur", "noise", "clutter"):
            if not 0 <= getattr(self, name) < 256:
                raise VisionError("appearance", name, f"must be from 0 to 255, got {getattr(self, name)!r}")
        for name in ("rod", "background", "other", "shading", "slant", "highlight"):
            if not math.isfinite(getattr(self, name)):
                raise VisionError("appearance", name, f"must be finite, got {getattr(self, name)!r}")

    def light(self, s: Array) -> Array:
        """Return the grey level of a rod where s = sin phi is from -1 to 1.

        phi is the angle about the rod's axis between the ray of sight and the surface's normal, so that the contours
        are at s = -1 and 1, which also holds beyond them.

        >>> pk.vision.Appearance(shading=60.0).light(np.array([-1.0, 0.0, 1.0]))
        array([130., 190., 130.])
        """
        across = np.clip(s, -1.0, 1.0)
        lit = self.rod - self.shading * (1 - np.sqrt(1 - across * across)) + self.slant * across
        if self.highlight:
            lit = lit + self.highlight * np.exp(-0.5 * ((across - 0.4) / 0.1) ** 2)
        return lit


def clutter(u: Array, v: Array, seed: int) -> Array:
    """Return patches with mean 0 and standard deviation near 1 at pixels: values of lattices, smoothly between."""
    total = np.zeros_like(u)
    for k, scale in enumerate(CLUTTER_SCALES):
        i, j = np.floor(u / scale), np.floor(v / scale)
        a, b = (_smooth(w / scale - whole) for w, whole in ((u, i), (v, j)))
        corners = [[_uniform(i + di, j + dj, seed + 7919 * k) for dj in (0, 1)] for di in (0, 1)]
        low, high = ((1 - b) * pair[0] + b * pair[1] for pair in corners)
        total += (1 - a) * low + a * high - 0.5
    # Uniform numbers have the variance 1/12, of which interpolation leaves (26/35)^2 on the average over a cell.
    return total / math.sqrt(len(CLUTTER_SCALES) / 12 * (26 / 35) ** 2)


def noise(u: Array, v: Array, seed: int) -> Array:
    """Return normal numbers that belong to pixels and a seed, by Box and Muller's formula."""
    first, second = (_uniform(u, v, seed + k * NOISE_STREAM) for k in (1, 2))
    return np.sqrt(-2 * np.log1p(-first)) * np.cos(2 * np.pi * second)


def _smooth(w: Array) -> Array:
    return w * w * (3 - 2 * w)


def _uniform(i: Array, j: Array, seed: int) -> Array:
    """Return numbers in [0, 1) that belong to pairs of whole numbers and a seed: two rounds of splitmix64."""
    lattice = i.astype(np.int64).view(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed = _mixed(lattice ^ _mixed(j.astype(np.int64).view(np.uint64) + np.uint64(seed % 2**63)))
    return (mixed >> np.uint64(11)).astype(float) * 2.0**-53


def _mixed(z: NDArray[np.uint64]) -> NDArray[np.uint64]:
    z = z + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))

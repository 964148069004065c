"""The noise model of compiled loops fitted to regions whose truth is known: how edges that were found differ from it.

With d1, d2 on one edge and d3, d4 on the other of a region, distances of its points inside the true contours:

    bias       -mean of all d                                        all edges lie outside
    deviation  from (d1 - d2)/sqrt(2) and (d3 - d4)/sqrt(2)          noise of the points, which is their own
    shift      from (d1 + d2 - d3 - d4)/4, less what the points' own noise leaves in it
    width      from (d1 + d2 + d3 + d4)/4, in the same way
    dropped    share of regions without a point
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from parakin.arrays import Array
from parakin.errors import VisionError
from parakin.vision.beliefs import SIDES
from parakin.vision.ideal_regions import Region
from parakin.vision.rig import Rig
from parakin.vision.sightings import Sightings, offsets_at
from parakin.vision.watching import EdgeNoise

FEWEST = 8
"""Regions that a fit needs at least."""


def region_offsets(rig: Rig, pose: ArrayLike, region: Region) -> Array:
    """Return how far the four points of a region lie inside the true contours at a pose (4,) [px]; NaN: not found.

    >>> region = pk.vision.region_at(rig, robot.home, rod=0, place=0.6)
    >>> bool(np.abs(pk.vision.region_offsets(rig, robot.home, region)).max() < 1e-9)
    True
    """
    camera, rod = int(region.camera), int(region.rod)
    ones = np.ones(len(SIDES), np.int64)
    m = np.where(region.deviation[:, None] > 0, region.m, 0.0)
    seen = Sightings(camera * ones, rod * ones, np.array(SIDES), m, np.asarray(region.deviation), np.zeros(len(SIDES)))
    lens = rig.cameras[camera]
    offsets = offsets_at(rig, pose, seen).distance * math.sqrt(lens.focal[0] * lens.focal[1])
    return np.where(region.deviation > 0, offsets, np.nan)


def fitted_noise(offsets: ArrayLike | Sequence[Array], points: int = 40) -> EdgeNoise:
    """Return the noise model of regions whose points lie so far inside the true contours (regions, 4) [px].

    points: that the model counts on each edge, as `Watching` has them. A region with a point that is NaN was dropped.

    >>> drawn = 0.01 * np.random.default_rng(1).normal(size=(500, 4))
    >>> noise = pk.vision.fitted_noise(drawn)
    >>> bool(abs(noise.deviation - 0.01 * np.sqrt(20)) < 2e-3)  # px; each of the two points stands for 20
    True
    """
    d = np.asarray(offsets, float)
    whole = np.isfinite(d).all(axis=-1)
    if d.ndim != 2 or d.shape[-1] != len(SIDES) or np.count_nonzero(whole) < FEWEST:
        raise VisionError("noise fit", "offsets", f"must be at least {FEWEST} regions of 4 points, got shape {d.shape}")
    seen = d[whole]
    own = float(np.mean(np.stack([seen[:, 0] - seen[:, 1], seen[:, 2] - seen[:, 3]]) ** 2) / 2)
    aside, outwards = (float(np.var(seen @ np.array(row) / 4)) for row in ((1, 1, -1, -1), (1, 1, 1, 1)))
    return EdgeNoise(
        deviation=math.sqrt(own * points / 2),
        bias=-float(seen.mean()),
        shift=math.sqrt(max(0.0, aside - own / 4)),
        width=math.sqrt(max(0.0, outwards - own / 4)),
        dropped=float(1 - np.count_nonzero(whole) / len(d)),
    )

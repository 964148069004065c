"""What regions of 48 px along rods would give: the edges of each as two points, noise as in the issue's pictures."""

from __future__ import annotations

import functools
from dataclasses import replace

import numpy as np

import parakin as pk
from parakin.vision import Camera, Rig, Sightings, looking_at, rig_of, sightings_at
from parakin.vision.rigs.sightings import joined
from tests.vision import rigs

REGION = 48
"""Side of a region [px], and so the number of points of each edge through it."""
EDGE_POINT = 0.04
"""Standard deviation of a point of an edge [px]."""


def region_sightings(rig: Rig, pose: np.ndarray, regions: int, seed: int | None = None) -> Sightings:
    """Sightings of regions spread over every rod, `regions` of them each, from the first to the last visible pixel."""
    ends = sightings_at(rig, pose, points=200)
    found: list[Sightings] = []
    for camera, eye in enumerate(rig.cameras):
        for rod in range(len(rig.rods)):
            for side in range(2):
                edge = ends.m[(ends.camera == camera) & (ends.rod == rod) & (ends.side == side)]
                if len(edge):
                    found.append(_edge(eye, (camera, rod, side), edge[[0, -1]], regions))
    return joined(found) if seed is None else noisy(joined(found), seed)


def _edge(eye: Camera, names: tuple[int, int, int], edge: np.ndarray, regions: int) -> Sightings:
    length = eye.focal[0] * np.linalg.norm(edge[1] - edge[0])
    middles = np.linspace(0.5 * REGION, length - 0.5 * REGION, regions) if length > REGION else np.array([0.5 * length])
    spread = REGION / np.sqrt(12)
    places = (middles[:, None] + np.array([-spread, spread])).ravel() / length
    m = edge[0] + places[:, None] * (edge[1] - edge[0])
    deviation = np.full(len(m), EDGE_POINT * np.sqrt(2 / REGION) / eye.focal[0])
    whole = np.ones(len(m), np.int64)
    return Sightings(names[0] * whole, names[1] * whole, names[2] * whole, m, deviation, np.zeros(len(m)))


def noisy(seen: Sightings, seed: int) -> Sightings:
    """The same points of edges, two of a region after each other, each off across its edge as its deviation says."""
    along = np.repeat(seen.m[1::2] - seen.m[::2], 2, axis=0)
    across = np.stack([-along[:, 1], along[:, 0]], axis=1) / np.linalg.norm(along, axis=1, keepdims=True)
    noise = seen.deviation * np.random.default_rng(seed).normal(size=len(seen))
    return replace(seen, m=seen.m + noise[:, None] * across)


@functools.cache
def delta_from_the_side() -> Rig:
    """A Delta seen from beside its axis: from the axis itself, heights show in the widths of rods alone."""
    place = np.array([0.4, 0.2, 0.0])
    beside = Camera("beside", (1024, 1024), (640.0, 640.0), place, looking_at(place, [0, 0, -0.39], [0, 1, 0]))
    return rig_of(pk.load("delta"), beside, "*.forearm", radius=0.008)


RIGS = {"quattro": rigs.quattro, "delta": delta_from_the_side, "gough_stewart": rigs.gough_stewart}
REGIONS = {"quattro": 2, "delta": 3, "gough_stewart": 2}
"""Regions on each rod: 8, 9 and 12 in all."""

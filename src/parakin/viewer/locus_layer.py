"""Singular poses of a slice as a layer: curves in the robot's scene."""

from __future__ import annotations

import numpy as np

from parakin.analysis import Locus
from parakin.robot import Robot
from parakin.viewer.layer import Layer, Tint
from parakin.viewer.layer_places import places_of
from parakin.viewer.workspace_layers import check_region, held_words

TINTS = (
    Tint("type 2: the platform moves while all motors stand still", ("#B00020", "#FF6B6B")),
    Tint("type 1: a leg is stretched or folded", ("#20242B", "#E8EDF3")),
)
"""Colours of the types of singular poses."""
SAME_POINT = 1e-9
"""Points of a curve [m] that differ by less are one point."""


def locus_layer(robot: Robot, found: Locus) -> Layer:
    """Return the singular curves of a slice as a layer."""
    region = found.region
    check_region(robot, region)
    ends = np.concatenate([found.type_2.reshape(-1, 2), found.type_1.reshape(-1, 2)])
    types = np.repeat([0, 1], [2 * len(found.type_2), 2 * len(found.type_1)])
    keys = np.column_stack([np.round(ends / SAME_POINT), types])
    _, first, joined = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    places = places_of(robot, region.poses(ends[first]))
    lines = joined.reshape(-1, 2).astype(np.int32)
    held = held_words(region)
    return Layer(
        title="singular poses",
        note=f"{found.robot} over {', '.join(region.axes)}{', ' if held else ''}{held}, whatever strokes there are",
        points=places,
        faces=np.zeros((0, 4), np.int32),
        lines=lines[np.isfinite(places[lines]).all(axis=(1, 2)) & (lines[:, 0] != lines[:, 1])],
        words=tuple(tint.words for tint in TINTS),
        codes=types[first].astype(np.int32),
        tints=tuple(tint for k, tint in enumerate(TINTS) if (types == k).any()),
        tint_of=(0, 1 if (types == 0).any() else 0),
    )

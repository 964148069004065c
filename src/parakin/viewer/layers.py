"""Results of analysis as layers of a live page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from parakin.analysis import Workspace
from parakin.analysis.saving import digest_of
from parakin.errors import DataError
from parakin.robot import Robot
from parakin.viewer.layer import Layer, Tint
from parakin.viewer.layer_places import places_of
from parakin.viewer.workspace_layers import check_region, held_words, workspace_layers

if TYPE_CHECKING:
    from parakin.analysis import Locus, PerformanceMap

    Shown = Layer | PerformanceMap | Workspace | Locus | str | Path
    """What a page can show in the robot's scene; a path is that of a saved result."""

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


def layers_of(robot: Robot, result: Shown) -> tuple[Layer, ...]:
    """Return a result of analysis as layers of a live page of the robot that it was found for.

    result: a map, a workspace, singular curves, or the NPZ file in which `parakin map` or `parakin workspace` kept one.
    A map has a layer for each quantity, a workspace one for the part that holds home and one for all others. Results
    over coordinates that do not move the robot's output through space, such as orientations, are refused.

    >>> five_bar = pk.load("five_bar")
    >>> [layer.title for layer in pk.viewer.layers_of(five_bar, pk.analysis.workspace(five_bar, levels=2))]
    ['workspace: 0.2419 m^2 ± 0.00032', 'parts that are not connected with home']
    """
    if isinstance(result, Layer):
        return (result,)
    if isinstance(result, str | Path):
        from parakin.analysis.saved import read_result, refusing_damage

        with refusing_damage(str(result)):
            return _layers(robot, read_result(result, robot))
    return _layers(robot, result)


def _layers(robot: Robot, result: PerformanceMap | Workspace | Locus) -> tuple[Layer, ...]:
    """Return a result as layers if it is one of the robot."""
    if result.robot != robot.name:
        raise DataError("layer", "robot", f"this is a result of {result.robot}, and the page shows {robot.name}")
    if result.digest != digest_of(robot):
        raise DataError("layer", "robot", f"this is a result of another {robot.name} than the page shows")
    if isinstance(result, Workspace):
        return tuple(workspace_layers(robot, result))
    from parakin.analysis.maps import PerformanceMap

    if isinstance(result, PerformanceMap):
        from parakin.viewer.map_layers import map_layers

        return tuple(map_layers(robot, result))
    return (locus_layer(robot, result),)

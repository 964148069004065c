"""Results of analysis as layers of a live page."""

from __future__ import annotations

from pathlib import Path

from parakin.analysis import Locus, PerformanceMap, Workspace, read_result
from parakin.analysis.identity import digest_of
from parakin.analysis.saved import refusing_damage
from parakin.errors import DataError
from parakin.robot import Robot
from parakin.viewer.layer import Layer
from parakin.viewer.locus_layer import locus_layer
from parakin.viewer.map_layers import map_layers
from parakin.viewer.workspace_layers import workspace_layers

Shown = Layer | PerformanceMap | Workspace | Locus | str | Path
"""What a page can show in the robot's scene; a path is that of a saved result."""


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
        with refusing_damage(str(result)):
            return _layers(robot, read_result(result, robot))
    return _layers(robot, result)


def _layers(robot: Robot, result: PerformanceMap | Workspace | Locus) -> tuple[Layer, ...]:
    """Return a result as layers if it is one of the robot."""
    if result.robot != robot.name:
        raise DataError("layer", "robot", f"this is a result of {result.robot}, and the page shows {robot.name}")
    if result.digest != digest_of(robot):
        raise DataError("layer", "robot", f"this is a result of another {robot.name} than the page shows")
    if isinstance(result, PerformanceMap):
        return tuple(map_layers(robot, result))
    if isinstance(result, Workspace):
        return tuple(workspace_layers(robot, result))
    return (locus_layer(robot, result),)

"""See a robot: its scene as pure data for any renderer, the live page, pictures and films.

Names are imported when first used: whoever wants a picture needs no server and no page.

>>> import parakin as pk
>>> robot = pk.load("delta")
>>> scene = pk.viewer.scene_of(robot)
>>> pk.draw(robot).figure.savefig("robot.png")
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from parakin.lazy import importer

if TYPE_CHECKING:
    from parakin.viewer.layer import Grid, Layer, Shades, Span, Tint
    from parakin.viewer.layers import layers_of
    from parakin.viewer.live import LiveView
    from parakin.viewer.picture import draw
    from parakin.viewer.placing import frames_at, scene_of
    from parakin.viewer.roles import COLOURS, HIDDEN, Role
    from parakin.viewer.scene import Frame, Part, Scene, Shape
    from parakin.viewer.self_contained import View, view

__getattr__ = importer(
    __name__,
    {
        "COLOURS": "parakin.viewer.roles",
        "HIDDEN": "parakin.viewer.roles",
        "Frame": "parakin.viewer.scene",
        "Grid": "parakin.viewer.layer",
        "Layer": "parakin.viewer.layer",
        "LiveView": "parakin.viewer.live",
        "Part": "parakin.viewer.scene",
        "Role": "parakin.viewer.roles",
        "Scene": "parakin.viewer.scene",
        "Shades": "parakin.viewer.layer",
        "Shape": "parakin.viewer.scene",
        "Span": "parakin.viewer.layer",
        "Tint": "parakin.viewer.layer",
        "View": "parakin.viewer.self_contained",
        "draw": "parakin.viewer.picture",
        "frames_at": "parakin.viewer.placing",
        "layers_of": "parakin.viewer.layers",
        "scene_of": "parakin.viewer.placing",
        "view": "parakin.viewer.self_contained",
    },
)

__all__ = [
    "COLOURS",
    "HIDDEN",
    "Frame",
    "Grid",
    "Layer",
    "LiveView",
    "Part",
    "Role",
    "Scene",
    "Shades",
    "Shape",
    "Span",
    "Tint",
    "View",
    "draw",
    "frames_at",
    "layers_of",
    "scene_of",
    "view",
]

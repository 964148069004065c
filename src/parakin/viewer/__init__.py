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
        "parakin.viewer.layer": "Grid Layer Shades Span Tint",
        "parakin.viewer.layers": "layers_of",
        "parakin.viewer.live": "LiveView",
        "parakin.viewer.picture": "draw",
        "parakin.viewer.placing": "frames_at scene_of",
        "parakin.viewer.roles": "COLOURS HIDDEN Role",
        "parakin.viewer.scene": "Frame Part Scene Shape",
        "parakin.viewer.self_contained": "View view",
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

"""See a robot: its scene as pure data for any renderer, the live page, pictures and films."""

from parakin.viewer.live import LiveView
from parakin.viewer.picture import draw
from parakin.viewer.placing import frames_at, scene_of
from parakin.viewer.roles import COLOURS, HIDDEN, Role
from parakin.viewer.scene import Frame, Part, Scene, Shape
from parakin.viewer.self_contained import View, view

__all__ = [
    "COLOURS",
    "HIDDEN",
    "Frame",
    "LiveView",
    "Part",
    "Role",
    "Scene",
    "Shape",
    "View",
    "draw",
    "frames_at",
    "scene_of",
    "view",
]

"""See a robot: its scene as pure data for any renderer, pictures and films."""

from parakin.viewer.picture import draw
from parakin.viewer.placing import frames_at, scene_of
from parakin.viewer.roles import COLOURS, HIDDEN, Role
from parakin.viewer.scene import Frame, Part, Scene, Shape

__all__ = ["COLOURS", "HIDDEN", "Frame", "Part", "Role", "Scene", "Shape", "draw", "frames_at", "scene_of"]

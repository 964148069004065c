"""Pictures of a robot by Matplotlib: shaded parts, sorted by depth, with axes and a scale bar."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from parakin.arrays import Array
from parakin.viewer.camera import Camera
from parakin.viewer.meshes import mesh_of, normals
from parakin.viewer.roles import COLOURS, HIDDEN
from parakin.viewer.scene import Scene

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LIGHT = np.array([-0.45, 0.62, 0.64])
"""Where light comes from, in the picture: left, above, before."""
AMBIENT, DIFFUSE, GLOSS = 0.42, 0.62, 0.16
"""Shares of light from everywhere, of light from `LIGHT`, and of its reflection."""
PIECE = 0.035
"""Longest edge of a polygon, in diameters of the scene."""


@dataclass(frozen=True, eq=False)
class Polygons:
    """What is to be painted, from far to near."""

    corners: list[Array]
    """Polygons in the picture (corners, 2) [m]."""
    colours: Array
    """Red, green, blue of each (n, 3)."""


def painted(scene: Scene, frames: Array, camera: Camera, *, masses: bool = False, dark: bool = False) -> Polygons:
    """Return a scene at frames (F, 3, 4) as polygons from far to near, those that face away left out."""
    longest = PIECE * float(np.linalg.norm(scene.upper - scene.lower))
    corners: list[Array] = []
    nearness: list[Array] = []
    colours: list[Array] = []
    light = LIGHT / np.linalg.norm(LIGHT)
    half_way = light + np.array([0.0, 0.0, 1.0])
    half_way /= np.linalg.norm(half_way)
    for part in scene.parts:
        if part.role in HIDDEN and not masses:
            continue
        base = _rgb(COLOURS[part.role][1 if dark else 0])
        for group in mesh_of(part, longest).faces:
            seen = camera.seen(group @ frames[part.frame, :, :3].T + frames[part.frame, :, 3])
            n = normals(seen)
            front = n[:, 2] > 1e-9
            seen, n = seen[front], n[front]
            shade = AMBIENT + DIFFUSE * np.clip(n @ light, 0, None)
            gloss = GLOSS * np.clip(n @ half_way, 0, None) ** 24
            corners += list(seen[..., :2])
            nearness.append(seen[..., 2].mean(axis=1))
            colours.append(np.clip(base * shade[:, None] + gloss[:, None], 0, 1))
    order = np.argsort(np.concatenate(nearness), kind="stable")
    return Polygons([corners[int(k)] for k in order], np.concatenate(colours)[order])


def _rgb(colour: str) -> Array:
    return np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])


def paint(axes: Axes, polygons: Polygons) -> None:
    """Paint polygons into axes."""
    from matplotlib.collections import PolyCollection

    axes.add_collection(
        PolyCollection(polygons.corners, facecolors=polygons.colours, edgecolors=polygons.colours, linewidths=0.35)
    )

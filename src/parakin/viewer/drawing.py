"""A scene at a pose as shaded polygons, sorted by depth: what a painter paints, far things first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parakin.arrays import Array, frozen_arrays
from parakin.viewer.camera import Camera
from parakin.viewer.meshes import Mesh, mesh_of, normals
from parakin.viewer.roles import COLOURS, HIDDEN
from parakin.viewer.scene import Part, Scene
from parakin.viewer.solids import outside

LIGHT = np.array([-0.45, 0.62, 0.64])
"""Where light comes from, in the picture: left, above, before."""
AMBIENT, DIFFUSE, GLOSS, SHARPNESS = 0.52, 0.52, 0.16, 24
"""Shares of light from everywhere, of light from `LIGHT` and of its reflection, and how narrow that is."""
PIECE = 0.035
"""Longest edge of a polygon, in diameters of the scene."""
HIDDEN_BELOW = 1e-6
"""A polygon is hidden in a part if all its corners are deeper in it than this, in diameters of the scene."""
FAR = 1e3
"""By how much marks are brought nearer than everything else, in diameters of the scene."""


@frozen_arrays
class Polygons:
    """What is to be painted, from far to near."""

    corners: tuple[Array, ...]
    """Polygons in the picture (corners, 2): right and up [m]."""
    colours: Array
    """Red, green, blue of each (n, 3)."""

    @property
    def extent(self) -> tuple[Array, Array]:
        """Smallest and largest coordinates of all corners (2,) [m]."""
        every = np.concatenate(self.corners)
        return every.min(axis=0), every.max(axis=0)


@dataclass(frozen=True, eq=False)
class Model:
    """A scene with the surfaces of its parts, to be painted at many poses."""

    scene: Scene
    """The scene."""
    parts: tuple[Part, ...]
    """The parts that are drawn."""
    meshes: tuple[Mesh, ...]
    """Their surfaces."""
    size: float
    """Diameter of the scene [m]."""


def model_of(scene: Scene, *, masses: bool = False) -> Model:
    """Return a scene ready to be painted; masses: whether centres of mass are shown."""
    size = float(np.linalg.norm(scene.upper - scene.lower))
    parts = tuple(part for part in scene.parts if masses or part.role not in HIDDEN)
    return Model(scene, parts, tuple(mesh_of(part, PIECE * size) for part in parts), size)


def painted(model: Model, frames: Array, camera: Camera) -> Polygons:
    """Return a scene at frames (F, 3, 4) as polygons from far to near.

    What faces away from the eye, and what is hidden inside of another part, is left out. Centres of mass, which are
    inside of bodies, are painted over everything.
    """
    light = LIGHT / float(np.linalg.norm(LIGHT))
    half_way = light + np.array([0.0, 0.0, 1.0])
    half_way = half_way / float(np.linalg.norm(half_way))
    corners: list[Array] = []
    nearness: list[Array] = []
    colours: list[Array] = []
    solids = _Solids(model, frames)
    for k, (part, mesh) in enumerate(zip(model.parts, model.meshes, strict=True)):
        base = np.array([int(COLOURS[part.role][0][i : i + 2], 16) / 255 for i in (1, 3, 5)])
        for group in mesh.faces:
            placed = group @ frames[part.frame, :, :3].T + frames[part.frame, :, 3]
            seen = camera.seen(placed)
            n = normals(seen)
            shown = n[:, 2] > 1e-9
            marks = part.role in HIDDEN
            shown[shown] = marks | solids.show(placed[shown], k)
            seen, n = seen[shown], n[shown]
            shade = AMBIENT + DIFFUSE * np.clip(n @ light, 0, None)
            gloss = GLOSS * np.clip(n @ half_way, 0, None) ** SHARPNESS
            corners += list(seen[..., :2])
            nearness.append(seen[..., 2].mean(axis=1) + (FAR * model.size if marks else 0.0))
            colours.append(np.clip(base * shade[:, None] + gloss[:, None], 0, 1))
    order = np.argsort(np.concatenate(nearness), kind="stable")
    return Polygons(tuple(corners[int(i)] for i in order), np.concatenate(colours)[order])


class _Solids:
    """The parts of a scene where they are, to ask what is inside of them."""

    def __init__(self, model: Model, frames: Array) -> None:
        self._model, self._frames = model, frames
        self._middles = np.array([frames[one.frame, :, :3] @ one.p + frames[one.frame, :, 3] for one in model.parts])
        self._radii = np.array([float(np.linalg.norm(part.half)) for part in model.parts])

    def show(self, polygons: Array, number: int) -> NDArray[np.bool_]:
        """Return which polygons (n, corners, 3) of a part, in base axes, are not inside of one other part."""
        shown = np.ones(len(polygons), bool)
        apart = np.linalg.norm(self._middles - self._middles[number], axis=1)
        for k in np.flatnonzero(apart < self._radii + self._radii[number]):
            if k == number:
                continue
            part = self._model.parts[int(k)]
            at = self._frames[part.frame]
            depth = outside(part, (polygons - at[:, 3]) @ at[:, :3])
            shown &= (depth >= -HIDDEN_BELOW * self._model.size).any(axis=-1)
        return shown

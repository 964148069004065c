"""The surfaces of a scene's parts as polygons, for renderers that draw polygons."""

from __future__ import annotations

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.viewer.scene import Part, Shape

SIDES = 16
"""Sides of a round bar."""


@frozen_arrays
class Mesh:
    """The surface of a part in the part's frame, as polygons of equal numbers of corners."""

    faces: tuple[Array, ...]
    """Polygons (n, corners, 3) [m], those of one number of corners together, anticlockwise seen from outside."""


def mesh_of(part: Part, longest: float) -> Mesh:
    """Return the surface of a part; longest: of no edge along a bar or box [m], so that sorting by depth works."""
    groups = {
        Shape.CYLINDER: _round,
        Shape.CONE: _round,
        Shape.SPHERE: _sphere,
        Shape.BOX: _box,
        Shape.PLATE: _plate,
    }[part.shape](part, longest)
    return Mesh(tuple(_outwards(group) @ part.R.T + part.p for group in groups))


def _outwards(polygons: Array) -> Array:
    """Return polygons of a convex solid around the origin with their corners anticlockwise seen from outside."""
    inwards = np.sum(normals(polygons) * polygons.mean(axis=1), axis=-1) < 0
    polygons = polygons.copy()
    polygons[inwards] = polygons[inwards, ::-1]
    return polygons


def normals(polygons: Array) -> Array:
    """Return unit normals (n, 3) of polygons (n, corners, 3); of those without area, zeros."""
    ahead = np.roll(polygons, -1, axis=1)
    n = np.sum(np.cross(polygons, ahead), axis=1)  # Newell
    size = np.linalg.norm(n, axis=-1, keepdims=True)
    return np.divide(n, size, out=np.zeros_like(n), where=size > 0)


def _steps(length: float, longest: float) -> Array:
    return np.linspace(-length / 2, length / 2, max(1, int(np.ceil(length / longest))) + 1)


def _ring(count: int) -> Array:
    angles = np.arange(count + 1) * 2 * np.pi / count
    return np.column_stack([np.cos(angles), np.sin(angles)])


def _round(part: Part, longest: float) -> list[Array]:
    radius, _, length = part.size
    ring, steps = radius * _ring(SIDES), _steps(float(length), longest)
    taper = np.ones(len(steps)) if part.shape is Shape.CYLINDER else np.linspace(1, 0, len(steps))
    grid = np.array([np.column_stack([s * ring, np.full(len(ring), z)]) for s, z in zip(taper, steps, strict=True)])
    caps = np.array([grid[0, :-1], grid[-1, :-1]])
    return [_quads(grid), caps[:1] if part.shape is Shape.CONE else caps]


def _quads(grid: Array) -> Array:
    """Return the quadrilaterals between neighbours of a grid (m, n, 3)."""
    corners = [grid[:-1, :-1], grid[:-1, 1:], grid[1:, 1:], grid[1:, :-1]]
    return np.stack(corners, axis=2).reshape(-1, 4, 3)


def _sphere(part: Part, _: float) -> list[Array]:
    ring = _ring(SIDES)
    tilts = np.linspace(-np.pi / 2, np.pi / 2, SIDES // 2 + 1)
    grid = np.array([np.column_stack([np.cos(a) * ring, np.full(len(ring), np.sin(a))]) for a in tilts])
    return [part.size[0] * _quads(grid)]


def _box(part: Part, longest: float) -> list[Array]:
    quads: list[Array] = []
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        u, v = (_steps(float(part.size[axis]), longest) for axis in (i, j))
        for sign in (-1, 1):
            grid = np.zeros((len(u), len(v), 3))
            grid[..., i], grid[..., j], grid[..., k] = u[:, None], v[None, :], sign * part.size[k] / 2
            quads.append(_quads(grid))
    return [np.concatenate(quads)]


def _plate(part: Part, longest: float) -> list[Array]:
    assert part.outline is not None, "a plate has an outline"
    h = part.size[2] / 2
    around = np.vstack([part.outline, part.outline[:1]])
    sides = _quads(np.array([np.column_stack([around, np.full(len(around), z)]) for z in (-h, h)]))
    # Towards the middle in steps, so that a large face is sorted by depth piece by piece.
    reach = float(np.max(np.linalg.norm(part.outline, axis=1)))
    shares = np.linspace(1, 0, max(2, int(np.ceil(reach / longest)) + 1))
    faces = [np.array([np.column_stack([s * around, np.full(len(around), z)]) for s in shares]) for z in (-h, h)]
    return [sides, *(_quads(face) for face in faces)]

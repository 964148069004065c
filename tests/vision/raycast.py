"""A second renderer, by rays: every pixel is a grid of rays against round rods with caps, then blurred and averaged.

It shares nothing with `vision.pictures.silhouettes`: no contours, no closed forms of coverage, no order of layers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.ndimage import gaussian_filter

from parakin.vision import Appearance, Camera, Rig, Rod, rod_lines

MARGIN = 6
"""Pixels around a window that are cast too, for blur to take from [px]."""


@dataclass(frozen=True)
class Solid:
    """A round rod in base axes."""

    root: np.ndarray
    axis: np.ndarray
    length: float
    radius: float
    other: bool


def solids(rig: Rig, pose: np.ndarray, others: Sequence[Rod] = ()) -> list[Solid]:
    found: list[Solid] = []
    for rods, other in ((rig.rods, False), (tuple(others), True)):
        if rods:
            lines = rod_lines(Rig(rig.robot, rig.cameras, rods), pose)
            for k, rod in enumerate(rods):
                x, d = lines.x[k], float(lines.d[k])
                found.append(Solid(lines.A[k] + rod.start * x, x, d - rod.start - rod.end, rod.radius, other))
    return found


def hits(solid: Solid, origin: np.ndarray, rays: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distances along rays (..., 3) to a solid's surface, infinite for misses, and sin phi of the normal there.

    phi is between normal and ray, both seen along the axis; caps have phi of the ray's passage.
    """
    p_SO = origin - solid.root
    along, height = rays @ solid.axis, p_SO @ solid.axis
    flat = rays - along[..., None] * solid.axis
    base = p_SO - height * solid.axis
    a, b, c = np.sum(flat * flat, axis=-1), flat @ base, base @ base - solid.radius**2
    root = b * b - a * c
    with np.errstate(divide="ignore", invalid="ignore"):
        side = (-b - np.sqrt(root)) / a
        at = height + side * along
        side = np.where((root >= 0) & (side > 0) & (at >= 0) & (at <= solid.length), side, np.inf)
        nearest = side
        for cap in (0.0, solid.length):
            reach = (cap - height) / along
            point = base + reach[..., None] * flat
            on = (np.sum(point * point, axis=-1) <= solid.radius**2) & (reach > 0)
            nearest = np.minimum(nearest, np.where(on, reach, np.inf))
        n = (base + nearest[..., None] * flat) / solid.radius
        turn = np.cross(flat / np.sqrt(a)[..., None], n) @ solid.axis
    return nearest, turn


def cast(camera: Camera, uv: np.ndarray, scene: Sequence[Solid], look: Appearance) -> np.ndarray:
    """Light of infinitely sharp points uv (..., 2) of a picture."""
    m = camera.normalized(uv)
    rays = np.concatenate([m, np.ones((*m.shape[:-1], 1))], axis=-1) @ camera.R_OK.T
    light, nearest = np.full(uv.shape[:-1], look.background), np.full(uv.shape[:-1], np.inf)
    for solid in scene:
        distance, s = hits(solid, camera.p_OK, rays)
        lit = np.sqrt(np.clip(1 - s * s, 0, None))
        own = look.rod - look.shading * (1 - lit) + look.slant * s
        own = own + look.highlight * np.exp(-0.5 * ((s - 0.4) / 0.1) ** 2)
        light = np.where(distance < nearest, look.other if solid.other else own, light)
        nearest = np.minimum(nearest, distance)
    return light


def raycast(
    rig: Rig,
    pose: np.ndarray,
    look: Appearance,
    window: tuple[int, int, int, int],
    *,
    others: Sequence[Rod] = (),
    samples: int = 9,
) -> np.ndarray:
    """Light (rows, columns) of a window of a picture, without noise and rounding."""
    column, row, columns, rows = window
    steps = (np.arange(samples) + 0.5) / samples - 0.5
    u = np.add.outer(np.arange(column - MARGIN, column + columns + MARGIN), steps).ravel()
    v = np.add.outer(np.arange(row - MARGIN, row + rows + MARGIN), steps).ravel()
    fine = cast(rig.cameras[0], np.stack(np.meshgrid(u, v), axis=-1), solids(rig, pose, others), look)
    fine = gaussian_filter(fine, look.blur * samples, truncate=6.0)
    whole = fine.reshape(rows + 2 * MARGIN, samples, columns + 2 * MARGIN, samples).mean(axis=(1, 3))
    return whole[MARGIN:-MARGIN, MARGIN:-MARGIN]


def edge(rig: Rig, pose: np.ndarray, rod: int, inside: np.ndarray, outside: np.ndarray) -> np.ndarray:
    """Pixels (..., 2) where segments from inside to outside of a rod's silhouette leave it, by 50 bisections."""
    camera, solid = rig.cameras[0], solids(rig, pose)[rod]

    def misses(uv: np.ndarray) -> np.ndarray:
        m = camera.normalized(uv)
        rays = np.concatenate([m, np.ones((*m.shape[:-1], 1))], axis=-1) @ camera.R_OK.T
        return np.isinf(hits(solid, camera.p_OK, rays)[0])

    assert not misses(inside).any()
    assert misses(outside).all()
    for _ in range(50):
        middle = 0.5 * (inside + outside)
        out = misses(middle)[..., None]
        inside, outside = np.where(out, inside, middle), np.where(out, middle, outside)
    return 0.5 * (inside + outside)

"""Pictures of a rig's rods as a camera would take them, for tests and studies: anti-aliased, blurred, noisy, 8 bits.

Rods are drawn by their silhouettes in undistorted coordinates, with the lens's local scale at every pixel, the farthest
first. A region costs what its pixels cost, and is that part of the whole picture, noise and clutter included.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parakin.arrays import Array
from parakin.errors import VisionError
from parakin.robot import Robot
from parakin.vision.pictures.appearance import Appearance, clutter, noise
from parakin.vision.pictures.silhouettes import Cylinder, Pixels, cylinder, layer, mixed_light, pixels_of
from parakin.vision.rigs.camera import Camera
from parakin.vision.rigs.rig import Rig, Rod
from parakin.vision.rigs.rods import RodLines, rod_lines

TILE = 64
"""Side of the squares in which pictures are drawn [px]: each looks only at the rods that reach it."""
MIXED = 1e-3
"""Share from which on an edge counts as one that meets another in a pixel; layers know nothing of each other."""
DEFAULT = Appearance()
"""How pictures look where nothing else is said."""

Window = tuple[int, int, int, int]
"""Part of a picture: its first column and row, and how many columns and rows it has [px]."""


def render(
    rig: Rig,
    pose: ArrayLike,
    camera: int = 0,
    appearance: Appearance = DEFAULT,
    region: Window | None = None,
    *,
    weights: ArrayLike | None = None,
    others: Sequence[Rod] = (),
    seed: int = 0,
) -> NDArray[np.uint8]:
    """Return the picture (rows, columns) that a camera of a rig takes, or a region of it.

    pose: one pose, or poses (k, coordinates) over the exposure, with their weights (all alike by default): motion blur;
    region: first column, first row, columns, rows, None for all; others: rods that are in the way but not observed,
    such as the arms; seed: which noise.

    >>> look = pk.vision.Appearance(noise=2.0)
    >>> picture = pk.vision.render(rig, robot.home, appearance=look, region=(600, 350, 48, 48))
    >>> picture.shape, picture.dtype
    ((48, 48), dtype('uint8'))
    """
    light = exposed(rig, pose, camera, appearance, region, weights=weights, others=others)
    u0, v0 = (0, 0) if region is None else region[:2]
    v, u = np.indices(light.shape, dtype=float)
    if appearance.noise:
        light = light + appearance.noise * noise(u + u0, v + v0, seed)
    return np.clip(np.rint(light), 0, 255).astype(np.uint8)


def exposed(
    rig: Rig,
    pose: ArrayLike,
    camera: int,
    appearance: Appearance,
    region: Window | None = None,
    *,
    weights: ArrayLike | None = None,
    others: Sequence[Rod] = (),
) -> Array:
    """Return the light (rows, columns) [grey levels] that a picture collects, before noise and rounding."""
    eye = rig.cameras[camera]
    u0, v0, columns, rows = _window(eye, region)
    poses = np.atleast_2d(np.asarray(pose, float))
    shares = np.ones(len(poses)) if weights is None else np.asarray(weights, float)
    if shares.shape != (len(poses),) or not shares.sum() > 0:
        raise VisionError(rig.robot.name, "weights", f"must be one for each of {len(poses)} poses, with a sum > 0")
    scenes = [cylinders_at(rig, one, camera, others) for one in poses]
    light = np.empty((rows, columns))
    for row, column in _tiles(rows, columns):
        part = light[row : row + TILE, column : column + TILE]
        v, u = np.indices(part.shape, dtype=float)
        uv = np.stack([u.ravel() + u0 + column, v.ravel() + v0 + row], axis=-1)
        pixels = pixels_of(eye, uv)
        behind = np.full(len(uv), appearance.background)
        if appearance.clutter:
            behind = behind + appearance.clutter * clutter(uv[:, 0], uv[:, 1], appearance.seed)
        total = sum(
            share * _light(scene, pixels, appearance, behind) for share, scene in zip(shares, scenes, strict=True)
        )
        part[:] = np.reshape(total / shares.sum(), part.shape)
    return light


def cylinders_at(rig: Rig, pose: ArrayLike, camera: int, others: Sequence[Rod] = ()) -> list[Cylinder]:
    """Return the rods of a rig, and others of its robot, in the frame of one of its cameras at one pose."""
    eye = rig.cameras[camera]
    found: list[Cylinder | None] = []
    for rods, other in ((rig.rods, False), (tuple(others), True)):
        if not rods:
            continue
        lines = _lines(rig.robot, rig.cameras, rods, pose)
        A, x = eye.seen(lines.A), lines.x @ eye.R_OK
        for k, rod in enumerate(rods):
            ends = (rod.start, float(lines.d[k]) - rod.end)
            found.append(cylinder((A[k], x[k]), rod.radius, ends, k, other))
    return [rod for rod in found if rod is not None]


def _lines(robot: Robot, cameras: tuple[Camera, ...], rods: tuple[Rod, ...], pose: ArrayLike) -> RodLines:
    """Return the axes of rods at a pose that the robot can have."""
    lines = rod_lines(Rig(robot, cameras, rods), np.asarray(pose, float))
    if lines.status != 0:
        raise VisionError(robot.name, "pose", f"must be one that the robot can have, got {np.asarray(pose).tolist()}")
    return lines


def _window(camera: Camera, region: Window | None) -> Window:
    if region is None:
        return (0, 0, *camera.size)
    if len(region) != 4 or min(region[2:]) < 1:
        raise VisionError(camera.name, "region", f"must be column, row and sizes of at least 1 px, got {region!r}")
    return region


def _tiles(rows: int, columns: int) -> Iterator[tuple[int, int]]:
    for row in range(0, rows, TILE):
        for column in range(0, columns, TILE):
            yield row, column


def _light(rods: Sequence[Cylinder], pixels: Pixels, look: Appearance, behind: Array) -> Array:
    """Return the light of pixels: what is behind everything, then every rod over what is farther there."""
    layers = [found for rod in rods if (found := layer(rod, pixels, look)) is not None]
    if not layers:
        return behind
    shares, lights, depths = (np.stack([getattr(own, name) for own in layers]) for name in ("share", "light", "depth"))
    order = np.argsort(-depths, axis=0)
    total = behind
    for k in range(len(layers)):
        nearest = order[k][None]
        share, light = (np.take_along_axis(values, nearest, axis=0)[0] for values in (shares, lights))
        total = total * (1 - share) + light
    mixed = ((shares > MIXED) & (shares < 1 - MIXED)).sum(axis=0) > 1
    if mixed.any():
        total[mixed] = mixed_light(rods, pixels.chosen(mixed), look, behind[mixed])
    return total

"""Parts from points: a bar between two, an arc about a centre, a plate through many. All in one frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.viewer.linkage import Joint
from parakin.viewer.roles import Role
from parakin.viewer.scene import Part, Shape

SAME_PLACE = 1e-9
"""Points nearer than this are one [m]."""
ARC_PIECES = 6
"""Straight pieces of a curved link."""


@dataclass(frozen=True)
class Stock:
    """What parts of one body have in common."""

    frame: int
    """The frame they are fixed to."""
    label: str
    """What they belong to."""
    leg: int | None
    """The number of their leg."""


def axes_along(z: Array) -> Array:
    """Return axes, as columns, whose z is along a direction."""
    unit = z / float(np.linalg.norm(z))
    some: Array = np.eye(3)[int(np.argmin(np.abs(unit)))]
    x = some - float(some @ unit) * unit
    x = x / float(np.linalg.norm(x))
    return np.column_stack([x, np.cross(unit, x), unit])


def bar(stock: Stock, role: Role, ends: tuple[Array, Array], radius: float) -> Part:
    """Return a round bar between two points."""
    span = ends[1] - ends[0]
    size = np.array([radius, radius, float(np.linalg.norm(span))])
    middle = (ends[0] + ends[1]) / 2
    return Part(stock.frame, Shape.CYLINDER, role, middle, axes_along(span), size, stock.label, stock.leg)


def pin(stock: Stock, role: Role, at: Array, axis: Array, size: tuple[float, float]) -> Part:
    """Return a short round bar along an axis, centred on a point; size: radius and length [m]."""
    return bar(stock, role, (at - axis * size[1] / 2, at + axis * size[1] / 2), size[0])


def ball(stock: Stock, role: Role, at: Array, radius: float) -> Part:
    """Return a ball at a point."""
    return Part(stock.frame, Shape.SPHERE, role, at, np.eye(3), np.full(3, radius), stock.label, stock.leg)


def box(stock: Stock, role: Role, at: Array, x: Array, size: Array) -> Part:
    """Return a box at a point, with its x along a direction."""
    return Part(stock.frame, Shape.BOX, role, at, axes_along(x)[:, [2, 0, 1]], size, stock.label, stock.leg)


def arc(stock: Stock, role: Role, path: tuple[Array, Array, Array], radius: float) -> list[Part]:
    """Return a bar bent about a centre, in straight pieces with balls between them; path: start, end, centre."""
    start, end, centre = path
    u, v = start - centre, end - centre
    a, b = float(np.linalg.norm(u)), float(np.linalg.norm(v))
    angle = float(np.arccos(np.clip(u @ v / (a * b), -1, 1)))
    points: list[Array] = []
    for s in np.linspace(0, 1, ARC_PIECES + 1):
        turned = (np.sin((1 - s) * angle) * u / a + np.sin(s * angle) * v / b) / np.sin(angle)
        points.append(centre + (a + s * (b - a)) * turned)
    pieces = [bar(stock, role, (points[k], points[k + 1]), radius) for k in range(ARC_PIECES)]
    return pieces + [ball(stock, role, point, radius) for point in points]


def distinct(points: Sequence[Array]) -> list[Array]:
    """Return points without repetitions."""
    kept: list[Array] = []
    for point in points:
        if all(np.linalg.norm(point - other) > SAME_PLACE for other in kept):
            kept.append(point)
    return kept


def around(points: Sequence[Array]) -> list[Array]:
    """Return points in their order around their middle."""
    middle = np.mean(points, axis=0)
    across = np.linalg.svd(np.array(points) - middle)[2]
    order = np.argsort([np.arctan2(across[1] @ (p - middle), across[0] @ (p - middle)) for p in points])
    return [points[int(k)] for k in order]


@frozen_arrays
class Plane:
    """The plane nearest to some points."""

    middle: Array
    """A point of it (3,) [m]."""
    R: Array
    """Axes as columns, z across it (3, 3)."""
    spread: Array
    """How far the points reach along these axes (3,) [m]."""


def plane_of(points: Sequence[Array]) -> Plane:
    """Return the plane nearest to points."""
    middle = np.mean(points, axis=0)
    off = np.array(points) - middle
    rows = np.linalg.svd(off)[2]
    R = np.column_stack([rows[0], rows[1], np.cross(rows[0], rows[1])])
    return Plane(middle, R, np.max(np.abs(off @ R), axis=0))


def plate(stock: Stock, role: Role, points: Sequence[Array], thickness: float, margin: float) -> list[Part]:
    """Return a plate through points that are not on one line, with a pillar to each that is off its plane.

    margin: how far the plate reaches beyond the points [m].
    """
    plane = plane_of(points)
    flat = (np.array(points) - plane.middle) @ plane.R
    outline = _outline(flat[:, :2], margin)
    middle = (outline.min(axis=0) + outline.max(axis=0)) / 2
    p = plane.middle + plane.R[:, :2] @ middle
    size = np.array([0.0, 0.0, thickness])
    board = Part(stock.frame, Shape.PLATE, role, p, plane.R, size, stock.label, stock.leg, outline=outline - middle)
    off = [(point, place[2]) for point, place in zip(points, flat, strict=True) if abs(place[2]) > thickness / 2]
    return [board, *(bar(stock, role, (point - height * plane.R[:, 2], point), thickness / 2) for point, height in off)]


def _outline(points: Array, margin: float) -> Array:
    """Return the convex outline of points in a plane, moved outwards by an octagon of a margin; anticlockwise."""
    angles = np.arange(8) * np.pi / 4 + np.pi / 8
    ring = margin / np.cos(np.pi / 8) * np.column_stack([np.cos(angles), np.sin(angles)])
    return _hull((points[:, None, :] + ring).reshape(-1, 2))


def _hull(points: Array) -> Array:
    """Return the corners of the convex hull of points (n, 2), anticlockwise."""
    ordered = [points[k] for k in np.lexsort((points[:, 1], points[:, 0]))]

    def half(way: list[Array]) -> list[Array]:
        chain: list[Array] = []
        for point in way:
            while len(chain) > 1 and _turn(chain[-2], chain[-1], point) <= 0:
                chain.pop()
            chain.append(point)
        return chain[:-1]

    return np.array(half(ordered) + half(ordered[::-1]))


def _turn(a: Array, b: Array, c: Array) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def outside(part: Part, points: Array) -> Array:
    """Return how far points (..., 3) of a part's frame are outside of its solid, negative inside [m].

    Right on its surface; farther away it may be less than the distance, never of the wrong sign.
    """
    x, y, z = np.moveaxis((points - part.p) @ part.R, -1, 0)
    if part.shape is Shape.SPHERE:
        return np.sqrt(x * x + y * y + z * z) - part.size[0]
    along = np.abs(z) - part.half[2]
    if part.outline is not None:
        edge = np.roll(part.outline, -1, axis=0) - part.outline
        off = np.stack([x, y], axis=-1)[..., None, :] - part.outline
        beyond = (off[..., 0] * edge[:, 1] - off[..., 1] * edge[:, 0]) / np.linalg.norm(edge, axis=1)
        return np.maximum(beyond.max(axis=-1), along)
    if part.shape is Shape.BOX:
        return np.maximum(np.maximum(np.abs(x) - part.half[0], np.abs(y) - part.half[1]), along)
    taper = 1.0 if part.shape is Shape.CYLINDER else 0.5 - z / part.size[2]
    return np.maximum(np.hypot(x, y) - part.size[0] * taper, along)


def with_ends(parts: Sequence[Part], joints: Sequence[Joint]) -> tuple[Part, ...]:
    """Return parts that name the joints they reach: those whose point on the part's frame is inside its solid."""
    sides = [(joint.name, side) for joint in joints for side in (joint.a, joint.b)]
    finished: list[Part] = []
    for part in parts:
        mine = [(name, side.p) for name, side in sides if side.frame == part.frame]
        finished.append(replace(part, ends=tuple(name for name, p in mine if outside(part, p) <= SAME_PLACE)))
    return tuple(finished)

"""The contours of a round rod in a picture, in closed form and symbolic: two planes through the camera's centre.

A rod of radius r about the line A + t x, seen from the origin of the camera's frame:

    h = A x x,    D = |h|,    u = h/D,    e = x x u,    s = r/D
    n = ±sqrt(1 - s^2) u + s e          normals of the two planes that touch it, pointing to its axis: n·A = r, n·x = 0
    x = n1 x n2/|n1 x n2|               and back

A point m = (m_x, m_y, 1) of the normalised picture is on a contour where n·m = 0, and inside the rod's silhouette where
both products are positive. It is the picture of P = Z m = A + t x - r n, and of a rod that moves

    d(n·m) = (dr - n·(dA + t dx))/Z

for n·(A + t x) = r and n·n = 1 keep. So every point of a contour gives one linear equation in the rod's motion.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from enum import IntEnum

import casadi as ca

from parakin.kernels import Derivation, Kernel, Program

SMALLEST_SHARE = 1e-9
"""Smallest 1 - s^2 of a rod that is seen from outside: nearer, the camera touches it and has no contours."""


class ContourStatus(IntEnum):
    """Whether a rod has contours in a picture."""

    GOOD = 0
    """It has two."""
    TOUCHING = 1
    """The camera's centre is inside the rod, on its surface, or on the line of its axis beyond its ends."""
    BEHIND = 2
    """The point of the contour is behind the camera."""


@dataclass(frozen=True)
class Contours:
    """The two planes through the camera's centre that touch a rod, in the camera's frame."""

    n: tuple[ca.SX, ca.SX]
    """Unit normals that point to the rod's axis: the first has the axis's direction to its right."""
    seen: ca.SX
    """1 - s^2: positive where the camera is outside the rod."""


@dataclass(frozen=True)
class Tangency:
    """How a point of the picture lies to a contour of a rod, and what the rod's motion does to that."""

    distance: ca.SX
    """How far the point is inside the silhouette, in the normalised picture: n·m/|(n_x, n_y)|."""
    row: ca.SX
    """Derivative of `distance` by the rod's root A (1, 3) [1/m]; by its direction x it is t times that, by r +|row|.

    For a point on the contour; beside it this is off by a share of the order of the distance."""
    t: ca.SX
    """Where along the rod the point is, from the root A [m]."""
    Z: ca.SX
    """Depth of the rod there [m]."""


def contours(A: ca.SX, x: ca.SX, radius: ca.SX) -> Contours:
    """Return the planes that touch a rod with root A, unit direction x and a radius [m], in the camera's frame."""
    h = ca.cross(A, x)
    D = ca.norm_2(h)
    u = h / D
    e, s = ca.cross(x, u), radius / D
    seen = (1 - s) * (1 + s)
    c = ca.sqrt(seen)
    return Contours((c * u + s * e, s * e - c * u), seen)


def direction(n1: ca.SX, n2: ca.SX) -> ca.SX:
    """Return the unit direction of a rod from the normals of its two contours: x = n1 x n2/|n1 x n2|."""
    along = ca.cross(n1, n2)
    return along / ca.norm_2(along)


def tangency(A: ca.SX, x: ca.SX, n: ca.SX, m: ca.SX) -> Tangency:
    """Return how a point m (2,) of the normalised picture lies to the contour with the normal n of a rod.

    d(n·m) = (dr - n·(dA + t dx))/Z, scaled so that distances are those in the picture. Z follows from the component
    across n and x, Z (n x x)·m = (n x x)·A, and t from that along x.
    """
    ray = ca.vertcat(m, 1)
    across = ca.cross(n, x)
    Z = ca.dot(across, A) / ca.dot(across, ray)
    t = Z * ca.dot(x, ray) - ca.dot(x, A)
    slope = ca.sqrt(n[0] ** 2 + n[1] ** 2)
    return Tangency(ca.dot(n, ray) / slope, -n.T / (Z * slope), t, Z)


@functools.cache
def contour_kernel() -> Kernel:
    """Compile the contours of a rod: A, x, radius -> n (2, 3), status."""
    return Kernel(Derivation("contours of a rod", _contour_program), status="status")


@functools.cache
def tangency_kernel() -> Kernel:
    """Compile the tangency of a point: A, x, radius, side (0 or 1), m -> distance, row (3,), t, Z, status."""
    return Kernel(Derivation("tangency of a point", _tangency_program), status="status")


def _contour_program() -> Program:
    A, x, radius = ca.SX.sym("A", 3), ca.SX.sym("x", 3), ca.SX.sym("radius")
    found = contours(A, x, radius)
    status = ca.if_else(found.seen > SMALLEST_SHARE, ContourStatus.GOOD, ContourStatus.TOUCHING)
    n = ca.if_else(ca.eq(status, ContourStatus.GOOD), ca.vertcat(*(normal.T for normal in found.n)), math.nan)
    return _program("contours", {"A": A, "x": x, "radius": radius}, {"n": n, "status": status})


def _tangency_program() -> Program:
    inputs = {"A": ca.SX.sym("A", 3), "x": ca.SX.sym("x", 3), "radius": ca.SX.sym("radius")}
    inputs |= {"side": ca.SX.sym("side"), "m": ca.SX.sym("m", 2)}
    found = contours(inputs["A"], inputs["x"], inputs["radius"])
    n = ca.if_else(inputs["side"], found.n[1], found.n[0])
    point = tangency(inputs["A"], inputs["x"], n, inputs["m"])
    status = ca.if_else(point.Z > 0, ContourStatus.GOOD, ContourStatus.BEHIND)
    status = ca.if_else(found.seen > SMALLEST_SHARE, status, ContourStatus.TOUCHING)
    values = {"distance": point.distance, "row": point.row.T, "t": point.t, "Z": point.Z}
    good = ca.eq(status, ContourStatus.GOOD)
    outputs = {name: ca.if_else(good, value, math.nan) for name, value in values.items()} | {"status": status}
    return _program("tangency", inputs, outputs)


def _program(name: str, inputs: dict[str, ca.SX], outputs: dict[str, ca.SX]) -> Program:
    function = ca.Function(
        name, list(inputs.values()), list(outputs.values()), list(inputs), list(outputs), {"cse": True}
    )
    return Program(function, outputs=tuple(outputs), name=name)

"""A rod across the view of a camera, in a plane 0.6 m before it: its direction from both contours, and Cramer-Rao's.

Regions are chained along all that is seen of the rod. The points of an edge lie in a plane through the camera's centre,
n . m = 0; both planes hold the direction, x = n_1 x n_2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import parakin as pk
from parakin.vision import (
    Appearance,
    Camera,
    Rig,
    Slot,
    find_edges,
    looking_at,
    picture_region,
    render,
    rig_of,
    rod_lines,
)

FOCAL = 640.0
"""[px]"""
DISTANCE = 0.6
"""From the camera to the middle of the rod [m]."""
LENGTH_SEEN = 580.0
"""[px]"""
RADIUS = 0.008
"""[m]"""
POINT_DEVIATION = 0.04
"""Of one point of a contour in every scan line, across it, that the bound is for [px]."""
REGION = 48
"""Scan lines of a region."""


@dataclass(frozen=True)
class DirectionErrors:
    """Errors of a direction, or their deviations."""

    picture: float
    """In the plane of the picture [rad]."""
    depth: float
    """Towards the camera [rad]."""


def across_view(angle_deg: float) -> Rig:
    """One forearm of a Quattro at home before a camera that is turned by an angle about its axis."""
    robot = pk.load("quattro")
    name = "first1.forearm"
    lines = rod_lines(rig_of(robot, looking_down(), name, radius=RADIUS), robot.home)
    A, x, d = lines.A[0], lines.x[0], float(lines.d[0])
    left_out = 0.5 * (d - LENGTH_SEEN * DISTANCE / FOCAL)
    forwards = np.cross(x, [0.0, 0.0, 1.0])
    forwards /= np.linalg.norm(forwards)
    middle, a = A + 0.5 * d * x, np.radians(angle_deg)
    place = middle - DISTANCE * forwards
    R_OK = looking_at(place, middle, np.cos(a) * x + np.sin(a) * np.cross(forwards, x))
    return rig_of(
        robot, Camera("before", (1024, 1024), (FOCAL, FOCAL), place, R_OK), name, RADIUS, start=left_out, end=left_out
    )


def looking_down() -> Camera:
    return Camera("top", (1024, 1024), (FOCAL, FOCAL), np.zeros(3), looking_at([0, 0, 0], [0, 0, -1], [1, 0, 0]))


def direction_errors(angle_deg: float, look: Appearance, seed: int) -> DirectionErrors:
    """Errors of the direction that all edges of the rod give together."""
    rig = across_view(angle_deg)
    pose, x = rig.robot.home, _seen_direction(rig)
    count = int(LENGTH_SEEN * max(abs(x[:2])) / REGION)
    slots = [Slot(0, 0, (k / count, (k + 1) / count)) for k in range(count)]
    regions = [region for slot in slots if (region := picture_region(rig, pose, slot)) is not None]
    patches = [render(rig, pose, 0, look, region.window, seed=seed) for region in regions]
    seen = find_edges(rig, regions, patches).seen
    planes = [_plane(seen.m[seen.side == side], seen.deviation[seen.side == side]) for side in (0, 1)]
    found = np.cross(planes[0], planes[1])
    found *= np.sign(found @ x) / np.linalg.norm(found)
    return DirectionErrors(*(_axes(rig) @ (found - x)))


def direction_bound(angle_deg: float) -> DirectionErrors:
    """Cramer and Rao's bound on the deviations, for a point of 0.04 px in every scan line of both contours."""
    rig = across_view(angle_deg)
    x, axes = _seen_direction(rig), _axes(rig)
    lines = rod_lines(rig, rig.robot.home)
    A = rig.cameras[0].seen(lines.A)[0]
    h = np.cross(A, x)
    u, e, s = h / np.linalg.norm(h), np.cross(x, h / np.linalg.norm(h)), RADIUS / float(np.linalg.norm(h))
    normals = [sign * np.sqrt(1 - s * s) * u + s * e for sign in (1, -1)]
    count = int(LENGTH_SEEN * max(abs(x[:2])))
    t = LENGTH_SEEN / FOCAL * (np.arange(count) / (count - 1) - 0.5)  # along the rod, at unit depth
    variance = np.zeros((2, 2))
    for side in (0, 1):
        n = normals[side]
        across = np.linalg.svd(n[None])[2][1:]  # two ways in which the plane can turn
        along = np.cross(np.cross(n, [0.0, 0.0, 1.0]), n)
        m = along / along[2] + t[:, None] * x / np.linalg.norm(x[:2])
        information = (m @ across.T).T @ (m @ across.T) * (FOCAL / POINT_DEVIATION) ** 2 * (n[0] ** 2 + n[1] ** 2)
        other, sign = normals[1 - side], 1 if side == 0 else -1
        size = np.linalg.norm(np.cross(normals[0], normals[1]))
        J = axes @ np.array([sign * np.cross(step, other) for step in across]).T / size
        variance += J @ np.linalg.solve(information, J.T)
    return DirectionErrors(*np.sqrt(np.diag(variance)))


def _seen_direction(rig: Rig) -> np.ndarray:
    return rod_lines(rig, rig.robot.home).x[0] @ rig.cameras[0].R_OK


def _axes(rig: Rig) -> np.ndarray:
    """Ways in which the direction can turn in the camera's frame (2, 3): in the picture, and in depth."""
    depth = np.array([0.0, 0.0, 1.0])
    return np.array([np.cross(depth, _seen_direction(rig)), depth])


def _plane(m: np.ndarray, deviation: np.ndarray) -> np.ndarray:
    """Normal of the plane through points of a contour, by least squares."""
    rays = np.column_stack([m, np.ones(len(m))]) / deviation[:, None]
    return np.linalg.svd(rays)[2][-1]

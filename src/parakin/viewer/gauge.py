"""Sizes of a scene's parts, from the geometry of the robot alone."""

from __future__ import annotations

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.viewer.linkage import APART, SLIDES, Joint, Linkage, Side

THICKNESS = 0.009
"""Radius of a thin bar, in diameters of the robot."""
SMALLEST = 1e-3
"""Radius of a thin bar of a robot whose joints are all at one place [m]."""
FLAT = 1e-6
"""A robot whose joints reach no farther than this across a plane, in diameters, is planar."""


@frozen_arrays
class Gauge:
    """How a robot's joints move in its box, and how thick its parts are to be."""

    unit: float
    """Radius of a thin bar [m]; all other sizes are multiples of it."""
    travel: dict[str, tuple[float, float, float]]
    """For each slide by name: smallest, home's and largest way of its b from its a, along a's axis [m]."""
    normal: Array | None
    """Across the plane in which all joints stay (3,); None if there is no such plane."""
    centre: Array
    """Where the output is at home (3,) [m]."""


def placed(frames: Array, side: Side) -> Array:
    """Return the point of one side of a joint in base axes (..., 3), given the frames (..., F, 3, 4)."""
    return frames[..., side.frame, :, :3] @ side.p + frames[..., side.frame, :, 3]


def pointed(frames: Array, side: Side) -> Array:
    """Return the axis of one side of a joint in base axes (..., 3), given the frames (..., F, 3, 4)."""
    return frames[..., side.frame, :, :3] @ side.axis


def gauge_of(linkage: Linkage, frames: Array) -> Gauge:
    """Measure a linkage; frames (S, F, 3, 4): home first, then others of its box."""
    sides = [side for joint in linkage.joints for side in (joint.a, joint.b) if joint.kind not in ("planar", "free")]
    points = np.array([placed(frames, side) for side in sides])
    size = float(np.linalg.norm(np.ptp(points[:, 0], axis=0)))
    travel = {joint.name: _travel(joint, frames) for joint in linkage.joints if joint.kind in SLIDES}
    output = frames[0, linkage.output.frame]
    centre = output[:, :3] @ linkage.output.p + output[:, 3]
    return Gauge(THICKNESS * size if size > 0 else SMALLEST, travel, _normal(linkage, points, size), centre)


def _travel(joint: Joint, frames: Array) -> tuple[float, float, float]:
    span = placed(frames, joint.b) - placed(frames, joint.a)
    way = np.sum(span * pointed(frames, joint.a), axis=-1)
    return float(np.min(way)), float(way[0]), float(np.max(way))


def _normal(linkage: Linkage, points: Array, size: float) -> Array | None:
    """Return what is across all points (n, S, 3), if they are in one plane; towards a viewer: upwards, z or -y."""
    flat = points.reshape(-1, 3)
    rows = np.linalg.svd(flat - flat.mean(axis=0), full_matrices=False)[2]
    n = rows[2]
    hinges = [joint for joint in linkage.joints if joint.kind not in APART]
    if np.max(np.abs((flat - flat[0]) @ n)) > FLAT * size or any(joint.kind != "revolute" for joint in hinges):
        return None
    sense = n @ linkage.up if abs(n @ linkage.up) > 0.5 else n @ [1.0, -2.0, 4.0]
    return n if sense > 0 else -n

"""The scene of a robot, and where its frames are at poses: the only file here that computes with a robot."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from parakin.arrays import Array
from parakin.kinematics.status import Status
from parakin.robot import Robot
from parakin.viewer.base import base_parts
from parakin.viewer.building import moving_parts
from parakin.viewer.gauge import Gauge, gauge_of
from parakin.viewer.linkage import Linkage
from parakin.viewer.roles import Role
from parakin.viewer.scene import Frame, Part, Scene
from parakin.viewer.solids import Stock, bar, with_ends

LENGTHS = (6.0, 4.0, 4.0)
"""Lengths of the axes x, y and z, in units of the gauge."""
RADIUS = 0.3
"""Radius of an axis, in units of the gauge."""


def mark_parts(linkage: Linkage, gauge: Gauge) -> list[Part]:
    """Return the axes of all frames of interest."""
    parts: list[Part] = []
    for name, place in linkage.marks.items():
        stock = Stock(place.frame, name.replace("_", " "), None)
        for axis, length in zip(place.R.T, LENGTHS, strict=True):
            parts.append(bar(stock, Role.TOOL, (place.p, place.p + length * gauge.unit * axis), RADIUS * gauge.unit))
    return parts


SAMPLES = 200
"""Poses of the box from which strokes and bounds of a scene are taken."""


def frames_at(robot: Robot, poses: ArrayLike) -> tuple[Array, NDArray[np.int32]]:
    """Return where all frames are at poses (..., n): [R | p] in base axes (..., F, 3, 4), and statuses (...,).

    Rows that no pose of the robot has are NaN. A robot of legs has frames also where it is singular.

    >>> places, statuses = pk.viewer.frames_at(robot, robot.sample(10))
    >>> places.shape == (10, len(scene.frames), 3, 4), bool((statuses == pk.Status.GOOD).all())
    (True, True)
    """
    found = robot.evaluate("frames", pose=poses)
    frames = np.asarray(found["frames"])
    return frames.reshape(*frames.shape[:-2], -1, 3, 4), np.asarray(found.status)


def scene_of(robot: Robot) -> Scene:
    """Return the scene of a robot or mechanism.

    >>> scene = pk.viewer.scene_of(robot)
    >>> len(scene.frames), scene.frames[0].name
    (11, 'base')
    """
    poses = np.concatenate([np.asarray(robot.home)[None], robot.sample(SAMPLES)])
    frames, status = frames_at(robot, poses)
    if not np.isfinite(frames[0]).all():
        robot.inverse_kinematics(robot.home)  # raises, and says what is wrong with home
    usable = np.isfinite(frames).all(axis=(1, 2, 3)) & (status != int(Status.UNREACHABLE))
    linkage = linkage_of(robot, frames[0])
    gauge = gauge_of(linkage, frames[usable])
    solids = base_parts(linkage, gauge) + moving_parts(linkage, gauge) + mark_parts(linkage, gauge)
    parts = with_ends(solids, linkage.joints)
    lower, upper = _bounds(parts, frames[usable])
    return Scene(
        linkage.name,
        linkage.title,
        tuple(Frame(body.name, body.label, body.leg) for body in linkage.bodies),
        parts,
        linkage.joints,
        linkage.output,
        lower,
        upper,
        linkage.up,
        gauge.normal,
    )


def linkage_of(robot: Robot, home: Array) -> Linkage:
    """Return frames, bodies and joints of a robot or mechanism; home: its frames (F, 3, 4) at home."""
    if robot.legs:
        from parakin.viewer.leg_linkage import leg_linkage

        return leg_linkage(robot.description, home)
    from parakin.viewer.graph_linkage import graph_linkage

    return graph_linkage(robot.plan.skeleton)


def _bounds(parts: tuple[Part, ...], frames: Array) -> tuple[Array, Array]:
    """Return smallest and largest coordinates of the corners of all parts, at frames (S, F, 3, 4)."""
    corners = [
        np.einsum("sij,cj->sci", frames[:, part.frame, :, :3], part.corners) + frames[:, None, part.frame, :, 3]
        for part in parts
    ]
    every = np.concatenate(corners, axis=1).reshape(-1, 3)
    return every.min(axis=0), every.max(axis=0)

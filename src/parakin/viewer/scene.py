"""A robot as a scene: rigid parts in moving frames, as pure data that any renderer can draw.

Every visible part is rigid in one frame. Where the frames are follows from the pose by the model `frames`, the same
expressions as the robot's kinematics:

    place of a part = frames[part.frame] [part.R | part.p]        frames (F, 3, 4): [R | p] in base axes
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.viewer.linkage import Joint, Place
from parakin.viewer.roles import Role


class Shape(StrEnum):
    """The solids that parts are made of, each centred on its own origin."""

    CYLINDER = "cylinder"
    """Round about z: size (radius, radius, length)."""
    CONE = "cone"
    """Round about z, its base at -length/2 and its tip at +length/2: size (radius, radius, length)."""
    BOX = "box"
    """Size (along x, along y, along z)."""
    SPHERE = "sphere"
    """Size (radius, radius, radius)."""
    PLATE = "plate"
    """A convex outline in x and y: size (0, 0, thickness along z)."""


@frozen_arrays
class Part:
    """A solid that is fixed to a frame.

    >>> part = next(part for part in scene.parts if part.role is pk.viewer.Role.ARM)
    >>> part.label, part.shape.name
    ('leg1 arm', 'CYLINDER')
    """

    frame: int
    """The frame it is fixed to, by its number; 0 is the base."""
    shape: Shape
    """What solid it is."""
    role: Role
    """What it is for; its colour follows."""
    p: Array
    """Its centre in the frame (3,) [m]."""
    R: Array
    """Its axes in the frame as columns (3, 3)."""
    size: Array
    """Its size (3,) [m], as its shape says."""
    label: str
    """What it belongs to, in words."""
    leg: int | None = None
    """The number of its leg, for robots of legs."""
    ends: tuple[str, ...] = ()
    """The joints that it reaches, by name: their points on this frame are inside the solid."""
    outline: Array | None = None
    """Corners of a plate (n, 2) [m], anticlockwise; None for other shapes."""

    @property
    def corners(self) -> Array:
        """The corners of a box around it, in its frame (8, 3) [m]."""
        signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
        return self.p + (signs * self.half) @ self.R.T

    @property
    def half(self) -> Array:
        """Half of the extent along its own axes (3,) [m]."""
        if self.shape is Shape.SPHERE:
            return self.size
        if self.outline is not None:
            return np.append(np.max(np.abs(self.outline), axis=0), self.size[2] / 2)
        return self.size / 2 if self.shape is Shape.BOX else self.size * np.array([1.0, 1.0, 0.5])


@dataclass(frozen=True)
class Frame:
    """A rigid body of a scene.

    >>> [frame.name for frame in scene.frames[:3]]
    ['base', 'leg1.arm', 'leg1.forearm.a']
    """

    name: str
    """What it is called: base, leg1.arm, leg1.strut.tip, platform."""
    label: str
    """What it stands for, in words."""
    leg: int | None
    """The number of its leg, for robots of legs."""


@frozen_arrays
class Scene:
    """All that is to be seen of a robot or mechanism."""

    name: str
    """Its short name."""
    title: str
    """What it is, in a few words."""
    frames: tuple[Frame, ...]
    """The rigid bodies, in the order of the model `frames`; the first is the base, which does not move."""
    parts: tuple[Part, ...]
    """The solids."""
    joints: tuple[Joint, ...]
    """What holds the frames together."""
    output: Place
    """The frame whose motion the robot is built for, by which a platform is taken hold of."""
    lower: Array
    """Smallest coordinates of anything while the robot is in its box (3,) [m]."""
    upper: Array
    """Largest coordinates, likewise."""
    up: Array
    """Unit direction against gravity (3,)."""
    normal: Array | None
    """Across the plane in which all moves (3,), for planar robots; None for others."""

    def to_data(self) -> dict[str, object]:
        """Return the scene as plain numbers, texts, lists and dictionaries, ready for JSON; lengths in metres.

        A part's `at` is [R | p] in its frame, row by row (12 numbers).

        >>> sorted(scene.to_data())[:4]
        ['frames', 'lower', 'name', 'normal']
        """
        output = np.column_stack([self.output.R, self.output.p])
        return {
            "name": self.name,
            "title": self.title,
            "frames": [{"name": frame.name, "label": frame.label, "leg": frame.leg} for frame in self.frames],
            "parts": [_part_data(part) for part in self.parts],
            "output": {"frame": self.output.frame, "at": _plain(output)},
            "lower": _plain(self.lower),
            "upper": _plain(self.upper),
            "up": _plain(self.up),
            "normal": None if self.normal is None else _plain(self.normal),
        }


DIGITS = 9
"""Digits behind the point of a length [m] or direction in a scene's data: a nanometre."""


def _plain(values: Array) -> list[float]:
    return [round(float(value), DIGITS) + 0.0 for value in np.ravel(values)]


def _part_data(part: Part) -> dict[str, object]:
    data: dict[str, object] = {
        "frame": part.frame,
        "shape": part.shape.value,
        "role": part.role.value,
        "at": _plain(np.column_stack([part.R, part.p])),
        "size": _plain(part.size),
        "label": part.label,
        "leg": part.leg,
    }
    return data if part.outline is None else data | {"outline": _plain(part.outline)}

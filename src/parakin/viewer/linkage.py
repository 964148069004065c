"""A robot or mechanism as what a picture needs of it: frames, bodies and joints, whatever file it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.description.model import Tool

BASE = 0
"""The number of the frame that does not move."""
SLIDES = ("prismatic", "cylindrical", "screw")
"""Kinds of joints whose two points move apart along an axis."""
APART = (*SLIDES, "planar", "free", "distance")
"""Kinds of joints whose two points need not be at one place."""


@frozen_arrays
class Side:
    """One side of a joint: a point and an axis of a frame."""

    frame: int
    """The frame, by its number."""
    p: Array
    """The point in that frame (3,) [m]."""
    axis: Array
    """Unit direction in that frame (3,): of a hinge or slide; of a universal joint, the axis that this side holds."""


@dataclass(frozen=True, eq=False)
class Joint:
    """What connects two frames: where, and how."""

    name: str
    """What the joint is called; names differ."""
    kind: str
    """A key of `parakin.mechanism.kinds.KINDS`: revolute, universal, spherical, prismatic, ..."""
    a: Side
    """The side nearer to the base."""
    b: Side
    """The other side."""
    driven: bool = False
    """Whether a motor moves it."""
    leg: int | None = None
    """The number of its leg, for robots of legs."""
    part: int | None = None
    """The frame of the rod that a joint of kind "distance" stands for, x from a to b."""
    length: float = 0.0
    """The length of that rod [m]."""
    pair: str | None = None
    """What the joints at one end of a parallelogram's two rods have in common."""


@frozen_arrays
class Mass:
    """A mass of a body and its place."""

    name: str
    """What it is called."""
    mass: float
    """Mass [kg]."""
    com: Array
    """Its centre in the body's frame (3,) [m]."""


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid part of a robot."""

    name: str
    """What its frame is called."""
    label: str
    """What it is, in words."""
    leg: int | None = None
    """The number of its leg, for robots of legs."""
    masses: tuple[Mass, ...] = ()
    """What it weighs."""
    rod: bool = False
    """Whether it is a light rod that nothing bends, such as those of a parallelogram."""


@frozen_arrays
class Place:
    """A frame that is fixed to another one."""

    frame: int
    """The frame that carries it, by its number."""
    p: Array
    """Its origin there (3,) [m]."""
    R: Array
    """Its axes there as columns (3, 3)."""


@frozen_arrays
class Linkage:
    """Frames, bodies and joints of a robot or mechanism."""

    name: str
    """Its short name."""
    title: str
    """What it is, in a few words."""
    up: Array
    """Unit direction against gravity (3,), z where there is none."""
    bodies: tuple[Body, ...]
    """One for each frame, in order; the base first."""
    joints: tuple[Joint, ...]
    """Its joints."""
    output: Place
    """The frame whose motion it is built for: E of a platform, the output of a mechanism."""
    tool: Place | None = None
    """The tool frame, where a file has one."""
    nacelle: frozenset[int] = field(default_factory=frozenset[int])
    """Frames that make up the platform or nacelle."""
    marks: Mapping[str, Place] = field(default_factory=dict[str, Place])
    """Frames of interest, by name."""

    def sides(self, frame: int) -> list[tuple[Joint, Side]]:
        """Return the joints of a frame, each with its side there."""
        return [(joint, side) for joint in self.joints for side in (joint.a, joint.b) if side.frame == frame]


def tool_on(output: Place, tool: Tool | None) -> Place | None:
    """Return the place of a tool that is given in the output frame."""
    if tool is None:
        return None
    return Place(output.frame, output.p + output.R @ np.array(tool.position), output.R @ tool.rotation)


def upwards(gravity: tuple[float, float, float]) -> Array:
    """Return the unit direction against gravity; z where there is none."""
    size = float(np.linalg.norm(gravity))
    return -np.array(gravity) / size if size > 0 else np.array([0.0, 0.0, 1.0])

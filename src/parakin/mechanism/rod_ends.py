"""The ends of a rod in its file: spherical joints, universal joints, and pairs of hinges that meet in a ring.

A universal joint, or such a pair, between a rod and what it hangs on is two turns about axes through one point: axis 1
belongs to what the rod hangs on, axis 2 to the rod. Its point moves as that of a spherical joint does, and the spin of
the rod follows from the direction of its line.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.mechanism.model import BASE, Frame, Joint, MechanismDescription
from parakin.mechanism.numeric import cross

MEET = 1e-12
"""Distance of two hinge axes, relative to that of their joints' origins from the point midway, at which they meet."""


@frozen_arrays
class RodEnd:
    """One end of a rod."""

    joints: tuple[str, ...]
    """Its joints, from what the rod hangs on to the rod: one, or two hinges."""
    body: str
    """What the rod hangs on."""
    frame: Frame
    """A frame on that body with its origin at the end."""
    point: Array
    """The end in the rod's frame (3,) [m]."""
    axes: tuple[Array, Array] | None = None
    """Axes of two turns, the first in the axes of `frame`, the second in the rod's; None for a spherical joint."""
    cosine: float = 0.0
    """The cosine of the angle between these."""
    ring: str = ""
    """The body between two hinges; empty for one joint."""


def frame_on(joint: Joint, body: str) -> Frame:
    """Return the frame of a joint on one of its two bodies."""
    return joint.parent_frame if joint.parent == body else joint.frame_on_child


def other(joint: Joint, body: str) -> str:
    """Return the body at the other side of a joint."""
    return joint.child if joint.parent == body else joint.parent


def rod_end(description: MechanismDescription, joint: Joint, rod: str) -> RodEnd | None:
    """Return the end of a rod at one of its joints; None if it is none that a distance can stand for."""
    here, there = frame_on(joint, rod), other(joint, rod)
    point, frame = np.array(here.position), frame_on(joint, there)
    if joint.type == "spherical":
        return RodEnd((joint.name,), there, frame, point)
    if joint.type == "universal":
        first, second = (0, 1) if joint.child == rod else (1, 0)
        return RodEnd((joint.name,), there, frame, point, (np.eye(3)[first], here.rotation[:, second]))
    return _hinged_end(description, joint, rod) if joint.type == "revolute" else None


def _hinged_end(description: MechanismDescription, inner: Joint, rod: str) -> RodEnd | None:
    """Return the end of a rod at two hinges whose axes meet, with a ring between them."""
    ring = other(inner, rod)
    mine = [joint for joint in description.joints if ring in (joint.parent, joint.child)]
    outer = next((joint for joint in mine if joint is not inner), None)
    if outer is None or len(mine) != 2 or outer.type != "revolute" or ring == BASE or carries(description, ring):
        return None
    on_ring = [frame_on(joint, ring) for joint in (outer, inner)]
    along = _meeting([(np.array(frame.position), frame.rotation[:, 2]) for frame in on_ring])
    if along is None:
        return None
    there = other(outer, ring)
    frame, here = frame_on(outer, there), frame_on(inner, rod)
    moved = frame.model_copy(update={"position": tuple(_on_axis(frame, along[0]).tolist())})
    cosine = float(on_ring[0].rotation[:, 2] @ on_ring[1].rotation[:, 2])
    axes = np.eye(3)[2], here.rotation[:, 2]
    return RodEnd((outer.name, inner.name), there, moved, _on_axis(here, along[1]), axes, cosine, ring)


def _on_axis(frame: Frame, along: float) -> Array:
    return np.array(frame.position) + along * frame.rotation[:, 2]


def _meeting(lines: Sequence[tuple[Array, Array]]) -> tuple[float, float] | None:
    """Return how far along two lines, from their points, they meet at more than 45 degrees; None if they do not."""
    (a, x), (b, y) = lines
    normal = cross(x, y)
    square, d = float(normal @ normal), b - a
    if square < 0.5:
        return None
    along = float(cross(d, y) @ normal) / square, float(cross(d, x) @ normal) / square
    apart = np.linalg.norm(a + along[0] * x - b - along[1] * y)
    return along if apart <= MEET * max(abs(along[0]), abs(along[1])) else None


def carries(description: MechanismDescription, body: str) -> str:
    """Return in words what a body carries that needs its frame, besides joints; empty for nothing."""
    frames = [frame.name for frame in description.frames if frame.body == body]
    if description.output.body == body or frames:
        return f"frame {frames[0]} is on it" if frames else "the output is on it"
    if next(one for one in description.bodies if one.name == body).gravity_compensation:
        return "part of its weight is compensated"
    bars = [bar.called for bar in description.bars if any(end.body == body for end in bar.ends or ())]
    return f"bar {bars[0]} ends on it" if bars else ""

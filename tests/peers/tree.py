"""A robot as any multibody engine sees it: a tree of joints with masses, and points of it that loops hold together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

BASE = -1
"""The parent of what stands on the ground."""


@dataclass(frozen=True)
class Place:
    """A frame F fixed to link L: p_LF, R_LF."""

    link: int
    p: np.ndarray
    R: np.ndarray

    def then(self, p_FG: np.ndarray, R_FG: np.ndarray) -> Place:
        """p_LG = p_LF + R_LF p_FG, R_LG = R_LF R_FG."""
        return Place(self.link, self.p + self.R @ p_FG, self.R @ R_FG)


@dataclass(frozen=True)
class Joint:
    """Link k of the tree is what joint k moves: R = R_place motion(axis, value), axis in the link's own frame.

    armature: inertia of a rotor on the joint's own rate, n^2 I_rotor [kg m^2 or kg].
    """

    name: str
    place: Place
    kind: Literal["revolute", "prismatic", "ball"]
    axis: np.ndarray
    armature: float = 0.0


@dataclass(frozen=True)
class Mass:
    """A rigid body fixed to a link; com and inertia about it in the link's frame."""

    link: int
    mass: float
    com: np.ndarray
    inertia: np.ndarray


@dataclass(frozen=True)
class Drive:
    """An actuator: q = sign (value of the joint - zero)."""

    joint: int
    sign: int
    zero: float


@dataclass(frozen=True)
class Loop:
    """The tip of a leg and the point of the platform that stay together; the leg's joints, elements and drives.

    elements: the frame of each at its root, x along its line, on the link that its root joint moves last.
    """

    tip: Place
    attachment: Place
    joints: slice
    elements: tuple[Place, ...]
    drives: tuple[Drive, ...]


@dataclass(frozen=True)
class Copy:
    """A joint of a nacelle, or the motor of a shaft, whose value is ratio times the platform's angle."""

    joint: int
    ratio: int


@dataclass(frozen=True)
class Tree:
    """Joints depth first, those of the platform before those of the legs.

    slides: how many of the first joints move E along base axes; turn: the joint by which the platform turns, if it
    does. Pinocchio's CRBA is silently wrong for joints in any other order than depth first.
    """

    joints: tuple[Joint, ...]
    masses: tuple[Mass, ...]
    loops: tuple[Loop, ...]
    copies: tuple[Copy, ...]
    slides: int
    turn: int | None
    gravity: np.ndarray

    def rates(self, joint: int) -> slice:
        """Where a joint's rates stand among all rates; a ball has three, its angular velocity in its own axes."""
        start = sum(3 if j.kind == "ball" else 1 for j in self.joints[:joint])
        return slice(start, start + (3 if self.joints[joint].kind == "ball" else 1))

    @property
    def drives(self) -> tuple[Drive, ...]:
        return tuple(drive for loop in self.loops for drive in loop.drives)

    @property
    def platform_joints(self) -> int:
        """How many joints follow from the pose alone."""
        return min(loop.joints.start for loop in self.loops)

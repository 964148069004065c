"""What a robot loses at a singularity, in words: the motion that no motor holds, or the motion that none can make."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parakin.arrays import Array, lock_arrays
from parakin.mechanism.universal_roots import UniversalRoot
from parakin.motions.offsets import frame_at, in_space
from parakin.robot import Robot

PLAIN = 1e-3
"""Share of a motion, rotations counted at the robot's length, below which a part of it is left out of the words."""


MICROMETRE = 1e-6
"""Coordinates of a point that are smaller are said as zero [m]."""


def _vector(values: Array, digits: int) -> str:
    return f"[{', '.join(f'{value + 0.0:.{digits}g}' for value in values)}]"


@dataclass(frozen=True, eq=False)
class Screw:
    """A velocity of the platform as a turn about an axis, a move along a direction, or both at once."""

    direction: Array
    """Unit direction of the axis, or of the move (3,)."""
    point: Array | None
    """The point of the axis that is nearest to E (3,) [m]; None for a move."""
    pitch: float
    """Way along the axis for one radian [m]; infinite for a move."""

    def __post_init__(self) -> None:
        lock_arrays(self)

    def __str__(self) -> str:
        along = _vector(np.where(np.abs(self.direction) < PLAIN, 0, self.direction), 3)
        if self.point is None:
            return f"move along {along}"
        where = _vector(np.where(np.abs(self.point) < MICROMETRE, 0, self.point), 4)
        turn = f"turn about the axis through {where} m along {along}"
        return turn if self.pitch == 0.0 else f"{turn}, moving {self.pitch:.3g} m along it for each radian"


def screw_of(robot: Robot, pose: Array, velocity: Array) -> Screw:
    """Return a velocity (n,) of the platform at a pose as a screw.

    >>> print(pk.analysis.screw_of(robot, robot.home, np.array([0.0, 0.0, 2.0])))
    move along [0, 0, 1]
    """
    p_OE, _ = frame_at(robot.motion_type, pose)
    return twist_screw(p_OE, in_space(robot.motion_type, velocity), robot.length)


def twist_screw(point: Array, twist: Array, length: float) -> Screw:
    """Return a twist [v; w] (6,), v being the velocity of a point (3,), as a screw; length: rotations count at it [m].

    axis through point + w x v/|w|^2 along w,       pitch = v·w/|w|^2
    """
    v, w = twist[:3], twist[3:]
    speed, turning = float(np.linalg.norm(v)), float(np.linalg.norm(w)) * length
    if turning <= PLAIN * np.hypot(speed, turning):
        return Screw(_upright(v), None, np.inf)
    pitch = float(v @ w / (w @ w))
    return Screw(_upright(w), point + np.cross(w, v) / (w @ w), 0.0 if abs(pitch) <= PLAIN * length else pitch)


def _upright(v: Array) -> Array:
    """The unit vector along v or against it, its largest entry positive."""
    unit = v / np.linalg.norm(v)
    return unit * np.sign(unit[int(np.argmax(np.abs(unit)))])


@dataclass(frozen=True, eq=False)
class Moved:
    """A rigid part in a motion that nothing holds."""

    name: str
    """The part; empty for the platform or the output."""
    point: Array
    """A point of it (3,) [m]."""
    twist: Array
    """Velocity of that point and angular velocity (6,) [m/s, rad/s]."""

    def __post_init__(self) -> None:
        lock_arrays(self)

    def size(self, length: float) -> float:
        """Return how fast it moves, rotations counted at a length [m/s]."""
        return float(np.hypot(np.linalg.norm(self.twist[:3]), length * np.linalg.norm(self.twist[3:])))


def gained_in_words(robot: Robot, moved: Moved, count: int, *, platform: bool) -> str:
    """Return what joints let a platform, or a body of a mechanism, do at a constraint singularity.

    count: how many motions are gained, of which `moved` is one.
    """
    screw = twist_screw(moved.point, moved.twist, robot.length)
    more = "" if count == 1 else f" (one of {count} such motions)"
    if platform:
        held = f"though its motion is {robot.motion_type.name}: whatever the motors do, no joint holds it there"
        return f"at this pose the platform can {screw}{more}, {held}"
    what = moved.name or robot.graph_description.output.body
    return f"at this pose the loops let {what} {screw}{more} while the pose stands still: they can go on in other ways"


def spinning_in_words(joint: UniversalRoot, second: Array) -> str:
    """Return what a universal joint does whose axis 1 is along the line of its element; second: axis 2 (3,)."""
    along = f"at this pose the line of {joint.leg}.{joint.element} is along axis 1 of its universal joint"
    axis = _vector(np.where(np.abs(second) < PLAIN, 0, _upright(second)), 3)
    return f"{along}: the joint spins it about itself, and does not let its tip move along axis 2, {axis}"


def in_words(robot: Robot, pose: Array, velocity: Array, kind: str, leg: str) -> str:
    """Return what is lost at a singularity of a robot of legs.

    velocity: of type 2 the motion that is free, of type 1 the motion that is lost.
    """
    if kind == "loops":
        return "at this pose the loops of the mechanism lose their hold: these coordinates cannot move it further"
    if robot.motion_type.of_joints:
        parts = zip(robot.pose_names, velocity / np.abs(velocity).max(), strict=True)
        moving = ", ".join(f"{name} {value:+.2f}" for name, value in parts if abs(value) > PLAIN)
        return f"at this pose the mechanism can move ({moving}) while all motors stand still"
    screw = screw_of(robot, pose, velocity)
    if kind == "type 2":
        return f"at this pose the platform can {screw} while all motors stand still: no motor force holds it there"
    return f"at this pose {leg} is stretched or folded: its motor moves nothing, and the platform cannot {screw}"

"""Velocities of a platform as screws: turns about axes, moves along directions, or both at once, and these in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parakin.arrays import Array, frozen_arrays
from parakin.motions.offsets import frame_at, in_space

if TYPE_CHECKING:
    from parakin.robot.robot import Robot

PLAIN = 1e-3
"""Share of a motion, rotations counted at the robot's length, below which a part of it is left out of the words."""
MICROMETRE = 1e-6
"""Coordinates of a point that are smaller are said as zero [m]."""


def _vector(values: Array, digits: int) -> str:
    return f"[{', '.join(f'{value + 0.0:.{digits}g}' for value in values)}]"


@frozen_arrays
class Screw:
    """A velocity of the platform as a turn about an axis, a move along a direction, or both at once."""

    direction: Array
    """Unit direction of the axis, or of the move (3,)."""
    point: Array | None
    """The point of the axis that is nearest to E (3,) [m]; None for a move."""
    pitch: float
    """Way along the axis for one radian [m]; infinite for a move."""

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


def joints_in_words(robot: Robot, velocity: Array) -> str:
    """Return a velocity (n,) of joints as a text, each beside the fastest: strut1.travel +1.00, strut2.travel -0.50."""
    parts = zip(robot.pose_names, velocity / np.abs(velocity).max(), strict=True)
    return ", ".join(f"{name} {value:+.2f}" for name, value in parts if abs(value) > PLAIN)


def direction_in_words(v: Array) -> str:
    """Return the direction of a vector (3,), or of its negative, as a text: its largest entry is positive."""
    upright = _upright(v)
    return _vector(np.where(np.abs(upright) < PLAIN, 0, upright), 3)


def _upright(v: Array) -> Array:
    """The unit vector along v or against it, its largest entry positive."""
    unit = v / np.linalg.norm(v)
    return unit * np.sign(unit[int(np.argmax(np.abs(unit)))])

"""The nearest singularity that a search finds: an upper bound on the distance to the nearest there is.

Rays leave the pose in many directions and are followed until det A changes its sign (type 2), or a leg or loop opens
(type 1: it is stretched or folded there); the crossing is found by bisection. From the nearest crossings the surface
is then followed towards the pose: the foot of the perpendicular onto its tangent plane gives the next direction, whose
ray is followed anew. Every crossing is a singularity, so the shortest ray is an upper bound, and never an estimate.

Distances are lengths of offsets, |dp|^2 + length^2 |rotation vector|^2 under the root, with the robot's `length`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from parakin.analysis.singularities.measures import platform_margin, scaled
from parakin.analysis.singularities.words import in_words
from parakin.arrays import Array, lock_arrays
from parakin.kinematics.status import Status
from parakin.motions.offsets import displaced
from parakin.robot import Robot

Flags = NDArray[np.bool_]
"""One flag for each pose."""
DIRECTIONS = 96
"""Random directions of the first rays, beside those along the axes."""
FARTHEST = 4.0
"""How far rays go, in lengths of the robot."""
SAMPLES = 240
"""Poses on a ray at which it is looked at."""
BISECTIONS = 44
"""Halvings of a step of a ray: to the last digits of its length."""
FOLLOWED = 6
"""Crossings from which the surface is followed."""
ROUNDS = 12
"""Steps along the surface at most."""
TRIALS = (1.0, 0.5, 0.2, 0.05)
"""Shares of the way to the foot of the perpendicular that are tried in a step."""
BEYOND = 1e-9
"""Share of a ray by which a pose is taken beyond its crossing, to see what has changed."""
BEFORE_PLATFORM = 1e-7
"""Share of a ray by which J_qv is taken before a crossing of type 2, where it still has its rank."""
BEFORE_LEG = (1e-6, 1e-5, 1e-4, 1e-3)
"""The same before a leg is stretched, the first at which its rates are known: they grow beyond all bounds, and only
their direction counts."""
DIFFERENCE = 1e-5
"""Length of the differences that give a surface's normal, in lengths of the robot."""


@dataclass(frozen=True, eq=False)
class Singularity:
    """A singular pose, and what is lost there."""

    kind: str
    """"type 1" or "type 2"; "loops" where the loops of a mechanism lose their hold."""
    pose: Array
    """The pose (coordinates,)."""
    distance: float
    """Its distance from where the search began [m], rotations counted at `length`."""
    length: float
    """The length by which rotations count [m]."""
    leg: str
    """The leg that is stretched or folded; empty for others."""
    velocity: Array
    """Of type 2 the velocity (n,) that no motor holds, of type 1 the one that none can make; of unit length, scaled."""
    words: str
    """The same in words."""
    limit: str
    """What of the robot's own limits is broken there: a stroke or a joint limit; empty if it can be reached."""

    def __post_init__(self) -> None:
        lock_arrays(self)

    def __str__(self) -> str:
        kept = f"; before it comes: {self.limit}" if self.limit else ""
        return f"{self.kind} singularity within {self.distance:.4g} m: {self.words}{kept}"


def nearest_singularity(robot: Robot, pose: Array | None = None, *, seed: int = 0) -> Singularity | None:
    """Return the nearest singularity that rays and continuation find from a pose, home by default; None if none is.

    Limits of strokes and joints are passed over on the way; `limit` tells if one comes first.

    >>> found = pk.analysis.nearest_singularity(robot)
    >>> found.kind, round(found.distance, 3)
    ('type 1', 0.195)
    """
    start = robot.home if pose is None else np.asarray(pose, float)
    n = robot.degrees_of_freedom
    drawn = np.random.default_rng(seed).normal(size=(DIRECTIONS, n))
    axes = np.concatenate([np.eye(n), -np.eye(n), drawn])
    directions = axes / np.linalg.norm(axes, axis=1, keepdims=True)
    rays = _Rays(robot, start)
    reaches = rays.reaches(directions)
    order = np.argsort(reaches)[:FOLLOWED]
    best = min((_followed(rays, directions[k], float(reaches[k])) for k in order), key=lambda pair: pair[1])
    if not np.isfinite(best[1]):
        return None
    return rays.described(*best)


class _Rays:
    """Straight ways from a pose, in offsets whose rotations count at the robot's length."""

    def __init__(self, robot: Robot, start: Array) -> None:
        self.robot, self.start = robot, start
        self.scale = np.array(robot.motion_type.scale(1 / robot.length))
        self.farthest = FARTHEST * robot.length
        margin = platform_margin(scaled(robot, start[None]))[0]
        self.side = 1.0 if not margin < 0 else -1.0

    def poses(self, offsets: Array) -> Array:
        return displaced(self.robot.motion_type, self.start, offsets * self.scale)

    def regular(self, offsets: Array) -> Flags:
        """Whether poses (N,) are on this side of every singularity.

        Just before a leg is stretched its rates are not known any more; such a pose is still on this side.
        """
        poses = self.poses(offsets)
        margin = platform_margin(scaled(self.robot, poses))
        with np.errstate(invalid="ignore"):
            good = self.side * margin > 0
        lost = np.flatnonzero(np.isnan(margin))
        if len(lost) and self.robot.legs:
            good[lost] = (self.robot.evaluate("inverse_kinematics", pose=poses[lost]).excess <= 0).all(axis=-1)
        return good

    def reaches(self, directions: Array) -> Array:
        """How far rays (N, n) go until they cross a singularity (N,); infinite where they do not."""
        shares: Array = np.linspace(0.0, self.farthest, SAMPLES + 1)[1:]
        offsets = directions[:, None, :] * shares[:, None]
        good = self.regular(offsets.reshape(-1, directions.shape[1])).reshape(len(directions), SAMPLES)
        high: Array = shares[np.argmin(good, axis=1)]
        low: Array = high - shares[0]
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            inside = self.regular(directions * middle[:, None])
            low, high = np.where(inside, middle, low), np.where(inside, high, middle)
        return np.where(good.all(axis=1), np.inf, low)

    def leg_at(self, offset: Array) -> str | None:
        """The leg that opens just beyond a crossing; None where none does, and det A changes its sign."""
        beyond = self.poses(offset[None] * (1 + BEYOND))
        if not self.robot.legs:
            return None if np.isfinite(scaled(self.robot, beyond)).all() else ""
        excess = self.robot.evaluate("inverse_kinematics", pose=beyond).excess[0]
        return self.robot.legs[int(np.argmax(excess))].name if (excess > 0).any() else None

    def normal(self, offset: Array) -> Array:
        """The normal of the surface that a ray crosses at an offset (n,), in scaled offsets; zeros if it has none."""
        h, n, leg = DIFFERENCE * self.robot.length, len(offset), self.leg_at(offset)
        steps = h * np.concatenate([np.eye(n), -np.eye(n)])
        if leg:
            k = [one.name for one in self.robot.legs].index(leg)
            values = self.robot.evaluate("inverse_kinematics", pose=self.poses(offset + steps)).excess[:, k]
        else:
            back = offset * (1 - 4 * h / np.linalg.norm(offset))
            values = platform_margin(scaled(self.robot, self.poses(back + steps)))
        gradient = (values[:n] - values[n:]) / (2 * h)
        size = float(np.linalg.norm(gradient))
        return gradient / size if np.isfinite(size) and size > 0 else np.zeros(n)

    def described(self, direction: Array, reach: float) -> Singularity:
        """What is lost where a ray ends."""
        robot, offset = self.robot, direction * reach
        leg = self.leg_at(offset)
        kind = "type 2" if leg is None else "type 1" if leg else "loops"
        shares = np.array(BEFORE_LEG if leg else (BEFORE_PLATFORM,))
        before = scaled(robot, self.poses(offset * (1 - shares[:, None])))
        J = next((one for one in before if np.isfinite(one).all()), np.nan_to_num(before[-1]))
        if leg:
            row = next(k for k, name in enumerate(robot.actuator_names) if name.startswith(f"{leg}."))
            motion = J[row] / np.linalg.norm(J[row])
        else:
            motion = np.linalg.svd(J)[2][-1]
        pose, velocity = self.poses(offset), motion * self.scale
        status = Status(int(robot.check(self.poses(offset * (1 - BEFORE_LEG[-1])))))
        words = in_words(robot, pose, velocity, kind, leg or "")
        return Singularity(kind, pose, reach, robot.length, leg or "", velocity, words, _LIMITS.get(status, ""))


_LIMITS = {
    Status.OUT_OF_STROKE: "an actuator leaves its stroke",
    Status.JOINT_LIMIT: "a joint leaves its limits",
}
"""What is said of a status of a pose that comes before a singularity."""


def _followed(rays: _Rays, direction: Array, reach: float) -> tuple[Array, float]:
    """Follow the surface from where a ray crosses it towards the start, and return the shortest ray on the way."""
    for _ in range(ROUNDS):
        if not np.isfinite(reach):
            break
        normal = rays.normal(direction * reach)
        if not normal.any():
            break
        foot = normal * np.sign(normal @ direction)
        trials = np.array([direction + share * (foot - direction) for share in TRIALS])
        trials /= np.linalg.norm(trials, axis=1, keepdims=True)
        found = rays.reaches(trials)
        k = int(np.argmin(found))
        if not found[k] < reach * (1 - 1e-9):
            break
        direction, reach = trials[k], float(found[k])
    return direction, reach
